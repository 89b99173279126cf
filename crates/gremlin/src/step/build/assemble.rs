//! Steps one after the other, modulators with the steps they modulate.

use std::sync::Arc;

use super::repeat::RepeatDraft;
use super::{Arguments, Context, connective, make, modulate, property, repeat};
use crate::GremlinError;
use crate::step::{Step, StepKind};
use crate::value::{Constant, GValue, Instruction};

/// A step that may still be modulated.
pub(super) struct Draft {
    pub kind: DraftKind,
    pub labels: Vec<Arc<str>>,
    /// How often `by()` has been given.
    pub by_count: usize,
}

pub(super) enum DraftKind {
    Step(StepKind),
    /// `until()`, `times()` and `emit()` may stand before their `repeat()`.
    Repeat(RepeatDraft),
    /// `and()` or `or()` without arguments.
    Connective(connective::Connective),
}

impl From<DraftKind> for Draft {
    fn from(kind: DraftKind) -> Self {
        Draft { kind, labels: Vec::new(), by_count: 0 }
    }
}

/// The steps of a traversal, which is a nested one if `depth` is not 0.
pub(super) fn assemble(cx: &Context, depth: usize, instructions: &[Instruction]) -> Result<Vec<Step>, GremlinError> {
    let mut drafts: Vec<Draft> = Vec::new();
    for instruction in instructions {
        cx.count(instruction)?;
        let mut arguments = Arguments::new(cx, depth, instruction);
        add(&mut drafts, &mut arguments, depth)?;
        arguments.end()?;
    }
    connective::join(drafts)
}

fn add(drafts: &mut Vec<Draft>, arguments: &mut Arguments<'_>, depth: usize) -> Result<(), GremlinError> {
    match arguments.name() {
        "as" => label(drafts, arguments, depth),
        "by" => modulate::by(last(drafts, arguments)?, arguments),
        "option" => modulate::option(last(drafts, arguments)?, arguments),
        "with" => modulate::with(last(drafts, arguments)?, arguments),
        "from" => modulate::from(last(drafts, arguments)?, arguments),
        "to" if !matches!(arguments.peek(), Some(GValue::Constant(Constant::Direction(_)))) => {
            modulate::to(last(drafts, arguments)?, arguments)
        }
        "repeat" | "until" | "times" | "emit" => repeat::modulate(drafts, arguments),
        "property" => property::add(drafts, arguments),
        "and" | "or" if arguments.left() == 0 && arguments.joins_connectives() => {
            drafts.push(DraftKind::Connective(connective::Connective::of(arguments.name())).into());
            Ok(())
        }
        _ => {
            let made = make(arguments)?;
            drafts.extend(made.into_iter().map(|kind| Draft::from(DraftKind::Step(kind))));
            Ok(())
        }
    }
}

fn last<'d>(drafts: &'d mut [Draft], arguments: &Arguments<'_>) -> Result<&'d mut Draft, GremlinError> {
    drafts.last_mut().ok_or_else(|| arguments.error(format!("{}() stands before any step", arguments.name())))
}

fn label(drafts: &mut Vec<Draft>, arguments: &mut Arguments<'_>, depth: usize) -> Result<(), GremlinError> {
    let mut labels = vec![arguments.string("strings")?];
    labels.extend(arguments.strings("strings")?);
    if drafts.is_empty() {
        if depth == 0 {
            return Err(arguments.error("as() stands before any step".to_owned()));
        }
        drafts.push(DraftKind::Step(StepKind::Start).into());
    }
    let draft = last(drafts, arguments)?;
    for label in labels {
        if !draft.labels.contains(&label) {
            draft.labels.push(label);
        }
    }
    Ok(())
}
