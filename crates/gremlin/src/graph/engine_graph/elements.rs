//! Elements by their keys.

use std::sync::Arc;

use orrery_engine::query::{Expr, InList};
use orrery_value::{KeyComponent, PartitionKey, Value};

use super::adjacency::Loaded;
use super::condition::{item, of_kind};
use super::edges::vertex_key;
use super::error::graph_error;
use super::{Alive, EngineGraph, GraphError};
use crate::graph::{ElementKey, ElementKind};
use crate::value::{GValue, Vertex, VertexReference};

/// Ids that one query looks for.
pub(super) const IDS_PER_QUERY: usize = 256;

/// An element that an id names.
pub(super) struct Named {
    /// Of its partition.
    pub key: PartitionKey,
    /// It, if it is in memory.
    pub loaded: Option<Loaded>,
}

impl EngineGraph {
    pub(super) fn elements_of(
        &self,
        kind: ElementKind,
        keys: &[ElementKey],
    ) -> Result<Vec<Option<GValue>>, GraphError> {
        self.write_pending_of(keys)?;
        let mut found: Vec<Option<GValue>> = vec![None; keys.len()];
        let (mut points, mut anywhere) = (Vec::new(), Vec::new());
        for (at, key) in keys.iter().enumerate() {
            match self.layout.partition_key(&key.id, key.partition.as_ref())? {
                Some(partition) => points.push((at, (partition, &*key.id))),
                None => anywhere.push((at, &*key.id)),
            }
        }
        let ids: Vec<&str> = anywhere.iter().map(|(_, id)| *id).collect();
        if let Some(named) = self.named(kind, &ids)? {
            // The first one of several partitions.
            for ((at, id), named) in anywhere.drain(..).zip(named) {
                match named.into_iter().next() {
                    Some(Named { loaded: Some(loaded), .. }) => {
                        self.tally.points(&[Some(loaded.size_bytes)]);
                        found[at] = Some(GValue::Vertex(loaded.vertex));
                    }
                    Some(Named { key, loaded: None }) => points.push((at, (key, id))),
                    None => {}
                }
            }
        }
        if !points.is_empty() {
            let places: Vec<_> = points.iter().map(|(_, place)| place.clone()).collect();
            for ((at, _), element) in points.iter().zip(self.elements_at(kind, &places)?) {
                found[*at] = element;
            }
        }
        for batch in anywhere.chunks(IDS_PER_QUERY) {
            let ids = batch.iter().map(|(_, id)| Expr::Constant(Value::from(*id))).collect();
            let any_id = Expr::In { needle: Box::new(item("id")), list: InList::new(ids) };
            self.each_item(Expr::And(vec![any_id, of_kind(kind)]), |stored| {
                let id = stored.document().get("id").and_then(|id| id.as_str());
                let wanted = batch.iter().filter(|(_, wanted)| id.as_deref() == Some(wanted));
                let element = self.element_of(kind, stored);
                // The first one of several partitions.
                wanted.for_each(|(at, _)| found[*at] = found[*at].take().or_else(|| element.clone()));
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// All elements of each id, by what is in memory; `None` if that is not known.
    pub(super) fn named(&self, kind: ElementKind, ids: &[&str]) -> Result<Option<Vec<Vec<Named>>>, GraphError> {
        if ids.is_empty() {
            return Ok(None);
        }
        let Some(current) = self.current()? else { return Ok(None) };
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let topology = current.topology();
        let named = |id: &&str| -> Option<Vec<Named>> {
            let placed: Vec<_> = match kind {
                ElementKind::Vertex => topology.vertices_named(id, &alive)?.collect(),
                ElementKind::Edge => topology.edges_named(id, &alive)?.map(|vertex| (vertex, None)).collect(),
            };
            let named = |(vertex, loaded): (&Arc<Vertex>, Option<&Loaded>)| {
                Some(Named { key: self.key_of(id, vertex.partition.as_ref())?, loaded: loaded.cloned() })
            };
            placed.into_iter().map(named).collect()
        };
        let named: Option<Vec<_>> = ids.iter().map(named).collect();
        if named.is_some() {
            self.tally.neighbors(0, 0);
        }
        Ok(named)
    }

    /// The partition key of an element that exists; `None` if what it has there is no key's value.
    pub(super) fn key_of(&self, id: &str, partition: Option<&GValue>) -> Option<PartitionKey> {
        // An element that SQL wrote may have no value there at all.
        let undefined = || PartitionKey(vec![KeyComponent::Undefined]);
        self.layout.partition_key(id, partition).ok().map(|key| key.unwrap_or_else(undefined))
    }

    /// Elements by partition key and id: vertices from memory, if they are there, and what is not from the store.
    pub(super) fn elements_at(
        &self,
        kind: ElementKind,
        places: &[(PartitionKey, &str)],
    ) -> Result<Vec<Option<GValue>>, GraphError> {
        let mut sizes = vec![None; places.len()];
        let mut found = match kind {
            ElementKind::Vertex => self.vertices_at_hand(places, &mut sizes),
            ElementKind::Edge => vec![None; places.len()],
        };
        let missing: Vec<usize> = (0..places.len()).filter(|at| found[*at].is_none()).collect();
        if !missing.is_empty() {
            let wanted: Vec<_> = missing.iter().map(|at| places[*at].clone()).collect();
            let read = self.engine.read_items(&self.container, &wanted);
            let items = self.waiting.read(read)?.map_err(graph_error)?;
            let mut read = Vec::new();
            for (at, item) in missing.into_iter().zip(items) {
                let Some(item) = item else { continue };
                sizes[at] = Some(item.size_bytes());
                found[at] = self.element_of(kind, &item);
                if let Some(GValue::Vertex(vertex)) = &found[at] {
                    read.push((item.lsn(), Loaded { vertex: vertex.clone(), size_bytes: item.size_bytes() }));
                }
            }
            self.adjacency.keep(read);
        }
        self.tally.points(&sizes);
        Ok(found)
    }

    /// The vertices that are in memory with their properties, and the lengths of their documents.
    fn vertices_at_hand(&self, places: &[(PartitionKey, &str)], sizes: &mut [Option<usize>]) -> Vec<Option<GValue>> {
        let Some(current) = self.adjacency.at_hand(&self.container) else { return vec![None; places.len()] };
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let is_placed = self.layout.partition_property().is_some();
        let mut scratch = Vec::new();
        let vertex = |((key, id), size): (&(PartitionKey, &str), &mut Option<usize>)| {
            let partition = key.components().first().filter(|_| is_placed);
            let loaded = current.topology().loaded(partition, id, &alive, &mut scratch)?;
            *size = Some(loaded.size_bytes);
            Some(GValue::Vertex(loaded.vertex.clone()))
        };
        places.iter().zip(sizes).map(vertex).collect()
    }

    /// References to those vertices that exist.
    pub(super) fn existing(&self, vertices: &[VertexReference]) -> Result<Vec<Option<Arc<Vertex>>>, GraphError> {
        let mut found = self.pending.vertices(vertices);
        if let Some(current) = self.adjacency.at_hand(&self.container) {
            let settings = self.container.settings();
            let alive = Alive::at(&settings, self.engine.unix_seconds());
            let mut scratch = Vec::new();
            for (found, vertex) in found.iter_mut().zip(vertices).filter(|(found, _)| found.is_none()) {
                *found = current.topology().vertex(vertex, &alive, &mut scratch).cloned();
            }
        }
        let missing: Vec<usize> = (0..vertices.len()).filter(|at| found[*at].is_none()).collect();
        let keys: Vec<ElementKey> = missing.iter().map(|at| vertex_key(&vertices[*at])).collect();
        for (at, element) in missing.into_iter().zip(self.elements_of(ElementKind::Vertex, &keys)?) {
            found[at] = match element {
                Some(GValue::Vertex(vertex)) => Some(Arc::new(Vertex { properties: None, ..(*vertex).clone() })),
                _ => None,
            };
        }
        Ok(found)
    }
}
