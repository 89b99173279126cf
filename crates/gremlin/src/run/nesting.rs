//! How deep values nest. Readers bound what comes from outside; this bounds what steps make, so that walking, comparing and dropping a
//! value never run out of stack, however often `repeat(fold())` goes round.

use super::RunError;
use crate::value::{GValue, MAX_NESTING, Tree};

/// # Errors
/// [`RunError::Evaluation`] for a value that nests deeper than [`MAX_NESTING`].
pub(super) fn check(value: &GValue) -> Result<(), RunError> {
    if fits(value, MAX_NESTING) { Ok(()) } else { Err(too_deep("a value nests")) }
}

/// # Errors
/// [`RunError::Evaluation`] for a path with more than [`MAX_NESTING`] objects, since a tree nests as deep as its paths are long.
pub(super) fn check_branch(path: &[GValue]) -> Result<(), RunError> {
    if path.len() <= MAX_NESTING { Ok(()) } else { Err(too_deep("a tree branches")) }
}

fn too_deep(what: &str) -> RunError {
    RunError::Evaluation { message: format!("{what} at most {MAX_NESTING} levels deep") }
}

fn fits(value: &GValue, levels: usize) -> bool {
    let below = |value: &GValue| levels > 0 && fits(value, levels - 1);
    match value {
        GValue::List(items) => items.iter().all(below),
        GValue::Set(members) => members.iter().all(below),
        GValue::Map(entries) => entries.iter().all(|(key, value)| below(key) && below(value)),
        GValue::Entry(entry) => below(&entry.0) && below(&entry.1),
        GValue::BulkSet(set) => set.items.iter().all(|(value, _)| below(value)),
        GValue::Path(path) => path.objects.iter().all(below),
        GValue::Tree(tree) => tree_fits(tree, levels),
        _ => true,
    }
}

fn tree_fits(tree: &Tree, levels: usize) -> bool {
    tree.branches.is_empty()
        || levels > 0
            && tree.branches.iter().all(|(value, below)| fits(value, levels - 1) && tree_fits(below, levels - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> GValue {
        (0..levels).fold(GValue::Int(1), |value, _| GValue::list([value]))
    }

    #[test]
    fn values_nest_up_to_the_bound() {
        assert!(check(&nested(MAX_NESTING)).is_ok());
        assert!(check(&nested(MAX_NESTING + 1)).is_err());
        let map = GValue::map([(GValue::Int(1), nested(MAX_NESTING))]);
        assert!(check(&map).is_err());
    }
}
