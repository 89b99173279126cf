//! `match()`: solves for variables.
//!
//! A state is a traverser with what the variables stand for so far and the patterns that are left. Of these the most telling one that can
//! be tried is next (see `pattern_plan.rs`); each of its results is a state with one pattern less. States wait on a stack, so that the
//! first solution is found without looking for all.

use std::sync::Arc;

use super::super::needs::has_barrier;
use super::super::nested::Nested;
use super::super::trail::Trail;
use super::super::{Context, RunError, Traverser, evaluation};
use super::pattern_plan::{Plan, Test};
use super::{Boxed, each};
use crate::function::order::equals;
use crate::step::MatchPattern;
use crate::value::{GMap, GValue, Pop};

/// What variables stand for, in the order they were found.
pub(super) type Bindings = Vec<(Arc<str>, GValue)>;

/// Puts out a map of the variables for each solution. Their objects are in the way of the traverser as well, under their names.
pub(in crate::run) fn match_all<'r>(cx: &'r Context<'r>, all: &'r [MatchPattern]) -> Result<Boxed<'r>, RunError> {
    let mut solver = Solver::new(cx, all)?;
    Ok(each(move |batch, out| {
        for mut traverser in batch {
            let bulk = std::mem::replace(&mut traverser.bulk, 1);
            let (rounds, factor) = if solver.plan.has_effects { (bulk, 1) } else { (1, bulk) };
            for _ in 0..rounds {
                for mut solution in solver.solutions(&traverser)? {
                    let variables = solver.plan.variables.iter();
                    let found = variables.filter_map(|name| solution.bindings.iter().find(|(bound, _)| bound == name));
                    let map = found.map(|(name, value)| (GValue::String(Arc::clone(name)), value.clone()));
                    solution.traverser.bulk = solution.traverser.bulk.saturating_mul(factor);
                    let map = GValue::Map(Arc::new(map.collect::<GMap>()));
                    out.push_back(cx.advance(&solution.traverser, map));
                }
            }
        }
        Ok(())
    }))
}

struct Solver<'r> {
    cx: &'r Context<'r>,
    plan: Plan,
    nested: Vec<Option<Follower<'r>>>,
}

/// The traversal of a pattern.
struct Follower<'r> {
    nested: Nested<'r>,
    /// Whether it puts many into one, which has no way behind it.
    forgets: bool,
}

#[derive(Clone)]
struct State {
    traverser: Traverser,
    bindings: Bindings,
    left: Vec<usize>,
}

impl<'r> Solver<'r> {
    fn new(cx: &'r Context<'r>, all: &'r [MatchPattern]) -> Result<Self, RunError> {
        let mut traversals = Vec::new();
        let mut plan = Plan::new(all, &mut traversals);
        let mut nested = Vec::with_capacity(traversals.len());
        for traversal in traversals {
            nested.push(match traversal {
                Some(traversal) if !traversal.steps.is_empty() => {
                    Some(Follower { nested: Nested::new(cx, traversal)?, forgets: has_barrier(traversal) })
                }
                _ => None,
            });
        }
        plan.has_effects = nested.iter().flatten().any(|one| one.nested.has_effects());
        Ok(Solver { cx, plan, nested })
    }

    fn solutions(&mut self, traverser: &Traverser) -> Result<Vec<State>, RunError> {
        let known = self.plan.variables.iter().filter_map(|name| {
            let value = Trail::select(traverser.trail.as_deref(), name, Pop::Last)?;
            Some((Arc::clone(name), value))
        });
        let mut state = State { traverser: traverser.clone(), bindings: known.collect(), left: self.plan.top.clone() };
        let starts = &self.plan.starts;
        if !state.bindings.iter().any(|(name, _)| starts.contains(name))
            && let Some(first) = &self.plan.first
        {
            let before = state.traverser.trail.clone();
            bind(&mut state, first, traverser.value.clone(), before.as_ref());
        }
        self.solve(state, usize::MAX)
    }

