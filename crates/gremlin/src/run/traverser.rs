//! What moves through the stages: a value with what it carries.

use std::sync::Arc;

use super::trail::Trail;
use crate::value::{GValue, Vertex};

/// A value on its way. Everything but the value and the bulk is there only if some step of the query asks for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Traverser {
    /// Where it is.
    pub value: GValue,
    /// How many equal ones it stands for.
    pub bulk: u64,
    /// The way it came.
    pub trail: Option<Arc<Trail>>,
    /// Set by `withSack()`.
    pub sack: Option<GValue>,
    /// Rounds of the repetitions it is in, the innermost first.
    pub loops: Option<Arc<Loops>>,
    /// Of an edge: the vertex it was reached from, for `otherV()`.
    pub came_from: Option<Arc<Vertex>>,
}

/// Rounds of a repetition.
#[derive(Debug)]
pub(super) struct Loops {
    /// The name of the repetition.
    pub name: Option<Arc<str>>,
    /// Rounds that are through.
    pub rounds: u64,
    /// Of the repetition around it.
    pub outer: Option<Arc<Loops>>,
}

impl Traverser {
    /// One that begins its way at a value.
    pub fn new(value: GValue) -> Self {
        Traverser { value, bulk: 1, ..Traverser::default() }
    }

    /// The same traverser at another value.
    pub fn at(&self, value: GValue) -> Self {
        Traverser {
            value,
            bulk: self.bulk,
            trail: self.trail.clone(),
            sack: self.sack.clone(),
            loops: self.loops.clone(),
            came_from: None,
        }
    }

    /// Whether both may become one: everything but the bulk is the same, and there are no sacks.
    pub fn is_mergeable_with(&self, other: &Traverser) -> bool {
        self.sack.is_none() && other.sack.is_none() && self.merges_with(other)
    }

    /// Whether both may become one but for their sacks.
    pub fn merges_with(&self, other: &Traverser) -> bool {
        self.value == other.value
            && self.carries_as(other)
            && self.came_from.as_ref().map(|vertex| &vertex.id) == other.came_from.as_ref().map(|vertex| &vertex.id)
    }

    /// Whether both may become one where they go on to the same vertex.
    pub fn would_merge_with(&self, other: &Traverser) -> bool {
        self.sack.is_none() && other.sack.is_none() && self.carries_as(other)
    }

    /// Whether neither knows its way, and both are in the same round.
    fn carries_as(&self, other: &Traverser) -> bool {
        self.trail.is_none() && other.trail.is_none() && Loops::are_equal(self.loops.as_deref(), other.loops.as_deref())
    }
}

impl Loops {
    fn are_equal(mut one: Option<&Loops>, mut other: Option<&Loops>) -> bool {
        loop {
            match (one, other) {
                (None, None) => return true,
                (Some(left), Some(right)) if left.rounds == right.rounds => {
                    one = left.outer.as_deref();
                    other = right.outer.as_deref();
                }
                _ => return false,
            }
        }
    }
}
