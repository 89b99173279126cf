//! Vertices and edges as documents, in the service's own form, so that SQL reads and writes the same graph.
//!
//! ```text
//! vertex  {"id", "label", "<partition property>": scalar, "ttl"?: scalar,
//!          "<property>": [{"id", "_value", "_type"?: note, "_meta"?: {"<key>": value}, "_metaTypes"?: {"<key>": note}}, ..], "_types"?}
//! edge    {"id", "label", "<partition property>": that of its out vertex, "_isEdge": true,
//!          "_vertexId", "_vertexLabel", "_sink", "_sinkLabel", "_sinkPartition", "_isPkEdgeProperty"?: true,
//!          "<property>": value, "_types"?: {"<property>": note}}
//! ```
//! A scalar is a plain string, number or Boolean; a value is one, or a list, set or map of values. What JSON cannot tell of it stands in a
//! *note* beside it (`stored_value.rs`, `collection.rs`): `_type` of a value object, `_metaTypes` of its meta properties, `_types` for
//! members of the root.
//!
//! Documents that SQL wrote are elements too. One with `_isEdge: true` is an edge if it names both ends, and nothing otherwise; every other
//! one is a vertex. A missing label is `vertex` or `edge`; a scalar member of a vertex is a property with one value, scalars in an array
//! are values as the objects are; what else there is has no meaning here and is kept when the element is changed.

mod collection;
mod edge;
mod layout;
mod names;
mod stored_value;
#[cfg(test)]
mod tests;
mod vertex;
mod vertex_change;
mod write;

pub use edge::{EdgeDocument, edge_document, read_edge};
pub use layout::Layout;
pub use names::{DEFAULT_EDGE_LABEL, DEFAULT_VERTEX_LABEL, check_key};
pub use stored_value::{Plain, StoredValue};
pub use vertex::{VertexDocument, read_vertex, vertex_document};

use names::{IS_EDGE, SINK, VERTEX_ID};

use std::sync::Arc;

use orrery_value::Node;

use crate::graph::{ElementKind, GraphError, id_text};
use crate::value::GValue;

/// What a document is in a graph; `None` for an edge without ends.
pub fn kind_of(document: Node<'_>) -> Option<ElementKind> {
    if document.get(IS_EDGE).and_then(|is_edge| is_edge.as_bool()) != Some(true) {
        return Some(ElementKind::Vertex);
    }
    let names_a_vertex = |name| document.get(name).is_some_and(|id| id.as_str().is_some());
    (names_a_vertex(VERTEX_ID) && names_a_vertex(SINK)).then_some(ElementKind::Edge)
}

/// The stored form of an id.
fn stored_id(id: &GValue) -> Result<Arc<str>, GraphError> {
    id_text(id).ok_or_else(|| invalid(format!("{} cannot be an id: ids are strings", id.kind())))
}

/// A label as it is given.
///
/// # Errors
/// [`GraphError::Invalid`] for an empty or hidden one.
fn check_label(label: &str) -> Result<(), GraphError> {
    match label {
        "" => Err(invalid("Label can not be empty")),
        hidden if hidden.starts_with('~') => Err(invalid(format!("Label can not be a hidden key: {hidden}"))),
        _ => Ok(()),
    }
}

pub(crate) fn invalid(message: impl Into<String>) -> GraphError {
    GraphError::Invalid { message: message.into() }
}

/// The text of a string member.
fn text(node: Node<'_>, name: &str) -> Option<Arc<str>> {
    node.get(name)?.as_str().map(Arc::from)
}

fn fresh_id() -> Arc<str> {
    crate::value::Uuid::new_v4().to_string().into()
}
