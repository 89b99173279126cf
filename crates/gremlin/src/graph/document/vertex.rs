//! Vertices as documents.

use std::sync::Arc;

use orrery_value::document::is_system_property;
use orrery_value::{Node, NodeKind};

use super::collection::{read_value, write_value};
use super::names::{ID, LABEL, META, META_TYPES, TIME_TO_LIVE, TYPE, TYPES, VALUE};
use super::write::ObjectWriter;
use super::{DEFAULT_VERTEX_LABEL, Layout, StoredValue, stored_id, text};
use crate::graph::GraphError;
use crate::value::{GValue, Property, Vertex, VertexProperty, VertexReference};

/// A vertex's document in memory, to be changed. What has no meaning in a graph is kept as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexDocument {
    pub(super) id: Arc<str>,
    pub(super) label: Option<Arc<str>>,
    pub(super) partition: Option<GValue>,
    pub(super) members: Vec<(Arc<str>, Member)>,
}

/// A member of the root.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Member {
    /// A property with one value: that of the partition, the time to live, and what SQL wrote so.
    Scalar(GValue),
    /// A property with any number of values.
    Values(Vec<Slot>),
    /// No property.
    Other(Vec<u8>),
}

/// An element of a property's array.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slot {
    Value(PropertyValue),
    /// None.
    Other(Vec<u8>),
}

/// A value of a vertex property.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PropertyValue {
    pub id: Arc<str>,
    pub value: GValue,
    pub meta: Vec<(Arc<str>, GValue)>,
}

/// The vertex that a document stands for; see [`kind_of`](super::kind_of) whether it does.
pub fn read_vertex(layout: &Layout, document: Node<'_>) -> Vertex {
    VertexDocument::read(layout, document).into_vertex()
}

/// The document of a vertex with its properties, among which the partition property is unless the vertex says it by itself.
///
/// # Errors
/// [`GraphError::Invalid`] for reserved names, values that cannot be stored, and a partition property that is missing, null or not single.
pub fn vertex_document(layout: &Layout, vertex: &Vertex) -> Result<Vec<u8>, GraphError> {
    super::check_label(&vertex.label)?;
    let mut document = VertexDocument::new(stored_id(&vertex.id)?, vertex.label.clone());
    for property in vertex.properties.iter().flatten() {
        document.add(layout, property)?;
    }
    if document.partition.is_none()
        && let (Some(name), Some(partition)) = (layout.partition_property(), &vertex.partition)
    {
        document.place(name, partition)?;
    }
    document.check_placed(layout)?;
    document.to_json()
}

impl VertexDocument {
    pub(super) fn new(id: Arc<str>, label: Arc<str>) -> Self {
        VertexDocument { id, label: Some(label), partition: None, members: Vec::new() }
    }

    /// Reads any document.
    pub fn read(layout: &Layout, document: Node<'_>) -> Self {
        let id = text(document, ID).unwrap_or_default();
        let notes = document.get(TYPES);
        let mut read = VertexDocument { id, label: text(document, LABEL), partition: None, members: Vec::new() };
        for (name, node) in document.entries() {
            if is_system_property(&name) || name == ID || name == TYPES || (name == LABEL && read.label.is_some()) {
                continue;
            }
            let note = notes.and_then(|notes| notes.get(&name));
            let member = if super::check_key(&name).is_ok() {
                Member::read(node, note, || format!("{}|{name}", read.id))
            } else {
                Member::Other(node.text().to_vec())
            };
            if layout.is_partition_property(&name) {
                read.partition = match &member {
                    Member::Scalar(value) => Some(value.clone()),
                    _ if node.is_null() => Some(GValue::Null),
                    _ => None,
                };
            }
            read.members.push((name.into(), member));
        }
        read
    }

    /// Which vertex a document stands for.
    pub fn reference_of(layout: &Layout, document: Node<'_>) -> VertexReference {
        let partition = layout.partition_property().and_then(|name| {
            let node = document.get(name)?;
            if node.is_null() {
                return Some(GValue::Null);
            }
            StoredValue::decode(node, document.get(TYPES).and_then(|notes| notes.get(name)))
        });
        VertexReference {
            id: GValue::String(text(document, ID).unwrap_or_default()),
            label: text(document, LABEL).unwrap_or_else(|| DEFAULT_VERTEX_LABEL.into()),
            partition,
        }
    }

    /// Its id.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The value of the partition property, if it has one.
    pub fn partition(&self) -> Option<&GValue> {
        self.partition.as_ref()
    }

    /// Which vertex it is.
    pub fn reference(&self) -> VertexReference {
        let label = self.label.clone().unwrap_or_else(|| DEFAULT_VERTEX_LABEL.into());
        VertexReference { id: GValue::String(self.id.clone()), label, partition: self.partition.clone() }
    }

    /// The vertex with its properties.
    pub fn into_vertex(self) -> Vertex {
        let reference = self.reference();
        let mut properties = Vec::new();
        for (name, member) in self.members {
            match member {
                Member::Scalar(value) => {
                    let only = PropertyValue { id: scalar_id(&self.id, &name), value, meta: Vec::new() };
                    properties.push(only.into_property(&name, &reference));
                }
                Member::Values(slots) => properties.extend(slots.into_iter().filter_map(|slot| match slot {
                    Slot::Value(value) => Some(value.into_property(&name, &reference)),
                    Slot::Other(_) => None,
                })),
                Member::Other(_) => {}
            }
        }
        Vertex { properties: Some(properties), ..reference.to_vertex() }
    }

