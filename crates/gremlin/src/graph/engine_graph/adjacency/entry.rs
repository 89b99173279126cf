//! What a topology knows of one version of an item.

use std::sync::Arc;

use orrery_engine::Item;

use crate::graph::ElementKind;
use crate::graph::document::{EdgeDocument, Layout, VertexDocument, kind_of, read_vertex};
use crate::value::{Edge, VertexProperty, VertexReference};

/// A version as a part of the graph.
pub(super) struct Entry {
    /// The version.
    pub number: u64,
    pub life: Life,
    pub part: Part,
}

/// What it is in the graph.
pub(super) enum Part {
    /// With the properties that were asked for.
    Vertex(VertexReference, Vec<Arc<VertexProperty>>),
    Edge(Edge),
    /// Nothing.
    Other,
}

/// What says when a version expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// In seconds since 1970.
    written: u32,
    own_ttl: Option<i32>,
}

impl Life {
    pub fn is_over(&self, settings: &orrery_engine::ContainerSettings, now: u64) -> bool {
        settings.effective_ttl(self.own_ttl).is_some_and(|ttl| u64::from(self.written) + u64::from(ttl) <= now)
    }
}

impl Entry {
    /// Reads an item. Of a vertex, properties with one of these keys are wanted.
    pub fn of(layout: &Layout, item: &Item, keys: &[Arc<str>]) -> Self {
        let root = item.document().root();
        let part = match kind_of(root) {
            Some(ElementKind::Vertex) => {
                Part::Vertex(VertexDocument::reference_of(layout, root), properties_of(layout, item, keys))
            }
            Some(ElementKind::Edge) => EdgeDocument::reference_of(layout, root).map_or(Part::Other, Part::Edge),
            None => Part::Other,
        };
        let life = Life { written: u32::try_from(item.ts()).unwrap_or(u32::MAX), own_ttl: item.own_ttl() };
        Entry { number: item.lsn(), life, part }
    }
}

fn properties_of(layout: &Layout, item: &Item, keys: &[Arc<str>]) -> Vec<Arc<VertexProperty>> {
    if keys.is_empty() {
        return Vec::new();
    }
    let properties = read_vertex(layout, item.document().root()).properties.unwrap_or_default();
    properties.into_iter().filter(|property| keys.contains(&property.label)).collect()
}
