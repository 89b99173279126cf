//! Versions in the order of their values.

use std::collections::{BTreeMap, VecDeque};

use orrery_value::Value;

use super::chunk::PATH_LEN;
use super::dictionary::PathKey;
use super::merge::Merge;
use super::posting::{Posting, Window};
use super::range::{ABOVE, ValueRange};
use super::value::{composite_class, encode, invert, is_decided, order_class};
use super::view::{CollectGroups, IndexView};
use crate::Error;

/// Rows read from disk at first, and values taken from memory; then twice as many each time.
const FIRST_ROWS: usize = 32;

/// Rows read at once at the most: with all their postings some megabytes.
const MAX_ROWS: usize = 512;

/// Which way to go through the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the least value up. Of a composite index: in the order in which it is defined.
    Forward,
    /// From the greatest value down. Of a composite index: all its orders turned around.
    Backward,
}

/// A stream of versions in the order of their values; see [`IndexView::ordered`].
pub struct Ordered {
    view: IndexView,
    key: PathKey,
    direction: Direction,
    window: Window,
    /// What is left, in encoded values: from `low` on and below `high`.
    low: Vec<u8>,
    high: Vec<u8>,
    rows: usize,
    ready: VecDeque<OrderedGroup>,
    /// A value that too many versions have, read window by window.
    large: Option<(Vec<u8>, VecDeque<Window>)>,
}

/// Versions with the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedGroup {
    /// The encoded value; [`decode`](super::decode) reads it back if the index holds all of it. To go on with this value later, begin
    /// there: [`ValueRange`] and [`Ordered::begin_at`].
    pub value: Vec<u8>,
    /// The length of the part of `value` up to which the order is decided. Groups whose values begin with the same such part follow one
    /// another in no particular order: the caller sorts their items, and looks at the items' values.
    pub class_len: usize,
    /// All items of the group are equal at the path, or paths; if not, the caller sorts them too.
    pub is_decided: bool,
    /// The versions, in the order of their items' places.
    pub postings: Vec<Posting>,
    /// More versions with this value follow, with larger places.
    pub goes_on: bool,
}

impl OrderedGroup {
    /// The part of the value up to which the order is decided.
    pub fn class(&self) -> &[u8] {
        &self.value[..self.class_len]
    }
}

impl Ordered {
    pub(super) fn new(
        view: IndexView,
        key: &PathKey,
        direction: Direction,
        range: &ValueRange,
        window: Window,
    ) -> Self {
        let (low, high) = (range.low.clone(), range.high.clone());
        let (ready, large) = (VecDeque::new(), None);
        Ordered { view, key: key.clone(), direction, window, low, high, rows: FIRST_ROWS, ready, large }
    }

    /// Leaves out what comes before an encoded value, such as that of the group with which a page ended. Call it before anything is
    /// read.
    pub fn begin_at(mut self, value: &[u8]) -> Self {
        match self.direction {
            Direction::Forward => self.low = self.low.max(value.to_vec()),
            Direction::Backward => self.high = self.high.min([value, &ABOVE].concat()),
        }
        self
    }

    /// Leaves out an encoded value and what comes before it in forward direction.
    pub fn begin_behind(self, value: &[u8]) -> Self {
        debug_assert_eq!(self.direction, Direction::Forward);
        self.begin_at(&[value, &ABOVE].concat())
    }

    /// The places that it looks at.
    pub fn window(&self) -> Window {
        self.window
    }

    /// [`begin_at`](Self::begin_at) the first of the values that the index cannot tell from these, one for each path.
    pub fn begin_at_values(self, values: &[Value]) -> Self {
        let mut encoded = Vec::new();
        let class_len = match &self.key {
            PathKey::Single(_) => {
                values.iter().take(1).for_each(|value| encode(value, &mut encoded));
                order_class(&encoded).len()
            }
            PathKey::Composite(composite) => {
                for (value, (_, descends)) in values.iter().zip(&composite.paths) {
                    let start = encoded.len();
                    encode(value, &mut encoded);
                    if *descends {
                        invert(&mut encoded[start..]);
                    }
                }
                composite_class(&encoded, &composite.descending()).0
            }
        };
        self.begin_at(&encoded[..class_len])
    }

