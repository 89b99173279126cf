//! `repeat()`.
//!
//! It works round by round: what comes out of the body is the next round's input, and equal traversers become one between rounds. Within a
//! round the body is fed in parts, and what leaves goes on at once; so nothing runs that nobody wants. A body with a barrier, or a count of
//! what it lets through, sees a round as a whole.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::nested::Nested;
use super::super::pipeline::{Pipeline, Queue, Reset, Stage};
use super::super::traverser::Loops;
use super::super::{Context, Held, RunError, Traverser, build, evaluation, needs, walk};
use super::sack::merge;
use crate::function::Condition;
use crate::step::{Repeat, RepeatCondition, StepKind, Traversal, Until};
use crate::value::Scope;

/// A condition on a traverser.
pub(in crate::run) enum Test<'r> {
    Always,
    Times(u64),
    Predicate(Condition),
    Traversal(Box<Nested<'r>>),
}

impl<'r> Test<'r> {
    pub fn new(cx: &'r Context<'r>, condition: &'r RepeatCondition) -> Result<Self, RunError> {
        Ok(match condition {
            RepeatCondition::Always => Test::Always,
            RepeatCondition::Predicate(predicate) => Test::Predicate(Condition::new(predicate)?),
            RepeatCondition::Traversal(traversal) => Test::Traversal(Box::new(Nested::new(cx, traversal)?)),
        })
    }

    pub fn holds(&mut self, traverser: &Traverser) -> Result<bool, RunError> {
        match self {
            Test::Always => Ok(true),
            Test::Times(times) => Ok(rounds(traverser) >= *times),
            Test::Predicate(condition) => Ok(condition.holds(&traverser.value)),
            Test::Traversal(nested) => nested.holds(traverser),
        }
    }
}

fn rounds(traverser: &Traverser) -> u64 {
    traverser.loops.as_ref().map_or(0, |loops| loops.rounds)
}

/// `repeat()` with its modulators.
pub(in crate::run) struct RepeatStage<'r> {
    cx: &'r Context<'r>,
    name: Option<Arc<str>>,
    body: Pipeline<'r>,
    until: Option<Test<'r>>,
    is_until_first: bool,
    emit: Option<Test<'r>>,
    is_emit_first: bool,
    /// Whether the body must see a round as a whole.
    needs_rounds: bool,
    has_ended: bool,
    /// Whether the body works on a part of the round.
    is_open: bool,
    /// What is left of this round.
    round: VecDeque<Traverser>,
    next_round: Vec<Traverser>,
    /// Where this round is, for what steps such as `fold()` begin anew in the body.
    round_loops: Option<Arc<Loops>>,
    held: Held<'r>,
}

impl<'r> RepeatStage<'r> {
    pub fn new(cx: &'r Context<'r>, repeat: &'r Repeat) -> Result<Self, RunError> {
        let until = match &repeat.until {
            None => None,
            Some(Until::Times(times)) => Some(Test::Times(*times)),
            Some(Until::Condition(condition)) => Some(Test::new(cx, condition)?),
        };
        let emit = repeat.emit.as_ref().map(|emit| Test::new(cx, emit)).transpose()?;
        Ok(RepeatStage {
            cx,
            name: repeat.name.clone(),
            body: build::pipeline(cx, &repeat.body.steps)?,
            until,
            is_until_first: repeat.is_until_first,
            emit,
            is_emit_first: repeat.is_emit_first,
            needs_rounds: sees_rounds(&repeat.body),
            has_ended: false,
            is_open: false,
            round: VecDeque::new(),
            next_round: Vec::new(),
            round_loops: None,
            held: cx.held(),
        })
    }

    /// What stands before the body: at the beginning, and of `until()` and `emit()` that stand before it, each time.
    fn enter(&mut self, traverser: Traverser, out: &mut Queue) -> Result<(), RunError> {
        if self.is_until_first && holds(&mut self.until, &traverser)? {
            out.push_back(left(traverser));
            return Ok(());
        }
        if self.is_emit_first && holds(&mut self.emit, &traverser)? {
            out.push_back(left(traverser.clone()));
        }
        self.push(traverser)
    }

