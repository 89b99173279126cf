//! Elements with their properties: what was read is kept, and what was written is seen by all.
//!
//! Hops give references. A step that looks at properties loads a whole batch of references at once. What this run has written or removed
//! takes the place of any older copy that a traverser still holds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::memory::size;
use super::{RunError, Traverser};
use crate::graph::{ElementKey, ElementKind, Graph, id_text};
use crate::value::{GValue, Property, VertexProperty, VertexReference};

/// Most bytes of elements that are kept only because they were read.
const MAX_READ_BYTES: usize = 64 * 1024 * 1024;

type Name = (ElementKind, ElementKey);

/// The elements that a run knows.
pub(super) struct Elements<'r> {
    graph: &'r dyn Graph,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    /// As this run left them; `None` for those that it removed.
    written: HashMap<Name, Option<GValue>>,
    /// As they were read.
    read: HashMap<Name, GValue>,
    read_bytes: usize,
}

impl<'r> Elements<'r> {
    pub fn new(graph: &'r dyn Graph) -> Self {
        Elements { graph, known: RefCell::default() }
    }

    /// Gives the elements of a batch their properties.
    pub fn load_traversers(&self, batch: &mut [Traverser]) -> Result<(), RunError> {
        self.load_all(&mut batch.iter_mut().map(|traverser| &mut traverser.value))
    }

    /// Gives elements their properties; other values stay as they are. An element that is gone has none.
    pub fn load(&self, values: &mut [GValue]) -> Result<(), RunError> {
        self.load_all(&mut values.iter_mut())
    }

    /// The same for one.
    pub fn load_one(&self, value: &mut GValue) -> Result<(), RunError> {
        self.load(std::slice::from_mut(value))
    }

    fn load_all<'v>(&self, values: &mut dyn Iterator<Item = &'v mut GValue>) -> Result<(), RunError> {
        let mut missing: Vec<(Name, &'v mut GValue)> = Vec::new();
        {
            let known = self.known.borrow();
            for value in values {
                if has_properties(value) && known.written.is_empty() {
                    continue;
                }
                let Some(name) = name(value) else {
                    known.renew_property(value);
                    continue;
                };
                match known.written.get(&name) {
                    Some(Some(element)) => *value = element.clone(),
                    Some(None) => *value = without_properties(value),
                    None if has_properties(value) => {}
                    None => match known.read.get(&name) {
                        Some(element) => *value = element.clone(),
                        None => missing.push((name, value)),
                    },
                }
            }
        }
        for kind in [ElementKind::Vertex, ElementKind::Edge] {
            let (wanted, rest): (Vec<_>, Vec<_>) = missing.into_iter().partition(|((of, _), _)| *of == kind);
            missing = rest;
            self.read(kind, wanted)?;
        }
        Ok(())
    }

    fn read(&self, kind: ElementKind, wanted: Vec<(Name, &mut GValue)>) -> Result<(), RunError> {
        if wanted.is_empty() {
            return Ok(());
        }
        let mut places: HashMap<&ElementKey, usize> = HashMap::new();
        let mut keys = Vec::new();
        for ((_, key), _) in &wanted {
            places.entry(key).or_insert_with(|| {
                keys.push(key.clone());
                keys.len() - 1
            });
        }
        let found = self.graph.elements(kind, &keys)?;
        let mut known = self.known.borrow_mut();
        for (key, element) in keys.into_iter().zip(&found) {
            if let Some(element) = element {
                known.keep((kind, key), element);
            }
        }
        let at: Vec<usize> =
            wanted.iter().map(|((_, key), _)| places.get(key).copied().unwrap_or(usize::MAX)).collect();
        for ((_, value), at) in wanted.into_iter().zip(at) {
            *value = match found.get(at) {
                Some(Some(element)) => element.clone(),
                _ => without_properties(value),
            };
        }
        Ok(())
    }

    /// An element is now like this.
    pub fn wrote(&self, element: &GValue) {
        if let Some(name) = name(element) {
            self.known.borrow_mut().written.insert(name, Some(element.clone()));
        }
    }

    /// An element is gone.
    pub fn removed(&self, element: &GValue) {
        if let Some(name) = name(element) {
            self.known.borrow_mut().written.insert(name, None);
        }
    }

    /// Elements by keys, as this run left them.
    pub fn by_keys(&self, kind: ElementKind, keys: &[ElementKey]) -> Result<Vec<Option<GValue>>, RunError> {
        Ok(self.graph.elements(kind, keys)?)
    }
}