    /// At most so many solutions.
    fn solve(&mut self, state: State, most: usize) -> Result<Vec<State>, RunError> {
        let mut held = self.cx.held();
        let mut solved = Vec::new();
        let mut waiting = vec![state];
        while let Some(mut state) = waiting.pop() {
            self.cx.check()?;
            if state.left.is_empty() {
                held.grow_by_traversers(std::slice::from_ref(&state.traverser))?;
                solved.push(state);
                if solved.len() >= most {
                    break;
                }
                continue;
            }
            let Some(place) = self.plan.next(&state.left, &state.bindings) else {
                return Err(evaluation("The provided match pattern is unsolvable"));
            };
            let pattern = state.left.remove(place);
            let mut more = self.apply(pattern, state)?;
            more.reverse();
            waiting.extend(more);
        }
        Ok(solved)
    }

    /// The states after a pattern.
    fn apply(&mut self, pattern: usize, state: State) -> Result<Vec<State>, RunError> {
        let Some(test) = self.plan.tests.get(pattern).cloned() else { return Ok(Vec::new()) };
        match test {
            Test::Path { start, end } => self.follow(pattern, &start, end.as_ref(), state),
            Test::Where => {
                // Its labels are variables, and never keys of a map that happens to be the object.
                let at = state.traverser.at(GValue::Null);
                let holds = match self.nested.get_mut(pattern).and_then(Option::as_mut) {
                    Some(follower) => follower.nested.holds(&at)?,
                    None => true,
                };
                Ok(if holds { vec![state] } else { Vec::new() })
            }
            Test::Either(parts) => {
                let with = |part: &Vec<usize>| {
                    let mut state = state.clone();
                    state.left.extend(part);
                    state
                };
                Ok(parts.iter().map(with).collect())
            }
            Test::Not(parts) => {
                let within = State { left: parts, ..state.clone() };
                let is_solved = !self.solve(within, 1)?.is_empty();
                Ok(if is_solved { Vec::new() } else { vec![state] })
            }
        }
    }

    /// Goes from one variable to another, or to anything.
    fn follow(
        &mut self,
        pattern: usize,
        start: &Arc<str>,
        end: Option<&Arc<str>>,
        state: State,
    ) -> Result<Vec<State>, RunError> {
        let Some(value) = value_of(&state.bindings, start).cloned() else { return Ok(Vec::new()) };
        let from = state.traverser.at(value);
        let before = from.trail.clone();
        let results = match self.nested.get_mut(pattern).and_then(Option::as_mut) {
            Some(Follower { nested, forgets }) => {
                let mut results = nested.results(&from)?;
                if *forgets {
                    results.iter_mut().for_each(|result| result.trail = from.trail.clone());
                }
                results
            }
            None => vec![Traverser { bulk: 1, ..from }],
        };
        let mut states = Vec::with_capacity(results.len());
        for mut result in results {
            result.bulk = result.bulk.saturating_mul(state.traverser.bulk);
            let value = result.value.clone();
            let mut next = State { traverser: result, bindings: state.bindings.clone(), left: state.left.clone() };
            match end {
                None => {}
                Some(end) => match value_of(&next.bindings, end) {
                    Some(bound) if !equals(bound, &value) => continue,
                    Some(_) => {}
                    None => bind(&mut next, end, value, before.as_ref()),
                },
            }
            states.push(next);
        }
        Ok(states)
    }
}

pub(super) fn value_of<'b>(bindings: &'b Bindings, name: &Arc<str>) -> Option<&'b GValue> {
    bindings.iter().find(|(bound, _)| bound == name).map(|(_, value)| value)
}

/// Lets a variable stand for the object a traverser is at, which came there by a way that ended with `before`.
fn bind(state: &mut State, name: &Arc<str>, value: GValue, before: Option<&Arc<Trail>>) {
    let labels = [Arc::clone(name)];
    let trail = state.traverser.trail.take();
    let is_new = trail.as_ref().is_some_and(|trail| before.is_none_or(|before| !Arc::ptr_eq(trail, before)));
    state.traverser.trail = match &trail {
        Some(head) if is_new && head.value == value => head.label(&labels),
        _ => Trail::push(trail, value.clone(), &labels),
    };
    state.bindings.push((Arc::clone(name), value));
}