    fn push(&mut self, traverser: Traverser) -> Result<(), RunError> {
        if let Some(most) = self.cx.options.max_repeat_rounds
            && rounds(&traverser) >= most
        {
            return Err(evaluation(format!("repeat() may run {most} rounds at the most")));
        }
        self.held.grow_by_traversers(std::slice::from_ref(&traverser))?;
        self.next_round.push(traverser);
        Ok(())
    }

    /// What stands behind the body.
    fn leave(&mut self, mut traverser: Traverser, out: &mut Queue) -> Result<(), RunError> {
        let loops = traverser.loops.take().or_else(|| self.round_loops.clone());
        traverser.loops = loops.as_deref().map(|loops| {
            Arc::new(Loops { name: loops.name.clone(), rounds: loops.rounds + 1, outer: loops.outer.clone() })
        });
        if !self.is_until_first && holds(&mut self.until, &traverser)? {
            out.push_back(left(traverser));
            return Ok(());
        }
        if !self.is_emit_first && holds(&mut self.emit, &traverser)? {
            out.push_back(left(traverser.clone()));
        }
        if self.is_until_first || self.is_emit_first { self.enter(traverser, out) } else { self.push(traverser) }
    }

    fn begin_round(&mut self) -> Result<(), RunError> {
        self.held.clear();
        let next = merge(self.cx, std::mem::take(&mut self.next_round))?;
        self.held.grow_by_traversers(&next)?;
        self.round = next.into();
        self.body.reset(Reset::Round);
        Ok(())
    }
}

fn holds(test: &mut Option<Test<'_>>, traverser: &Traverser) -> Result<bool, RunError> {
    test.as_mut().map_or(Ok(false), |test| test.holds(traverser))
}

/// Out of the repetition.
fn left(mut traverser: Traverser) -> Traverser {
    traverser.loops = traverser.loops.as_ref().and_then(|loops| loops.outer.clone());
    traverser
}

/// Whether a traversal must see all of a round at once.
fn sees_rounds(body: &Traversal) -> bool {
    needs::has_barrier(body)
        || walk::any(body, &|kind| {
            matches!(kind, StepKind::Range { scope: Scope::Global, .. } | StepKind::TimeLimit(_))
        })
}

impl Stage for RepeatStage<'_> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        for mut traverser in batch {
            traverser.loops =
                Some(Arc::new(Loops { name: self.name.clone(), rounds: 0, outer: traverser.loops.take() }));
            self.enter(traverser, out)?;
        }
        Ok(())
    }

    fn is_pending(&self) -> bool {
        (!self.needs_rounds || self.has_ended)
            && (self.is_open || !self.round.is_empty() || !self.next_round.is_empty())
    }

    fn resume(&mut self, most: usize, out: &mut Queue) -> Result<(), RunError> {
        if self.is_open {
            let results = self.body.next(most)?;
            self.is_open = !results.is_empty();
            for result in results {
                self.leave(result, out)?;
            }
            return Ok(());
        }
        if self.round.is_empty() {
            self.begin_round()?;
        }
        let count = if self.needs_rounds { self.round.len() } else { most.min(self.round.len()) };
        self.round_loops = self.round.front().and_then(|first| first.loops.clone());
        self.body.feed(self.round.drain(..count));
        if self.needs_rounds {
            self.body.end();
        }
        self.is_open = true;
        Ok(())
    }

    fn finish(&mut self, _out: &mut Queue) -> Result<(), RunError> {
        self.has_ended = true;
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        self.body.reset(kind);
        self.has_ended = false;
        self.is_open = false;
        self.round.clear();
        self.next_round.clear();
        self.held.clear();
    }
}
