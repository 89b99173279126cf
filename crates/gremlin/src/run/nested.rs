//! Traversals within steps, run for one object at a time.

use super::build::pipeline;
use super::needs::has_effects;
use super::pipeline::{MAX_BATCH, Pipeline, Reset};
use super::{Context, RunError, Traverser, walk};
use crate::step::{StepKind, Traversal};
use crate::value::GValue;

/// A traversal that begins anew for each object.
pub(super) struct Nested<'r> {
    pipeline: Pipeline<'r>,
    /// Whether it has to run for each of equal objects.
    has_effects: bool,
    /// Whether it begins with values of its own, which need no object to come.
    shortcut: Shortcut,
}

/// Traversals so simple that they need no pipeline.
enum Shortcut {
    None,
    Identity,
    Constant(GValue),
}

impl<'r> Nested<'r> {
    pub fn new(cx: &'r Context<'r>, traversal: &'r Traversal) -> Result<Self, RunError> {
        let shortcut = match &traversal.steps[..] {
            [step] if step.labels.is_empty() => match &step.kind {
                StepKind::Identity | StepKind::Start => Shortcut::Identity,
                StepKind::Constant(value) => Shortcut::Constant(value.clone()),
                _ => Shortcut::None,
            },
            _ => Shortcut::None,
        };
        let has_effects = walk::any(traversal, &has_effects);
        Ok(Nested { pipeline: pipeline(cx, &traversal.steps)?, has_effects, shortcut })
    }

    /// Whether it has to run for each of equal objects.
    pub fn has_effects(&self) -> bool {
        self.has_effects
    }

    fn start(&mut self, traverser: &Traverser) {
        self.pipeline.reset(Reset::All);
        self.pipeline.feed([Traverser { bulk: 1, ..traverser.clone() }]);
        self.pipeline.end();
    }

    /// All results for one of the objects.
    pub fn results(&mut self, traverser: &Traverser) -> Result<Vec<Traverser>, RunError> {
        self.start(traverser);
        self.pipeline.drain()
    }

    /// Runs to the end and forgets the results.
    pub fn run(&mut self, traverser: &Traverser) -> Result<(), RunError> {
        self.start(traverser);
        while !self.pipeline.next(MAX_BATCH)?.is_empty() {}
        Ok(())
    }

    /// The first result, as a traverser.
    pub fn first_traverser(&mut self, traverser: &Traverser) -> Result<Option<Traverser>, RunError> {
        self.start(traverser);
        Ok(self.pipeline.next(1)?.into_iter().next())
    }

    /// The first result.
    pub fn first(&mut self, traverser: &Traverser) -> Result<Option<GValue>, RunError> {
        match &self.shortcut {
            Shortcut::Identity => Ok(Some(traverser.value.clone())),
            Shortcut::Constant(value) => Ok(Some(value.clone())),
            Shortcut::None => Ok(self.first_traverser(traverser)?.map(|first| first.value)),
        }
    }

    /// Whether there is a result.
    pub fn holds(&mut self, traverser: &Traverser) -> Result<bool, RunError> {
        match &self.shortcut {
            Shortcut::None => Ok(self.first_traverser(traverser)?.is_some()),
            _ => Ok(true),
        }
    }
}
