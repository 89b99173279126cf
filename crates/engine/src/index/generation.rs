//! One index of a container under one policy: what is on disk, the tail in memory, and how the tail follows the feed.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use bytes::Bytes;
use orrery_store::{KeyRange, Run, Scan, Snapshot, Space, Store, Visit, Visitor, scan};
use orrery_value::PartitionKeyKind;
use tokio::sync::OwnedMutexGuard;
use tokio::task::spawn_blocking;

use super::chunk::Chunk;
use super::dictionary::{Dictionary, PathEntry, PathStats};
use super::extract::Terms;
use super::merge::merge_chunks;
use super::policy::IndexPolicy;
use super::posting::{Posting, place_of};
use super::run::{Header, RunRows, decode_entry, entries_range};
use super::tail::{Tail, TailState};
use crate::Error;
use crate::catalog::Container;
use crate::item::{Birth, Births, Item, key};

/// Items that are read at once.
const ITEMS_PER_READ: usize = 256;

/// Bytes of terms after which a batch ends, whatever its rows.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// Versions whose terms are extracted on the caller's thread, and chunks that are merged there: more goes to a thread of its own.
const MAX_INLINE_ROWS: usize = 16;

/// Bytes of a chunk that is not merged any further.
const MAX_CHUNK_BYTES: usize = 64 << 20;

/// One index of a container.
pub(super) struct Generation {
    pub container: u32,
    pub policy: Arc<IndexPolicy>,
    kind: PartitionKeyKind,
    /// The number in front of its rows; 0 while it has none.
    owner: AtomicU32,
    /// Held by whoever makes the tail go on.
    extractor: Arc<tokio::sync::Mutex<Extractor>>,
    tail: Mutex<Tail>,
    stats: RwLock<Arc<PathStats>>,
    reached: AtomicU64,
    /// What need not be read from the store.
    births: Arc<Births>,
    /// Memory of all indexes.
    memory: Arc<AtomicUsize>,
}

struct Extractor {
    dictionary: Dictionary,
    terms: Terms,
    rows: Vec<Posting>,
}

/// How far a call of [`Generation::catch_up`] may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    /// Versions in one chunk.
    pub batch_rows: usize,
    /// Versions in all.
    pub max_rows: usize,
    /// Versions up to which chunks are merged at once.
    pub merge_rows: u64,
}

impl Generation {
    /// An index of nothing yet.
    pub fn new(container: &Container, policy: Arc<IndexPolicy>, owner: u32, memory: Arc<AtomicUsize>) -> Self {
        let dictionary = Dictionary::new(policy.clone(), Vec::new(), 0, false);
        Generation::with(container, policy, owner, memory, dictionary, 0)
    }

    /// The index whose rows `owner` has, as far as they go in `snapshot`.
    pub async fn load(
        snapshot: &dyn Snapshot,
        container: &Container,
        policy: Arc<IndexPolicy>,
        owner: u32,
        memory: Arc<AtomicUsize>,
    ) -> Result<Self, Error> {
        let header = snapshot.get(Space::Index, &Header::key(owner)).await?;
        let Some(header) = header else { return Ok(Generation::new(container, policy, owner, memory)) };
        let request = Scan { space: Space::Index, range: entries_range(owner), reverse: false };
        let entries = scan(snapshot, request, Entries::default()).await?;
        let Some(header) = Header::decode(&header).filter(|_| !entries.is_damaged) else {
            // Of another format, or damaged: the feed has all that it takes to make it again, under another number.
            tracing::error!(container = container.id(), "the index cannot be read and is made anew");
            return Ok(Generation::new(container, policy, 0, memory));
        };
        let dictionary = Dictionary::new(policy.clone(), entries.found, header.versions, header.is_full);
        Ok(Generation::with(container, policy, owner, memory, dictionary, header.mark))
    }

    fn with(
        container: &Container,
        policy: Arc<IndexPolicy>,
        owner: u32,
        memory: Arc<AtomicUsize>,
        mut dictionary: Dictionary,
        mark: u64,
    ) -> Self {
        let stats = dictionary.publish();
        let extractor = Extractor { dictionary, terms: Terms::default(), rows: Vec::new() };
        Generation {
            container: container.number(),
            policy,
            kind: container.settings().partition_key.kind,
            owner: AtomicU32::new(owner),
            extractor: Arc::new(tokio::sync::Mutex::new(extractor)),
            tail: Mutex::new(Tail::new(mark)),
            stats: RwLock::new(Arc::new(stats)),
            reached: AtomicU64::new(mark),
            births: container.births().clone(),
            memory,
        }
    }

    /// The number in front of its rows, if it has any.
    pub fn owner(&self) -> Option<u32> {
        Some(self.owner.load(Ordering::Acquire)).filter(|owner| *owner != 0)
    }

