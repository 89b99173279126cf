//! What a graph in memory holds.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::super::{EdgeRequest, ElementKind, GraphError, PropertyChange, id_text};
use super::partition;
use super::property::{change_edge, change_vertex, invalid, set_meta};
use crate::io::text;
use crate::value::{Cardinality, Direction, Edge, GValue, Property, Vertex, VertexProperty, VertexReference};

/// Where an element is kept: its id, and the value that places it. One key names a vertex or an edge, never both.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    id: Arc<str>,
    partition: Option<GValue>,
}

/// Elements in the order they came, and which edges vertices have.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) vertices: IndexMap<Key, Arc<Vertex>>,
    pub(super) edges: IndexMap<Key, Arc<Edge>>,
    leaving: HashMap<Key, IndexSet<Key>>,
    entering: HashMap<Key, IndexSet<Key>>,
}

impl Key {
    fn new(id: &GValue, partition: Option<&GValue>) -> Self {
        let id = id_text(id).unwrap_or_else(|| text::of(id).into());
        Key { id, partition: partition.map(partition::normal) }
    }

    fn of_vertex(vertex: &VertexReference) -> Self {
        Key::new(&vertex.id, vertex.partition.as_ref())
    }

    fn of_edge(edge: &Edge) -> Self {
        Key::new(&edge.id, edge.out_vertex.partition.as_ref())
    }
}

impl State {
    /// An element of an id: of a partition, or without one of any.
    pub(super) fn element(&self, kind: ElementKind, id: &Arc<str>, partition: Option<&GValue>) -> Option<GValue> {
        let key = Key { id: id.clone(), partition: partition.map(partition::normal) };
        match kind {
            ElementKind::Vertex => lookup(&self.vertices, &key).map(|(_, vertex)| GValue::Vertex(vertex.clone())),
            ElementKind::Edge => lookup(&self.edges, &key).map(|(_, edge)| GValue::Edge(edge.clone())),
        }
    }

    /// The vertex a reference is to.
    pub(super) fn vertex_of(&self, reference: &VertexReference) -> Result<Arc<Vertex>, GraphError> {
        let found = lookup(&self.vertices, &Key::of_vertex(reference));
        found.map(|(_, vertex)| vertex.clone()).ok_or_else(|| missing("vertex", &reference.id))
    }

    /// The edges of a vertex.
    pub(super) fn edges(&self, vertex: &VertexReference, request: &EdgeRequest<'_>) -> Vec<Arc<Edge>> {
        let Some((key, _)) = lookup(&self.vertices, &Key::of_vertex(vertex)) else { return Vec::new() };
        let [leaving, entering] = [&self.leaving, &self.entering].map(|lists| lists.get(key).into_iter().flatten());
        let leaving = leaving.filter(|_| request.direction != Direction::In);
        let entering = entering.filter(|_| request.direction != Direction::Out);
        let edges = leaving.chain(entering).filter_map(|key| self.edges.get(key));
        let wanted = edges.filter(|edge| request.labels.is_none_or(|labels| labels.contains(&edge.label)));
        match request.with_properties {
            true => wanted.cloned().collect(),
            false => wanted.map(|edge| Arc::new(Edge { properties: None, ..(**edge).clone() })).collect(),
        }
    }

    pub(super) fn insert_vertex(&mut self, vertex: Vertex) -> Result<Arc<Vertex>, GraphError> {
        let key = Key::new(&vertex.id, vertex.partition.as_ref());
        self.check_free(&key)?;
        let vertex = Arc::new(vertex);
        self.vertices.insert(key, vertex.clone());
        Ok(vertex)
    }

    pub(super) fn insert_edge(&mut self, edge: Edge) -> Result<Arc<Edge>, GraphError> {
        let key = Key::of_edge(&edge);
        self.check_free(&key)?;
        self.leaving.entry(Key::of_vertex(&edge.out_vertex)).or_default().insert(key.clone());
        self.entering.entry(Key::of_vertex(&edge.in_vertex)).or_default().insert(key.clone());
        let edge = Arc::new(edge);
        self.edges.insert(key, edge.clone());
        Ok(edge)
    }

    /// Changes an element as a whole, or not at all.
    pub(super) fn change(
        &mut self,
        element: &GValue,
        changes: Vec<PropertyChange>,
        partition_property: Option<&str>,
    ) -> Result<GValue, GraphError> {
        match element {
            GValue::Vertex(vertex) => {
                let key = Key::new(&vertex.id, vertex.partition.as_ref());
                self.change_vertex(&key, &vertex.id, |vertex| {
                    changes.into_iter().try_for_each(|change| {
                        check_placing(vertex, &change, partition_property)?;
                        change_vertex(vertex, change)
                    })
                })
            }
            GValue::VertexProperty(property) => {
                let owner = property.vertex.as_ref().ok_or_else(|| missing("vertex of property", &property.id))?;
                self.change_vertex(&Key::of_vertex(owner), &owner.id, |vertex| {
                    let stored = vertex.properties.iter_mut().flatten().find(|stored| stored.id == property.id);
                    let stored = stored.ok_or_else(|| missing("property", &property.id))?;
                    if partition_property == Some(&*stored.label) {
                        return Err(invalid("the partition key property has no properties of its own"));
                    }
                    let meta = changes.into_iter().map(|change| (change.key, change.value)).collect();
                    set_meta(Arc::make_mut(stored), meta)
                })
            }
            GValue::Edge(edge) => {
                let stored = lookup_mut(&mut self.edges, &Key::of_edge(edge));
                let stored = stored.ok_or_else(|| missing("edge", &edge.id))?;
                let mut changed = (**stored).clone();
                changes.into_iter().try_for_each(|change| change_edge(&mut changed, change, partition_property))?;
                *stored = Arc::new(changed);
                Ok(GValue::Edge(stored.clone()))
            }
            other => Err(invalid(format!("{} has no properties", other.kind()))),
        }
    }

