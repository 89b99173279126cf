//! The transaction behind every change of the catalog: records put and removed together.

use bytes::Bytes;
use orrery_store::{Error as StoreError, KeyRange, Space, Transaction, Verdict, View, transact};
use serde::Serialize;

use super::Engine;
use crate::Error;
use crate::item::{Counters, key};

/// Key of the next free number of a database or container.
pub(super) const NEXT_NUMBER_KEY: &[u8] = b"#";
/// Key of the largest number that a dropped container gave.
pub(super) const NUMBER_FLOOR_KEY: &[u8] = b"^";
/// Records removed at a time when a whole range goes.
const REMOVE_BATCH: usize = 10_000;

/// Records of the catalog to put and to remove.
#[derive(Default)]
pub(super) struct CatalogChange {
    puts: Vec<(Vec<u8>, Bytes)>,
    removes: Vec<Vec<u8>>,
    remove_prefixes: Vec<Vec<u8>>,
}

impl CatalogChange {
    pub fn put(mut self, key: Vec<u8>, record: &impl Serialize) -> Result<Self, Error> {
        let bytes = serde_json::to_vec(record)
            .map_err(|error| Error::invalid(format!("the definition cannot be stored: {error}")))?;
        self.puts.push((key, bytes.into()));
        Ok(self)
    }

    /// Claims numbers below `next`.
    pub fn next_number(mut self, next: u32) -> Self {
        self.puts.push((NEXT_NUMBER_KEY.to_vec(), Bytes::copy_from_slice(&next.to_be_bytes())));
        self
    }

    /// Gives a new container its counters.
    pub fn put_counters(mut self, container: u32, counters: Counters) -> Self {
        self.puts.push((key::counters(container), counters.encode()));
        self
    }

    /// Remembers how far the numbers of dropped containers went.
    pub fn number_floor(mut self, floor: u64) -> Self {
        self.puts.push((NUMBER_FLOOR_KEY.to_vec(), Bytes::copy_from_slice(&floor.to_be_bytes())));
        self
    }

    pub fn remove(mut self, key: Vec<u8>) -> Self {
        self.removes.push(key);
        self
    }

    /// Removes every record whose key begins so.
    pub fn remove_prefix(mut self, prefix: Vec<u8>) -> Self {
        self.remove_prefixes.push(prefix);
        self
    }

    /// Makes the change durable.
    pub async fn commit(self, engine: &Engine) -> Result<(), Error> {
        transact(engine.store(), self).await?;
        Ok(())
    }
}

impl Transaction for CatalogChange {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, StoreError> {
        for prefix in &self.remove_prefixes {
            let mut range = KeyRange::prefix(prefix);
            loop {
                let found = view.range(Space::Meta, &range, REMOVE_BATCH)?;
                let Some((last, _)) = found.last() else { break };
                range.start = [last.as_ref(), &[0]].concat();
                found.iter().for_each(|(key, _)| view.remove(Space::Meta, key.to_vec()));
            }
        }
        self.removes.iter().for_each(|key| view.remove(Space::Meta, key.clone()));
        self.puts.iter().for_each(|(key, value)| view.put(Space::Meta, key.clone(), value.clone()));
        Ok(Verdict::Commit)
    }
}