    pub fn set_owner(&self, owner: u32) {
        self.owner.store(owner, Ordering::Release);
    }

    /// Up to here versions are indexed.
    pub fn reached(&self) -> u64 {
        self.reached.load(Ordering::Acquire)
    }

    /// Has new items remembered that come from now on, to be indexed next.
    pub fn await_births(&self) {
        self.births.await_index(self.reached(), &self.memory);
    }

    /// Needs no new items any more.
    pub fn forget_births(&self) {
        self.births.forget_index();
    }

    pub fn stats(&self) -> Arc<PathStats> {
        self.stats.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How effective partition keys become places.
    pub fn kind(&self) -> PartitionKeyKind {
        self.kind
    }

    pub fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state for a snapshot whose index on disk ends at `mark` and whose newest number is `head`.
    pub fn state_for(&self, mark: u64, head: u64) -> Option<Arc<TailState>> {
        self.tail().state_for(mark, head).cloned()
    }

    /// Indexes what the snapshot has behind the tail, up to so many versions. Returns how many they were. `head` is the newest
    /// number in the snapshot; a snapshot that is older than what the tail has seen changes nothing.
    pub async fn catch_up(&self, snapshot: &dyn Snapshot, head: u64, stride: Stride) -> Result<usize, Error> {
        let mut done = 0;
        loop {
            let extractor = self.extractor.clone().lock_owned().await;
            let (after, seen) = {
                let tail = self.tail();
                (tail.newest().reached, tail.newest().seen)
            };
            if head < seen || after >= head || done >= stride.max_rows {
                return Ok(done);
            }
            let wanted = stride.batch_rows.min(stride.max_rows - done).max(1);
            let batch = self.extract(extractor, snapshot, after, head, wanted).await?;
            done += batch.extractor.rows.len();
            let _extractor = self.publish(batch, after).await?;
            self.merge(stride.merge_rows).await?;
        }
    }

    /// Chunks of what the snapshot has behind `after`, for this snapshot alone.
    pub async fn extract_privately(
        &self,
        snapshot: &dyn Snapshot,
        after: u64,
        head: u64,
    ) -> Result<Vec<Arc<Chunk>>, Error> {
        let mut chunks = Vec::new();
        let mut after = after;
        while after < head {
            let extractor = self.extractor.clone().lock_owned().await;
            let batch = self.extract(extractor, snapshot, after, head, usize::MAX).await?;
            let reached = batch.reached;
            let (mut extractor, chunk) = self.sort(batch, after).await?;
            self.publish_stats(&mut extractor);
            chunks.extend(chunk.map(Arc::new));
            after = reached;
        }
        Ok(chunks)
    }

    /// Writes the tail as a run, which makes room in memory, and returns how many versions that were. The caller has seen to it
    /// that there is an owner, and that nobody else writes runs of this index.
    pub async fn seal(&self, store: &dyn Store) -> Result<u64, Error> {
        let Some(owner) = self.owner() else { return Ok(0) };
        let (state, run) = {
            let extractor = self.extractor.lock().await;
            let state = self.tail().freeze();
            (state.clone(), RunRows::new(owner, state.reached, &extractor.dictionary, &state.chunks))
        };
        let run: Run = Box::new(run);
        match store.ingest(run).await {
            Ok(()) => {
                self.tail().sealed(state.reached);
                Ok(state.chunks.iter().map(|chunk| chunk.rows).sum())
            }
            Err(error) => {
                self.tail().thaw();
                Err(error.into())
            }
        }
    }

    /// The terms of the items behind `after`: of new ones that are remembered, or of those that feed records name.
    async fn extract(
        &self,
        mut extractor: Guard,
        snapshot: &dyn Snapshot,
        after: u64,
        head: u64,
        max_rows: usize,
    ) -> Result<Batch, Error> {
        extractor.clear();
        let (mut reached, mut seen) = (after, 0);
        while reached < head && extractor.rows.len() < max_rows && extractor.terms.size_bytes() < MAX_BATCH_BYTES {
            let wanted = ITEMS_PER_READ.min(max_rows - extractor.rows.len());
            let last = head.min(reached + wanted as u64);
            if let Some(births) = self.births.between(reached, last) {
                reached = last;
                extractor = aside(births.len() > MAX_INLINE_ROWS, move || {
                    for Birth { item, place } in births {
                        extractor.add(Posting { place, number: item.lsn() }, &item);
                    }
                    Ok(extractor)
                })
                .await?;
                continue;
            }
            seen = head;
            let records = self.records(snapshot, reached, wanted).await?;
            reached = if records.len() < wanted { head } else { records.last().map_or(head, |(number, _)| *number) };
            let keys = records.iter().map(|(_, rest)| key::join(self.container, rest)).collect();
            let items = snapshot.multi_get(Space::Items, keys).await?;
            let kind = self.kind;
            extractor = aside(records.len() > MAX_INLINE_ROWS, move || {
                for ((number, rest), item) in records.into_iter().zip(items) {
                    if let Some(item) = item {
                        let place = place_of(kind, &rest);
                        extractor.add(Posting { place, number }, &Item::from_stored(item)?);
                    }
                }
                Ok(extractor)
            })
            .await?;
        }
        Ok(Batch { extractor, reached, seen })
    }

    async fn records(&self, snapshot: &dyn Snapshot, after: u64, wanted: usize) -> Result<Vec<(u64, Bytes)>, Error> {
        let range = KeyRange {
            start: key::feed(self.container, after + 1),
            end: KeyRange::prefix(&self.container.to_be_bytes()).end,
        };
        let request = Scan { space: Space::Feed, range, reverse: false };
        Ok(scan(snapshot, request, Records { wanted, found: Vec::new() }).await?.found)
    }

    /// Sorts a batch into a chunk; none if it has no versions.
    async fn sort(&self, batch: Batch, after: u64) -> Result<(Guard, Option<Chunk>), Error> {
        let Batch { mut extractor, reached, .. } = batch;
        let memory = self.memory.clone();
        aside(extractor.rows.len() > MAX_INLINE_ROWS, move || {
            let Extractor { terms, rows, .. } = &mut *extractor;
            let chunk = (!rows.is_empty()).then(|| Chunk::sort(terms, rows, after, reached, &memory));
            Ok((extractor, chunk))
        })
        .await
    }

    /// Shows a batch.
    async fn publish(&self, batch: Batch, after: u64) -> Result<Guard, Error> {
        let (reached, seen) = (batch.reached, batch.seen);
        let (mut extractor, chunk) = self.sort(batch, after).await?;
        // Whoever finds the terms finds their paths.
        self.publish_stats(&mut extractor);
        self.tail().push(chunk, reached, seen);
        self.reached.store(reached, Ordering::Release);
        Ok(extractor)
    }

    /// Merges chunks until few are left of each size. The caller holds the extractor, so that nobody else does.
    async fn merge(&self, max_rows: u64) -> Result<(), Error> {
        loop {
            let Some(chunks) = self.tail().mergeable(max_rows, MAX_CHUNK_BYTES) else { return Ok(()) };
            let rows: u64 = chunks.iter().map(|chunk| chunk.rows).sum();
            let memory = self.memory.clone();
            let merged = aside(rows > MAX_INLINE_ROWS as u64, move || Ok(merge_chunks(&chunks, &memory))).await?;
            let Some(merged) = merged else { return Ok(()) };
            self.tail().replace(merged);
        }
    }

    fn publish_stats(&self, extractor: &mut Extractor) {
        let stats = Arc::new(extractor.dictionary.publish());
        *self.stats.write().unwrap_or_else(PoisonError::into_inner) = stats;
    }
}

type Guard = OwnedMutexGuard<Extractor>;

/// Terms that were extracted, and up to which number.
struct Batch {
    extractor: Guard,
    reached: u64,
    /// The newest number of the snapshot whose feed was read: it lacks versions that were superseded before. Zero if none was: where
    /// nothing but new items came, these are all versions that there ever were.
    seen: u64,
}

impl Extractor {
    fn clear(&mut self) {
        self.terms.entries.clear();
        self.terms.bytes.clear();
        self.rows.clear();
    }

