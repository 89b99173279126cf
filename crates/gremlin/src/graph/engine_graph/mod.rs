//! A graph in a container of the engine.
//!
//! `elements.rs` reads by key, `lookup.rs` and `condition.rs` find by what elements are like, `edges.rs` goes from vertices to edges and
//! other vertices, by what is in memory (`adjacency/`) or by the property index (`indexed_edges.rs`), `write.rs` and `remove.rs` change
//! elements, `pending.rs` holds new ones back to write several as one transaction. `waiting.rs` waits for the engine.

mod adjacency;
mod condition;
mod edges;
mod elements;
mod error;
mod indexed_edges;
mod lookup;
mod numbers;
mod pending;
mod remove;
mod usage;
mod waiting;
mod write;

use std::sync::Arc;

use orrery_engine::{Container, Engine, Item};
use orrery_value::Node;

pub use self::adjacency::{Adjacencies, DEFAULT_LIMIT_BYTES};
use self::adjacency::{Adjacency, Alive};
use self::pending::Pending;
pub use self::pending::{Done, Unwritten};
use self::usage::Tally;
pub use self::waiting::Waiting;
use super::document::{EdgeDocument, Layout, kind_of, read_vertex};
use super::{
    EdgeRequest, ElementKey, ElementKind, ElementStream, Graph, GraphError, Lookup, NewEdge, NewVertex, PropertyChange,
    Usage,
};
use crate::value::{Edge, GValue, Vertex};

/// A container as a graph, for one request.
///
/// [`Waiting`] says how its calls wait for the engine.
///
/// Every call sees all writes that were acknowledged before it, and is of one moment; two calls may be of different ones.
pub struct EngineGraph {
    engine: Engine,
    container: Arc<Container>,
    layout: Layout,
    adjacency: Arc<Adjacency>,
    waiting: Waiting,
    is_strict: bool,
    tally: Tally,
    pending: Pending,
}

impl EngineGraph {
    /// The graph of a container.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] if its partition key is none that graphs have.
    pub fn new(
        engine: Engine,
        container: Arc<Container>,
        adjacencies: &Adjacencies,
        waiting: impl Into<Waiting>,
    ) -> Result<Self, GraphError> {
        let layout = Layout::of(&container)?;
        let adjacency = adjacencies.of(&container, &layout);
        Ok(EngineGraph {
            engine,
            container,
            layout,
            adjacency,
            waiting: waiting.into(),
            is_strict: false,
            tally: Tally::default(),
            pending: Pending::default(),
        })
    }

    /// The same graph, which refuses what the service refuses: vertices without the property that places them. Otherwise their id is
    /// its value.
    #[must_use]
    pub fn strict(self) -> Self {
        EngineGraph { is_strict: true, ..self }
    }

    /// The element that an item is.
    fn element(&self, item: &Item) -> Option<GValue> {
        self.element_at(item.document().root())
    }

    /// The element that a document is.
    fn element_at(&self, root: Node<'_>) -> Option<GValue> {
        match kind_of(root)? {
            ElementKind::Vertex => Some(GValue::Vertex(Arc::new(read_vertex(&self.layout, root)))),
            ElementKind::Edge => {
                let edge = EdgeDocument::read(&self.layout, root)?.into_edge(&self.layout);
                Some(GValue::Edge(Arc::new(edge)))
            }
        }
    }

    /// The element that an item is, if it is of a kind.
    fn element_of(&self, kind: ElementKind, item: &Item) -> Option<GValue> {
        (kind_of(item.document().root()) == Some(kind)).then(|| self.element(item)).flatten()
    }
}

impl Graph for EngineGraph {
    fn elements(&self, kind: ElementKind, keys: &[ElementKey]) -> Result<Vec<Option<GValue>>, GraphError> {
        self.elements_of(kind, keys)
    }

    fn find(&self, lookup: &Lookup) -> Result<Box<dyn ElementStream + '_>, GraphError> {
        self.write_pending()?;
        self.look_up(lookup)
    }

    fn count(&self, lookup: &Lookup) -> Result<Option<u64>, GraphError> {
        self.write_pending()?;
        self.count_of(lookup)
    }

    fn edges(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Edge>>>, GraphError> {
        self.write_pending()?;
        self.edges_of(request)
    }

    fn neighbors(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Vertex>>>, GraphError> {
        self.write_pending()?;
        self.neighbors_of(request)
    }

    fn reached(&self, request: &EdgeRequest<'_>, counts: &[u64]) -> Result<Vec<(Arc<Vertex>, u64)>, GraphError> {
        self.write_pending()?;
        self.reached_by(request, counts)
    }

    fn add_vertex(&self, vertex: NewVertex) -> Result<Arc<Vertex>, GraphError> {
        self.create_vertex(vertex)
    }

    fn add_edge(&self, edge: NewEdge) -> Result<Arc<Edge>, GraphError> {
        self.create_edge(edge)
    }

    fn change(&self, element: &GValue, changes: Vec<PropertyChange>) -> Result<GValue, GraphError> {
        self.write_pending()?;
        self.change_element(element, changes)
    }

    fn remove(&self, elements: &[GValue]) -> Result<(), GraphError> {
        self.write_pending()?;
        self.remove_elements(elements)
    }

    fn settle(&self) -> Result<(), GraphError> {
        self.settle_pending()
    }

    fn partition_property(&self) -> Option<&str> {
        self.layout.partition_property().map(|name| &**name)
    }

    fn usage(&self) -> Usage {
        self.tally.usage()
    }
}
