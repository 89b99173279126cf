//! A graph as a traversal sees it: what [`run`](crate::run) asks of whatever holds vertices and edges.
//!
//! Calls block and do many things at once; a traversal runs on a thread that may wait. A [`Graph`] belongs to one request and counts what
//! the request costs.

pub mod document;
mod engine_graph;
mod error;
mod id;
mod memory;

use std::sync::Arc;

pub use engine_graph::{Adjacencies, DEFAULT_LIMIT_BYTES, Done, EngineGraph, Unwritten, Waiting};
pub use error::GraphError;
pub use id::{id_predicate, id_text};
use indexmap::IndexMap;
pub use memory::MemoryGraph;

use crate::step::HasKey;
use crate::value::{Cardinality, Direction, Edge, GValue, Order, P, Vertex, VertexReference};

/// Vertices and edges, read and written.
pub trait Graph: Send + Sync {
    /// Elements by their keys, each `None` if it does not exist, with their properties.
    fn elements(&self, kind: ElementKind, keys: &[ElementKey]) -> Result<Vec<Option<GValue>>, GraphError>;

    /// Elements that fit a look-up, with their properties. Conditions narrow it as far as an index can: what comes may fit no better than
    /// an element at random, but everything that fits comes, in the order asked for.
    fn find(&self, lookup: &Lookup) -> Result<Box<dyn ElementStream + '_>, GraphError>;

    /// How many elements fit a look-up exactly, if that can be told without reading them.
    fn count(&self, lookup: &Lookup) -> Result<Option<u64>, GraphError>;

    /// The edges of each vertex, in the order of the vertices.
    fn edges(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Edge>>>, GraphError>;

    /// The vertices at the other ends of the edges that [`edges`](Graph::edges) gives for a request, in the same order: references, of
    /// those vertices that exist. With `with_properties`, those whose properties are at hand come with these. Steps along edges ask this,
    /// since a graph may keep such references at hand and needs to make no edges then.
    fn neighbors(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Vertex>>>, GraphError> {
        let ends = |direction| -> Result<Vec<Vec<Arc<Vertex>>>, GraphError> {
            let lists = self.edges(&EdgeRequest { direction, with_properties: false, ..*request })?;
            let end = |edge: &Arc<Edge>| match direction {
                Direction::In => edge.out_vertex.to_vertex(),
                Direction::Out | Direction::Both => edge.in_vertex.to_vertex(),
            };
            Ok(lists.iter().map(|edges| edges.iter().map(|edge| Arc::new(end(edge))).collect()).collect())
        };
        if request.direction != Direction::Both {
            return ends(request.direction);
        }
        let mut both = ends(Direction::Out)?;
        for (vertices, entering) in both.iter_mut().zip(ends(Direction::In)?) {
            vertices.extend(entering);
        }
        Ok(both)
    }

    /// The vertices that [`neighbors`](Graph::neighbors) gives for a request, each once, where it comes first, with how many times it
    /// comes: each of the vertices asked about counts as often as `counts` says at its place.
    fn reached(&self, request: &EdgeRequest<'_>, counts: &[u64]) -> Result<Vec<(Arc<Vertex>, u64)>, GraphError> {
        Ok(each_once(self.neighbors(request)?, counts))
    }

    /// Stores a new vertex; durable once [`settle`](Graph::settle) has returned. All later calls see it.
    fn add_vertex(&self, vertex: NewVertex) -> Result<Arc<Vertex>, GraphError>;

    /// Stores a new edge, in the same way.
    fn add_edge(&self, edge: NewEdge) -> Result<Arc<Edge>, GraphError>;

    /// Changes properties of a vertex, an edge or a vertex property, all or none, and returns the element as it is then: for a vertex
    /// property its vertex.
    fn change(&self, element: &GValue, changes: Vec<PropertyChange>) -> Result<GValue, GraphError>;

    /// Removes vertices with their edges, edges, and properties. What is gone already is no error.
    fn remove(&self, elements: &[GValue]) -> Result<(), GraphError>;

    /// Makes all writes so far durable, and tells if one of them was refused: to be called before a result leaves, and at the end.
    fn settle(&self) -> Result<(), GraphError> {
        Ok(())
    }

    /// The name of the property that places vertices. `None`: elements are placed by their ids, and ids alone name them.
    fn partition_property(&self) -> Option<&str>;

    /// What the calls so far have cost.
    fn usage(&self) -> Usage;
}

/// The vertices of lists, each once, with how many times it comes by the counts of the lists.
fn each_once(lists: Vec<Vec<Arc<Vertex>>>, counts: &[u64]) -> Vec<(Arc<Vertex>, u64)> {
    let mut places: IndexMap<GValue, u64> = IndexMap::new();
    for (vertices, count) in lists.into_iter().zip(counts) {
        for vertex in vertices {
            let times = places.entry(GValue::Vertex(vertex)).or_default();
            *times = times.saturating_add(*count);
        }
    }
    let vertex = |(value, times)| if let GValue::Vertex(vertex) = value { Some((vertex, times)) } else { None };
    places.into_iter().filter_map(vertex).collect()
}

/// Elements a batch at a time.
pub trait ElementStream {
    /// At most `most` more; none at the end.
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError>;
}

/// Which elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
}

/// Names one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementKey {
    /// As text: numbers are their decimal text, as on the service.
    pub id: Arc<str>,
    /// The value of the partition property where it is known; without it all partitions are looked at.
    pub partition: Option<GValue>,
}

