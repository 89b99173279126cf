//! Bulks: how often a value counts.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::value::{BulkSet, GValue};

/// The bulk set of values with their bulks. Equal values are counted together; a sum beyond 64 bits stays at the largest number.
pub(super) fn set(items: impl IntoIterator<Item = (GValue, i64)>) -> GValue {
    let mut counts: IndexMap<GValue, i64> = IndexMap::new();
    for (value, bulk) in items {
        let count = counts.entry(value).or_default();
        *count = count.saturating_add(bulk);
    }
    GValue::BulkSet(Arc::new(BulkSet { items: counts.into_iter().collect() }))
}
