//! Writing one item inside a transaction: the item, its feed record, its unique values, its due record and the counters.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{Error as StoreError, Space, View};

use super::key::{self, Side};
use super::new_item::unique_tails;
use super::{Birth, Counters, Item, NewItem, Written};
use crate::Error;
use crate::catalog::{Container, ContainerSettings, join_paths};
use crate::clock::{Clock, TICKS_PER_SECOND};
use crate::index::place_of;
use crate::request_charge;

/// What was done, and its charge.
pub(super) type Done = (Written, f64);

/// A container inside a transaction. Its counters go into the store with [`Writer::finish`].
pub(super) struct Writer<'a> {
    pub settings: Arc<ContainerSettings>,
    pub container: &'a Container,
    /// In seconds since 1970.
    pub now: u64,
    /// The time of the next version.
    ticks: u64,
    pub counters: Counters,
    pub view: &'a mut dyn View,
    /// New items, if somebody wants to know of them.
    births: Vec<Birth>,
}

/// An item in the store and its key without the container's number.
pub(super) struct Current {
    pub item: Item,
    pub rest: Vec<u8>,
}

/// Why an operation did not happen.
pub(super) enum Failure {
    /// The client's fault or a lost race; the others go on.
    Refused(Error),
    /// The store's fault; nothing of the transaction can go on.
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Store(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

impl<'a> Writer<'a> {
    /// `None` if the container was dropped: its counters are written when it is created and go with it.
    pub fn begin(
        container: &'a Container,
        clock: &dyn Clock,
        view: &'a mut dyn View,
    ) -> Result<Option<Self>, StoreError> {
        let Some(counters) = view.get(Space::Meta, &key::counters(container.number()))? else { return Ok(None) };
        let counters = Counters::decode(&counters);
        let ticks = clock.unix_ticks().max(counters.last_ticks + 1);
        let now = ticks / TICKS_PER_SECOND;
        let settings = container.settings();
        Ok(Some(Writer { settings, container, now, ticks, counters, view, births: Vec::new() }))
    }

    /// Writes the counters, which makes the batch whole.
    pub fn finish(self) -> Counters {
        self.view.put(Space::Meta, key::counters(self.container.number()), self.counters.encode());
        self.births.into_iter().for_each(|birth| self.container.births().note(birth));
        self.counters
    }

    /// Stores an item whose key is free.
    pub fn insert(&mut self, item: &mut NewItem) -> Result<Done, Failure> {
        self.bind_unique(item, &[])?;
        let number = self.next_number();
        let stored = item.finish(self.container, number, number, self.counters.last_ticks)?;
        let charge_ru = request_charge::create(stored.size_bytes(), item.terms());
        self.counters.items += 1;
        self.put(&stored, item);
        if self.container.births().are_wanted() {
            let place = place_of(self.settings.partition_key.kind, item.partition());
            self.births.push(Birth { item: stored.clone(), place });
        }
        Ok((Written::Created(stored), charge_ru))
    }

    /// Stores a new version over `current`.
    pub fn replace(&mut self, item: &mut NewItem, current: &Current) -> Result<Done, Failure> {
        let old = self.unique_of(current);
        self.bind_unique(item, &old)?;
        for tail in old.iter().filter(|tail| !item.unique().contains(tail)) {
            self.view.remove(Space::Side, key::side(self.container.number(), Side::Unique, tail));
        }
        self.forget_version(current);
        let document_number = current.item.document_number();
        if current.item.lsn() == document_number {
            let record = key::side(self.container.number(), Side::Rid, &document_number.to_be_bytes());
            self.view.put(Space::Side, record, Bytes::copy_from_slice(&current.rest));
        }
        let number = self.next_number();
        let stored = item.finish(self.container, number, document_number, self.counters.last_ticks)?;
        let charge_ru = request_charge::replace(stored.size_bytes(), item.terms());
        self.put(&stored, item);
        Ok((Written::Replaced(stored), charge_ru))
    }

    /// Stores a new version of `current` under another id of the same logical partition; it stays the same item, with its `_rid`.
    pub fn rename(&mut self, item: &mut NewItem, current: &Current) -> Result<Done, Failure> {
        if !current.rest.starts_with(item.partition()) {
            let message =
                "PartitionKey extracted from document doesn't match the item's: an item's partition key cannot change";
            return Err(Error::PartitionKeyMismatch { message: message.into() }.into());
        }
        let rest = rest_of(item);
        match self.read(rest.clone())? {
            Some(taken) if self.is_expired(&taken) => self.remove(&taken)?,
            Some(_) => return Err(Error::Conflict { kind: "item", id: item.id().to_owned() }.into()),
            None => {}
        }
        let done = self.replace(item, current)?;
        let container = self.container.number();
        self.view.remove(Space::Items, key::join(container, &current.rest));
        let record = key::side(container, Side::Rid, &current.item.document_number().to_be_bytes());
        self.view.put(Space::Side, record, rest.into());
        // Values that both versions hold are still bound to the old id.
        for tail in item.unique() {
            let bound = key::side(container, Side::Unique, tail);
            self.view.put(Space::Side, bound, Bytes::copy_from_slice(item.id().as_bytes()));
        }
        Ok(done)
    }

    /// Takes an item out, with everything that hangs on it.
    pub fn remove(&mut self, current: &Current) -> Result<(), Failure> {
        let container = self.container.number();
        for tail in self.unique_of(current) {
            self.view.remove(Space::Side, key::side(container, Side::Unique, &tail));
        }
        self.forget_version(current);
        let document_number = current.item.document_number();
        if current.item.lsn() != document_number {
            self.view.remove(Space::Side, key::side(container, Side::Rid, &document_number.to_be_bytes()));
        }
        self.view.remove(Space::Items, key::join(container, &current.rest));
        self.counters.items = self.counters.items.saturating_sub(1);
        // A deletion is a version too: session tokens and the next item's number move past it.
        self.next_number();
        Ok(())
    }

    /// Writes the item, its feed record and, if it has a time to live of its own, when it is due.
    fn put(&mut self, stored: &Item, item: &NewItem) {
        let container = self.container.number();
        let rest = rest_of(item);
        let mut record = Vec::with_capacity(4 + rest.len());
        record.extend_from_slice(&u32::try_from(stored.ts()).unwrap_or(u32::MAX).to_be_bytes());
        record.extend_from_slice(&rest);
        self.view.put(Space::Feed, key::feed(container, stored.lsn()), record.into());
        if let Some(due) = due(stored) {
            self.view.put(Space::Side, due_key(container, due, stored.lsn()), Bytes::copy_from_slice(&rest));
        }
        self.view.put(Space::Items, key::join(container, &rest), stored.stored().clone());
        self.counters.bytes += stored.size_bytes() as u64;
    }

    /// Removes what belongs to one version: its feed record, its due record, its bytes in the counters.
    fn forget_version(&mut self, current: &Current) {
        let container = self.container.number();
        self.container.deaths().note(self.counters.last_number + 1, current.item.lsn());
        self.view.remove(Space::Feed, key::feed(container, current.item.lsn()));
        if let Some(due) = due(&current.item) {
            self.view.remove(Space::Side, due_key(container, due, current.item.lsn()));
        }
        self.counters.bytes = self.counters.bytes.saturating_sub(current.item.size_bytes() as u64);
    }

    /// Binds the item's unique values; `own` are those that its current version holds.
    fn bind_unique(&mut self, item: &NewItem, own: &[Vec<u8>]) -> Result<(), Failure> {
        let settings = self.settings.clone();
        for (tail, constraint) in item.unique().iter().zip(&settings.unique_keys) {
            if own.contains(tail) {
                continue;
            }
            let bound = key::side(self.container.number(), Side::Unique, tail);
            if let Some(holder) = self.view.get(Space::Side, &bound)? {
                let rest = [item.partition(), &holder].concat();
                match self.read(rest)? {
                    Some(holder) if self.is_expired(&holder) => self.remove(&holder)?,
                    Some(_) => return Err(Error::UniqueKeyViolation { paths: join_paths(&constraint.paths) }.into()),
                    None => {}
                }
            }
        }
        for tail in item.unique().iter().filter(|tail| !own.contains(tail)) {
            let bound = key::side(self.container.number(), Side::Unique, tail);
            self.view.put(Space::Side, bound, Bytes::copy_from_slice(item.id().as_bytes()));
        }
        Ok(())
    }

    fn unique_of(&self, current: &Current) -> Vec<Vec<u8>> {
        if self.settings.unique_keys.is_empty() {
            return Vec::new();
        }
        let document = current.item.document();
        let id_len = document.get("id").and_then(|id| id.as_str().map(|id| id.len())).unwrap_or(0);
        let partition = &current.rest[..current.rest.len().saturating_sub(id_len)];
        unique_tails(&self.settings, document.root(), partition)
    }

    pub fn read(&mut self, rest: Vec<u8>) -> Result<Option<Current>, Failure> {
        match self.view.get(Space::Items, &key::join(self.container.number(), &rest))? {
            Some(bytes) => Ok(Some(Current { item: Item::from_stored(bytes)?, rest })),
            None => Ok(None),
        }
    }

    pub fn is_expired(&self, current: &Current) -> bool {
        current.item.is_expired(&self.settings, self.now)
    }

    fn next_number(&mut self) -> u64 {
        self.counters.last_number += 1;
        self.counters.last_ticks = self.ticks;
        self.ticks += 1;
        self.counters.last_number
    }
}

/// An item's key without the container's number.
pub(super) fn rest_of(item: &NewItem) -> Vec<u8> {
    [item.partition(), item.id().as_bytes()].concat()
}

/// When an item with a time to live of its own ends.
fn due(item: &Item) -> Option<u64> {
    item.own_ttl().and_then(|ttl| u64::try_from(ttl).ok()).map(|ttl| item.ts() + ttl)
}

fn due_key(container: u32, due: u64, number: u64) -> Vec<u8> {
    key::side(container, Side::Due, &[due.to_be_bytes(), number.to_be_bytes()].concat())
}
