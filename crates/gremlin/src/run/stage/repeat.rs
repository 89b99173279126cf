//! `repeat()`.
//!
//! It works round by round: what comes out of the body is the next round's input, and equal traversers become one between rounds. Within a
//! round the body is fed in parts, and what leaves goes on at once; so nothing runs that nobody wants. If only a few results are wanted, and
//! all come from the last of so many rounds, the latest round goes first, and so most of the earlier ones never run. A body with a barrier,
//! or a count of what it lets through, sees a round as a whole.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::super::nested::Nested;
use super::super::pipeline::{Pipeline, Queue, Reset, Stage};
use super::super::traverser::Loops;
use super::super::{Context, Held, RunError, Traverser, build, evaluation, needs, walk};
use super::sack::merge;
use crate::function::Condition;
use crate::step::{Repeat, RepeatCondition, StepKind, Traversal, Until};
use crate::value::Scope;

/// Results at the most for which the latest round goes first: more are found sooner by making one of equal traversers.
const MAX_FEW: usize = 1024;

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
    /// What waits for each round, by how many were before it.
    rounds: BTreeMap<u64, Round<'r>>,
    /// The round that the body works on.
    current: u64,
    /// Where this round is, for what steps such as `fold()` begin anew in the body.
    round_loops: Option<Arc<Loops>>,
    /// Whether few results are wanted.
    wants_few: bool,
    /// How much the body works on at once then: the more the longer nothing comes out of it.
    part: usize,
}

/// What waits for a round.
struct Round<'r> {
    traversers: VecDeque<Traverser>,
    /// Whether each is there once.
    is_merged: bool,
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
            rounds: BTreeMap::new(),
            current: 0,
            round_loops: None,
            wants_few: false,
            part: 1,
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
        let cx = self.cx;
        let empty = || Round { traversers: VecDeque::new(), is_merged: true, held: cx.held() };
        let round = self.rounds.entry(rounds(&traverser)).or_insert_with(empty);
        round.held.grow_by_traversers(std::slice::from_ref(&traverser))?;
        round.traversers.push_back(traverser);
        round.is_merged = false;
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

    /// Lets the body work on at most so many.
    fn open(&mut self, most: usize) -> Result<(), RunError> {
        // Otherwise results of earlier rounds come first, which whoever looks for the shortest way counts on.
        let are_of_one_round = matches!(self.until, Some(Test::Times(_))) && self.emit.is_none();
        let is_latest_first = self.wants_few && are_of_one_round && !self.needs_rounds && !self.cx.needs.writes;
        let next = if is_latest_first { self.rounds.last_entry() } else { self.rounds.first_entry() };
        let Some(mut next) = next else { return Ok(()) };
        if *next.key() != self.current || self.needs_rounds {
            self.current = *next.key();
            self.body.reset(Reset::Round);
        }
        let round = next.get_mut();
        if !round.is_merged && !is_latest_first {
            round.held.clear();
            let merged = merge(self.cx, std::mem::take(&mut round.traversers).into())?;
            round.held.grow_by_traversers(&merged)?;
            round.traversers = merged.into();
            round.is_merged = true;
        }
        let most = match (self.needs_rounds, is_latest_first) {
            (true, _) => usize::MAX,
            (false, true) => self.part,
            (false, false) => most,
        };
        let count = most.min(round.traversers.len());
        self.part = (2 * self.part).min(MAX_FEW);
        self.round_loops = round.traversers.front().and_then(|first| first.loops.clone());
        self.body.feed(round.traversers.drain(..count));
        if round.traversers.is_empty() {
            next.remove();
        }
        if self.needs_rounds {
            self.body.end();
        }
        self.is_open = true;
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
        (!self.needs_rounds || self.has_ended) && (self.is_open || !self.rounds.is_empty())
    }

    fn expect(&mut self, demand: usize) {
        self.wants_few = demand <= MAX_FEW;
    }

    fn resume(&mut self, most: usize, out: &mut Queue) -> Result<(), RunError> {
        if !self.is_open {
            return self.open(most);
        }
        let results = self.body.next(most)?;
        self.is_open = !results.is_empty();
        if self.is_open {
            self.part = 1;
        }
        for result in results {
            self.leave(result, out)?;
        }
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
        self.rounds.clear();
        self.current = 0;
        self.wants_few = false;
        self.part = 1;
    }
}
