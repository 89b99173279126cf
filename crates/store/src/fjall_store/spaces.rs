//! The fjall database: its options, its keyspaces, and reads of them.

use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use fjall::config::FilterPolicy;
use fjall::{AbstractTree, Database, Guard, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable};

use super::errors::{opening, opening_database, reading};
use super::format::Folder;
use super::options::FjallOptions;
use super::reclaim::DeadKeyFilters;
use crate::guarded::{Base, message_of};
use crate::liveness::Liveness;
use crate::overlay::Write;
use crate::{Error, KeyRange, MAX_KEY_LEN, Space};

/// Most bytes of journals before fjall flushes whatever keeps the oldest one alive. Bounds memory and the time to reopen.
const MAX_JOURNALS_BYTES: u64 = 128 << 20;

/// The database and one keyspace for each space. Cloning it clones handles.
pub(super) struct Spaces {
    database: Database,
    keyspaces: [Keyspace; Space::ALL.len()],
}

impl Spaces {
    /// Opens or creates the database of a folder.
    pub(super) fn open(folder: &Folder, options: &FjallOptions, liveness: &Arc<Liveness>) -> Result<Self, Error> {
        let path = folder.path();
        let opened = catch_unwind(AssertUnwindSafe(|| open_database(&folder.database_path(), options, liveness)));
        let spaces = opened
            .map_err(|panic| Error::Damaged { reason: message_of(&*panic) })?
            .map_err(|error| opening_database(path, error))?;
        folder.sync_if_new().map_err(|error| opening(path, &error))?;
        Ok(spaces)
    }

    /// A snapshot of all that is visible now; not while a batch is in progress, see [`super::published`].
    pub(super) fn open_snapshot(&self) -> fjall::Snapshot {
        self.database.snapshot()
    }

    /// What the number of a snapshot would be that was opened now.
    pub(super) fn newest_visible(&self) -> u64 {
        self.database.supervisor.snapshot_tracker.get()
    }

    /// The value of a key in a snapshot.
    pub(super) fn get_at(&self, snapshot: &fjall::Snapshot, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        if !can_be_key(key) {
            return Ok(None);
        }
        let value = snapshot.get(self.keyspace(space), key).map_err(|error| reading(&error))?;
        Ok(value.map(Bytes::from))
    }

    /// The rows of a range in a snapshot. They hold what they read and need neither any longer.
    pub(super) fn rows_at(&self, snapshot: &fjall::Snapshot, space: Space, range: &KeyRange) -> Rows {
        let range = (!range.is_empty()).then(|| bounds(range));
        Rows { iter: range.map(|range| snapshot.range::<&[u8], _>(self.keyspace(space), range)) }
    }

    /// Writes a batch and waits until it is as durable as `mode` says; then it becomes visible.
    pub(super) fn write(
        &self,
        writes: impl Iterator<Item = Write>,
        count: usize,
        mode: PersistMode,
    ) -> Result<(), fjall::Error> {
        let mut batch = OwnedWriteBatch::with_capacity(self.database.clone(), count).durability(Some(mode));
        for write in writes {
            match write.value {
                Some(value) => batch.insert(self.keyspace(write.space), write.key, value),
                None => batch.remove(self.keyspace(write.space), write.key),
            }
        }
        batch.commit()
    }

    /// Makes all that was written durable. Fails if any write, flush or compaction has failed before.
    pub(super) fn persist(&self, mode: PersistMode) -> Result<(), fjall::Error> {
        self.database.persist(mode)
    }

    /// Merges some tables of a space on this thread, if there are any to merge.
    pub(super) fn compact(&self, space: Space) -> Result<(), fjall::Error> {
        let keyspace = self.keyspace(space);
        let strategy = keyspace.config.compaction_strategy.clone();
        keyspace.tree.compact(strategy, self.database.supervisor.snapshot_tracker.get_seqno_safe_to_gc())?;
        Ok(())
    }

    pub(super) fn keyspace(&self, space: Space) -> &Keyspace {
        &self.keyspaces[space as usize]
    }

    pub(super) fn keyspaces(&self) -> &[Keyspace] {
        &self.keyspaces
    }

    pub(super) fn tables_size_bytes(&self) -> u64 {
        self.keyspaces.iter().map(Keyspace::disk_space).sum()
    }

