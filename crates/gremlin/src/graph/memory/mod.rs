//! A graph in memory: what tests run traversals on, and the model that other graphs are compared with.

mod lookup;
mod partition;
mod property;
mod state;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use self::lookup::Matcher;
use self::state::State;
use super::{
    EdgeRequest, ElementKey, ElementKind, ElementStream, Graph, GraphError, Lookup, NewEdge, NewVertex, PropertyChange,
    Usage,
};
use crate::value::{Edge, GValue, Vertex};

/// Vertices and edges behind a lock. A look-up reads the elements that there are when it begins.
#[derive(Debug, Default)]
pub struct MemoryGraph {
    state: RwLock<State>,
    partition_property: Option<Arc<str>>,
    lookups: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
}

impl MemoryGraph {
    /// An empty one, where ids alone name elements.
    pub fn new() -> Self {
        MemoryGraph::default()
    }

    /// An empty one, where a property places vertices: ids are unique for each of its values.
    pub fn with_partition_property(key: impl Into<Arc<str>>) -> Self {
        MemoryGraph { partition_property: Some(key.into()), ..MemoryGraph::default() }
    }

    // A thread that panics while it writes leaves the state as it was or as it is to be: every change is made by a single insertion or
    // removal at its end, or by removals only. So poison says nothing here.
    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.written.fetch_add(1, Ordering::Relaxed);
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_read(&self, elements: usize) {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        self.read.fetch_add(elements as u64, Ordering::Relaxed);
    }
}

impl Graph for MemoryGraph {
    fn elements(&self, kind: ElementKind, keys: &[ElementKey]) -> Result<Vec<Option<GValue>>, GraphError> {
        let state = self.state();
        let found: Vec<_> = keys.iter().map(|key| state.element(kind, &key.id, key.partition.as_ref())).collect();
        self.note_read(found.iter().flatten().count());
        Ok(found)
    }

    fn find(&self, lookup: &Lookup) -> Result<Box<dyn ElementStream + '_>, GraphError> {
        let matcher = Matcher::new(lookup)?;
        let found = matcher.find(&self.state(), lookup);
        self.note_read(found.len());
        Ok(Box::new(found.into_iter()))
    }

    fn count(&self, lookup: &Lookup) -> Result<Option<u64>, GraphError> {
        self.note_read(0);
        Ok(Some(Matcher::new(lookup)?.matching(&self.state(), lookup.kind).len() as u64))
    }

    fn edges(&self, request: &EdgeRequest<'_>) -> Result<Vec<Vec<Arc<Edge>>>, GraphError> {
        let state = self.state();
        let lists: Vec<_> = request.vertices.iter().map(|vertex| state.edges(vertex, request)).collect();
        self.note_read(lists.iter().map(Vec::len).sum());
        Ok(lists)
    }

    fn add_vertex(&self, vertex: NewVertex) -> Result<Arc<Vertex>, GraphError> {
        let vertex = property::new_vertex(vertex, self.partition_property.as_deref())?;
        self.state_mut().insert_vertex(vertex)
    }

    fn add_edge(&self, edge: NewEdge) -> Result<Arc<Edge>, GraphError> {
        let mut state = self.state_mut();
        let out_vertex = state.vertex_of(&edge.out_vertex)?;
        let in_vertex = state.vertex_of(&edge.in_vertex)?;
        let edge = property::new_edge(edge, &out_vertex, &in_vertex, self.partition_property.as_deref())?;
        state.insert_edge(edge)
    }

    fn change(&self, element: &GValue, changes: Vec<PropertyChange>) -> Result<GValue, GraphError> {
        self.state_mut().change(element, changes, self.partition_property.as_deref())
    }

    fn remove(&self, elements: &[GValue]) -> Result<(), GraphError> {
        let mut state = self.state_mut();
        elements.iter().try_for_each(|element| state.remove(element, self.partition_property.as_deref()))
    }

    fn partition_property(&self) -> Option<&str> {
        self.partition_property.as_deref()
    }

    fn usage(&self) -> Usage {
        let [lookups, elements_read, elements_written] =
            [&self.lookups, &self.read, &self.written].map(|count| count.load(Ordering::Relaxed));
        Usage { lookups, elements_read, elements_written, partitions: lookups, ..Usage::default() }
    }
}

impl ElementStream for std::vec::IntoIter<GValue> {
    fn next_batch(&mut self, most: usize) -> Result<Vec<GValue>, GraphError> {
        Ok(self.take(most).collect())
    }
}
