//! Running look-ups: postings of a part of the places, the items that they name, and these items in the order of their keys.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orrery_store::{KeyRange, PREFIX_LEN, Snapshot};
use tokio::sync::OnceCell;

use super::cost;
use super::estimate::Weighed;
use super::seek::{Condition, Seek};
use crate::Error;
use crate::index::{IndexView, Located, Posting, Window, intersect};
use crate::query::collect::feed::Collector;
use crate::query::collect::memory::{Held, QueryMemory};
use crate::query::scope::access::{POINTS_AT_ONCE, look_up};
use crate::query::scope::item_walk::ItemWalk;

/// Postings that are held at once for each part of a scope: some 16 MB. More are read window by window.
const MAX_POSTINGS: usize = 1 << 20;

/// Hits from which on the postings of single values are read window by window, so that a page of them reads no more than it needs.
const LAZY_HITS: f64 = 2_048.0;

/// Values that are looked up in each window at the most; more are looked up once for all.
const MAX_LAZY_VALUES: usize = 8;

/// Hits that one window is expected to have.
const HITS_PER_WINDOW: f64 = 1_024.0;

/// Windows that a scope is cut into at the most.
const MAX_WINDOWS: u64 = 4_096;

/// Postings whose items are found at first; then twice as many each time.
const FIRST_RESOLVED: usize = 32;

/// Postings whose items are found at once at the most, unless more are in one place.
const MAX_RESOLVED: usize = 1_024;

/// What is looked up for a query.
pub(in super::super) struct Search {
    view: IndexView,
    condition: Condition,
    /// The places of the whole scope.
    window: Window,
    /// Expected in it.
    hits: f64,
    /// The index finds no item that does not pass.
    pub is_exact: bool,
    memory: Arc<QueryMemory>,
    /// All postings of the scope, if they are read in one piece; none if they are too many for that.
    whole: OnceCell<Option<(Arc<[Posting]>, Held)>>,
    postings: AtomicU64,
    located: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The items in a range of keys that a search finds.
#[derive(Clone, Debug)]
pub(in super::super) struct IndexSpan {
    search: Arc<Search>,
    pub range: KeyRange,
}

impl PartialEq for IndexSpan {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.search, &other.search) && self.range == other.range
    }
}

impl Eq for IndexSpan {}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("condition", &self.condition).field("hits", &self.hits).finish_non_exhaustive()
    }
}

impl Search {
    /// A search that began to be made at `started`.
    pub(super) fn new(
        view: IndexView,
        weighed: Weighed,
        window: Window,
        is_exact: bool,
        memory: Arc<QueryMemory>,
        started: Instant,
    ) -> Self {
        let Weighed { condition, hits, found, .. } = weighed;
        let (located, nanoseconds) = Default::default();
        let postings = AtomicU64::new(found.as_ref().map_or(0, |found| found.len() as u64));
        let held = Held::new(memory.clone());
        let whole = found.map_or_else(OnceCell::new, |found| OnceCell::new_with(Some(Some((found, held)))));
        let search = Search { view, condition, window, hits, is_exact, memory, whole, postings, located, nanoseconds };
        search.spend(started);
        search
    }

    /// What is looked up.
    pub(super) fn condition(&self) -> &Condition {
        &self.condition
    }

    /// As many scanned items cost what reading the whole scope through the index costs.
    pub fn weight_items(&self) -> u64 {
        (self.hits * cost::HIT / cost::SCANNED_ITEM) as u64
    }

    /// Postings that were read, the items that they named, and the time that both took, so far.
    pub fn spent(&self) -> (u64, u64, Duration) {
        let nanoseconds = self.nanoseconds.load(Ordering::Relaxed);
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (count(&self.postings), count(&self.located), Duration::from_nanos(nanoseconds))
    }

