//! A store in memory: ordered maps with as many versions of each key as open snapshots need.

mod snapshot;
mod versions;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use self::snapshot::MemorySnapshot;
use self::versions::SharedVersions;
use crate::guarded::{Base, guarded, run_transaction};
use crate::liveness::Liveness;
use crate::overlay::Overlay;
use crate::reclaimer::Reclaimer;
use crate::run_check::CheckedRun;
use crate::scan_pool::{ScanPool, run_aside};
use crate::{Error, KeyRange, Run, Snapshot, Space, Store, StoreStats, Transaction, Verdict};

/// Keeps everything in memory, and nothing beyond its own life.
///
/// A snapshot costs a few words. While it is open, each key written after it keeps one more version; these are dropped by
/// later commits, a bounded number each. Readers and the one writer share a lock that is held for one point read, one chunk
/// of a scan, or the writes of one transaction.
pub struct MemoryStore {
    shared: Arc<SharedVersions>,
    /// The writer's lock: whoever holds it runs a transaction.
    writer: Arc<Mutex<Overlay>>,
    scans: Arc<ScanPool>,
    liveness: Arc<Liveness>,
    reclaimer: Arc<Reclaimer>,
    closed: Arc<AtomicBool>,
    commits: AtomicU64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        MemoryStore {
            shared: Arc::default(),
            writer: Arc::new(Mutex::new(Overlay::new())),
            scans: Arc::new(ScanPool::new()),
            liveness: Arc::default(),
            reclaimer: Arc::default(),
            closed: Arc::default(),
            commits: AtomicU64::new(0),
        }
    }

    /// Waits until all space is reclaimed that [`Store::reclaim`] was called for.
    pub fn wait_for_reclaim(&self) {
        self.reclaimer.wait_until_idle();
    }

    fn run(&self, transaction: &mut dyn Transaction) -> Result<(), Error> {
        let mut overlay = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        if run_transaction(transaction, &mut overlay, &*self.shared)? == Verdict::Commit {
            self.shared.apply(overlay.drain().map(|write| (write.space, write.key, write.value)));
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        MemoryStore::new()
    }
}

impl Drop for MemoryStore {
    fn drop(&mut self) {
        self.reclaimer.stop();
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        Base::get(&*self.shared, space, key)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(MemorySnapshot::open(self.shared.clone(), self.scans.clone()))
    }

    async fn commit(&self, mut transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, Error> {
        self.run(&mut *transaction)?;
        Ok(transaction)
    }

    async fn ingest(&self, run: Run) -> Result<(), Error> {
        let (shared, writer, closed) = (self.shared.clone(), self.writer.clone(), self.closed.clone());
        run_aside(move || {
            let rows: Vec<_> = guarded("run", || CheckedRun::new(run).collect())?;
            let _no_transaction_runs = writer.lock().unwrap_or_else(PoisonError::into_inner);
            if closed.load(Ordering::Acquire) {
                return Err(Error::Closed);
            }
            shared.apply(rows.into_iter().map(|(key, value)| (Space::Index, key, Some(value))));
            Ok(())
        })
        .await
    }

    fn retain(&self, live: Box<dyn Fn(u32) -> bool + Send + Sync>) {
        self.liveness.set(live);
    }

    fn reclaim(&self, container: u32) {
        let (shared, liveness) = (self.shared.clone(), self.liveness.clone());
        self.reclaimer.request(container, move |containers| {
            let live = liveness.current();
            for dead in containers.into_iter().filter(|number| !live.is_live(*number)) {
                for space in Space::ALL.into_iter().filter(|space| *space != Space::Meta) {
                    shared.erase(space, &KeyRange::prefix(&dead.to_be_bytes()));
                }
            }
        });
    }

    fn stats(&self) -> StoreStats {
        let commits = self.commits.load(Ordering::Relaxed);
        StoreStats { size_bytes: self.shared.size_bytes(), commits, commit_groups: commits, ..StoreStats::default() }
    }

    async fn close(&self) -> Result<(), Error> {
        let _no_transaction_runs = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::Release);
        self.reclaimer.stop();
        Ok(())
    }
}
