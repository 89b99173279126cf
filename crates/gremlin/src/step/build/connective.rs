//! `a.and().b`: connectives between steps.

use super::assemble::{Draft, DraftKind};
use crate::GremlinError;
use crate::step::{Step, StepKind, Traversal};

/// A connective without arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
}

impl Connective {
    /// Of the step's name.
    pub fn of(name: &str) -> Self {
        if name == "and" { Connective::And } else { Connective::Or }
    }
}

/// The steps, of which connectives take all before and behind them; `and` binds tighter. What spawns the traversal stays outside.
pub(super) fn join(drafts: Vec<Draft>) -> Result<Vec<Step>, GremlinError> {
    if !drafts.iter().any(|draft| matches!(draft.kind, DraftKind::Connective(_))) {
        return drafts.into_iter().map(finish).collect();
    }
    let mut drafts = drafts.into_iter().peekable();
    let mut steps = Vec::new();
    while let Some(spawn) = drafts.next_if(is_spawn) {
        steps.push(finish(spawn)?);
    }
    let mut alternatives = vec![vec![Vec::new()]];
    for draft in drafts {
        let connective = match draft.kind {
            DraftKind::Connective(connective) => connective,
            kind => {
                let step = finish(Draft { kind, ..draft })?;
                if let Some(side) = alternatives.last_mut().and_then(|conditions| conditions.last_mut()) {
                    side.push(step);
                }
                continue;
            }
        };
        // Labels behind a connective belong to the start of what follows.
        let start = (!draft.labels.is_empty()).then_some(Step { kind: StepKind::Start, labels: draft.labels });
        let side: Vec<Step> = start.into_iter().collect();
        match connective {
            Connective::Or => alternatives.push(vec![side]),
            Connective::And => alternatives.last_mut().into_iter().for_each(|conditions| conditions.push(side.clone())),
        }
    }
    let mut alternatives: Vec<StepKind> = alternatives.into_iter().map(all_of).collect();
    let joined = match (alternatives.len(), alternatives.pop()) {
        (1, Some(only)) => only,
        (_, last) => StepKind::Or(alternatives.into_iter().chain(last).map(alone).collect()),
    };
    steps.push(Step::from(joined));
    Ok(steps)
}

/// All of these conditions.
fn all_of(conditions: Vec<Vec<Step>>) -> StepKind {
    StepKind::And(conditions.into_iter().map(nested).collect())
}

fn nested(mut steps: Vec<Step>) -> Traversal {
    if steps.is_empty() {
        steps.push(Step::from(StepKind::Identity));
    }
    Traversal { steps }
}

/// As an alternative; a conjunction of one is that one.
fn alone(kind: StepKind) -> Traversal {
    match kind {
        StepKind::And(mut conditions) if conditions.len() == 1 => conditions.swap_remove(0),
        kind => nested(vec![Step::from(kind)]),
    }
}

fn is_spawn(draft: &Draft) -> bool {
    matches!(draft.kind, DraftKind::Step(StepKind::V(_) | StepKind::E(_) | StepKind::Inject(_)))
}

fn finish(draft: Draft) -> Result<Step, GremlinError> {
    let kind = match draft.kind {
        DraftKind::Step(kind) => kind,
        DraftKind::Repeat(repeat) => repeat.finish()?,
        DraftKind::Connective(Connective::And) => StepKind::And(Vec::new()),
        DraftKind::Connective(Connective::Or) => StepKind::Or(Vec::new()),
    };
    Ok(Step { kind, labels: draft.labels })
}
