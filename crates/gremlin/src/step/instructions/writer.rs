//! Instructions as they are put together.

use std::sync::Arc;

use crate::step::{Names, Operand, PathRange, Projection, Traversal};
use crate::value::{Comparison, GValue, Instruction, P, Scope};

#[derive(Default)]
pub(super) struct Writer {
    pub instructions: Vec<Instruction>,
}

impl Writer {
    pub fn put(&mut self, name: &str, arguments: Vec<GValue>) {
        self.instructions.push(Instruction::new(name, arguments));
    }

    /// One `by()` for each.
    pub fn by<'p>(&mut self, projections: impl IntoIterator<Item = &'p Projection>) {
        for by in projections {
            self.put("by", projection(by));
        }
    }

    pub fn path_range(&mut self, range: &PathRange) {
        for (name, label) in [("from", &range.from), ("to", &range.to)] {
            if let Some(label) = label {
                self.put(name, vec![string(label)]);
            }
        }
        self.by(&range.by);
    }
}

/// The arguments of `by()`.
pub(super) fn projection(projection: &Projection) -> Vec<GValue> {
    match projection {
        Projection::Identity => Vec::new(),
        Projection::Token(token) => vec![(*token).into()],
        Projection::Column(column) => vec![(*column).into()],
        Projection::Key(key) => vec![string(key)],
        Projection::Traversal(traversal) => vec![nested(traversal)],
    }
}

pub(super) fn nested(traversal: &Traversal) -> GValue {
    GValue::Bytecode(Arc::new(traversal.to_bytecode()))
}

pub(super) fn all_nested(traversals: &[Traversal]) -> Vec<GValue> {
    traversals.iter().map(nested).collect()
}

pub(super) fn string(text: &Arc<str>) -> GValue {
    GValue::String(Arc::clone(text))
}

pub(super) fn strings(texts: &[Arc<str>]) -> Vec<GValue> {
    texts.iter().map(string).collect()
}

pub(super) fn string_or_null(text: &Option<Arc<str>>) -> GValue {
    text.as_ref().map_or(GValue::Null, string)
}

pub(super) fn names(names: &Names) -> Vec<GValue> {
    names.iter().map(string_or_null).collect()
}

/// An argument that may be left out.
pub(super) fn optional(text: &Option<Arc<str>>) -> Vec<GValue> {
    text.iter().map(string).collect()
}

pub(super) fn operand(operand: &Operand) -> GValue {
    match operand {
        Operand::Value(value) => value.clone(),
        Operand::Traversal(traversal) => nested(traversal),
    }
}

/// An equality as its value.
pub(super) fn condition(condition: &P) -> GValue {
    match condition {
        P::Compare(Comparison::Equal, value) => value.clone(),
        other => predicate(other),
    }
}

pub(super) fn predicate(predicate: &P) -> GValue {
    GValue::Predicate(Arc::new(predicate.clone()))
}

/// Global is what a step does anyway.
pub(super) fn scope(scope: Scope) -> Vec<GValue> {
    match scope {
        Scope::Global => Vec::new(),
        Scope::Local => vec![scope.into()],
    }
}

/// An int if it fits.
pub(super) fn count(number: u64) -> GValue {
    integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// An int if it fits.
pub(super) fn integer(number: i64) -> GValue {
    i32::try_from(number).map_or(GValue::Long(number), GValue::Int)
}
