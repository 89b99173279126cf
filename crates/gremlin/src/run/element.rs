//! Parts of elements. Their properties are loaded before they are asked for.

use std::sync::Arc;

use super::elements::{owned, owned_plain, without_details};
use super::{RunError, evaluation};
use crate::function::collection::select_column;
use crate::function::element;
use crate::step::Names;
use crate::value::{Column, GValue, T, Vertex, VertexReference};

/// A token of an element.
pub(super) fn token(value: &GValue, token: T) -> Result<GValue, RunError> {
    element::token(value, token)
        .ok_or_else(|| evaluation(format!("there is no {} of what is {}", token.name(), value.kind())))
}

/// The label of an element: of a vertex property its key.
pub(super) fn label(value: &GValue) -> Option<Arc<str>> {
    match value {
        GValue::Vertex(vertex) => Some(Arc::clone(&vertex.label)),
        GValue::Edge(edge) => Some(Arc::clone(&edge.label)),
        GValue::VertexProperty(property) => Some(Arc::clone(&property.label)),
        _ => None,
    }
}

/// The key of a property.
pub(super) fn key(value: &GValue) -> Option<Arc<str>> {
    match value {
        GValue::VertexProperty(property) => Some(Arc::clone(&property.label)),
        GValue::Property(property) => Some(Arc::clone(&property.key)),
        _ => None,
    }
}

/// The value of a property.
pub(super) fn property_value(value: &GValue) -> Option<GValue> {
    match value {
        GValue::VertexProperty(property) => Some(property.value.clone()),
        GValue::Property(property) => Some(property.value.clone()),
        _ => None,
    }
}

/// Calls `visit` with the value of each property of a key, until it gives true; whether it did.
pub(super) fn any_value(value: &GValue, key: &str, visit: &mut dyn FnMut(&GValue) -> bool) -> bool {
    match value {
        GValue::Vertex(vertex) => {
            let mut all = vertex.properties.iter().flatten();
            all.any(|property| &*property.label == key && visit(&property.value))
        }
        GValue::Edge(edge) => {
            let mut all = edge.properties.iter().flatten();
            all.any(|property| &*property.key == key && visit(&property.value))
        }
        GValue::VertexProperty(owner) => {
            let mut all = owner.properties.iter().flatten();
            all.any(|property| &*property.key == key && visit(&property.value))
        }
        _ => false,
    }
}

/// The first value of a property.
pub(super) fn property(value: &GValue, key: &str) -> Option<GValue> {
    let mut first = None;
    any_value(value, key, &mut |value| {
        first = Some(value.clone());
        true
    });
    first
}

/// Whether an element may have properties.
pub(super) fn is_element(value: &GValue) -> bool {
    matches!(value, GValue::Vertex(_) | GValue::Edge(_) | GValue::VertexProperty(_))
}

/// The properties of an element, each knowing whose it is: those named, in the order of the names, or all.
pub(super) fn properties(value: &GValue, names: &Names, take: &mut dyn FnMut(GValue)) {
    if names.is_empty() {
        return matching(value, None, take);
    }
    let mut seen: Vec<&str> = Vec::new();
    for name in names.iter().flatten() {
        if !seen.contains(&&**name) {
            seen.push(name);
            matching(value, Some(name), take);
        }
    }
}

fn matching(value: &GValue, name: Option<&str>, take: &mut dyn FnMut(GValue)) {
    let fits = |key: &str| name.is_none_or(|name| name == key);
    match value {
        GValue::Vertex(vertex) => {
            let all = vertex.properties.iter().flatten().filter(|property| fits(&property.label));
            let reference = vertex.reference();
            all.for_each(|property| take(GValue::VertexProperty(owned(property, Some(&reference)))));
        }
        GValue::Edge(edge) => {
            let all = edge.properties.iter().flatten().filter(|property| fits(&property.key));
            all.for_each(|property| take(GValue::Property(owned_plain(property, value))));
        }
        GValue::VertexProperty(owner) => {
            let all = owner.properties.iter().flatten().filter(|property| fits(&property.key));
            all.for_each(|property| take(GValue::Property(owned_plain(property, value))));
        }
        _ => {}
    }
}

/// Whose property it is.
pub(super) fn owner(value: &GValue) -> Option<GValue> {
    match value {
        GValue::VertexProperty(property) => property.vertex.as_ref().map(vertex),
        GValue::Property(property) => property.element.as_ref().map(without_details),
        _ => None,
    }
}

/// A vertex from what names it.
pub(super) fn vertex(reference: &VertexReference) -> GValue {
    let VertexReference { id, label, partition } = reference.clone();
    GValue::Vertex(Arc::new(Vertex { id, label, partition, properties: None }))
}

/// Keys or values of a map, its entry or a path.
pub(super) fn column(value: &GValue, column: Column) -> Result<GValue, RunError> {
    select_column(value, column).ok_or_else(|| {
        evaluation(format!("The provided object does not have accessible {}: {}", column.name(), value.kind()))
    })
}
