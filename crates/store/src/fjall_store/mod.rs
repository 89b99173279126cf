//! A store in a folder, on the embedded log-structured engine fjall.
//!
//! - [`format`]: the folder, its lock and its format version.
//! - [`spaces`]: the fjall database and its keyspaces, one for each space, and reads of them.
//! - [`committer`], [`queue`], [`gathering`]: the one thread that runs transactions and writes them in groups.
//! - [`published`]: the snapshot that readers get.
//! - [`row_cache`]: items that were read lately.
//! - [`snapshot`]: reads of one moment.
//! - [`pressure`], [`flush`]: waiting for fjall's background work.
//! - [`ingest`]: runs of the index space, written past the commit.
//! - [`reclaim`]: how the keys of dropped containers go.

mod answers;
mod committer;
mod errors;
mod flush;
mod format;
mod gathering;
mod ingest;
#[cfg_attr(not(target_os = "linux"), path = "no_journal_room.rs")]
mod journal_room;
mod options;
mod pressure;
mod published;
mod queue;
mod reclaim;
mod row_cache;
mod snapshot;
mod spaces;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use bytes::Bytes;

use self::committer::{Committer, Counters};
use self::format::Folder;
use self::ingest::Ingestions;
pub use self::options::{Durability, FjallOptions};
use self::published::Published;
use self::row_cache::{Found, RowCache};
use self::snapshot::FjallSnapshot;
use self::spaces::Spaces;
use crate::liveness::Liveness;
use crate::reclaimer::Reclaimer;
use crate::scan_pool::{ScanPool, run_aside};
use crate::{Error, Run, Snapshot, Space, Store, StoreStats, Transaction};

/// Keeps its data in a folder, which is locked until the store and all its snapshots are dropped.
///
/// Dropping a store writes what was queued, like [`Store::close`], and waits for that.
pub struct FjallStore {
    // Dropped first, so that nothing is written while the rest goes.
    committer: Committer,
    shared: Arc<Shared>,
    scans: Arc<ScanPool>,
    reclaimer: Arc<Reclaimer>,
}

/// What the store shares with its threads and snapshots.
struct Shared {
    published: Published,
    rows: RowCache,
    spaces: Spaces,
    liveness: Arc<Liveness>,
    counters: Counters,
    ingestions: Ingestions,
    database_path: PathBuf,
    // Dropped last: it holds the lock.
    _folder: Folder,
}

impl FjallStore {
    /// Opens the store in the folder `path`, creating both if need be. What earlier commits wrote and no table holds yet is read
    /// back from the journal first, so that this takes longer after heavy writing.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::NewerFormat`], [`Error::Open`] or [`Error::Damaged`], and then nothing was changed.
    pub fn open(path: impl AsRef<Path>, options: FjallOptions) -> Result<Self, Error> {
        let folder = Folder::open(path.as_ref())?;
        let liveness = Arc::new(Liveness::default());
        let database_path = folder.database_path();
        let spaces = Spaces::open(&folder, &options, &liveness)?;
        let shared = Arc::new(Shared {
            published: Published::new(&spaces),
            rows: RowCache::new(options.row_cache_bytes()),
            spaces,
            liveness,
            counters: Counters::default(),
            ingestions: Ingestions::new(options.durability),
            database_path,
            _folder: folder,
        });
        let committer = Committer::start(shared.clone(), options.durability)
            .map_err(|error| errors::opening(path.as_ref(), &error))?;
        Ok(FjallStore { committer, shared, scans: Arc::new(ScanPool::new()), reclaimer: Arc::default() })
    }

    /// Writes what is in memory to tables, so that the next opening need not read it back from the journal.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the disk refuses.
    pub async fn flush(&self) -> Result<(), Error> {
        let shared = self.shared.clone();
        self.scans.run(move |_| flush::flush(&shared.spaces)).await
    }

    /// Waits until the space is reclaimed that [`Store::reclaim`] was called for.
    pub fn wait_for_reclaim(&self) {
        self.reclaimer.wait_until_idle();
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        self.reclaimer.stop();
    }
}

#[async_trait]
impl Store for FjallStore {
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        // Not fjall's own newest value, which a snapshot taken right afterwards might not have.
        let Shared { published, spaces, rows, .. } = &*self.shared;
        let read = || spaces.get_at(&published.current(spaces), space, key);
        if space != Space::Items {
            return read();
        }
        match rows.find(key) {
            Found::Row(value) => Ok(Some(value)),
            Found::Absent(ticket) => {
                let value = read()?;
                if let (Some(ticket), Some(value)) = (ticket, &value) {
                    rows.keep(ticket, key, value);
                }
                Ok(value)
            }
        }
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(FjallSnapshot::new(self.shared.clone(), self.scans.clone()))
    }

    async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, Error> {
        self.committer.commit(transaction).await
    }

    async fn ingest(&self, run: Run) -> Result<(), Error> {
        let shared = self.shared.clone();
        run_aside(move || shared.ingestions.ingest(&shared, run)).await
    }

    fn retain(&self, live: Box<dyn Fn(u32) -> bool + Send + Sync>) {
        self.shared.liveness.set(live);
    }

    fn reclaim(&self, container: u32) {
        let shared = self.shared.clone();
        self.reclaimer
            .request(container, move |_containers| reclaim::drop_dead_tables(&shared.spaces, &shared.liveness));
    }

    fn stats(&self) -> StoreStats {
        let spaces = &self.shared.spaces;
        StoreStats {
            size_bytes: spaces.tables_size_bytes() + format::journals_size_bytes(&self.shared.database_path),
            cache_bytes: spaces.cache_bytes() + self.shared.rows.size_bytes() as u64,
            cache_capacity_bytes: spaces.cache_capacity_bytes() + self.shared.rows.capacity_bytes() as u64,
            commits: self.shared.counters.commits.load(Ordering::Relaxed),
            commit_groups: self.shared.counters.groups.load(Ordering::Relaxed),
        }
    }

    async fn close(&self) -> Result<(), Error> {
        self.committer.close().await?;
        let (reclaimer, shared) = (self.reclaimer.clone(), self.shared.clone());
        self.scans
            .run(move |_| {
                shared.ingestions.close();
                reclaimer.stop();
                flush::flush_before_closing(&shared.spaces)
            })
            .await
    }
}
