//! Labels at the ends of traversals in `where()` and `match()`, which stand for objects there.

use std::sync::Arc;

use super::Arguments;
use crate::GremlinError;
use crate::step::{MatchPattern, Step, StepKind, Traversal};

/// The traversal of a `where()`: a label at its start goes to that object, one at its end compares with it.
pub(super) fn where_traversal(mut traversal: Traversal, arguments: &Arguments<'_>) -> Result<Traversal, GremlinError> {
    match &mut traversal.steps[..] {
        [Step { kind: StepKind::And(parts) | StepKind::Or(parts), .. }, ..] => {
            for part in parts {
                *part = where_traversal(std::mem::take(part), arguments)?;
            }
        }
        [Step { kind: StepKind::Not(part), .. }, ..] => *part = where_traversal(std::mem::take(part), arguments)?,
        [start @ Step { kind: StepKind::Start, .. }, ..] if !start.labels.is_empty() => {
            let label = start.labels.remove(0);
            start.kind = StepKind::WhereStart(label);
        }
        _ => {}
    }
    let Some(end) = traversal.steps.last_mut() else { return Ok(traversal) };
    let labels = std::mem::take(&mut end.labels);
    match &labels[..] {
        [] => {}
        [label] => traversal.steps.push(Step::from(StepKind::WhereEnd(Arc::clone(label)))),
        _ => return Err(arguments.error("The end step of a where()-traversal can only have one label".to_owned())),
    }
    Ok(traversal)
}

/// `match()` with its patterns.
pub(super) fn match_step(arguments: &mut Arguments<'_>) -> Result<StepKind, GremlinError> {
    let traversals = arguments.traversals()?;
    if traversals.is_empty() {
        return Err(arguments.error("match() takes traversals, but none is given".to_owned()));
    }
    let patterns = traversals.into_iter().map(|traversal| pattern(traversal, arguments)).collect::<Result<_, _>>()?;
    Ok(StepKind::Match(patterns))
}

fn pattern(mut traversal: Traversal, arguments: &Arguments<'_>) -> Result<MatchPattern, GremlinError> {
    let all = |parts: Vec<Traversal>| parts.into_iter().map(|part| pattern(part, arguments)).collect::<Result<_, _>>();
    if let [only] = &mut traversal.steps[..]
        && only.labels.is_empty()
    {
        match &mut only.kind {
            StepKind::And(parts) => return all(std::mem::take(parts)).map(MatchPattern::And),
            StepKind::Or(parts) => return all(std::mem::take(parts)).map(MatchPattern::Or),
            StepKind::Not(part) => {
                return Ok(MatchPattern::Not(Box::new(pattern(std::mem::take(part), arguments)?)));
            }
            StepKind::WhereTraversal(_) | StepKind::Where { start: Some(_), .. } => {
                return Ok(MatchPattern::Where(traversal));
            }
            _ => {}
        }
    }
    let starts = match traversal.steps.first() {
        Some(Step { kind: StepKind::Start, labels }) => labels.clone(),
        _ => Vec::new(),
    };
    let [start] = &starts[..] else {
        return Err(arguments.error("Every match()-traversal must begin with a single label, as in as('a')".to_owned()));
    };
    traversal.steps.remove(0);
    let ends = traversal.steps.last_mut().map(|end| std::mem::take(&mut end.labels)).unwrap_or_default();
    let end = match &ends[..] {
        [] => None,
        [label] => Some(Arc::clone(label)),
        _ => return Err(arguments.error("The end step of a match()-traversal can have at most one label".to_owned())),
    };
    Ok(MatchPattern::Path { start: Arc::clone(start), steps: traversal, end })
}
