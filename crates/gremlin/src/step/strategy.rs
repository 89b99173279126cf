//! Strategies that an executor must know.

use std::sync::Arc;

use super::Traversal;
use crate::value::GValue;

/// A strategy with its settings checked.
#[derive(Clone, Debug, PartialEq)]
pub enum TraversalStrategy {
    /// Shows a part of the graph.
    Subgraph {
        /// Which vertices there are.
        vertices: Option<Traversal>,
        /// Which edges.
        edges: Option<Traversal>,
        /// Which properties of vertices.
        vertex_properties: Option<Traversal>,
        /// Whether an edge needs both of its vertices; true unless set.
        checks_adjacent_vertices: bool,
    },
    /// Writes a property to tell parts of the graph by, and reads those with some of its values.
    Partition {
        /// The property's key.
        key: Arc<str>,
        /// What is written.
        write: Option<Arc<str>>,
        /// What is read.
        read: Vec<Arc<str>>,
        /// Whether properties of vertices belong to parts too.
        includes_meta_properties: bool,
    },
    /// Refuses steps that write.
    ReadOnly,
    /// Fixes what is random.
    Seed(i64),
    /// A `by()` without result gives null. Only of these keys, if there are any.
    ProductiveBy(Vec<Arc<str>>),
    /// The same as `with(key, value)`.
    Options(Vec<(Arc<str>, GValue)>),
    /// Refuses or reports writes of some keys.
    ReservedKeys {
        /// Which keys; `id` and `label` unless set.
        keys: Vec<Arc<str>>,
        /// Whether it refuses.
        throws: bool,
        /// Whether it reports.
        logs: bool,
    },
    /// Refuses or reports steps along edges that name no label.
    EdgeLabels {
        /// Whether it refuses.
        throws: bool,
        /// Whether it reports.
        logs: bool,
    },
    /// Keeps ids of elements in a property.
    ElementId {
        /// The property's key; `__id` unless set.
        key: Arc<str>,
    },
    /// Makes properties of the service visible: `_ts`, `_etag` and others.
    Projection(Vec<Arc<str>>),
    /// One that changes no result, by name.
    Neutral(Arc<str>),
}
