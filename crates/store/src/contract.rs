//! What every storage backend promises.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use crate::Error;

/// Bytes at the front of every key outside [`Space::Meta`]: the big-endian number of the container that owns the key.
///
/// A container's keys are one contiguous range of each space, and a dropped container's keys can be recognised and reclaimed
/// by these bytes alone (see [`Store::retain`]).
pub const PREFIX_LEN: usize = 4;

/// Longest key in bytes. The shortest is one byte. A transaction that writes outside these bounds fails with [`Error::Size`];
/// a read finds nothing there.
pub const MAX_KEY_LEN: usize = u16::MAX as usize;

/// Longest value in bytes.
pub const MAX_VALUE_LEN: usize = 64 << 20;

/// The ordered maps of a store. One transaction may write to several; a snapshot covers all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The catalog, and the counters of each container. Small; any key.
    Meta,
    /// Items: point reads, point writes and long scans.
    Items,
    /// Change feed: keys grow with every write, so that its tables move down without being rewritten.
    Feed,
    /// Values bound by unique keys, and items due to expire: small records beside the items.
    Side,
    /// Property indexes: filled in sorted runs by [`Store::ingest`] alone, never by transactions.
    Index,
}

impl Space {
    /// Every space, in a fixed order.
    pub const ALL: [Space; 5] = [Space::Meta, Space::Items, Space::Feed, Space::Side, Space::Index];

    /// Those that transactions write.
    pub const COMMITTED: [Space; 4] = [Space::Meta, Space::Items, Space::Feed, Space::Side];
}

/// Keys and values for [`Store::ingest`], in strictly ascending order of the keys.
pub type Run = Box<dyn Iterator<Item = (Bytes, Bytes)> + Send>;

/// An ordered, transactional key-value store.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// The newest durable value of one key. Reads of several keys that must agree go through [`Store::snapshot`].
    ///
    /// Runs on the caller's thread when that is cheaper than a thread hop.
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// A view of all spaces at one moment; it sees each transaction whole or not at all.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// Runs a transaction after all that were queued before it and returns it once its writes are durable.
    ///
    /// Transactions are strictly serial: each sees the writes of those before it. If [`Transaction::run`] answers
    /// [`Verdict::Abort`], nothing of it is written, and it is handed back as soon as what it read is durable, so
    /// that no client learns of a write that a crash could undo.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the writes could not be made durable; nothing of them was acknowledged. Once a disk has
    /// failed, every later commit fails alike until the store is opened anew. [`Error::Size`], [`Error::Panicked`] and what
    /// [`Transaction::run`] itself answers concern this transaction alone.
    async fn commit(&self, transaction: Box<dyn Transaction>) -> Result<Box<dyn Transaction>, Error>;

    /// Writes a run of keys and values into [`Space::Index`], past the commit: any number of them, a value that is there already is
    /// replaced. It shows in each snapshot that is opened after this returned, and in none from before; in between it shows whole
    /// or not at all. A crash leaves all of it or nothing, and never a run without the commits that were acknowledged before it.
    ///
    /// Runs are written one at a time, on a thread of their own. The caller may wait while earlier ones are being merged.
    ///
    /// # Errors
    /// [`Error::Misused`] or [`Error::Size`] for keys out of order or out of bounds, [`Error::Panicked`],
    /// [`Error::Unavailable`], [`Error::Closed`]; then nothing of it was written.
    async fn ingest(&self, run: Run) -> Result<(), Error>;

    /// Tells which containers exist: `live(number)` is false once the container's keys will never be read or written again,
    /// which includes that its number is not given to another one. The store reclaims the space of dead keys when it suits it,
    /// asking from any thread. Until this is called, everything is live.
    fn retain(&self, live: Box<dyn Fn(u32) -> bool + Send + Sync>);

    /// Hints that the keys of this container were just declared dead, so that a large one is reclaimed soon.
    /// Returns at once.
    fn reclaim(&self, container: u32);

    /// Figures for metrics and status pages.
    fn stats(&self) -> StoreStats;

    /// Writes out what is buffered and stops background work; later commits fail with [`Error::Closed`].
    async fn close(&self) -> Result<(), Error>;
}

