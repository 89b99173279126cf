//! The index as of a snapshot: what the planner of queries asks.
//!
//! All answers are those of the snapshot that the view was opened with. They name *versions* ([`Posting`]); some of these may be dead
//! by the time of the snapshot, which [`IndexView::resolve`] finds out on the way to the items' keys. An item whose time to live is over
//! is still there: the caller looks at the item.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Snapshot, Space, Visit, Visitor, scan};

use super::chunk::Chunk;
use super::dictionary::{PathId, PathKey, PathStats};
use super::extract::head_of;
use super::generation::Generation;
use super::ordered::{Direction, Ordered};
use super::policy::Composite;
use super::posting::{Posting, Window, place_of};
use super::range::ValueRange;
use super::run::{row_postings, row_value, rows_of_value, rows_range};
use crate::Error;
use crate::item::key;

/// Blocks on disk that an estimate looks at; what is behind these is extrapolated. So few are read without changing threads.
const ESTIMATE_ROWS: usize = 60;

/// Postings in memory that an estimate looks at one by one.
const ESTIMATE_POSTINGS: usize = 4096;

/// Feed records that are looked up at a time.
const RESOLVE_BATCH: usize = 1024;

/// The index of a container as of a snapshot. Cloning it is cheap.
#[derive(Clone)]
pub struct IndexView {
    snapshot: Arc<dyn Snapshot>,
    index: Option<Index>,
}

#[derive(Clone)]
struct Index {
    generation: Arc<Generation>,
    stats: Arc<PathStats>,
    moment: Moment,
    /// What is not on disk; none if too much is in neither.
    chunks: Option<Arc<[Arc<Chunk>]>>,
}

/// What a snapshot says of a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The index on disk goes up to this number.
    pub mark: u64,
    /// The newest number.
    pub head: u64,
    /// Living items.
    pub items: u64,
}

/// Whether a view can answer for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// It can, and it knows of every item.
    Ready,
    /// The indexing policy leaves the path out, or it is too deep.
    NotIndexed,
    /// The path is among those that had no room any more, or may be: only a scan finds all.
    Incomplete,
    /// The index is not made yet.
    Building,
}

/// How many versions have values in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Postings, those of dead versions included.
    pub postings: u64,
    /// It was counted, not extrapolated.
    pub is_exact: bool,
}

/// A version that lives in the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// The item's key in the store, its container's number included.
    pub item_key: Vec<u8>,
    /// The version.
    pub number: u64,
}

impl IndexView {
    pub(super) fn new(
        snapshot: Arc<dyn Snapshot>,
        generation: Arc<Generation>,
        moment: Moment,
        chunks: Option<Vec<Arc<Chunk>>>,
    ) -> Self {
        // Later than the chunks, so that it knows the path of every term in them.
        let stats = generation.stats();
        let chunks = chunks.map(Into::into);
        IndexView { snapshot, index: Some(Index { generation, stats, moment, chunks }) }
    }

    pub(super) fn without_index(snapshot: Arc<dyn Snapshot>) -> Self {
        IndexView { snapshot, index: None }
    }

    /// The snapshot that all answers are about; items are read from it too.
    pub fn snapshot(&self) -> &Arc<dyn Snapshot> {
        &self.snapshot
    }

    /// Whether the view can answer for a path. Only for [`Coverage::Ready`] do the other methods say anything: for the rest they
    /// find nothing. Ask it first; it costs a few hash look-ups.
    pub fn coverage(&self, key: &PathKey) -> Coverage {
        let Some(index) = &self.index else { return Coverage::NotIndexed };
        let policy = &index.generation.policy;
        let is_covered = match key {
            PathKey::Single(path) => policy.covers(path),
            PathKey::Composite(composite) => policy.composites().contains(composite),
        };
        if !is_covered {
            Coverage::NotIndexed
        } else if index.chunks.is_none() {
            Coverage::Building
        } else if index.stats.is_full && !index.stats.ids.contains_key(key) {
            Coverage::Incomplete
        } else {
            Coverage::Ready
        }
    }

    /// The composite indexes of the policy that the index was made under.
    pub fn composites(&self) -> &[Composite] {
        self.index.as_ref().map_or(&[], |index| index.generation.policy.composites())
    }

    /// Living items in the container, those included whose time to live is over.
    pub fn item_count(&self) -> u64 {
        self.index.as_ref().map_or(0, |index| index.moment.items)
    }

    /// The window of the keys from `min` on and below `max`: effective partition keys, or beginnings of such.
    pub fn window(&self, min: &[u8], max: &[u8]) -> Window {
        match &self.index {
            Some(index) => Window::of_epks(index.generation.kind(), min, max),
            None => Window::ALL,
        }
    }

    /// The place of an item by its key without the container's number: postings of smaller places come before the item, those of
    /// larger ones after it. To go on behind an item, begin with its place and leave out what is not behind its key.
    pub fn place(&self, rest_of_key: &[u8]) -> u32 {
        self.index.as_ref().map_or(0, |index| place_of(index.generation.kind(), rest_of_key))
    }

