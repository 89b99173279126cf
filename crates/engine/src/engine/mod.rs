//! The engine as a whole.

mod catalog_writes;
mod indexing;
mod items;
mod offers;
mod open;
mod put;
mod resources;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use orrery_store::{Store, StoreStats};

use crate::Error;
use crate::catalog::Catalog;
use crate::clock::{Clock, SystemClock};
use crate::index::{IndexOptions, Indexes};
use crate::query::{DEFAULT_QUERY_MEMORY_BYTES, IndexUse, QueryMemory, QueryRuntime, Spread};

/// How an engine runs.
pub struct EngineOptions {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// How often expired items are purged. They are invisible at once, whatever this says.
    pub purge_interval: Duration,
    /// How queries run.
    pub queries: QueryOptions,
    /// Limits of property indexes.
    pub index: IndexOptions,
}

/// How queries run.
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions {
    /// Memory that all queries running at once may hold together.
    pub memory_bytes: usize,
    /// Parts of a query that are read at once; 1 reads them one after the other.
    pub parallelism: usize,
    /// Items from which on a part of a scope is read by itself.
    pub items_per_part: u64,
    /// Whether property indexes are used.
    pub index_use: IndexUse,
}

impl Default for QueryOptions {
    /// As many parts at once as there are cores.
    fn default() -> Self {
        QueryOptions {
            memory_bytes: DEFAULT_QUERY_MEMORY_BYTES,
            parallelism: std::thread::available_parallelism().map_or(1, usize::from),
            items_per_part: 4_096,
            index_use: IndexUse::Auto,
        }
    }
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions {
            clock: Arc::new(SystemClock),
            purge_interval: Duration::from_secs(5),
            queries: QueryOptions::default(),
            index: IndexOptions::default(),
        }
    }
}

/// A store with databases in it. Cloning it is cheap, and all clones are one.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    catalog: Arc<Catalog>,
    /// Changes of the catalog are made one at a time: check, write, show. Holds the next free number.
    catalog_writer: tokio::sync::Mutex<u32>,
    /// Where the numbers of a new container begin: behind those of every dropped one. Clients file session tokens under a
    /// container's name, so the token of an earlier container of that name must not ask for a version that is yet to come.
    number_floor: AtomicU64,
    queries: QueryRuntime,
    indexes: Arc<Indexes>,
    stop: tokio::sync::watch::Sender<bool>,
    /// The purge of expired items, and the follower of indexes.
    background: std::sync::Mutex<Vec<tokio::task::JoinHandle<()>>>,
}

impl QueryOptions {
    fn runtime(&self) -> QueryRuntime {
        QueryRuntime {
            memory: Arc::new(QueryMemory::new(self.memory_bytes)),
            spread: Spread { parallelism: self.parallelism.max(1), items_per_part: self.items_per_part.max(1) },
            index_use: self.index_use,
        }
    }
}

impl Engine {
    /// Stops background work and closes the store; later writes fail.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if what is buffered cannot be written.
    pub async fn close(&self) -> Result<(), Error> {
        self.inner.stop.send_replace(true);
        let background = std::mem::take(&mut *self.background());
        for task in background {
            if let Err(error) = task.await {
                tracing::error!(%error, "background work had failed");
            }
        }
        Ok(self.inner.store.close().await?)
    }

    /// Figures of the store, for metrics.
    pub fn store_stats(&self) -> StoreStats {
        self.inner.store.stats()
    }

    fn background(&self) -> std::sync::MutexGuard<'_, Vec<tokio::task::JoinHandle<()>>> {
        self.inner.background.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The time by which items expire, in seconds since 1970.
    pub fn unix_seconds(&self) -> u64 {
        self.now()
    }

    fn now(&self) -> u64 {
        self.inner.clock.unix_seconds()
    }

    fn store(&self) -> &dyn Store {
        &*self.inner.store
    }
}
