//! `repeat()` and what stands around it.

use std::sync::Arc;

use super::Arguments;
use super::assemble::{Draft, DraftKind};
use crate::GremlinError;
use crate::step::{Repeat, RepeatCondition, StepKind, Traversal, Until};

/// A `repeat()` that may lack its body as yet.
#[derive(Default)]
pub(super) struct RepeatDraft {
    name: Option<Arc<str>>,
    body: Option<Traversal>,
    until: Option<Until>,
    is_until_first: bool,
    emit: Option<RepeatCondition>,
    is_emit_first: bool,
    /// Of the first of them.
    at: Option<usize>,
}

impl RepeatDraft {
    pub fn finish(self) -> Result<StepKind, GremlinError> {
        let Some(body) = self.body else {
            let message = "The repeat()-traversal was not defined: until(), times() and emit() modulate a repeat()";
            return Err(GremlinError::Step { step: "repeat".to_owned(), message: message.to_owned(), at: self.at });
        };
        Ok(StepKind::Repeat(Box::new(Repeat {
            name: self.name,
            body,
            until: self.until,
            is_until_first: self.is_until_first,
            emit: self.emit,
            is_emit_first: self.is_emit_first,
        })))
    }
}

/// Any of the four.
pub(super) fn modulate(drafts: &mut Vec<Draft>, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    let is_open = match drafts.last() {
        Some(Draft { kind: DraftKind::Repeat(repeat), .. }) => arguments.name() != "repeat" || repeat.body.is_none(),
        _ => false,
    };
    if !is_open {
        let repeat = RepeatDraft { at: arguments.at(), ..RepeatDraft::default() };
        drafts.push(DraftKind::Repeat(repeat).into());
    }
    let Some(Draft { kind: DraftKind::Repeat(repeat), .. }) = drafts.last_mut() else { return Ok(()) };
    match arguments.name() {
        "repeat" => set_body(repeat, arguments),
        "emit" => set_emit(repeat, arguments),
        _ => set_until(repeat, arguments),
    }
}

fn set_body(repeat: &mut RepeatDraft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    if arguments.left() > 1 {
        repeat.name = Some(arguments.string("a name and a traversal")?);
    }
    let body = arguments.traversal()?;
    for step in &body.steps {
        let refused = match step.kind {
            StepKind::Inject(_) => "inject",
            StepKind::Cap(_) => "cap",
            _ => continue,
        };
        return Err(arguments.error(format!("The parent of {refused}()-step can not be repeat()-step")));
    }
    repeat.body = Some(body);
    Ok(())
}

fn set_emit(repeat: &mut RepeatDraft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    if repeat.emit.is_some() {
        return Err(arguments.error("The repeat()-step already has its emit()-modulator declared".to_owned()));
    }
    repeat.emit = Some(if arguments.left() == 0 { RepeatCondition::Always } else { condition(arguments)? });
    repeat.is_emit_first = repeat.body.is_none();
    Ok(())
}

fn set_until(repeat: &mut RepeatDraft, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    if repeat.until.is_some() {
        return Err(arguments.error("The repeat()-step already has its until()-modulator declared".to_owned()));
    }
    repeat.until = Some(match arguments.name() {
        "times" => Until::Times(arguments.count()?),
        _ => Until::Condition(condition(arguments)?),
    });
    repeat.is_until_first = repeat.body.is_none();
    Ok(())
}

/// A traversal or a predicate.
pub(super) fn condition(arguments: &mut Arguments<'_>) -> Result<RepeatCondition, GremlinError> {
    if arguments.has_predicate() {
        return arguments.predicate().map(RepeatCondition::Predicate);
    }
    arguments.traversal().map(RepeatCondition::Traversal)
}