    /// Whether every item has a value at the path. If not, some may lack it: certainly known is only the former. Then ORDER BY needs
    /// no look at items without a value, and IS_DEFINED is true.
    pub fn is_always_defined(&self, key: &PathKey) -> bool {
        match (key, &self.index) {
            (PathKey::Composite(_), _) => self.coverage(key) == Coverage::Ready,
            (PathKey::Single(path), Some(index)) if !path.has_elements() && self.coverage(key) == Coverage::Ready => {
                index.moment.items == 0 || self.terms(key) == index.stats.versions
            }
            (PathKey::Single(_), _) => false,
        }
    }

    /// The versions with a value in the range and a place in the window, ascending, each once; `None` if they are more than `limit`.
    ///
    /// Cost: one seek, then about 100 µs for 6,000 postings of one value; a range of many values reads a block for each. A window
    /// narrows the reading for [`ValueRange::equal`] alone, for other ranges it only narrows the answer.
    ///
    /// An answer that is too large for one piece is read window by window ([`Window::sixteenths`]).
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn hits(
        &self,
        key: &PathKey,
        range: &ValueRange,
        window: Window,
        limit: usize,
    ) -> Result<Option<Vec<Posting>>, Error> {
        let Some((index, path)) = self.find(key) else { return Ok(Some(Vec::new())) };
        let mut found = Vec::new();
        for chunk in index.chunks() {
            let groups = chunk.find(path, range);
            if window == Window::ALL && chunk.count(groups.clone()) > limit {
                return Ok(None);
            }
            for group in groups {
                let postings = chunk.postings(group).iter().map(Posting::unpack);
                found.extend(postings.filter(|posting| window.contains(posting.place)));
            }
        }
        if let Some(rows) = index.rows(path, range, window) {
            let hits = CollectHits { window, limit, found };
            found = self.scan(rows, false, hits).await?.found;
        }
        if found.len() > limit {
            return Ok(None);
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    /// About how many versions [`hits`](Self::hits) would find, at the cost of a short scan (under 100 µs).
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn estimate(&self, key: &PathKey, range: &ValueRange, window: Window) -> Result<Estimate, Error> {
        let Some((index, path)) = self.find(key) else { return Ok(Estimate { postings: 0, is_exact: true }) };
        let mut estimate = Estimate { postings: 0, is_exact: true };
        for chunk in index.chunks() {
            estimate.add(estimate_chunk(chunk, path, range, window));
        }
        let Some(rows) = index.rows(path, range, window) else { return Ok(estimate) };
        let (low, high) = (rows.start.clone(), rows.end.clone().unwrap_or_default());
        let count = self.scan(rows, false, CountHits { window, rows: 0, found: 0, stopped_at: None }).await?;
        let Some(stopped_at) = count.stopped_at else {
            estimate.postings += count.found;
            return Ok(estimate);
        };
        let share = share_of_range(&low, &stopped_at, &high);
        let extrapolated = (count.found as f64 / share) as u64;
        estimate.add(Estimate {
            postings: extrapolated.clamp(count.found, self.terms(key).max(count.found)),
            is_exact: false,
        });
        Ok(estimate)
    }

    /// The versions in the order of their values: for ORDER BY, TOP, MIN and MAX. Begins with the values of `range` and leaves out
    /// places outside of the window.
    ///
    /// Items without a value at the path are not among them, unless the key is a composite one: see
    /// [`is_always_defined`](Self::is_always_defined). Items with several values there, which only paths through arrays have, occur
    /// several times.
    pub fn ordered(&self, key: &PathKey, direction: Direction, range: &ValueRange, window: Window) -> Ordered {
        Ordered::new(self.clone(), key, direction, range, window)
    }

    /// The living ones among some versions, in the order of their items' keys, with which a scan would come upon them. Keys outside
    /// of `within` are left out, as postings know only the beginnings of keys.
    ///
    /// The order is that of all items as long as each call has all the postings of a place: cut lists between places.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn resolve(&self, postings: &[Posting], within: &KeyRange) -> Result<Vec<Located>, Error> {
        let Some(index) = &self.index else { return Ok(Vec::new()) };
        let container = index.generation.container;
        let mut located = Vec::with_capacity(postings.len());
        for batch in postings.chunks(RESOLVE_BATCH) {
            let keys = batch.iter().map(|posting| key::feed(container, posting.number)).collect();
            let records = self.snapshot.multi_get(Space::Feed, keys).await?;
            for (posting, record) in batch.iter().zip(records) {
                let Some(rest) = record.as_ref().and_then(|record| record.get(key::FEED_TS_LEN..)) else { continue };
                let item_key = key::join(container, rest);
                if item_key >= within.start && within.end.as_ref().is_none_or(|end| item_key < *end) {
                    located.push(Located { item_key, number: posting.number });
                }
            }
        }
        located.sort_unstable();
        Ok(located)
    }

    /// Chunks with their groups of a path in a range.
    pub(super) fn parts(
        &self,
        key: &PathKey,
        range: &ValueRange,
    ) -> impl Iterator<Item = (Arc<Chunk>, std::ops::Range<usize>)> {
        let found = self.find(key);
        let parts = found.map(|(index, path)| {
            index.chunks().iter().map(|chunk| (chunk.clone(), chunk.find(path, range))).collect::<Vec<_>>()
        });
        parts.unwrap_or_default().into_iter()
    }

    /// The rows on disk of a path in a range, if there may be any.
    pub(super) fn rows(&self, key: &PathKey, range: &ValueRange, window: Window) -> Option<KeyRange> {
        let (index, path) = self.find(key)?;
        index.rows(path, range, window)
    }

    pub(super) async fn scan<V: Visitor>(&self, range: KeyRange, reverse: bool, visitor: V) -> Result<V, Error> {
        Ok(scan(&*self.snapshot, Scan { space: Space::Index, range, reverse }, visitor).await?)
    }

    /// The index and the number of a path that it has terms of.
    fn find(&self, key: &PathKey) -> Option<(&Index, PathId)> {
        let index = self.index.as_ref()?;
        Some((index, *index.stats.ids.get(key)?))
    }

    fn terms(&self, key: &PathKey) -> u64 {
        let terms = self.find(key).and_then(|(index, path)| index.stats.terms.get(path as usize - 1).copied());
        terms.unwrap_or_default()
    }
}

impl Index {
    fn chunks(&self) -> &[Arc<Chunk>] {
        self.chunks.as_deref().unwrap_or_default()
    }