    pub(super) fn cache_bytes(&self) -> u64 {
        self.database.cache_size()
    }

    pub(super) fn cache_capacity_bytes(&self) -> u64 {
        self.database.cache_capacity()
    }
}

/// The newest state, beneath the transactions of a group; for the committing thread.
impl Base for Spaces {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        if !can_be_key(key) {
            return Ok(None);
        }
        let value = self.keyspace(space).get(key).map_err(|error| reading(&error))?;
        Ok(value.map(Bytes::from))
    }

    fn range(&self, space: Space, range: &KeyRange, limit: usize) -> Result<Vec<(Bytes, Bytes)>, Error> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        self.keyspace(space).range::<&[u8], _>(bounds(range)).take(limit).map(row).collect()
    }
}

/// The rows of a range, from either end.
pub(super) struct Rows {
    iter: Option<fjall::Iter>,
}

impl Iterator for Rows {
    type Item = Result<(Bytes, Bytes), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.iter.as_mut()?.next().map(row)
    }
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.iter.as_mut()?.next_back().map(row)
    }
}

fn row(guard: Guard) -> Result<(Bytes, Bytes), Error> {
    let (key, value) = guard.into_inner().map_err(|error| reading(&error))?;
    Ok((Bytes::from(key), Bytes::from(value)))
}

fn can_be_key(key: &[u8]) -> bool {
    (1..=MAX_KEY_LEN).contains(&key.len())
}

/// fjall asserts that bounds are no longer than keys. The longest key that a longer bound begins with is less than the bound, and
/// nothing is between the two.
fn bounds(range: &KeyRange) -> (Bound<&[u8]>, Bound<&[u8]>) {
    let start = match range.start.get(..MAX_KEY_LEN) {
        Some(cut) if range.start.len() > MAX_KEY_LEN => Bound::Excluded(cut),
        _ => Bound::Included(&range.start[..]),
    };
    let end = match &range.end {
        None => Bound::Unbounded,
        Some(end) if end.len() > MAX_KEY_LEN => Bound::Included(&end[..MAX_KEY_LEN]),
        Some(end) => Bound::Excluded(&end[..]),
    };
    (start, end)
}

fn open_database(path: &Path, options: &FjallOptions, liveness: &Arc<Liveness>) -> Result<Spaces, fjall::Error> {
    let filters = Arc::new(DeadKeyFilters::new(liveness.clone()));
    let meta = name(Space::Meta);
    let database = Database::builder(path)
        .cache_size(options.block_cache_bytes())
        .max_journaling_size(MAX_JOURNALS_BYTES)
        .worker_threads(options.background_threads.max(1))
        .manual_journal_persist(true)
        .with_compaction_filter_factories(Arc::new(move |keyspace| (keyspace != meta).then(|| filters.clone() as _)))
        .open()?;
    let [a, b, c, d, e] = Space::ALL.map(|space| database.keyspace(name(space), || create_options(space)));
    Ok(Spaces { keyspaces: [a?, b?, c?, d?, e?], database })
}

/// The name of a space's keyspace. Its options are fixed when it is created, so the number changes with them.
fn name(space: Space) -> &'static str {
    match space {
        Space::Meta => "meta-1",
        Space::Items => "items-1",
        Space::Feed => "feed-1",
        Space::Side => "side-1",
        Space::Index => "index-1",
    }
}

fn create_options(space: Space) -> KeyspaceCreateOptions {
    let options = KeyspaceCreateOptions::default().manual_journal_persist(true);
    match space {
        // Counters are overwritten by nearly every commit: a small memtable drops their old values early.
        Space::Meta => options.max_memtable_size(8 << 20),
        // Point reads of absent keys are common (is this id taken?), so the last level keeps its filters. Twice the memtable
        // takes twice the memory and longer stalls, and compacts no less.
        Space::Items => options.max_memtable_size(32 << 20),
        // Keys only grow, so that small tables move down as they are.
        Space::Feed => options.max_memtable_size(16 << 20),
        Space::Side => options.max_memtable_size(16 << 20),
        // Only ever scanned, so that filters would be of no use. Its memtable stays empty.
        Space::Index => options.filter_policy(FilterPolicy::disabled()),
    }
}