impl Known {
    fn keep(&mut self, name: Name, element: &GValue) {
        if self.read_bytes > MAX_READ_BYTES {
            self.read.clear();
            self.read_bytes = 0;
        }
        self.read_bytes += size(element);
        self.read.insert(name, element.clone());
    }

    /// A property of a vertex that was written since is as it was written.
    fn renew_property(&self, value: &mut GValue) {
        let GValue::VertexProperty(property) = value else { return };
        let Some(vertex) = &property.vertex else { return };
        let Some(Some(GValue::Vertex(vertex))) = self.written.get(&(ElementKind::Vertex, key_of(vertex))) else {
            return;
        };
        let properties = vertex.properties.iter().flatten();
        if let Some(now) = properties.into_iter().find(|now| now.id == property.id) {
            *value = GValue::VertexProperty(owned(now, property.vertex.as_ref()));
        }
    }
}

/// A vertex property that knows its vertex.
pub(super) fn owned(property: &Arc<VertexProperty>, vertex: Option<&VertexReference>) -> Arc<VertexProperty> {
    if property.vertex.is_some() {
        return Arc::clone(property);
    }
    Arc::new(VertexProperty { vertex: vertex.cloned(), ..VertexProperty::clone(property) })
}

/// The properties of a loaded edge or vertex property, each knowing its element.
pub(super) fn owned_plain(property: &Arc<Property>, element: &GValue) -> Arc<Property> {
    if property.element.is_some() {
        return Arc::clone(property);
    }
    Arc::new(Property { element: Some(without_details(element)), ..Property::clone(property) })
}

/// Whether there is nothing to load.
fn has_properties(value: &GValue) -> bool {
    match value {
        GValue::Vertex(vertex) => vertex.properties.is_some(),
        GValue::Edge(edge) => edge.properties.is_some(),
        _ => true,
    }
}

/// The element as one that has no properties.
fn without_properties(value: &GValue) -> GValue {
    match value {
        GValue::Vertex(vertex) => {
            GValue::Vertex(Arc::new(crate::value::Vertex { properties: Some(Vec::new()), ..(**vertex).clone() }))
        }
        GValue::Edge(edge) => {
            GValue::Edge(Arc::new(crate::value::Edge { properties: Some(Vec::new()), ..(**edge).clone() }))
        }
        other => other.clone(),
    }
}

/// A reference to the element.
pub(super) fn without_details(value: &GValue) -> GValue {
    match value {
        GValue::Vertex(vertex) if vertex.properties.is_some() => {
            GValue::Vertex(Arc::new(crate::value::Vertex { properties: None, ..(**vertex).clone() }))
        }
        GValue::Edge(edge) if edge.properties.is_some() => {
            GValue::Edge(Arc::new(crate::value::Edge { properties: None, ..(**edge).clone() }))
        }
        other => other.clone(),
    }
}

/// What names a vertex or an edge.
fn name(value: &GValue) -> Option<Name> {
    match value {
        GValue::Vertex(vertex) => {
            Some((ElementKind::Vertex, ElementKey { id: id_text(&vertex.id)?, partition: vertex.partition.clone() }))
        }
        GValue::Edge(edge) => Some((
            ElementKind::Edge,
            ElementKey { id: id_text(&edge.id)?, partition: edge.out_vertex.partition.clone() },
        )),
        _ => None,
    }
}

/// What names the vertex.
fn key_of(vertex: &VertexReference) -> ElementKey {
    ElementKey { id: id_text(&vertex.id).unwrap_or_else(|| Arc::from("")), partition: vertex.partition.clone() }
}
