//! Elements by their keys.

use orrery_engine::Item;
use orrery_engine::query::{Expr, InList};
use orrery_value::{KeyComponent, PartitionKey, Value};

use super::condition::{item, of_kind};
use super::error::graph_error;
use super::{Alive, EngineGraph, GraphError};
use crate::graph::{ElementKey, ElementKind};
use crate::value::GValue;

/// Ids that one query looks for.
pub(super) const IDS_PER_QUERY: usize = 256;

impl EngineGraph {
    pub(super) fn elements_of(
        &self,
        kind: ElementKind,
        keys: &[ElementKey],
    ) -> Result<Vec<Option<GValue>>, GraphError> {
        let mut found: Vec<Option<GValue>> = vec![None; keys.len()];
        let (mut points, mut anywhere) = (Vec::new(), Vec::new());
        for (at, key) in keys.iter().enumerate() {
            match self.layout.partition_key(&key.id, key.partition.as_ref())? {
                Some(partition) => points.push((at, (partition, &*key.id))),
                None => anywhere.push((at, &*key.id)),
            }
        }
        let ids: Vec<&str> = anywhere.iter().map(|(_, id)| *id).collect();
        if let Some(places) = self.places_named(kind, &ids)? {
            // The first one of several partitions.
            let first = |((at, id), keys): ((usize, _), Vec<PartitionKey>)| Some((at, (keys.into_iter().next()?, id)));
            points.extend(anywhere.drain(..).zip(places).filter_map(first));
        }
        if !points.is_empty() {
            let places: Vec<_> = points.iter().map(|(_, place)| place.clone()).collect();
            for ((at, _), item) in points.iter().zip(self.items(&places)?) {
                found[*at] = item.and_then(|item| self.element_of(kind, &item));
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

    /// The partition keys of all elements of each id, by what is in memory; `None` if that is not known.
    pub(super) fn places_named(
        &self,
        kind: ElementKind,
        ids: &[&str],
    ) -> Result<Option<Vec<Vec<PartitionKey>>>, GraphError> {
        if ids.is_empty() {
            return Ok(None);
        }
        let Some(current) = self.current()? else { return Ok(None) };
        let settings = self.container.settings();
        let alive = Alive::at(&settings, self.engine.unix_seconds());
        let topology = current.topology();
        let places = |id: &&str| {
            let placed = match kind {
                ElementKind::Vertex => topology.vertices_named(id, &alive)?,
                ElementKind::Edge => topology.edges_named(id, &alive)?,
            };
            placed.into_iter().map(|vertex| self.key_of(id, vertex.partition.as_ref())).collect()
        };
        let places: Option<Vec<Vec<PartitionKey>>> = ids.iter().map(places).collect();
        if places.is_some() {
            self.tally.neighbors(0, 0);
        }
        Ok(places)
    }

    /// The partition key of an element that exists; `None` if what it has there is no key's value.
    pub(super) fn key_of(&self, id: &str, partition: Option<&GValue>) -> Option<PartitionKey> {
        // An element that SQL wrote may have no value there at all.
        let undefined = || PartitionKey(vec![KeyComponent::Undefined]);
        self.layout.partition_key(id, partition).ok().map(|key| key.unwrap_or_else(undefined))
    }

    /// Items by partition key and id.
    pub(super) fn items(&self, places: &[(PartitionKey, &str)]) -> Result<Vec<Option<Item>>, GraphError> {
        let read = self.engine.read_items(&self.container, places);
        let items = self.runtime.block_on(read).map_err(graph_error)?;
        self.tally.points(items.iter().map(Option::as_ref));
        Ok(items)
    }
}
