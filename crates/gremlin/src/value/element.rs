//! Parts of a graph.

use std::sync::Arc;

use super::GValue;

/// A vertex. Without properties it is a reference to one.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The service's own are strings; a client may send any.
    pub id: GValue,
    /// `vertex` by default.
    pub label: Arc<str>,
    /// The value of the partition property, where it is known; not shown to clients.
    pub partition: Option<GValue>,
    /// In the order stored; those of one key follow each other. `None`: not asked for.
    pub properties: Option<Vec<Arc<VertexProperty>>>,
}

/// Which vertex, without its properties.
#[derive(Clone, Debug)]
pub struct VertexReference {
    /// Of the vertex.
    pub id: GValue,
    /// Of the vertex.
    pub label: Arc<str>,
    /// Of the vertex, where it is known; not shown to clients.
    pub partition: Option<GValue>,
}

impl Vertex {
    /// Which vertex it is.
    pub fn reference(&self) -> VertexReference {
        VertexReference { id: self.id.clone(), label: self.label.clone(), partition: self.partition.clone() }
    }
}

impl VertexReference {
    /// The vertex, without its properties.
    pub fn to_vertex(&self) -> Vertex {
        Vertex { id: self.id.clone(), label: self.label.clone(), partition: self.partition.clone(), properties: None }
    }
}

/// An edge. Without properties it is a reference to one.
#[derive(Clone, Debug)]
pub struct Edge {
    /// See [`Vertex::id`].
    pub id: GValue,
    /// `edge` by default.
    pub label: Arc<str>,
    /// Where it leaves.
    pub out_vertex: VertexReference,
    /// Where it enters.
    pub in_vertex: VertexReference,
    /// In the order stored. `None`: not asked for.
    pub properties: Option<Vec<Arc<Property>>>,
}

/// A property of a vertex, which has an identity of its own.
#[derive(Clone, Debug)]
pub struct VertexProperty {
    /// Of the property, not of the vertex.
    pub id: GValue,
    /// The key.
    pub label: Arc<str>,
    /// Not null.
    pub value: GValue,
    /// Whose property this is, where that is known.
    pub vertex: Option<VertexReference>,
    /// Properties of the property. `None`: not asked for.
    pub properties: Option<Vec<Arc<Property>>>,
}

/// A property of an edge or of a vertex property.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name.
    pub key: Arc<str>,
    /// Not null.
    pub value: GValue,
    /// Whose property this is, where that is known; a reference.
    pub element: Option<GValue>,
}

/// The objects a traverser came by, and under which labels.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// A set for each object.
    pub labels: Vec<Vec<Arc<str>>>,
    /// In the order visited.
    pub objects: Vec<GValue>,
}

/// Vertices and the edges between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Without order.
    pub vertices: Vec<Arc<Vertex>>,
    /// Without order.
    pub edges: Vec<Arc<Edge>>,
}
