//! New elements and changed ones.

use std::sync::Arc;

use orrery_engine::{Condition, Container, Error, Item, NewItem, Operation, OperationKind, Transform};
use orrery_value::PartitionKey;

use super::error::{engine_error, graph_error, missing};
use super::{EngineGraph, GraphError};
use crate::graph::document::{EdgeDocument, Layout, VertexDocument, kind_of};
use crate::graph::{ElementKind, NewEdge, NewVertex, PropertyChange, id_text};
use crate::value::{Edge, GValue, Uuid, Vertex, VertexProperty};

/// The property that is an element's id where none is given, as on the service.
const ID_PROPERTY: &str = "id";

impl EngineGraph {
    pub(super) fn create_vertex(&self, new: NewVertex) -> Result<Arc<Vertex>, GraphError> {
        let NewVertex { id, label, mut properties } = new;
        let given = properties.iter().position(|change| &*change.key == ID_PROPERTY);
        let id = match (id, given) {
            (None, Some(at)) => Some(properties.remove(at).value),
            (id, _) => id,
        };
        let (id, is_random) = new_id(id)?;
        if let Some(property) = self.layout.partition_property()
            && !self.is_strict
            && properties.iter().all(|change| change.key != *property)
        {
            let value = GValue::String(id.clone());
            properties.push(PropertyChange { key: property.clone(), value, cardinality: None, meta: Vec::new() });
        }
        let document = VertexDocument::create(&self.layout, id.clone(), label, &properties)?;
        let key = self.layout.partition_key(&id, document.partition())?;
        let json = document.to_json()?;
        let vertex = Arc::new(document.into_vertex());
        self.create(&json, key, is_random, GValue::Vertex(vertex.clone()))?;
        Ok(vertex)
    }

    pub(super) fn create_edge(&self, new: NewEdge) -> Result<Arc<Edge>, GraphError> {
        let NewEdge { id, label, out_vertex, in_vertex, mut properties } = new;
        let given = properties.iter().position(|(key, _)| &**key == ID_PROPERTY);
        let id = match (id, given) {
            (None, Some(at)) => Some(properties.remove(at).1),
            (id, _) => id,
        };
        let (id, is_random) = new_id(id)?;
        let ends = [out_vertex, in_vertex];
        let mut existing = self.existing(&ends)?.into_iter().zip(&ends).map(|(found, end)| {
            let vertex = found.ok_or_else(|| missing("vertex", &id_text(&end.id).unwrap_or_default()))?;
            let Vertex { id, label, partition, .. } = (*vertex).clone();
            Ok(crate::value::VertexReference { id, label, partition })
        });
        let (Some(out_vertex), Some(in_vertex)) = (existing.next(), existing.next()) else {
            return Err(missing("vertex", ""));
        };
        let mut document = EdgeDocument::new(&self.layout, id.clone(), label, out_vertex?, in_vertex?)?;
        for (key, value) in &properties {
            document.change(&self.layout, key, value)?;
        }
        let key = self.layout.partition_key(&id, document.partition())?;
        let json = document.to_json(&self.layout)?;
        let edge = Arc::new(document.into_edge(&self.layout));
        self.create(&json, key, is_random, GValue::Edge(edge.clone()))?;
        Ok(edge)
    }

    pub(super) fn change_element(&self, element: &GValue, changes: Vec<PropertyChange>) -> Result<GValue, GraphError> {
        match element {
            GValue::Vertex(vertex) => {
                self.change_vertex(&vertex.id, vertex.partition.as_ref(), move |layout, document| {
                    changes.iter().try_for_each(|change| document.change(layout, change))
                })
            }
            GValue::Edge(edge) => self.change_edge(edge, changes),
            GValue::VertexProperty(property) => self.change_meta(property, changes),
            other => Err(GraphError::Invalid { message: format!("{} has no properties", other.kind()) }),
        }
    }

    /// Changes a vertex as it is when the transaction runs.
    pub(super) fn change_vertex(
        &self,
        id: &GValue,
        partition: Option<&GValue>,
        change: impl Fn(&Layout, &mut VertexDocument) -> Result<(), GraphError> + Send + 'static,
    ) -> Result<GValue, GraphError> {
        let id = id_text(id).unwrap_or_default();
        let layout = self.layout.clone();
        self.transform(ElementKind::Vertex, &id, partition, move |item| {
            let mut document = VertexDocument::read(&layout, item.document().root());
            change(&layout, &mut document)?;
            document.to_json()
        })
    }