    fn spend(&self, started: Instant) {
        let nanoseconds = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The postings in a window, ascending; none if they are more than `limit`.
    async fn find(&self, window: Window, limit: usize) -> Result<Option<Vec<Posting>>, Error> {
        let started = Instant::now();
        let found = find(&self.view, &self.condition, window, limit).await?;
        self.spend(started);
        self.postings.fetch_add(found.as_ref().map_or(0, Vec::len) as u64, Ordering::Relaxed);
        Ok(found)
    }

    /// All postings of the scope, read once; none if they are too many to be held.
    async fn whole(&self) -> Result<Option<&[Posting]>, Error> {
        let whole = self.whole.get_or_try_init(async || {
            let Some(postings) = self.find(self.window, MAX_POSTINGS).await? else { return Ok::<_, Error>(None) };
            let mut held = Held::new(self.memory.clone());
            held.hold(size_of_val(&postings[..]))?;
            Ok(Some((postings.into(), held)))
        });
        Ok(whole.await?.as_ref().map(|(postings, _)| &postings[..]))
    }

    async fn resolve(&self, postings: &[Posting], range: &KeyRange) -> Result<Vec<Located>, Error> {
        let started = Instant::now();
        let located = self.view.resolve(postings, range).await?;
        self.spend(started);
        self.located.fetch_add(located.len() as u64, Ordering::Relaxed);
        Ok(located)
    }

    /// Whether a part of the postings can be read without the others.
    fn is_lazy(&self) -> bool {
        self.hits > LAZY_HITS && values_of(&self.condition).is_some_and(|values| values <= MAX_LAZY_VALUES)
    }
}

/// How many single values are looked up; none if there are ranges of values among them.
fn values_of(condition: &Condition) -> Option<usize> {
    match condition {
        Condition::Seek(seek) => seek.is_equality().then_some(seek.ranges.len()),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(values_of).sum(),
    }
}

impl IndexSpan {
    pub fn new(search: Arc<Search>, range: KeyRange) -> Self {
        IndexSpan { search, range }
    }

    /// The same search in another range.
    pub fn with_range(&self, range: KeyRange) -> IndexSpan {
        IndexSpan { search: self.search.clone(), range }
    }

    pub fn search(&self) -> &Search {
        &self.search
    }

    /// Brings the walk to each living item in order, until its collector wants no more.
    pub async fn run<C: Collector>(self, snapshot: &dyn Snapshot, mut walk: ItemWalk<C>) -> Result<ItemWalk<C>, Error> {
        let mut hits = Hits::new(&self);
        let mut wanted = FIRST_RESOLVED;
        while let Some(postings) = hits.next(wanted).await? {
            let located = self.search.resolve(&postings, &self.range).await?;
            let mut keys = located.into_iter().map(|located| located.item_key).peekable();
            while keys.peek().is_some() {
                walk = look_up(snapshot, keys.by_ref().take(POINTS_AT_ONCE).collect(), walk).await?;
                if walk.stopped {
                    return Ok(walk);
                }
            }
            wanted = (2 * wanted).min(MAX_RESOLVED);
        }
        Ok(walk)
    }

    /// How many living versions there are.
    pub async fn count(&self) -> Result<u64, Error> {
        let mut hits = Hits::new(self);
        let mut count = 0;
        while let Some(postings) = hits.next(MAX_RESOLVED).await? {
            count += self.search.resolve(&postings, &self.range).await?.len() as u64;
        }
        Ok(count)
    }
}

/// The postings of a span, piece by piece.
struct Hits<'s> {
    search: &'s Search,
    /// Windows that are still to be read, the next one in front.
    windows: VecDeque<Window>,
    ready: VecDeque<Posting>,
    held: Held,
}

impl<'s> Hits<'s> {
    fn new(span: &'s IndexSpan) -> Self {
        let search = &*span.search;
        let windows = match window_of(&search.view, &span.range) {
            Some(window) if search.is_lazy() => pieces(window, search),
            window => window.into_iter().collect(),
        };
        Hits { search, windows, ready: VecDeque::new(), held: Held::new(search.memory.clone()) }
    }

    /// About so many postings, and all of the last one's place: items of one place are in the order of their keys, which only the
    /// items know.
    async fn next(&mut self, wanted: usize) -> Result<Option<Vec<Posting>>, Error> {
        while self.ready.is_empty() {
            let Some(window) = self.windows.pop_front() else { return Ok(None) };
            self.read(window).await?;
        }
        let last = self.ready[wanted.min(self.ready.len()) - 1].place;
        let count = self.ready.partition_point(|posting| posting.place <= last);
        Ok(Some(self.ready.drain(..count).collect()))
    }

