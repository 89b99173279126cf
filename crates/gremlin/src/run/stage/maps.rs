//! Elements as maps: `valueMap()`, `propertyMap()`, `elementMap()`.

use std::sync::Arc;

use super::super::by::By;
use super::super::{Context, RunError};
use super::{Boxed, map_loaded};
use crate::function::element;
use crate::step::{Names, Projection, Tokens};
use crate::value::{GMap, GValue};

/// `valueMap()`
pub(in crate::run) fn value_map<'r>(
    cx: &'r Context<'r>,
    keys: &'r Names,
    tokens: Tokens,
    by: Option<&'r Projection>,
) -> Result<Boxed<'r>, RunError> {
    let mut by = by.map(|by| By::new(cx, by)).transpose()?;
    Ok(map_loaded(cx, move |traverser| {
        let entries = element::value_map(&traverser.value, wanted(keys), tokens)?;
        projected(entries, by.as_mut()).map(Some)
    }))
}

/// `propertyMap()`
pub(in crate::run) fn property_map<'r>(
    cx: &'r Context<'r>,
    keys: &'r Names,
    by: Option<&'r Projection>,
) -> Result<Boxed<'r>, RunError> {
    let mut by = by.map(|by| By::new(cx, by)).transpose()?;
    Ok(map_loaded(cx, move |traverser| {
        let entries = element::property_map(&traverser.value, wanted(keys))?;
        projected(entries, by.as_mut()).map(Some)
    }))
}

/// `elementMap()`
pub(in crate::run) fn element_map<'r>(cx: &'r Context<'r>, keys: &'r Names) -> Boxed<'r> {
    map_loaded(cx, move |traverser| {
        let entries = element::element_map(&traverser.value, wanted(keys))?;
        Ok(Some(GValue::Map(Arc::new(entries))))
    })
}

fn wanted(keys: &Names) -> Option<&[Option<Arc<str>>]> {
    (!keys.is_empty()).then_some(&keys[..])
}

/// The entries with what `by()` makes of their values; those of which it makes nothing are left out.
fn projected(entries: GMap, by: Option<&mut By<'_>>) -> Result<GValue, RunError> {
    let Some(by) = by else { return Ok(GValue::Map(Arc::new(entries))) };
    let mut made = GMap::with_capacity(entries.len());
    for (key, value) in entries {
        if let Some(value) = by.of_value(value)? {
            made.insert(key, value);
        }
    }
    Ok(GValue::Map(Arc::new(made)))
}