    fn add(&mut self, posting: Posting, item: &Item) {
        let row = u32::try_from(self.rows.len()).expect("a batch has far fewer rows");
        self.rows.push(posting);
        self.terms.add(&item.document(), row, &mut self.dictionary);
    }
}

/// Runs work here, or on a thread of its own if there is much of it.
async fn aside<T: Send + 'static>(
    is_much: bool,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    if !is_much {
        return work();
    }
    spawn_blocking(work).await.map_err(|error| Error::Unavailable { reason: format!("indexing failed: {error}") })?
}

/// Collects feed records: number, and rest of the item's key.
struct Records {
    wanted: usize,
    found: Vec<(u64, Bytes)>,
}

impl Visitor for Records {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        if let Some(number) = key::feed_number(key)
            && value.len() > key::FEED_TS_LEN
        {
            self.found.push((number, value.slice(key::FEED_TS_LEN..)));
        }
        if self.found.len() >= self.wanted { Visit::Stop } else { Visit::Continue }
    }
}

/// Collects the paths of an index, whose numbers have no gaps.
#[derive(Default)]
struct Entries {
    found: Vec<PathEntry>,
    is_damaged: bool,
}

impl Visitor for Entries {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        match decode_entry(key, value) {
            Some((id, entry)) if id as usize == self.found.len() + 1 => {
                self.found.push(entry);
                Visit::Continue
            }
            _ => {
                self.is_damaged = true;
                Visit::Stop
            }
        }
    }
}