    fn rows(&self, path: PathId, range: &ValueRange, window: Window) -> Option<KeyRange> {
        let owner = self.generation.owner().filter(|_| self.moment.mark > 0 && self.chunks.is_some())?;
        if range.is_empty() || window.first > window.last {
            return None;
        }
        Some(match range.one() {
            Some(value) => rows_of_value(owner, path, value, window),
            None => rows_range(owner, path, range),
        })
    }
}

impl Estimate {
    fn add(&mut self, other: Estimate) {
        self.postings += other.postings;
        self.is_exact &= other.is_exact;
    }
}

fn estimate_chunk(chunk: &Chunk, path: PathId, range: &ValueRange, window: Window) -> Estimate {
    let groups = chunk.find(path, range);
    let all = chunk.count(groups.clone());
    if window == Window::ALL {
        return Estimate { postings: all as u64, is_exact: true };
    }
    let postings = groups.flat_map(|group| chunk.postings(group)).take(ESTIMATE_POSTINGS);
    let inside = postings.filter(|posting| window.contains(Posting::unpack(posting).place)).count();
    let is_exact = all <= ESTIMATE_POSTINGS;
    let postings = if is_exact { inside } else { inside * (all / ESTIMATE_POSTINGS) };
    Estimate { postings: postings as u64, is_exact }
}

/// Which part of the way from `low` to `high` is done at `at`, going by the first bytes in which the ends differ.
fn share_of_range(low: &[u8], at: &[u8], high: &[u8]) -> f64 {
    let common = low.iter().zip(high).take_while(|(low, high)| low == high).count();
    let position = |key: &[u8]| (head_of(key.get(common..).unwrap_or_default()) >> 64) as f64;
    let (low, at, high) = (position(low), position(at), position(high));
    let share = (at - low) / (high - low);
    if share.is_finite() && share > 0.0 { share.clamp(1e-9, 1.0) } else { 1.0 }
}

struct CollectHits {
    window: Window,
    limit: usize,
    found: Vec<Posting>,
}

impl Visitor for CollectHits {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let postings = row_postings(key, value);
        if self.window == Window::ALL {
            self.found.extend(postings);
        } else {
            self.found.extend(postings.filter(|posting| self.window.contains(posting.place)));
        }
        if self.found.len() > self.limit { Visit::Stop } else { Visit::Continue }
    }
}

struct CountHits {
    window: Window,
    rows: usize,
    found: u64,
    stopped_at: Option<Vec<u8>>,
}

impl Visitor for CountHits {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let inside = row_postings(key, value).filter(|posting| self.window.contains(posting.place));
        self.found += inside.count() as u64;
        self.rows += 1;
        if self.rows < ESTIMATE_ROWS {
            return Visit::Continue;
        }
        self.stopped_at = Some(key.to_vec());
        Visit::Stop
    }
}

/// Collects rows as values with their postings, neighbours of equal value joined.
pub(super) struct CollectGroups {
    pub window: Window,
    pub max_rows: usize,
    pub rows: usize,
    /// In the order of the scan; the postings of each are in no order.
    pub groups: Vec<(Vec<u8>, Vec<Posting>)>,
}

impl Visitor for CollectGroups {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let of = row_value(key);
        if self.groups.last().is_none_or(|(last, _)| last != of) {
            self.groups.push((of.to_vec(), Vec::new()));
        }
        if let Some((_, postings)) = self.groups.last_mut() {
            postings.extend(row_postings(key, value).filter(|posting| self.window.contains(posting.place)));
        }
        self.rows += 1;
        if self.rows >= self.max_rows { Visit::Stop } else { Visit::Continue }
    }
}
