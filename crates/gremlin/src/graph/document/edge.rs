//! Edges as documents.

use std::sync::Arc;

use orrery_value::Node;
use orrery_value::document::is_system_property;

use super::collection::{check_value, read_value};
use super::names::{
    ID, IS_EDGE, IS_PARTITION_SHOWN, LABEL, SINK, SINK_LABEL, SINK_PARTITION, TYPES, VERTEX_ID, VERTEX_LABEL,
    is_reserved,
};
use super::vertex_change::is_same;
use super::write::ObjectWriter;
use super::{
    DEFAULT_EDGE_LABEL, DEFAULT_VERTEX_LABEL, Layout, StoredValue, check_key, invalid, kind_of, stored_id, text,
};
use crate::graph::{ElementKind, GraphError};
use crate::value::{Edge, GValue, Property, VertexReference};

/// An edge's document in memory, to be changed. What has no meaning in a graph is kept as it is.
#[derive(Clone, Debug)]
pub struct EdgeDocument {
    id: Arc<str>,
    label: Arc<str>,
    out_vertex: VertexReference,
    in_vertex: VertexReference,
    /// Whether the partition property is one of the edge's own.
    is_partition_shown: bool,
    properties: Vec<(Arc<str>, GValue)>,
    others: Vec<(Arc<str>, Vec<u8>)>,
}

/// The edge that a document stands for, if it does for one.
pub fn read_edge(layout: &Layout, document: Node<'_>) -> Option<Edge> {
    EdgeDocument::read(layout, document).map(|document| document.into_edge(layout))
}

/// The document of an edge with its properties.
///
/// # Errors
/// [`GraphError::Invalid`] for reserved names, values that cannot be stored, and ends without a partition where one is needed.
pub fn edge_document(layout: &Layout, edge: &Edge) -> Result<Vec<u8>, GraphError> {
    let (id, label) = (stored_id(&edge.id)?, edge.label.clone());
    let mut document = EdgeDocument::new(layout, id, label, edge.out_vertex.clone(), edge.in_vertex.clone())?;
    for property in edge.properties.iter().flatten() {
        document.change(layout, &property.key, &property.value)?;
    }
    document.to_json(layout)
}

impl EdgeDocument {
    /// A new edge without properties.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for ends without a partition where one is needed.
    pub fn new(
        layout: &Layout,
        id: Arc<str>,
        label: Arc<str>,
        out_vertex: VertexReference,
        in_vertex: VertexReference,
    ) -> Result<Self, GraphError> {
        super::check_label(&label)?;
        let end = |vertex: VertexReference| -> Result<VertexReference, GraphError> {
            let id = GValue::String(stored_id(&vertex.id)?);
            if layout.partition_property().is_some() && vertex.partition.is_none() {
                return Err(invalid("an edge needs vertices whose partition is known"));
            }
            Ok(VertexReference { id, ..vertex })
        };
        let (out_vertex, in_vertex) = (end(out_vertex)?, end(in_vertex)?);
        let (properties, others) = (Vec::new(), Vec::new());
        Ok(EdgeDocument { id, label, out_vertex, in_vertex, is_partition_shown: false, properties, others })
    }

    /// Reads any document; `None` if it is no edge.
    pub fn read(layout: &Layout, document: Node<'_>) -> Option<Self> {
        let mut read = EdgeDocument::read_ends(layout, document)?;
        let notes = document.get(TYPES);
        for (name, node) in document.entries() {
            if is_reserved(&name) || is_system_property(&name) || layout.is_partition_property(&name) {
                continue;
            }
            let note = notes.and_then(|notes| notes.get(&name));
            match read_value(node, note) {
                Some(value) => read.properties.push((name.into(), value)),
                None => read.others.push((name.into(), node.text().to_vec())),
            }
        }
        Some(read)
    }

    /// Reads all but the properties.
    fn read_ends(layout: &Layout, document: Node<'_>) -> Option<Self> {
        if kind_of(document) != Some(ElementKind::Edge) {
            return None;
        }
        let notes = document.get(TYPES);
        let scalar = |name: &str| {
            let node = document.get(name)?;
            if node.is_null() {
                return Some(GValue::Null);
            }
            StoredValue::decode(node, notes.and_then(|notes| notes.get(name)))
        };
        let own = layout.partition_property().and_then(|name| scalar(name));
        // Where the document does not say it, both ends lie together.
        let other = layout.partition_property().and_then(|_| scalar(SINK_PARTITION)).or_else(|| own.clone());
        let end = |id, label, partition| {
            let label = text(document, label).unwrap_or_else(|| DEFAULT_VERTEX_LABEL.into());
            Some(VertexReference { id: GValue::String(text(document, id)?), label, partition })
        };
        Some(EdgeDocument {
            id: text(document, ID)?,
            label: text(document, LABEL).unwrap_or_else(|| DEFAULT_EDGE_LABEL.into()),
            out_vertex: end(VERTEX_ID, VERTEX_LABEL, own)?,
            in_vertex: end(SINK, SINK_LABEL, other)?,
            is_partition_shown: document.get(IS_PARTITION_SHOWN).and_then(|shown| shown.as_bool()) == Some(true),
            properties: Vec::new(),
            others: Vec::new(),
        })
    }