    /// The document's text, without what the engine adds to it.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for a value that cannot be stored.
    pub fn to_json(&self) -> Result<Vec<u8>, GraphError> {
        let mut out = Vec::with_capacity(256);
        let mut notes = Vec::new();
        let mut root = ObjectWriter::begin(&mut out);
        root.text(ID, &self.id);
        if let Some(label) = &self.label {
            root.text(LABEL, label);
        }
        for (name, member) in &self.members {
            match member {
                Member::Scalar(value) => root.value(name, value, &mut notes)?,
                Member::Values(slots) => write_slots(slots, root.name(name))?,
                Member::Other(json) => root.name(name).extend_from_slice(json),
            }
        }
        root.notes(TYPES, &notes);
        root.end();
        Ok(out)
    }

    pub(super) fn member(&mut self, key: &str) -> Option<&mut Member> {
        self.members.iter_mut().find(|(name, _)| &**name == key).map(|(_, member)| member)
    }

    /// Adds a value that exists elsewhere.
    fn add(&mut self, layout: &Layout, property: &VertexProperty) -> Result<(), GraphError> {
        let key = &property.label;
        if layout.is_partition_property(key) {
            return self.place(key, &property.value);
        }
        super::check_key(key)?;
        if &**key == TIME_TO_LIVE {
            return self.set_time_to_live(&property.value);
        }
        let meta = property.properties.iter().flatten().map(|meta| (meta.key.clone(), meta.value.clone())).collect();
        let value = PropertyValue { id: stored_id(&property.id)?, value: property.value.clone(), meta };
        self.push(key, value);
        Ok(())
    }
}

impl Member {
    fn read(node: Node<'_>, note: Option<Node<'_>>, derived_id: impl Fn() -> String) -> Self {
        if node.kind() == NodeKind::Array {
            let slots = node.elements().enumerate();
            let slots = slots.map(|(index, slot)| Slot::read(slot, || format!("{}|{index}", derived_id()).into()));
            return Member::Values(slots.collect());
        }
        StoredValue::decode(node, note).map_or_else(|| Member::Other(node.text().to_vec()), Member::Scalar)
    }
}

impl Slot {
    fn read(node: Node<'_>, derived_id: impl FnOnce() -> Arc<str>) -> Self {
        let value = match node.get(VALUE) {
            Some(value) => read_value(value, node.get(TYPE)),
            None => StoredValue::decode(node, None),
        };
        let Some(value) = value else { return Slot::Other(node.text().to_vec()) };
        let meta = node.get(META).map(|meta| {
            let notes = node.get(META_TYPES);
            let read = |(name, node): (std::borrow::Cow<'_, str>, Node<'_>)| {
                let value = read_value(node, notes.and_then(|notes| notes.get(&name)))?;
                Some((name.into(), value))
            };
            meta.entries().filter_map(read).collect()
        });
        let id = text(node, ID).unwrap_or_else(derived_id);
        Slot::Value(PropertyValue { id, value, meta: meta.unwrap_or_default() })
    }
}

impl PropertyValue {
    fn into_property(self, key: &Arc<str>, vertex: &VertexReference) -> Arc<VertexProperty> {
        let reference = VertexProperty {
            id: GValue::String(self.id),
            label: key.clone(),
            value: self.value,
            vertex: Some(vertex.clone()),
            properties: None,
        };
        let properties = if self.meta.is_empty() {
            Vec::new()
        } else {
            let element = GValue::VertexProperty(Arc::new(reference.clone()));
            let property = |(key, value)| Arc::new(Property { key, value, element: Some(element.clone()) });
            self.meta.into_iter().map(property).collect()
        };
        Arc::new(VertexProperty { properties: Some(properties), ..reference })
    }
}

/// The id of the property that a scalar is, which has none of its own.
pub(super) fn scalar_id(vertex: &str, key: &str) -> Arc<str> {
    format!("{vertex}|{key}").into()
}

fn write_slots(slots: &[Slot], out: &mut Vec<u8>) -> Result<(), GraphError> {
    out.push(b'[');
    for (index, slot) in slots.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match slot {
            Slot::Value(value) => write_property(value, out)?,
            Slot::Other(json) => out.extend_from_slice(json),
        }
    }
    out.push(b']');
    Ok(())
}

fn write_property(property: &PropertyValue, out: &mut Vec<u8>) -> Result<(), GraphError> {
    let mut object = ObjectWriter::begin(out);
    object.text(ID, &property.id);
    if let Some(note) = write_value(&property.value, object.name(VALUE))? {
        object.name(TYPE).extend_from_slice(&note);
    }
    if !property.meta.is_empty() {
        let mut notes = Vec::new();
        let mut members = ObjectWriter::begin(object.name(META));
        for (key, value) in &property.meta {
            members.value(key, value, &mut notes)?;
        }
        members.end();
        object.notes(META_TYPES, &notes);
    }
    object.end();
    Ok(())
}
