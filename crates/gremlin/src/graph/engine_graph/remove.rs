//! Removal of elements and properties.

use std::collections::HashSet;
use std::sync::Arc;

use orrery_engine::{Condition, MAX_BATCH_OPERATIONS, Operation, OperationKind, Target, WriteMode};
use orrery_value::PartitionKey;

use super::error::graph_error;
use super::{EngineGraph, GraphError};
use crate::graph::{EdgeRequest, ElementKind, PropertyChange, id_text};
use crate::value::{Direction, Edge, GValue, Property, Vertex, VertexProperty, VertexReference};

/// How often removal looks for edges that were added meanwhile.
const MAX_ROUNDS: usize = 8;

/// Names an item.
type Place = (PartitionKey, Arc<str>);

impl EngineGraph {
    pub(super) fn remove_elements(&self, elements: &[GValue]) -> Result<(), GraphError> {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for element in elements {
            match element {
                GValue::Vertex(vertex) => {
                    let Vertex { id, label, partition, .. } = (**vertex).clone();
                    vertices.push(VertexReference { id, label, partition });
                }
                GValue::Edge(edge) => edges.push(edge.clone()),
                GValue::VertexProperty(property) => gone_is_fine(self.remove_value(property))?,
                GValue::Property(property) => gone_is_fine(self.remove_property(property))?,
                other => {
                    let message = format!("{} is nothing that can be removed", other.kind());
                    return Err(GraphError::Invalid { message });
                }
            }
        }
        self.delete(self.edge_places(&edges)?)?;
        self.remove_vertices(&vertices)
    }

    /// Removes vertices with their edges, those included that are added while it runs: once a vertex is gone, no new edge finds it.
    fn remove_vertices(&self, vertices: &[VertexReference]) -> Result<(), GraphError> {
        if vertices.is_empty() {
            return Ok(());
        }
        let located = self.located(vertices)?;
        let vertices = located.as_deref().unwrap_or(vertices);
        let mut places = Vec::with_capacity(vertices.len());
        for vertex in vertices {
            let id = id_text(&vertex.id).unwrap_or_default();
            places.extend(self.place_of(ElementKind::Vertex, &id, vertex.partition.as_ref())?.map(|key| (key, id)));
        }
        let request = EdgeRequest { vertices, direction: Direction::Both, labels: None, with_properties: false };
        for _ in 0..MAX_ROUNDS {
            let edges = self.edges_of(&request)?.concat();
            if edges.is_empty() && places.is_empty() {
                return Ok(());
            }
            places.extend(self.edge_places(&edges)?);
            self.delete(std::mem::take(&mut places))?;
        }
        Ok(())
    }

    fn edge_places(&self, edges: &[Arc<Edge>]) -> Result<Vec<Place>, GraphError> {
        let mut places = Vec::with_capacity(edges.len());
        for edge in edges {
            let id = id_text(&edge.id).unwrap_or_default();
            let key = self.place_of(ElementKind::Edge, &id, edge.out_vertex.partition.as_ref())?;
            places.extend(key.map(|key| (key, id)));
        }
        Ok(places)
    }

    /// Removes items, each once, as many at a time as one transaction takes.
    fn delete(&self, places: Vec<Place>) -> Result<(), GraphError> {
        let mut seen = HashSet::new();
        let places: Vec<Place> = places.into_iter().filter(|place| seen.insert(place.clone())).collect();
        for batch in places.chunks(MAX_BATCH_OPERATIONS) {
            let operation = |(key, id): &Place| {
                let kind = OperationKind::Delete { target: Target::Id(id.to_string()) };
                Operation { kind, key: key.clone(), condition: Condition::None }
            };
            let operations = batch.iter().map(operation).collect();
            let write = self.engine.write(&self.container, operations, WriteMode::Independent);
            for outcome in self.waiting.write(write)?.map_err(graph_error)? {
                let is_done = outcome.result.is_ok();
                self.tally.write(outcome.charge_ru, u64::from(is_done));
                gone_is_fine(outcome.result.map(|_| ()).map_err(graph_error))?;
            }
        }
        Ok(())
    }

    fn remove_value(&self, property: &VertexProperty) -> Result<(), GraphError> {
        let Some(vertex) = &property.vertex else { return Ok(()) };
        let (key, id) = (property.label.clone(), id_text(&property.id).unwrap_or_default());
        let change = self.change_vertex(&vertex.id, vertex.partition.as_ref(), move |layout, document| {
            document.remove_value(layout, &key, &id)
        });
        change.map(|_| ())
    }

    fn remove_property(&self, property: &Property) -> Result<(), GraphError> {
        let Some(element) = &property.element else { return Ok(()) };
        let removal =
            PropertyChange { key: property.key.clone(), value: GValue::Null, cardinality: None, meta: Vec::new() };
        self.change_element(element, vec![removal]).map(|_| ())
    }
}

/// What is gone already need not be removed.
fn gone_is_fine(result: Result<(), GraphError>) -> Result<(), GraphError> {
    match result {
        Err(GraphError::NotFound { .. }) => Ok(()),
        other => other,
    }
}
