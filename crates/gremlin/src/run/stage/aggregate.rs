//! `aggregate()` and `store()`.

use std::sync::Arc;

use indexmap::IndexMap;

use super::super::by::By;
use super::super::side_effect::Kept;
use super::super::{Context, RunError, Traverser};
use super::{Boxed, each, gather};
use crate::step::Projection;
use crate::value::Scope;

/// Collects what `by()` makes of each: globally when all have come, locally as they come.
pub(in crate::run) fn aggregate<'r>(
    cx: &'r Context<'r>,
    scope: Scope,
    key: &'r Arc<str>,
    by: Option<&'r Projection>,
) -> Result<Boxed<'r>, RunError> {
    let mut by = By::optional(cx, by)?;
    let mut held = cx.held();
    cx.side_effects.register(key, || Kept::Bulk(IndexMap::new()));
    let mut collect = move |mut batch: Vec<Traverser>| -> Result<Vec<Traverser>, RunError> {
        if by.reads_properties() {
            cx.elements.load_traversers(&mut batch)?;
        }
        let mut items = Vec::with_capacity(batch.len());
        for traverser in &batch {
            if let Some(value) = by.of(traverser)? {
                held.grow_by_value(&value)?;
                items.push((value, i64::try_from(traverser.bulk).unwrap_or(i64::MAX)));
            }
        }
        cx.side_effects.collect(key, items)?;
        Ok(batch)
    };
    Ok(match scope {
        Scope::Global => gather(cx, move |all, out| {
            out.extend(collect(all)?);
            Ok(())
        }),
        Scope::Local => each(move |batch, out| {
            out.extend(collect(batch)?);
            Ok(())
        }),
    })
}
