//! Lists, sets, maps and paths: their items, parts of them, and functions of two.

mod list;
mod part;

use std::sync::Arc;

pub use list::{ListArgument, conjoin, list_function};
pub use part::{dedup, range, sample, select_column, tail};

use super::refuse;
use crate::run::RunError;
use crate::step::IndexForm;
use crate::value::{GMap, GValue, Tree};

/// Most items that a list made of others may have.
pub const MAX_LIST_ITEMS: usize = 1 << 24;

/// The items of a value with their bulks: of lists, sets and paths their own, of maps and trees the entries. Anything else is its only
/// item.
pub fn counted(value: &GValue) -> Vec<(GValue, i64)> {
    let once = |item: &GValue| (item.clone(), 1);
    match value {
        GValue::List(items) => items.iter().map(once).collect(),
        GValue::Set(members) => members.iter().map(once).collect(),
        GValue::Path(path) => path.objects.iter().map(once).collect(),
        GValue::BulkSet(set) => set.items.clone(),
        GValue::Map(map) => map.iter().map(|(key, value)| (entry(key, value), 1)).collect(),
        GValue::Tree(tree) => tree.branches.iter().map(|(key, below)| (entry(key, &subtree(below)), 1)).collect(),
        other => vec![(other.clone(), 1)],
    }
}

/// The same one by one.
///
/// # Errors
/// More than [`MAX_LIST_ITEMS`].
pub fn expanded(value: &GValue) -> Result<Vec<GValue>, RunError> {
    let counted = counted(value);
    let count = counted.iter().try_fold(0_usize, |sum, (_, bulk)| sum.checked_add(usize::try_from(*bulk).ok()?));
    match count {
        Some(count) if count <= MAX_LIST_ITEMS => {
            let repeat = |(item, bulk): (GValue, i64)| std::iter::repeat_n(item, usize::try_from(bulk).unwrap_or(0));
            Ok(counted.into_iter().flat_map(repeat).collect())
        }
        _ => Err(too_many()),
    }
}

/// `unfold()`: see [`counted`].
pub fn unfold(value: &GValue) -> Vec<(GValue, i64)> {
    counted(value)
}

/// The items of a list, set or path; `None` of anything else.
///
/// # Errors
/// See [`expanded`].
pub fn items(value: &GValue) -> Result<Option<Vec<GValue>>, RunError> {
    match value {
        GValue::List(_) | GValue::Set(_) | GValue::BulkSet(_) | GValue::Path(_) => expanded(value).map(Some),
        _ => Ok(None),
    }
}

/// `index()`: the items with their places.
///
/// # Errors
/// See [`expanded`].
pub fn index(value: &GValue, form: IndexForm) -> Result<GValue, RunError> {
    let items = expanded(value)?.into_iter().zip(0_i32..);
    Ok(match form {
        IndexForm::List => GValue::list(items.map(|(item, place)| GValue::list([item, place.into()]))),
        IndexForm::Map => GValue::map(items.map(|(item, place)| (place.into(), item))),
    })
}

/// `reverse()` of a list or a text; anything else stays as it is.
///
/// # Errors
/// See [`expanded`].
pub fn reverse(value: &GValue) -> Result<GValue, RunError> {
    if let GValue::String(text) = value {
        return Ok(GValue::string(text.chars().rev().collect::<String>()));
    }
    Ok(items(value)?.map_or_else(|| value.clone(), |items| GValue::list(items.into_iter().rev())))
}

/// The map that entries make, when a step has worked on them one by one.
pub(crate) fn map_of(entries: impl IntoIterator<Item = GValue>) -> GValue {
    let pairs = entries.into_iter().filter_map(|entry| match entry {
        GValue::Entry(pair) => Some((pair.0.clone(), pair.1.clone())),
        _ => None,
    });
    GValue::Map(Arc::new(pairs.collect::<GMap>()))
}

fn entry(key: &GValue, value: &GValue) -> GValue {
    GValue::Entry(Arc::new((key.clone(), value.clone())))
}

fn subtree(tree: &Tree) -> GValue {
    GValue::Tree(Arc::new(tree.clone()))
}

fn too_many() -> RunError {
    refuse(format!("a list has at most {MAX_LIST_ITEMS} items"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BulkSet;

    #[test]
    fn items_of_anything_are_found() {
        assert_eq!(expanded(&1.into()), Ok(vec![1.into()]));
        assert_eq!(expanded(&GValue::Null), Ok(vec![GValue::Null]));
        let map = GValue::map([("a".into(), 1.into())]);
        assert_eq!(unfold(&map), [(entry(&"a".into(), &1.into()), 1)]);
        assert_eq!(map_of(expanded(&map).unwrap()), map);
        let endless = GValue::BulkSet(BulkSet { items: vec![(1.into(), i64::MAX), (2.into(), i64::MAX)] }.into());
        assert!(expanded(&endless).is_err());
        assert_eq!(items(&map), Ok(None));
    }

    #[test]
    fn places_are_counted_from_zero() {
        let list = GValue::list(["a".into(), "b".into()]);
        assert_eq!(index(&list, IndexForm::Map), Ok(GValue::map([(0.into(), "a".into()), (1.into(), "b".into())])));
        assert_eq!(index(&29.into(), IndexForm::List), Ok(GValue::list([GValue::list([29.into(), 0.into()])])));
        assert_eq!(reverse(&list), Ok(GValue::list(["b".into(), "a".into()])));
        assert_eq!(reverse(&"abc".into()), Ok("cba".into()));
        assert_eq!(reverse(&1.into()), Ok(1.into()));
    }
}
