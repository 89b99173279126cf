//! Parts of a collection: steps with `Scope.local`.

use super::{expanded, items, map_of};
use crate::run::RunError;
use crate::value::{Column, GValue};

/// The items from `low` on, up to but without `high`. A set gives a set, a map a map, and what is no collection itself.
///
/// # Errors
/// A collection of more items than may be written out.
pub fn range(value: &GValue, low: u64, high: Option<u64>) -> Result<GValue, RunError> {
    let low = usize::try_from(low).unwrap_or(usize::MAX);
    let high = high.map_or(usize::MAX, |high| usize::try_from(high).unwrap_or(usize::MAX));
    part(value, |items| items.skip(low).take(high.saturating_sub(low)).collect())
}

/// The last items.
///
/// # Errors
/// See [`range`].
pub fn tail(value: &GValue, count: u64) -> Result<GValue, RunError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    part(value, |items| {
        let left_out = items.len().saturating_sub(count);
        items.skip(left_out).collect()
    })
}

/// So many items at random, or all if there are no more; `pick` gives a place below a number.
///
/// # Errors
/// See [`range`].
pub fn sample(value: &GValue, count: u64, mut pick: impl FnMut(usize) -> usize) -> Result<GValue, RunError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let is_small = match value {
        GValue::Map(map) => map.len() <= count,
        GValue::List(_) | GValue::Set(_) | GValue::BulkSet(_) => expanded(value)?.len() <= count,
        _ => true,
    };
    if is_small {
        return Ok(value.clone());
    }
    let mut left = expanded(value)?;
    let taken: Vec<GValue> = (0..count).map(|_| left.swap_remove(pick(left.len()) % left.len())).collect();
    Ok(if matches!(value, GValue::Map(_)) { map_of(taken) } else { GValue::list(taken) })
}

/// The set of the items.
///
/// # Errors
/// See [`range`].
pub fn dedup(value: &GValue) -> Result<GValue, RunError> {
    Ok(GValue::set(super::counted(value).into_iter().map(|(item, _)| item)))
}

/// The keys or values of a map, its entry or a path. `None` of anything else.
pub fn select_column(value: &GValue, column: Column) -> Option<GValue> {
    Some(match (value, column) {
        (GValue::Map(map), Column::Keys) => GValue::set(map.keys().cloned()),
        (GValue::Map(map), Column::Values) => GValue::list(map.values().cloned()),
        (GValue::Entry(entry), Column::Keys) => entry.0.clone(),
        (GValue::Entry(entry), Column::Values) => entry.1.clone(),
        (GValue::Path(path), Column::Keys) => {
            GValue::list(path.labels.iter().map(|labels| GValue::set(labels.iter().cloned().map(GValue::String))))
        }
        (GValue::Path(path), Column::Values) => GValue::list(path.objects.iter().cloned()),
        (GValue::Tree(tree), Column::Keys) => GValue::set(tree.branches.iter().map(|(key, _)| key.clone())),
        (GValue::Tree(tree), Column::Values) => {
            GValue::list(tree.branches.iter().map(|(_, below)| super::subtree(below)))
        }
        _ => return None,
    })
}

fn part(value: &GValue, choose: impl FnOnce(std::vec::IntoIter<GValue>) -> Vec<GValue>) -> Result<GValue, RunError> {
    if let GValue::Map(_) = value {
        return Ok(map_of(choose(expanded(value)?.into_iter())));
    }
    let Some(items) = items(value)? else { return Ok(value.clone()) };
    let chosen = choose(items.into_iter());
    Ok(match value {
        GValue::Set(_) | GValue::BulkSet(_) => GValue::set(chosen),
        _ => GValue::list(chosen),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: &[i32]) -> GValue {
        GValue::list(numbers.iter().map(|number| GValue::Int(*number)))
    }

    #[test]
    fn parts_are_of_the_kind_of_the_whole() {
        assert_eq!(range(&list(&[1, 2, 3]), 1, Some(2)), Ok(list(&[2])));
        assert_eq!(range(&list(&[1, 2, 3]), 4, None), Ok(list(&[])));
        assert_eq!(range(&29.into(), 20, Some(30)), Ok(29.into()));
        assert_eq!(tail(&list(&[1, 2, 3]), 2), Ok(list(&[2, 3])));
        assert_eq!(tail(&GValue::set([1.into(), 2.into()]), 1), Ok(GValue::set([2.into()])));
        let map = GValue::map([("a".into(), 1.into()), ("b".into(), 2.into())]);
        assert_eq!(range(&map, 0, Some(1)), Ok(GValue::map([("a".into(), 1.into())])));
        assert_eq!(dedup(&list(&[1, 1, 2])), Ok(GValue::set([1.into(), 2.into()])));
    }

    #[test]
    fn a_sample_is_no_larger_than_asked_for() {
        assert_eq!(sample(&list(&[1, 2, 3]), 2, |_| 0), Ok(list(&[1, 3])));
        assert_eq!(sample(&list(&[1, 2]), 5, |_| 0), Ok(list(&[1, 2])));
        assert_eq!(sample(&list(&[1, 2]), 0, |_| 0), Ok(list(&[])));
    }

    #[test]
    fn columns_of_an_entry_are_no_collections() {
        let map = GValue::map([("a".into(), 1.into())]);
        let entry = expanded(&map).unwrap().remove(0);
        assert_eq!(select_column(&map, Column::Keys), Some(GValue::set(["a".into()])));
        assert_eq!(select_column(&entry, Column::Values), Some(1.into()));
        assert_eq!(select_column(&1.into(), Column::Keys), None);
    }
}
