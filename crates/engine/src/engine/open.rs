//! Opening: the catalog is read into memory, and background work begins.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Space, Store, Visit, Visitor, scan};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Engine, EngineOptions, Inner};
use crate::Error;
use crate::catalog::{Catalog, Container, ContainerRecord, Database, DatabaseRecord, Offer, OfferRecord};
use crate::index::{Indexes, follower};
use crate::item::{Counters, purge_expired};

impl Engine {
    /// Opens the databases in a store.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read or its catalog is damaged.
    pub async fn open(store: Arc<dyn Store>, options: EngineOptions) -> Result<Engine, Error> {
        let catalog = Arc::new(Catalog::default());
        let (next_number, number_floor) = load(&*store, &catalog).await?;
        let live = catalog.clone();
        // A container is in the catalog before its first key is written, so what is not there is dead.
        store.retain(Box::new(move |number| live.owns_keys(number)));
        let (indexes, wanting) = Indexes::new(store.clone(), options.index);
        catalog.all_containers().iter().for_each(|container| container.index().attach(&indexes));
        let engine = Engine {
            inner: Arc::new(Inner {
                store,
                clock: options.clock,
                catalog,
                catalog_writer: tokio::sync::Mutex::new(next_number),
                number_floor: AtomicU64::new(number_floor),
                queries: options.queries.runtime(),
                indexes,
                stop: tokio::sync::watch::Sender::new(false),
                background: std::sync::Mutex::default(),
            }),
        };
        engine.start_purger(options.purge_interval);
        engine.start_follower(wanting);
        Ok(engine)
    }

    fn start_purger(&self, interval: Duration) {
        let weak = Arc::downgrade(&self.inner);
        let mut stop = self.inner.stop.subscribe();
        let purger = tokio::spawn(async move {
            let mut positions = HashMap::new();
            loop {
                let running = tokio::time::timeout(interval, stop.wait_for(|stop| *stop)).await.is_err();
                let Some(inner) = weak.upgrade().filter(|_| running) else { return };
                purge(&Engine { inner }, &mut positions).await;
            }
        });
        self.background().push(purger);
    }

    fn start_follower(&self, wanting: UnboundedReceiver<Arc<Container>>) {
        let weak = Arc::downgrade(&self.inner);
        let engine = move || weak.upgrade().map(|inner| Engine { inner });
        let (indexes, stop) = (self.inner.indexes.clone(), self.inner.stop.subscribe());
        self.background().push(tokio::spawn(follower::run(engine, indexes, wanting, stop)));
    }

    /// Removes what has expired now, instead of at the next interval. Returns how many items went.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read or written.
    pub async fn purge_expired(&self) -> Result<u64, Error> {
        let mut removed = 0;
        for container in self.inner.catalog.all_containers() {
            removed += purge_expired(self.store(), &container, &self.inner.clock, 0).await?.0;
        }
        Ok(removed)
    }
}

/// One round over all containers. `positions` remembers, per container and default time to live, how far its feed is purged.
async fn purge(engine: &Engine, positions: &mut HashMap<u32, (Option<i64>, u64)>) {
    for container in engine.inner.catalog.all_containers() {
        let ttl = container.settings().default_ttl;
        if ttl.is_none() {
            positions.remove(&container.number());
            continue;
        }
        let from = positions.get(&container.number()).filter(|(of, _)| *of == ttl).map_or(0, |(_, from)| *from);
        match purge_expired(engine.store(), &container, &engine.inner.clock, from).await {
            Ok((removed, next)) => {
                positions.insert(container.number(), (ttl, next));
                if removed > 0 {
                    tracing::debug!(container = container.id(), removed, "purged expired items");
                }
            }
            Err(error) => tracing::warn!(container = container.id(), %error, "cannot purge expired items now"),
        }
    }
    positions.retain(|number, _| engine.inner.catalog.is_live(*number));
}

/// Reads the catalog; returns the next free number, and where the numbers of new containers begin.
async fn load(store: &dyn Store, catalog: &Catalog) -> Result<(u32, u64), Error> {
    let mut records = Records::default();
    let snapshot = store.snapshot();
    let everything = Scan { space: Space::Meta, range: KeyRange { start: Vec::new(), end: None }, reverse: false };
    records = scan(&*snapshot, everything, records).await?;
    if let Some(error) = records.error {
        return Err(Error::Unavailable { reason: format!("the catalog is damaged: {error}") });
    }
    let mut databases = HashMap::new();
    for record in records.databases {
        let number = record.number;
        databases.insert(number, catalog.insert_database(Database::new(record)));
    }
    for record in records.containers {
        let Some(database) = databases.get(&record.database) else {
            return Err(Error::Unavailable {
                reason: format!("the catalog is damaged: container {} has no database", record.number),
            });
        };
        let counters = records.counters.get(&record.number).copied().unwrap_or_default();
        catalog.insert_container(Container::from_record(record, database.clone(), counters)?);
    }
    for record in records.offers {
        catalog.insert_offer(Offer::new(record));
    }
    Ok((records.next_number.max(1), records.number_floor))
}

#[derive(Default)]
struct Records {
    databases: Vec<DatabaseRecord>,
    containers: Vec<ContainerRecord>,
    offers: Vec<OfferRecord>,
    counters: HashMap<u32, Counters>,
    next_number: u32,
    number_floor: u64,
    error: Option<String>,
}

impl Visitor for Records {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let read = match key.first() {
            Some(b'd') => parse(value).map(|record| self.databases.push(record)),
            Some(b'c') => parse(value).map(|record| self.containers.push(record)),
            Some(b'o') => parse(value).map(|record| self.offers.push(record)),
            Some(b'n') => number(&key[1..]).map(|number| {
                self.counters.insert(number, Counters::decode(value));
            }),
            Some(b'#') => number(value).map(|number| self.next_number = number),
            Some(b'^') => floor(value).map(|floor| self.number_floor = floor),
            _ => Ok(()),
        };
        if let Err(error) = read {
            self.error = Some(format!("{} at key {:?}", error, String::from_utf8_lossy(key)));
            return Visit::Stop;
        }
        Visit::Continue
    }
}

fn parse<T: DeserializeOwned>(value: &[u8]) -> Result<T, String> {
    serde_json::from_slice(value).map_err(|error| error.to_string())
}

fn floor(bytes: &[u8]) -> Result<u64, String> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| "a number is not eight bytes long".into())
}

fn number(bytes: &[u8]) -> Result<u32, String> {
    bytes.try_into().map(u32::from_be_bytes).map_err(|_| "a number is not four bytes long".into())
}