    /// Removes an element or a property, and with a vertex its edges.
    pub(super) fn remove(&mut self, element: &GValue, partition_property: Option<&str>) -> Result<(), GraphError> {
        match element {
            GValue::Vertex(vertex) => self.remove_vertex(&Key::new(&vertex.id, vertex.partition.as_ref())),
            GValue::Edge(edge) => self.remove_edge(&Key::of_edge(edge)),
            GValue::VertexProperty(property) => return self.remove_vertex_property(property, partition_property),
            GValue::Property(property) => return self.remove_property(property, partition_property),
            other => return Err(invalid(format!("{} is nothing that can be removed", other.kind()))),
        }
        Ok(())
    }

    fn change_vertex(
        &mut self,
        key: &Key,
        id: &GValue,
        change: impl FnOnce(&mut Vertex) -> Result<(), GraphError>,
    ) -> Result<GValue, GraphError> {
        let stored = lookup_mut(&mut self.vertices, key).ok_or_else(|| missing("vertex", id))?;
        let mut changed = (**stored).clone();
        change(&mut changed)?;
        *stored = Arc::new(changed);
        Ok(GValue::Vertex(stored.clone()))
    }

    fn remove_vertex(&mut self, key: &Key) {
        let Some(key) = lookup(&self.vertices, key).map(|(key, _)| key.clone()) else { return };
        let leaving = self.leaving.remove(&key).unwrap_or_default();
        let entering = self.entering.remove(&key).unwrap_or_default();
        leaving.iter().chain(&entering).for_each(|edge| self.remove_edge(edge));
        self.vertices.shift_remove(&key);
    }

    fn remove_edge(&mut self, key: &Key) {
        let Some(key) = lookup(&self.edges, key).map(|(key, _)| key.clone()) else { return };
        let Some(edge) = self.edges.shift_remove(&key) else { return };
        for (lists, vertex) in [(&mut self.leaving, &edge.out_vertex), (&mut self.entering, &edge.in_vertex)] {
            lists.get_mut(&Key::of_vertex(vertex)).map(|edges| edges.shift_remove(&key));
        }
    }

    fn remove_vertex_property(
        &mut self,
        property: &VertexProperty,
        partition_property: Option<&str>,
    ) -> Result<(), GraphError> {
        if partition_property == Some(&*property.label) {
            return Err(invalid("the partition key property cannot be removed"));
        }
        let owner = property.vertex.as_ref().map(Key::of_vertex);
        if let Some(vertex) = owner.and_then(|key| lookup_mut(&mut self.vertices, &key)) {
            let properties = Arc::make_mut(vertex).properties.iter_mut();
            properties.for_each(|properties| properties.retain(|stored| stored.id != property.id));
        }
        Ok(())
    }

    fn remove_property(&mut self, property: &Property, partition_property: Option<&str>) -> Result<(), GraphError> {
        let Some(owner) = &property.element else { return Ok(()) };
        let removal =
            PropertyChange { key: property.key.clone(), value: GValue::Null, cardinality: None, meta: Vec::new() };
        match self.change(owner, vec![removal], partition_property) {
            Ok(_) | Err(GraphError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn check_free(&self, key: &Key) -> Result<(), GraphError> {
        if self.vertices.contains_key(key) || self.edges.contains_key(key) {
            let message = format!("an element with id '{}' already exists", key.id);
            return Err(GraphError::Conflict { message });
        }
        Ok(())
    }
}

/// The partition property stays as it is.
fn check_placing(vertex: &Vertex, change: &PropertyChange, key: Option<&str>) -> Result<(), GraphError> {
    if key != Some(&*change.key) {
        return Ok(());
    }
    if !change.meta.is_empty() {
        return Err(invalid("the partition key property has no properties of its own"));
    }
    if matches!(change.cardinality, Some(Cardinality::List)) {
        return Err(invalid("Partition property must be single-valued"));
    }
    match &vertex.partition {
        Some(placed_by) if partition::is_same(placed_by, &change.value) => Ok(()),
        _ => Err(invalid("the partition key property cannot be changed")),
    }
}

/// By its key; where the key says no partition, the first of its id in any.
fn lookup<'a, T>(elements: &'a IndexMap<Key, T>, key: &Key) -> Option<(&'a Key, &'a T)> {
    let exact = elements.get_key_value(key);
    exact.or_else(|| elements.iter().find(|(stored, _)| key.partition.is_none() && stored.id == key.id))
}

fn lookup_mut<'a, T>(elements: &'a mut IndexMap<Key, T>, key: &Key) -> Option<&'a mut T> {
    let key = lookup(elements, key)?.0.clone();
    elements.get_mut(&key)
}

fn missing(what: &str, id: &GValue) -> GraphError {
    GraphError::NotFound { message: format!("there is no {what} with id '{}'", text::of(id)) }
}