    /// The edge without its properties.
    pub fn reference_of(layout: &Layout, document: Node<'_>) -> Option<Edge> {
        let EdgeDocument { id, label, out_vertex, in_vertex, .. } = EdgeDocument::read_ends(layout, document)?;
        Some(Edge { id: GValue::String(id), label, out_vertex, in_vertex, properties: None })
    }

    /// The value of the partition property: that of its out vertex.
    pub fn partition(&self) -> Option<&GValue> {
        self.out_vertex.partition.as_ref()
    }

    /// Sets a property; null removes it.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for reserved names, values that cannot be stored, and another partition than that of the out vertex.
    pub fn change(&mut self, layout: &Layout, key: &Arc<str>, value: &GValue) -> Result<(), GraphError> {
        check_key(key)?;
        let is_null = matches!(value, GValue::Null);
        if layout.is_partition_property(key) {
            if !is_null && !self.out_vertex.partition.as_ref().is_some_and(|placed| is_same(placed, value)) {
                return Err(invalid(format!(
                    "an edge lies with its out vertex: its partition property '{key}' cannot have another value"
                )));
            }
            self.is_partition_shown = !is_null;
            return Ok(());
        }
        self.others.retain(|(name, _)| name != key);
        if is_null {
            self.properties.retain(|(name, _)| name != key);
            return Ok(());
        }
        check_value(value)?;
        match self.properties.iter_mut().find(|(name, _)| name == key) {
            Some((_, present)) => *present = value.clone(),
            None => self.properties.push((key.clone(), value.clone())),
        }
        Ok(())
    }

    /// The edge with its properties.
    pub fn into_edge(self, layout: &Layout) -> Edge {
        let EdgeDocument { id, label, out_vertex, in_vertex, .. } = self;
        let edge = Edge { id: GValue::String(id), label, out_vertex, in_vertex, properties: None };
        let partition = match (layout.partition_property(), &edge.out_vertex.partition) {
            (Some(name), Some(partition)) if self.is_partition_shown => Some((name.clone(), partition.clone())),
            _ => None,
        };
        if partition.is_none() && self.properties.is_empty() {
            return Edge { properties: Some(Vec::new()), ..edge };
        }
        let element = GValue::Edge(Arc::new(edge.clone()));
        let property = |(key, value)| Arc::new(Property { key, value, element: Some(element.clone()) });
        Edge { properties: Some(partition.into_iter().chain(self.properties).map(property).collect()), ..edge }
    }

    /// The document's text, without what the engine adds to it.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for a value that cannot be stored.
    pub fn to_json(&self, layout: &Layout) -> Result<Vec<u8>, GraphError> {
        let mut out = Vec::with_capacity(256);
        let mut notes = Vec::new();
        let mut root = ObjectWriter::begin(&mut out);
        root.text(ID, &self.id);
        root.text(LABEL, &self.label);
        let partitions = [
            (layout.partition_property().cloned(), &self.out_vertex.partition),
            (layout.partition_property().map(|_| SINK_PARTITION.into()), &self.in_vertex.partition),
        ];
        for (name, partition) in partitions {
            match (name, partition) {
                (Some(name), Some(GValue::Null)) => root.name(&name).extend_from_slice(b"null"),
                (Some(name), Some(partition)) => root.value(&name, partition, &mut notes)?,
                (Some(_), None) | (None, _) => {}
            }
        }
        root.truth(IS_EDGE);
        if self.is_partition_shown {
            root.truth(IS_PARTITION_SHOWN);
        }
        for (end, id, label) in [(&self.out_vertex, VERTEX_ID, VERTEX_LABEL), (&self.in_vertex, SINK, SINK_LABEL)] {
            root.text(id, &stored_id(&end.id)?);
            root.text(label, &end.label);
        }
        for (key, value) in &self.properties {
            root.value(key, value, &mut notes)?;
        }
        for (name, json) in &self.others {
            root.name(name).extend_from_slice(json);
        }
        root.notes(TYPES, &notes);
        root.end();
        Ok(out)
    }
}
