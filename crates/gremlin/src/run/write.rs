//! What writing steps have in common: keys, values and ends, checked.

use std::sync::Arc;

use super::by::Argument;
use super::nested::Nested;
use super::{Context, RunError, Traverser, evaluation};
use crate::graph::{ElementKey, ElementKind, PropertyChange, id_text};
use crate::step::{PropertyKey, PropertyWrite};
use crate::value::{Cardinality, GValue, T, VertexReference};

/// A `property()` made ready.
pub(super) struct Writer<'r> {
    cardinality: Option<Cardinality>,
    key: Key<'r>,
    value: Argument<'r>,
    meta: Vec<(Key<'r>, Argument<'r>)>,
}

enum Key<'r> {
    Token(T),
    Name(&'r Arc<str>),
    Traversal(Box<Nested<'r>>),
}

/// What one `property()` says about an element.
pub(super) enum Said {
    Token(T, GValue),
    Property(PropertyChange),
}

impl<'r> Writer<'r> {
    pub fn new(cx: &'r Context<'r>, write: &'r PropertyWrite) -> Result<Self, RunError> {
        let mut meta = Vec::with_capacity(write.meta.len());
        for (key, value) in &write.meta {
            meta.push((Key::new(cx, key)?, Argument::new(cx, value)?));
        }
        let (key, value) = (Key::new(cx, &write.key)?, Argument::new(cx, &write.value)?);
        Ok(Writer { cardinality: write.cardinality, key, value, meta })
    }

    /// What it says for a traverser. Nothing if its value or key comes from a traversal that has no result.
    pub fn said(&mut self, traverser: &Traverser) -> Result<Option<Said>, RunError> {
        let Some(value) = self.value.of(traverser)? else { return Ok(None) };
        let (cardinality, value) = match value {
            GValue::CardinalityValue(cardinality, value) => (Some(cardinality), (*value).clone()),
            value => (self.cardinality, value),
        };
        let key = match &mut self.key {
            Key::Token(token) => return Ok(Some(Said::Token(*token, value))),
            key => match key.name(traverser)? {
                Some(name) => name,
                None => return Ok(None),
            },
        };
        let mut meta = Vec::with_capacity(self.meta.len());
        for (key, value) in &mut self.meta {
            if let (Some(key), Some(value)) = (key.name(traverser)?, value.of(traverser)?) {
                check_key(&key)?;
                meta.push((key, value));
            }
        }
        check_key(&key)?;
        Ok(Some(Said::Property(PropertyChange { key, value, cardinality, meta })))
    }
}

impl<'r> Key<'r> {
    fn new(cx: &'r Context<'r>, key: &'r PropertyKey) -> Result<Self, RunError> {
        Ok(match key {
            PropertyKey::Token(token) => Key::Token(*token),
            PropertyKey::Name(name) => Key::Name(name),
            PropertyKey::Traversal(traversal) => Key::Traversal(Box::new(Nested::new(cx, traversal)?)),
        })
    }

    fn name(&mut self, traverser: &Traverser) -> Result<Option<Arc<str>>, RunError> {
        match self {
            Key::Token(token) => Err(evaluation(format!("T.{} names no property of a property", token.name()))),
            Key::Name(name) => Ok(Some(Arc::clone(name))),
            Key::Traversal(nested) => match nested.first(traverser)? {
                None => Ok(None),
                Some(GValue::String(name)) => Ok(Some(name)),
                Some(other) => Err(evaluation(format!("a property is named by a string, but it is {}", other.kind()))),
            },
        }
    }
}

/// Names that TinkerPop keeps for itself are refused.
pub(super) fn check_key(key: &str) -> Result<(), RunError> {
    if key.is_empty() {
        return Err(evaluation("Property key can not be the empty string"));
    }
    if key.starts_with('~') {
        return Err(evaluation(format!("Property key can not be a hidden key: {key}")));
    }
    Ok(())
}

/// The same of labels.
pub(super) fn check_label(label: &GValue) -> Result<Arc<str>, RunError> {
    match label {
        GValue::String(label) if label.is_empty() => Err(evaluation("Label can not be empty")),
        GValue::String(label) if label.starts_with('~') => {
            Err(evaluation(format!("Label can not be a hidden key: {label}")))
        }
        GValue::String(label) => Ok(Arc::clone(label)),
        GValue::Null => Err(evaluation("Label can not be null")),
        other => Err(evaluation(format!("a label is a string, but it is {}", other.kind()))),
    }
}

/// A vertex from itself or from its id; `None` if there is none.
pub(super) fn vertex_of(cx: &Context<'_>, value: &GValue) -> Result<Option<VertexReference>, RunError> {
    if let GValue::Vertex(vertex) = value {
        return Ok(Some(vertex.reference()));
    }
    let keys = super::head::keys(cx, std::slice::from_ref(value));
    let [key] = &keys[..] else { return Ok(None) };
    let found = cx.graph.elements(ElementKind::Vertex, std::slice::from_ref(key))?;
    Ok(match found.into_iter().next().flatten() {
        Some(GValue::Vertex(vertex)) => Some(vertex.reference()),
        _ => None,
    })
}

/// What names the owner of a property.
pub(super) fn owner_key(value: &GValue) -> Option<(ElementKind, ElementKey)> {
    match value {
        GValue::VertexProperty(property) => {
            let vertex = property.vertex.as_ref()?;
            let key = ElementKey { id: id_text(&vertex.id)?, partition: vertex.partition.clone() };
            Some((ElementKind::Vertex, key))
        }
        GValue::Property(property) => match property.element.as_ref()? {
            GValue::Edge(edge) => {
                let partition = edge.out_vertex.partition.clone();
                Some((ElementKind::Edge, ElementKey { id: id_text(&edge.id)?, partition }))
            }
            owner => owner_key(owner),
        },
        _ => None,
    }
}
