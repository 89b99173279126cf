//! What the indexes of all containers share: their limits, their memory, and the queue to the thread that makes them follow.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orrery_store::Store;
use tokio::sync::mpsc;

use crate::catalog::Container;

/// Limits of indexes; the defaults are meant for use, others for tests and measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Versions that are indexed at a time.
    pub batch_rows: usize,
    /// New versions after which a container's index is brought up to date without being asked.
    pub follow_rows: u64,
    /// Versions that an index may be behind before writes to its container wait for it, and that a query indexes itself rather than
    /// answer by a scan.
    pub max_lag_rows: u64,
    /// Longest time that a write waits for the index.
    pub max_write_wait: Duration,
    /// Bytes of one index in memory after which it is written to disk.
    pub seal_bytes: usize,
    /// Bytes of all indexes in memory.
    pub max_memory_bytes: usize,
    /// Versions that are worth a run on disk; fewer are indexed again when they are needed.
    pub seal_min_rows: u64,
    /// Time between two looks at idle indexes.
    pub tick: Duration,
    /// Versions of which more than half are dead that are worth making the index anew.
    pub rebuild_min_versions: u64,
}

impl Default for IndexOptions {
    fn default() -> Self {
        IndexOptions {
            batch_rows: 1024,
            follow_rows: 1024,
            max_lag_rows: 20_000,
            max_write_wait: Duration::from_secs(10),
            seal_bytes: 32 << 20,
            max_memory_bytes: 96 << 20,
            seal_min_rows: 4096,
            tick: Duration::from_millis(500),
            rebuild_min_versions: 8192,
        }
    }
}

/// The indexes of a server.
pub(crate) struct Indexes {
    pub options: IndexOptions,
    pub store: Arc<dyn Store>,
    /// Bytes of chunks, those included that only some query still holds.
    pub memory: Arc<AtomicUsize>,
    /// Containers with something in memory.
    loaded: Mutex<BTreeMap<u32, Arc<Container>>>,
    /// Containers whose index could not be brought up to date, to be tried again at the next tick.
    failed: Mutex<Vec<Arc<Container>>>,
    queue: mpsc::UnboundedSender<Arc<Container>>,
}

impl Indexes {
    /// Indexes over a store, and the containers that want to be followed: each is in there once.
    pub fn new(store: Arc<dyn Store>, options: IndexOptions) -> (Arc<Self>, mpsc::UnboundedReceiver<Arc<Container>>) {
        let (queue, wanting) = mpsc::unbounded_channel();
        let indexes = Indexes {
            options,
            store,
            memory: Arc::default(),
            loaded: Mutex::default(),
            failed: Mutex::default(),
            queue,
        };
        (Arc::new(indexes), wanting)
    }

    /// Asks that a container be followed; the caller knows that it is not in the queue.
    pub fn enqueue(&self, container: Arc<Container>) {
        // Nobody listens once the server stops.
        let _ = self.queue.send(container);
    }

    pub fn memory_bytes(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// Whether the indexes take more memory than they may.
    pub fn is_over_memory(&self) -> bool {
        self.memory_bytes() > self.options.max_memory_bytes
    }

    pub fn failed(&self) -> MutexGuard<'_, Vec<Arc<Container>>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn loaded(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Container>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