    async fn read(&mut self, window: Window) -> Result<(), Error> {
        if !self.search.is_lazy()
            && let Some(whole) = self.search.whole().await?
        {
            let from = whole.partition_point(|posting| posting.place < window.first);
            let to = whole.partition_point(|posting| posting.place <= window.last);
            self.ready = whole[from..to].iter().copied().collect();
            return self.held.hold(self.ready.len() * size_of::<Posting>());
        }
        let is_one_place = window.first >= window.last;
        let limit = if is_one_place { usize::MAX } else { MAX_POSTINGS };
        match self.search.find(window, limit).await? {
            Some(postings) => {
                self.ready = postings.into();
                self.held.hold(self.ready.len() * size_of::<Posting>())
            }
            None => {
                let middle = window.first + (window.last - window.first) / 2;
                self.windows.push_front(Window { first: middle + 1, ..window });
                self.windows.push_front(Window { last: middle, ..window });
                Ok(())
            }
        }
    }
}

/// Cuts a window so that each part has about as many hits as are worth reading at once.
fn pieces(window: Window, search: &Search) -> VecDeque<Window> {
    let width = |window: Window| u64::from(window.last.saturating_sub(window.first)) + 1;
    let hits = search.hits * width(window) as f64 / width(search.window) as f64;
    let count = ((hits / HITS_PER_WINDOW) as u64).clamp(1, MAX_WINDOWS).min(width(window));
    let bound = |number: u64| u64::from(window.first) + width(window) * number / count;
    let place = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
    (0..count).map(|number| Window { first: place(bound(number)), last: place(bound(number + 1) - 1) }).collect()
}

/// The places of a range of keys; none if it is empty.
pub(super) fn window_of(view: &IndexView, range: &KeyRange) -> Option<Window> {
    if range.is_empty() {
        return None;
    }
    let container = range.start.get(..PREFIX_LEN)?;
    let first = view.place(&range.start[PREFIX_LEN..]);
    let last = match &range.end {
        Some(end) if end.starts_with(container) => view.place(&end[PREFIX_LEN..]),
        _ => u32::MAX,
    };
    Some(Window { first, last })
}

type Finding<'a> = Pin<Box<dyn Future<Output = Result<Option<Vec<Posting>>, Error>> + Send + 'a>>;

/// The postings that agree with a condition. Recurses once per level of it.
fn find<'a>(view: &'a IndexView, condition: &'a Condition, window: Window, limit: usize) -> Finding<'a> {
    Box::pin(async move {
        match condition {
            Condition::Seek(seek) => find_seek(view, seek, window, limit).await,
            Condition::Any(parts) => {
                let mut lists = Vec::with_capacity(parts.len());
                for part in parts {
                    let Some(found) = find(view, part, window, limit).await? else { return Ok(None) };
                    lists.push(found);
                }
                Ok(joined(lists, limit))
            }
            Condition::All(parts) => {
                let mut common: Option<Vec<Posting>> = None;
                for part in parts {
                    if common.as_ref().is_some_and(Vec::is_empty) {
                        break;
                    }
                    let Some(found) = find(view, part, window, limit).await? else { return Ok(None) };
                    common = Some(common.map_or_else(|| found.clone(), |common| intersect(&common, &found)));
                }
                Ok(Some(common.unwrap_or_default()))
            }
        }
    })
}

async fn find_seek(view: &IndexView, seek: &Seek, window: Window, limit: usize) -> Result<Option<Vec<Posting>>, Error> {
    let mut lists = Vec::with_capacity(seek.ranges.len());
    for range in &seek.ranges {
        let Some(found) = view.hits(&seek.key, range, window, limit).await? else { return Ok(None) };
        lists.push(found);
    }
    Ok(joined(lists, limit))
}

/// The union of ascending lists; none if it is larger than `limit`.
fn joined(mut lists: Vec<Vec<Posting>>, limit: usize) -> Option<Vec<Posting>> {
    if lists.len() == 1 {
        return lists.pop();
    }
    let mut all = lists.concat();
    // Sorted runs are merged in one pass.
    all.sort();
    all.dedup();
    (all.len() <= limit).then_some(all)
}