/// All spaces as they were at one moment.
#[async_trait]
pub trait Snapshot: Send + Sync {
    /// The value of one key.
    async fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// The values of several keys, in the order of `keys`.
    async fn multi_get(&self, space: Space, keys: Vec<Vec<u8>>) -> Result<Vec<Option<Bytes>>, Error>;

    /// Brings `visitor` to each key of the range in order until it says [`Visit::Stop`] or the range ends, and hands
    /// it back. Short scans run on the caller's thread, longer ones move to a bounded worker pool.
    ///
    /// Dropping the returned future stops the scan soon: a client that left does not keep a worker.
    async fn scan(&self, scan: Scan, visitor: Box<dyn Visitor>) -> Result<Box<dyn Visitor>, Error>;
}

/// A half-open range of keys: `start` included, `end` excluded; an absent `end` is the end of the space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// First key of the range.
    pub start: Vec<u8>,
    /// First key after the range.
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    /// All keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        let mut end = prefix.to_vec();
        while let Some(last) = end.last_mut() {
            if *last < 0xFF {
                *last += 1;
                return KeyRange { start: prefix.to_vec(), end: Some(end) };
            }
            end.pop();
        }
        KeyRange { start: prefix.to_vec(), end: None }
    }

    /// Whether no key can be in the range.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end <= &self.start)
    }
}

/// What to scan.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The space to read.
    pub space: Space,
    /// The keys to visit.
    pub range: KeyRange,
    /// From the last key to the first.
    pub reverse: bool,
}

/// Work brought to the rows of a scan. It filters, projects, aggregates or collects as it likes.
pub trait Visitor: Any + Send {
    /// Called once for each key in order. `value` may be kept: cloning it copies no bytes, but holds its whole block in memory.
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit;
}

/// Whether a scan goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// On to the next key.
    Continue,
    /// The visitor has what it wants.
    Stop,
}

/// A unit of reading and writing that happens entirely or not at all, with no other one between.
///
/// A backend may run it again from the start if it could not commit (never after it was durable), so `run` must
/// reset whatever it keeps in `self`.
pub trait Transaction: Any + Send {
    /// Checks preconditions, writes, and decides. It runs on the one committing thread: no waiting, no long loops.
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, Error>;
}

/// The store as a transaction sees it: everything before it, and its own writes.
pub trait View {
    /// The value of one key.
    fn get(&mut self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// Up to `limit` keys and values of a range in order; for short ranges only.
    fn range(&mut self, space: Space, range: &KeyRange, limit: usize) -> Result<Vec<(Bytes, Bytes)>, Error>;

    /// Sets a key.
    fn put(&mut self, space: Space, key: Vec<u8>, value: Bytes);

    /// Removes a key; removing an absent one is no error.
    fn remove(&mut self, space: Space, key: Vec<u8>);
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Keep its writes.
    Commit,
    /// Drop its writes.
    Abort,
}

/// Figures of a store, for metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Bytes on disk, or in memory for a store without one.
    pub size_bytes: u64,
    /// Bytes of decompressed blocks held in the cache, and its capacity.
    pub cache_bytes: u64,
    /// Capacity of that cache.
    pub cache_capacity_bytes: u64,
    /// Transactions committed since the store was opened.
    pub commits: u64,
    /// Groups these were written in: each was one batch and one fsync.
    pub commit_groups: u64,
}

/// [`Store::commit`] for a transaction of a known type.
pub async fn transact<T: Transaction>(store: &dyn Store, transaction: T) -> Result<T, Error> {
    let done: Box<dyn Any> = store.commit(Box::new(transaction)).await?;
    Ok(*done.downcast::<T>().expect("a store hands back the transaction it was given"))
}

/// [`Snapshot::scan`] for a visitor of a known type.
pub async fn scan<V: Visitor>(snapshot: &dyn Snapshot, scan: Scan, visitor: V) -> Result<V, Error> {
    let done: Box<dyn Any> = snapshot.scan(scan, Box::new(visitor)).await?;
    Ok(*done.downcast::<V>().expect("a scan hands back the visitor it was given"))
}
