//! The engine as a whole.

mod catalog_writes;
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

/// How an engine runs.
pub struct EngineOptions {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// How often expired items are purged. They are invisible at once, whatever this says.
    pub purge_interval: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions { clock: Arc::new(SystemClock), purge_interval: Duration::from_secs(5) }
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
    stop: tokio::sync::watch::Sender<bool>,
    purger: std::sync::Mutex<Option<tokio::task::JoinHandle<()>>>,
}

impl Engine {
    /// Stops background work and closes the store; later writes fail.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if what is buffered cannot be written.
    pub async fn close(&self) -> Result<(), Error> {
        self.inner.stop.send_replace(true);
        let purger = self.inner.purger.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(purger) = purger
            && let Err(error) = purger.await
        {
            tracing::error!(%error, "the purge of expired items had failed");
        }
        Ok(self.inner.store.close().await?)
    }

    /// Figures of the store, for metrics.
    pub fn store_stats(&self) -> StoreStats {
        self.inner.store.stats()
    }

    fn now(&self) -> u64 {
        self.inner.clock.unix_seconds()
    }

    fn store(&self) -> &dyn Store {
        &*self.inner.store
    }
}
