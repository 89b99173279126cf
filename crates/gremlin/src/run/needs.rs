//! What the steps of a query ask traversers to carry.

use crate::step::{EdgeEnd, Endpoint, Query, SelectSource, StepKind, Traversal};

use super::walk;

/// What the steps of a query ask for, together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// What is kept of the way of each traverser.
    pub trails: Trails,
    /// Whether an edge knows the vertex it was reached from.
    pub origins: bool,
    /// Whether anything is written.
    pub writes: bool,
}

/// What is kept of the way of each traverser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trails {
    /// Nothing, so that equal traversers can become one.
    None,
    /// Objects with labels.
    Labelled,
    /// All objects.
    Full,
}

impl Needs {
    pub fn of(query: &Query) -> Self {
        let source = if query.source.path { Trails::Full } else { Trails::None };
        let all = &query.traversal;
        let has_labels = walk::any(all, &|kind| trails(kind) == Trails::Labelled);
        let asked = if walk::any(all, &|kind| trails(kind) == Trails::Full) {
            Trails::Full
        } else if has_labels {
            Trails::Labelled
        } else {
            Trails::None
        };
        Needs {
            trails: source.max(asked),
            origins: walk::any(all, &|kind| matches!(kind, StepKind::EdgeVertices(EdgeEnd::Other))),
            writes: walk::any(all, &writes),
        }
    }
}

fn trails(kind: &StepKind) -> Trails {
    match kind {
        StepKind::Path(_) | StepKind::Tree { .. } | StepKind::SimplePath(_) | StepKind::CyclicPath(_) => Trails::Full,
        StepKind::WhereStart(_)
        | StepKind::WhereEnd(_)
        | StepKind::Where { .. }
        | StepKind::Select { from: SelectSource::Labels(_) | SelectSource::Traversal(_), .. }
        | StepKind::Math { .. }
        | StepKind::Format { .. }
        | StepKind::Match(_)
        | StepKind::AddE { from: Some(Endpoint::Label(_)), .. }
        | StepKind::AddE { to: Some(Endpoint::Label(_)), .. } => Trails::Labelled,
        StepKind::Dedup { labels, .. } if !labels.is_empty() => Trails::Labelled,
        _ => Trails::None,
    }
}

/// Whether a step changes the graph.
pub(super) fn writes(kind: &StepKind) -> bool {
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

/// Whether a step leaves anything behind beside its results, or gives others every time: such steps run once for each object.
pub(super) fn has_effects(kind: &StepKind) -> bool {
    writes(kind)
        || matches!(
            kind,
            StepKind::Aggregate { .. }
                | StepKind::Group { side_effect: Some(_), .. }
                | StepKind::GroupCount { side_effect: Some(_), .. }
                | StepKind::Tree { side_effect: Some(_), .. }
                | StepKind::Subgraph(_)
                | StepKind::Coin(_)
                | StepKind::Sample { .. }
                | StepKind::Fail(_)
        )
}

/// Whether a step waits for all that comes before it puts anything out.
pub(super) fn is_barrier(kind: &StepKind) -> bool {
    use crate::value::Scope::Global;
    matches!(
        kind,
        StepKind::Reduce(_, Global)
            | StepKind::Fold
            | StepKind::FoldWith { .. }
            | StepKind::Group { .. }
            | StepKind::GroupCount { .. }
            | StepKind::Tree { side_effect: None, .. }
            | StepKind::Order { scope: Global, .. }
            | StepKind::Dedup { scope: Global, .. }
            | StepKind::Sample { scope: Global, .. }
            | StepKind::Tail { scope: Global, .. }
            | StepKind::Aggregate { scope: Global, .. }
            | StepKind::Cap(_)
            | StepKind::Barrier(_)
            | StepKind::NormSackBarrier
            | StepKind::Profile(_)
            | StepKind::ExecutionProfile
    )
}

/// Whether a traversal has a barrier anywhere.
pub(super) fn has_barrier(traversal: &Traversal) -> bool {
    walk::any(traversal, &is_barrier)
}
