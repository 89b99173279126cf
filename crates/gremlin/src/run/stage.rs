//! Stages by family, and the forms that most of them have.

pub(super) mod add;
pub(super) mod aggregate;
pub(super) mod branch;
pub(super) mod call;
pub(super) mod cap;
pub(super) mod coalesce;
pub(super) mod dedup;
pub(super) mod drop;
pub(super) mod filter;
pub(super) mod function;
pub(super) mod has;
pub(super) mod hop;
pub(super) mod inject;
pub(super) mod local;
pub(super) mod maps;
pub(super) mod merge;
mod merge_edge;
pub(super) mod order;
pub(super) mod path;
pub(super) mod pattern;
mod pattern_plan;
pub(super) mod profile;
pub(super) mod property;
pub(super) mod range;
pub(super) mod read;
pub(super) mod reduce;
pub(super) mod repeat;
pub(super) mod sack;
pub(super) mod sample;
pub(super) mod select;
pub(super) mod source;
pub(super) mod subgraph;
pub(super) mod where_condition;

use super::pipeline::{Each, Gather, Queue, Stage};
use super::{Context, RunError, Traverser};
use crate::value::GValue;

/// A stage of any kind.
pub(super) type Boxed<'r> = Box<dyn Stage + 'r>;

/// Makes something of each batch.
pub(super) fn each<'r>(work: impl FnMut(Vec<Traverser>, &mut Queue) -> Result<(), RunError> + 'r) -> Boxed<'r> {
    Box::new(Each(work))
}

/// Makes something of all.
pub(super) fn gather<'r>(
    cx: &'r Context<'r>,
    work: impl FnMut(Vec<Traverser>, &mut Queue) -> Result<(), RunError> + 'r,
) -> Boxed<'r> {
    Box::new(Gather::new(cx, work))
}

/// Makes one value of each, or none.
pub(super) fn map<'r>(
    cx: &'r Context<'r>,
    mut make: impl FnMut(&Traverser) -> Result<Option<GValue>, RunError> + 'r,
) -> Boxed<'r> {
    each(move |batch, out| {
        for traverser in batch {
            if let Some(value) = make(&traverser)? {
                out.push_back(cx.advance(&traverser, value));
            }
        }
        Ok(())
    })
}

/// Makes one value of each element, whose properties are loaded, or none.
pub(super) fn map_loaded<'r>(
    cx: &'r Context<'r>,
    mut make: impl FnMut(&Traverser) -> Result<Option<GValue>, RunError> + 'r,
) -> Boxed<'r> {
    each(move |mut batch, out| {
        cx.elements.load_traversers(&mut batch)?;
        for traverser in batch {
            if let Some(value) = make(&traverser)? {
                out.push_back(cx.advance(&traverser, value));
            }
        }
        Ok(())
    })
}

/// Keeps some.
pub(super) fn keep<'r>(mut test: impl FnMut(&mut Traverser) -> Result<bool, RunError> + 'r) -> Boxed<'r> {
    each(move |batch, out| {
        for mut traverser in batch {
            if test(&mut traverser)? {
                out.push_back(traverser);
            }
        }
        Ok(())
    })
}

/// Keeps some elements, whose properties are loaded.
pub(super) fn keep_loaded<'r>(
    cx: &'r Context<'r>,
    mut test: impl FnMut(&Traverser) -> Result<bool, RunError> + 'r,
) -> Boxed<'r> {
    each(move |mut batch, out| {
        cx.elements.load_traversers(&mut batch)?;
        for traverser in batch {
            if test(&traverser)? {
                out.push_back(traverser);
            }
        }
        Ok(())
    })
}