    fn change_edge(&self, edge: &Edge, changes: Vec<PropertyChange>) -> Result<GValue, GraphError> {
        if changes.iter().any(|change| !change.meta.is_empty()) {
            let message = "properties of edges have no properties of their own".to_owned();
            return Err(GraphError::Invalid { message });
        }
        let id = id_text(&edge.id).unwrap_or_default();
        let layout = self.layout.clone();
        self.transform(ElementKind::Edge, &id.clone(), edge.out_vertex.partition.as_ref(), move |item| {
            let document = EdgeDocument::read(&layout, item.document().root());
            let mut document = document.ok_or_else(|| missing("edge", &id))?;
            changes.iter().try_for_each(|change| document.change(&layout, &change.key, &change.value))?;
            document.to_json(&layout)
        })
    }

    fn change_meta(&self, property: &VertexProperty, changes: Vec<PropertyChange>) -> Result<GValue, GraphError> {
        let id = id_text(&property.id).unwrap_or_default();
        let vertex = property.vertex.as_ref().ok_or_else(|| missing("vertex of the property", &id))?;
        let key = property.label.clone();
        self.change_vertex(&vertex.id, vertex.partition.as_ref(), move |layout, document| {
            if document.change_meta(layout, &key, &id, &changes)? { Ok(()) } else { Err(missing("property", &id)) }
        })
    }

    /// Replaces an element's document with what a function makes of it.
    fn transform(
        &self,
        kind: ElementKind,
        id: &str,
        partition: Option<&GValue>,
        change: impl Fn(&Item) -> Result<Vec<u8>, GraphError> + Send + 'static,
    ) -> Result<GValue, GraphError> {
        let what = match kind {
            ElementKind::Vertex => "vertex",
            ElementKind::Edge => "edge",
        };
        let Some(key) = self.place_of(kind, id, partition)? else { return Err(missing(what, id)) };
        let (container, name, given) = (self.container.clone(), id.to_owned(), key.clone());
        let transform = move |current: Option<&Item>| -> Result<NewItem, Error> {
            let current = current.filter(|item| kind_of(item.document().root()) == Some(kind));
            let current = current.ok_or_else(|| Error::NotFound { kind: "element", id: name.clone() })?;
            let json = change(current).map_err(engine_error)?;
            parse(&container, &json, &given)
        };
        let transform = Transform(Box::new(transform));
        let kind = OperationKind::Transform { id: id.to_owned(), transform };
        match self.write_one(Operation { kind, key, condition: Condition::None }) {
            Err(GraphError::NotFound { .. }) => Err(missing(what, id)),
            other => other,
        }
    }

    /// Takes a new element on, which its document says just so; it is written before anything can tell that it was not.
    fn create(
        &self,
        json: &[u8],
        key: Option<PartitionKey>,
        id_is_random: bool,
        element: GValue,
    ) -> Result<(), GraphError> {
        let key = key.ok_or_else(|| GraphError::Invalid { message: "the element has no partition".to_owned() })?;
        let item = parse(&self.container, json, &key).map_err(graph_error)?;
        let item = if id_is_random { item.with_random_id() } else { item };
        debug_assert_eq!(format!("{:?}", self.element_at(item.document().root())), format!("{:?}", Some(&element)));
        let kind = OperationKind::Create(item);
        self.hold(Operation { kind, key, condition: Condition::None }, json.len(), &element)
    }

    /// Writes an element and gives it back as it is then.
    fn write_one(&self, operation: Operation) -> Result<GValue, GraphError> {
        match self.waiting.write(self.engine.write_one(&self.container, operation))? {
            Ok((written, charge_ru)) => {
                self.tally.write(charge_ru, 1);
                let element = written.item().and_then(|item| self.element(item));
                element.ok_or_else(|| missing("element", "that was written"))
            }
            Err((error, charge_ru)) => {
                self.tally.write(charge_ru, 0);
                Err(graph_error(error))
            }
        }
    }
}

/// A document as an item of its logical partition.
fn parse(container: &Container, json: &[u8], key: &PartitionKey) -> Result<NewItem, Error> {
    NewItem::parse(container, json, Some(key))
}

/// The id of a new element, and whether it was made here.
fn new_id(given: Option<GValue>) -> Result<(Arc<str>, bool), GraphError> {
    let Some(id) = given else { return Ok((Uuid::new_v4().to_string().into(), true)) };
    let text = id_text(&id).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| GraphError::Invalid { message: format!("{} is no id", id.kind()) })?;
    Ok((text, false))
}