/// What a traversal begins with.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Vertices or edges.
    pub kind: ElementKind,
    /// All must hold.
    pub has: Vec<LookupCondition>,
    /// The most significant first. Empty: any order.
    pub order: Vec<(Arc<str>, Order)>,
    /// How many are wanted at the most, if all conditions are met exactly; a hint.
    pub limit: Option<u64>,
}

/// A condition of a look-up.
#[derive(Clone, Debug)]
pub enum LookupCondition {
    /// A token or property is like this; of a multi-property one value.
    Has(HasKey, P),
    /// There is such a property.
    HasProperty(Arc<str>),
    /// There is none.
    HasNot(Arc<str>),
}

/// Which edges of which vertices.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRequest<'a> {
    /// Of these.
    pub vertices: &'a [VertexReference],
    /// Those that leave, enter or both. `Both` gives leaving ones first, and a loop twice.
    pub direction: Direction,
    /// Of these labels; `None` for all.
    pub labels: Option<&'a [Arc<str>]>,
    /// Whether properties are wanted: of the edges, or of the vertices at their other ends if it is these that are asked for. Without them
    /// edges may come as references, which is much cheaper.
    pub with_properties: bool,
}

/// A vertex to be.
#[derive(Clone, Debug)]
pub struct NewVertex {
    /// Made up unless given.
    pub id: Option<GValue>,
    /// Given, or `vertex`.
    pub label: Arc<str>,
    /// In order. The partition property is one of them.
    pub properties: Vec<PropertyChange>,
}

/// An edge to be.
#[derive(Clone, Debug)]
pub struct NewEdge {
    /// Made up unless given.
    pub id: Option<GValue>,
    /// Given, or `edge`.
    pub label: Arc<str>,
    /// Where it leaves.
    pub out_vertex: VertexReference,
    /// Where it enters.
    pub in_vertex: VertexReference,
    /// Values by name.
    pub properties: Vec<(Arc<str>, GValue)>,
}

/// A change of an element's properties.
#[derive(Clone, Debug)]
pub struct PropertyChange {
    /// Which property.
    pub key: Arc<str>,
    /// Its value. Null removes the property.
    pub value: GValue,
    /// Of vertices: whether the value replaces others, joins them, or joins them unless it is there. `None`: single.
    pub cardinality: Option<Cardinality>,
    /// Properties of a vertex property.
    pub meta: Vec<(Arc<str>, GValue)>,
}

/// What a request has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Request units.
    pub charge_ru: f64,
    /// Elements read from the store.
    pub elements_read: u64,
    /// Elements written.
    pub elements_written: u64,
    /// Bytes of the elements read.
    pub bytes_read: u64,
    /// Look-ups of any kind.
    pub lookups: u64,
    /// Physical partitions that were looked at, counted once for each look-up.
    pub partitions: u64,
    /// Look-ups that an index served.
    pub index_lookups: u64,
}
