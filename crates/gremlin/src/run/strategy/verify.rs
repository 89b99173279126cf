//! Strategies that refuse traversals.

use std::sync::Arc;

use super::super::{RunError, walk};
use crate::step::{MergeArgument, PropertyKey, PropertyWrite, StepKind, Traversal, TraversalStrategy};
use crate::value::GValue;

/// Refuses what a strategy forbids.
pub(super) fn verify(strategy: &TraversalStrategy, traversal: &Traversal) -> Result<(), RunError> {
    match strategy {
        TraversalStrategy::ReadOnly if walk::any(traversal, &writes) => {
            refuse("The provided traversal has a mutating step and thus is not read only")
        }
        TraversalStrategy::EdgeLabels { throws: true, .. } if walk::any(traversal, &names_no_edges) => {
            refuse("The provided traversal contains a vertex step without any specified edge label")
        }
        TraversalStrategy::ReservedKeys { keys, throws: true, .. } => {
            let is_set = |key: &&Arc<str>| walk::any(traversal, &|kind| sets(kind, key));
            keys.iter().find(is_set).map_or(Ok(()), |key| {
                refuse(format!(
                    "The provided traversal contains a step that is setting a property key to a reserved word: {key}"
                ))
            })
        }
        _ => Ok(()),
    }
}

fn refuse(message: impl Into<String>) -> Result<(), RunError> {
    Err(RunError::Verification { message: message.into() })
}

fn writes(kind: &StepKind) -> bool {
    matches!(
        kind,
        StepKind::AddV { .. }
            | StepKind::AddE { .. }
            | StepKind::MergeV(_)
            | StepKind::MergeE(_)
            | StepKind::Property(_)
            | StepKind::Drop
    )
}

fn names_no_edges(kind: &StepKind) -> bool {
    matches!(kind, StepKind::Vertices { labels, .. } | StepKind::Edges { labels, .. } if labels.is_empty())
}

/// Whether a step writes a property of this key, as far as it names its keys.
fn sets(kind: &StepKind, key: &Arc<str>) -> bool {
    let is_key = |name: &PropertyKey| matches!(name, PropertyKey::Name(name) if name == key);
    let is_written = |write: &PropertyWrite| is_key(&write.key) || write.meta.iter().any(|(name, _)| is_key(name));
    let is_in = |argument: &MergeArgument| match argument {
        MergeArgument::Map(map) => map.contains_key(&GValue::String(Arc::clone(key))),
        _ => false,
    };
    match kind {
        StepKind::AddV { properties, .. } | StepKind::AddE { properties, .. } => properties.iter().any(is_written),
        StepKind::Property(write) => is_written(write),
        StepKind::MergeV(merging) | StepKind::MergeE(merging) => {
            let options = merging.on_create.iter().chain(&merging.on_match).map(|(argument, _)| argument);
            std::iter::once(&merging.criterion).chain(options).any(is_in)
        }
        _ => false,
    }
}
