//! Writing properties and edges.

use std::sync::Arc;

use super::{Operand, Traversal};
use crate::value::{Cardinality, GValue, T};

/// One `property()`. Where it directly follows `addV()` or `addE()`, names no cardinality and has no properties of its own, it is part
/// of that step instead.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyWrite {
    /// `None`: the graph's default.
    pub cardinality: Option<Cardinality>,
    /// Which property.
    pub key: PropertyKey,
    /// Its value; null is one.
    pub value: Operand,
    /// Properties of the property.
    pub meta: Vec<(PropertyKey, Operand)>,
}

/// What names a property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyKey {
    /// Identity or label of a new element.
    Token(T),
    /// An ordinary property.
    Name(Arc<str>),
    /// The first result names it.
    Traversal(Traversal),
}

/// An end of a new edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Endpoint {
    /// The object of a label in the path: what `select(label)` gives.
    Label(Arc<str>),
    /// The first result: a vertex, or the id of one.
    Traversal(Traversal),
    /// A vertex, or the id of one.
    Value(GValue),
}
