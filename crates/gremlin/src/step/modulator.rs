//! Parts that several steps have.

use std::sync::Arc;

use super::Traversal;
use crate::value::{Column, GValue, T};

/// An argument that is a value, or a traversal that yields one.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// As given.
    Value(GValue),
    /// The first result for the incoming traverser.
    Traversal(Traversal),
}

/// What `by()` makes of an object.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Projection {
    /// The object itself.
    #[default]
    Identity,
    /// A part of an element.
    Token(T),
    /// Keys or values of a map.
    Column(Column),
    /// The value of a property, or of a map's entry.
    Key(Arc<str>),
    /// The first result of a traversal; where a step reduces, as the value of `group()` does, all of them.
    Traversal(Traversal),
}

/// A part of the path, and what of its objects counts.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PathRange {
    /// The label of the first object.
    pub from: Option<Arc<str>>,
    /// The label of the last one.
    pub to: Option<Arc<str>>,
    /// In turn.
    pub by: Vec<Projection>,
}