    /// The next group, `None` at the end. Its versions are not all alive; there may be none in it at all.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn next(&mut self) -> Result<Option<OrderedGroup>, Error> {
        loop {
            if let Some(group) = self.ready.pop_front() {
                return Ok(Some(group));
            }
            if let Some((value, windows)) = &mut self.large {
                let Some(window) = windows.pop_front() else {
                    self.large = None;
                    continue;
                };
                let (value, goes_on) = (value.clone(), !windows.is_empty());
                return self.piece(value, window, goes_on).await.map(Some);
            }
            if self.low >= self.high {
                return Ok(None);
            }
            self.read_on().await?;
        }
    }

    /// Some of the versions with one value.
    async fn piece(&self, value: Vec<u8>, window: Window, goes_on: bool) -> Result<OrderedGroup, Error> {
        let range = ValueRange::of_value(value.clone());
        let postings = self.view.hits(&self.key, &range, window, usize::MAX).await?.unwrap_or_default();
        Ok(self.group(value, postings, goes_on))
    }

    fn group(&self, value: Vec<u8>, postings: Vec<Posting>, goes_on: bool) -> OrderedGroup {
        let (class_len, is_decided) = match &self.key {
            PathKey::Single(_) => (order_class(&value).len(), is_decided(&value)),
            PathKey::Composite(composite) => composite_class(&value, &composite.descending()),
        };
        OrderedGroup { value, class_len, is_decided, postings, goes_on }
    }

    /// Reads the next values from disk and from memory.
    async fn read_on(&mut self) -> Result<(), Error> {
        let backward = self.direction == Direction::Backward;
        let range = ValueRange::of_bytes(self.low.clone(), self.high.clone());
        let mut groups: BTreeMap<Vec<u8>, Vec<Posting>> = BTreeMap::new();
        // Where the last value begins that was not read whole.
        let mut stop: Option<Vec<u8>> = None;
        if let Some(rows) = self.view.rows(&self.key, &range, Window::ALL) {
            let collect = CollectGroups { window: self.window, max_rows: self.rows, rows: 0, groups: Vec::new() };
            let mut read = self.view.scan(rows, backward, collect).await?;
            if read.rows >= read.max_rows {
                stop = read.groups.pop().map(|(value, _)| value);
                if read.groups.is_empty()
                    && let Some(value) = stop.take()
                {
                    return self.begin_large(value, &range);
                }
            }
            groups.extend(read.groups);
        }
        stop = self.take_from_memory(&range, stop, &mut groups);
        self.leave_behind(stop);
        self.rows = (self.rows * 2).min(MAX_ROWS);
        let groups = groups.into_iter().map(|(value, mut postings)| {
            postings.sort_unstable();
            postings.dedup();
            self.group(value, postings, false)
        });
        let groups: VecDeque<_> = groups.collect();
        self.ready = if backward { groups.into_iter().rev().collect() } else { groups };
        Ok(())
    }

    /// Adds values from memory that come before `stop`, which may turn out to be nearer, and returns it.
    fn take_from_memory(
        &self,
        range: &ValueRange,
        stop: Option<Vec<u8>>,
        groups: &mut BTreeMap<Vec<u8>, Vec<Posting>>,
    ) -> Option<Vec<u8>> {
        let parts = self.view.parts(&self.key, range);
        let (mut merge, backward) = match self.direction {
            Direction::Forward => (Merge::forward(parts), false),
            Direction::Backward => (Merge::backward(parts), true),
        };
        let mut taken = 0;
        while let Some((key, postings)) = merge.next() {
            let value = &key[PATH_LEN..];
            let is_behind = |stop: &Vec<u8>| if backward { value <= &stop[..] } else { value >= &stop[..] };
            if stop.as_ref().is_some_and(is_behind) {
                return stop;
            }
            if taken == self.rows {
                // What was read from disk beyond this comes again.
                let value = value.to_vec();
                groups.retain(|other, _| if backward { *other > value } else { *other < value });
                return Some(value);
            }
            taken += 1;
            let postings = postings.iter().map(Posting::unpack).filter(|posting| self.window.contains(posting.place));
            groups.entry(value.to_vec()).or_default().extend(postings);
        }
        stop
    }

    /// Goes on with a value that was not read whole, or ends.
    fn leave_behind(&mut self, stop: Option<Vec<u8>>) {
        match (stop, self.direction) {
            (Some(value), Direction::Forward) => self.low = value,
            (Some(value), Direction::Backward) => self.high = [&value[..], &ABOVE].concat(),
            (None, _) => self.low = self.high.clone(),
        }
    }

    /// A value with very many versions comes next, unless there are others before it in memory.
    fn begin_large(&mut self, value: Vec<u8>, range: &ValueRange) -> Result<(), Error> {
        let mut groups = BTreeMap::new();
        let stop = self.take_from_memory(range, Some(value.clone()), &mut groups);
        let is_next = stop.as_ref() == Some(&value);
        let backward = self.direction == Direction::Backward;
        let mut ready: VecDeque<OrderedGroup> = groups
            .into_iter()
            .map(|(value, mut postings)| {
                postings.sort_unstable();
                self.group(value, postings, false)
            })
            .collect();
        if backward {
            ready = ready.into_iter().rev().collect();
        }
        self.ready = ready;
        if !is_next {
            self.leave_behind(stop);
            return Ok(());
        }
        match self.direction {
            Direction::Forward => self.low = [&value[..], &ABOVE].concat(),
            Direction::Backward => self.high = value.clone(),
        }
        self.large = Some((value, self.window.sixteenths().collect()));
        Ok(())
    }
}
