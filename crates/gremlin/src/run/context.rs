//! What all stages of a run share.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::clock::Clock;
use super::elements::Elements;
use super::memory::{Held, Memory};
use super::needs::{Needs, Trails};
use super::random::Random;
use super::side_effect::SideEffects;
use super::trail::Trail;
use super::{RunError, RunOptions, Traverser, evaluation, walk};
use crate::graph::Graph;
use crate::step::{Operand, Projection, Query, Source, Step, StepKind, Traversal, TraversalStrategy};
use crate::value::GValue;

/// How often the clock is looked at: once in so many checks.
const CHECKS_PER_CLOCK: u32 = 4;

/// What all stages of a run share.
pub(super) struct Context<'r> {
    pub graph: &'r dyn Graph,
    pub source: &'r Source,
    pub options: &'r RunOptions,
    pub needs: Needs,
    pub memory: Memory,
    pub elements: Elements<'r>,
    pub side_effects: SideEffects,
    pub random: Random,
    /// What `withSack()` gives each traverser.
    pub sack: Option<GValue>,
    /// Names of groups that are side effects, with what their values are made of.
    groups: Vec<(&'r str, Option<&'r Projection>)>,
    clock: Clock,
    checks: Cell<u32>,
}

impl<'r> Context<'r> {
    pub fn new(query: &'r Query, graph: &'r dyn Graph, options: &'r RunOptions) -> Result<Self, RunError> {
        let seed = query.source.strategies.iter().rev().find_map(|strategy| match strategy {
            TraversalStrategy::Seed(seed) => Some(*seed),
            _ => None,
        });
        Ok(Context {
            graph,
            source: &query.source,
            options,
            needs: Needs::of(query),
            memory: Memory::new(options.memory_bytes),
            elements: Elements::new(graph),
            side_effects: SideEffects::new(&query.source),
            random: seed.map_or_else(Random::unseeded, Random::seeded),
            sack: first_sack(&query.source)?,
            groups: groups(&query.traversal),
            clock: Clock::new(options.deadline, options.thread_time),
            checks: Cell::new(0),
        })
    }

    /// Whether the run may go on.
    pub fn check(&self) -> Result<(), RunError> {
        let checks = self.checks.get();
        self.checks.set(checks.wrapping_add(1));
        if self.options.cancelled.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        if checks.is_multiple_of(CHECKS_PER_CLOCK) && self.clock.is_over() {
            return Err(RunError::Timeout);
        }
        Ok(())
    }

    pub fn held(&'r self) -> Held<'r> {
        Held::new(self)
    }

    /// A traverser that begins at a value: that of a source, of a step that makes one of many.
    pub fn begin(&self, value: GValue) -> Traverser {
        let mut traverser = Traverser { sack: self.sack.clone(), ..Traverser::new(value) };
        if self.needs.trails == Trails::Full {
            traverser.trail = Trail::push(None, traverser.value.clone(), &[]);
        }
        traverser
    }

    /// A traverser that goes on to a value.
    pub fn advance(&self, from: &Traverser, value: GValue) -> Traverser {
        let mut traverser = from.at(value);
        if self.needs.trails == Trails::Full {
            traverser.trail = Trail::push(traverser.trail.take(), traverser.value.clone(), &[]);
        }
        traverser
    }

    /// Puts labels to where a traverser is. `is_new` says that the step that has them brought it there.
    pub fn label(&self, traverser: &mut Traverser, labels: &[Arc<str>], is_new: bool) {
        let head = traverser.trail.as_deref();
        let is_head = match self.needs.trails {
            Trails::None => return,
            Trails::Full => head.is_some(),
            Trails::Labelled => !is_new && head.is_some_and(|head| head.value == traverser.value),
        };
        traverser.trail = match head {
            Some(head) if is_head => head.label(labels),
            _ => Trail::push(traverser.trail.take(), traverser.value.clone(), labels),
        };
    }

    /// What the values of a `group()` are made of that is kept as a side effect.
    pub fn group_value(&self, name: &str) -> Option<&'r Projection> {
        self.groups.iter().rev().find(|(key, _)| *key == name).and_then(|(_, value)| *value)
    }

    /// Whether a `by()` without result gives null instead: of a property, or of a traversal.
    pub fn makes_productive(&self, key: Option<&str>) -> bool {
        self.source.strategies.iter().any(|strategy| match strategy {
            TraversalStrategy::ProductiveBy(keys) => {
                keys.is_empty() || key.is_none_or(|key| !keys.iter().any(|one| &**one == key))
            }
            _ => false,
        })
    }
}

fn groups(traversal: &Traversal) -> Vec<(&str, Option<&Projection>)> {
    let mut found = Vec::new();
    for step in &traversal.steps {
        if let StepKind::Group { side_effect: Some(name), value, .. } = &step.kind {
            found.push((&**name, value.as_ref()));
        }
        walk::children(&step.kind, &mut |child| found.extend(groups(child)));
    }
    found
}

/// What `withSack()` gives each traverser.
fn first_sack(source: &Source) -> Result<Option<GValue>, RunError> {
    match source.sack.as_ref().map(|sack| &sack.initial) {
        None => Ok(None),
        Some(Operand::Value(value)) => Ok(Some(value.clone())),
        // Of the traversals that could stand here only a constant has a meaning before anything has begun.
        Some(Operand::Traversal(traversal)) => match &traversal.steps[..] {
            [Step { kind: StepKind::Constant(value), .. }] => Ok(Some(value.clone())),
            _ => Err(evaluation("withSack() takes a value or constant()")),
        },
    }
}
