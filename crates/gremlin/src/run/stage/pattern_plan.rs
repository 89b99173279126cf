//! The patterns of a `match()` as a list, and which of them to try next.

use std::sync::Arc;

use super::super::walk;
use super::pattern::{Bindings, value_of};
use crate::step::{MatchPattern, SelectSource, StepKind, Traversal};
use crate::value::{GValue, P};

/// All patterns, by their places in one list.
pub(super) struct Plan {
    pub tests: Vec<Test>,
    /// Those that all must hold.
    pub top: Vec<usize>,
    /// All variables, in the order they appear.
    pub variables: Vec<Arc<str>>,
    /// Those that a pattern begins with.
    pub starts: Vec<Arc<str>>,
    /// What the incoming object is, if no variable stands for anything yet.
    pub first: Option<Arc<str>>,
    /// Whether a pattern has to run for each of equal objects.
    pub has_effects: bool,
    /// Variables that each pattern looks at, beside its own end.
    needs: Vec<Vec<Arc<str>>>,
}

/// What a pattern asks.
#[derive(Clone)]
pub(super) enum Test {
    Path { start: Arc<str>, end: Option<Arc<str>> },
    Where,
    Either(Vec<Vec<usize>>),
    Not(Vec<usize>),
}

impl Plan {
    /// With the traversal of each test that has one.
    pub fn new<'r>(all: &'r [MatchPattern], traversals: &mut Vec<Option<&'r Traversal>>) -> Self {
        let mut plan = Plan {
            tests: Vec::new(),
            top: Vec::new(),
            variables: Vec::new(),
            starts: Vec::new(),
            first: None,
            has_effects: false,
            needs: Vec::new(),
        };
        let mut ends = Vec::new();
        plan.top = all.iter().flat_map(|pattern| plan.add(pattern, traversals, &mut ends)).collect();
        plan.first = plan.starts.iter().find(|start| !ends.contains(start)).or(plan.starts.first()).cloned();
        plan.keep_variables();
        plan
    }

    /// The place of the pattern to try next among those that are left: conditions first, then what only checks, then what finds. None if
    /// all of them wait for variables.
    pub fn next(&self, left: &[usize], bindings: &Bindings) -> Option<usize> {
        let is_bound = |name: &Arc<str>| value_of(bindings, name).is_some();
        let rank = |pattern: usize| -> Option<usize> {
            let is_ready = self.needs.get(pattern).is_some_and(|needs| needs.iter().all(is_bound));
            match self.tests.get(pattern)? {
                Test::Where if is_ready => Some(0),
                Test::Not(_) if is_ready => Some(0),
                Test::Path { end, .. } if is_ready => Some(if end.as_ref().is_none_or(is_bound) { 1 } else { 2 }),
                Test::Either(_) => Some(3),
                // What it asks for beside its start may be nothing that a pattern finds.
                Test::Path { start, .. } if is_bound(start) => Some(4),
                Test::Not(_) => Some(5),
                Test::Where | Test::Path { .. } => None,
            }
        };
        let ranked = left.iter().enumerate().filter_map(|(place, pattern)| rank(*pattern).map(|rank| (rank, place)));
        ranked.min().map(|(_, place)| place)
    }

    /// The places of a pattern: several of `and()`, whose parts are patterns like others.
    fn add<'r>(
        &mut self,
        pattern: &'r MatchPattern,
        traversals: &mut Vec<Option<&'r Traversal>>,
        ends: &mut Vec<Arc<str>>,
    ) -> Vec<usize> {
        let (test, traversal, needs) = match pattern {
            MatchPattern::And(parts) => {
                return parts.iter().flat_map(|part| self.add(part, traversals, ends)).collect();
            }
            MatchPattern::Path { start, steps, end } => {
                note(&mut self.starts, start);
                note(&mut self.variables, start);
                if let Some(end) = end {
                    note(&mut self.variables, end);
                    note(ends, end);
                }
                let mut needs = vec![Arc::clone(start)];
                labels(steps, &mut needs);
                (Test::Path { start: Arc::clone(start), end: end.clone() }, Some(steps), needs)
            }
            MatchPattern::Where(traversal) => {
                let mut needs = Vec::new();
                labels(traversal, &mut needs);
                (Test::Where, Some(traversal), needs)
            }
            MatchPattern::Or(parts) => {
                let parts = parts.iter().map(|part| self.add(part, traversals, ends)).collect();
                (Test::Either(parts), None, Vec::new())
            }
            MatchPattern::Not(inner) => {
                // What is found within is no variable of the whole.
                let (before, mut own) = (self.variables.clone(), Vec::new());
                let parts = self.add(inner, traversals, &mut own);
                let needs = self.variables.iter().filter(|name| mentions(inner, name)).cloned().collect();
                self.variables = before;
                (Test::Not(parts), None, needs)
            }
        };
        self.tests.push(test);
        self.needs.push(needs);
        traversals.push(traversal);
        vec![self.tests.len() - 1]
    }

    /// Waits for nothing that no pattern finds.
    fn keep_variables(&mut self) {
        let variables = &self.variables;
        self.needs.iter_mut().for_each(|needs| needs.retain(|name| variables.contains(name)));
    }
}

fn note(names: &mut Vec<Arc<str>>, name: &Arc<str>) {
    if !names.contains(name) {
        names.push(Arc::clone(name));
    }
}

fn mentions(pattern: &MatchPattern, name: &Arc<str>) -> bool {
    match pattern {
        MatchPattern::Path { start, steps, end } => {
            let mut found = Vec::new();
            labels(steps, &mut found);
            start == name || end.as_ref() == Some(name) || found.contains(name)
        }
        MatchPattern::Where(traversal) => {
            let mut found = Vec::new();
            labels(traversal, &mut found);
            found.contains(name)
        }
        MatchPattern::And(parts) | MatchPattern::Or(parts) => parts.iter().any(|part| mentions(part, name)),
        MatchPattern::Not(inner) => mentions(inner, name),
    }
}

/// The labels that steps look at, in any depth.
fn labels(traversal: &Traversal, found: &mut Vec<Arc<str>>) {
    for step in &traversal.steps {
        match &step.kind {
            StepKind::WhereStart(label) | StepKind::WhereEnd(label) => note(found, label),
            StepKind::Where { start, condition, .. } => {
                start.iter().for_each(|label| note(found, label));
                operands(condition, found);
            }
            StepKind::Select { from: SelectSource::Labels(names), .. } => {
                names.iter().for_each(|label| note(found, label));
            }
            StepKind::Dedup { labels, .. } => labels.iter().for_each(|label| note(found, label)),
            _ => {}
        }
        walk::children(&step.kind, &mut |child| labels(child, found));
    }
}

fn operands(condition: &P, found: &mut Vec<Arc<str>>) {
    let mut label = |value: &GValue| {
        if let GValue::String(label) = value {
            note(found, label);
        }
    };
    match condition {
        P::Compare(_, value) | P::Text(_, value) => label(value),
        P::Interval(_, low, high) => [low, high].into_iter().for_each(label),
        P::Within(members) | P::Without(members) => members.iter().for_each(label),
        P::And(parts) | P::Or(parts) => parts.iter().for_each(|part| operands(part, found)),
        P::Not(inner) => operands(inner, found),
        P::TypeOf(_) => {}
    }
}
