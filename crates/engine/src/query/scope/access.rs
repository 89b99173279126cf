//! Which items a query reads: a source of items in the order of their keys.
//!
//! Operators ask no more of it than that order, and apply the whole filter to what comes. A way to find items through an index
//! is one more kind of [`Span`], or a list of points.

use std::sync::Arc;

use orrery_store::{KeyRange, PREFIX_LEN, Scan, Snapshot, Space, Visitor, scan};

use super::item_walk::ItemWalk;
use crate::Error;
use crate::item::key;
use crate::query::collect::feed::Collector;
use crate::query::index_access::{IndexSpan, Search};

/// Points that are looked up at once.
pub(in crate::query) const POINTS_AT_ONCE: usize = 16;

/// Items by their keys, in parts that do not overlap, in ascending order. Without any part, no items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::query) struct Access {
    pub spans: Vec<Span>,
}

/// A part of an [`Access`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::query) enum Span {
    /// The item with this key.
    Point(Vec<u8>),
    /// The items with keys in a range.
    Range(KeyRange),
    /// Those of them that the index finds.
    Index(IndexSpan),
}

impl Span {
    /// The first key that can be in it.
    pub fn start(&self) -> &[u8] {
        match self {
            Span::Point(key) => key,
            Span::Range(range) => &range.start,
            Span::Index(found) => &found.range.start,
        }
    }

    /// The keys that it lies in, unless it is a single one.
    pub fn range(&self) -> Option<&KeyRange> {
        match self {
            Span::Point(_) => None,
            Span::Range(range) => Some(range),
            Span::Index(found) => Some(&found.range),
        }
    }

    /// The same kind of span with other keys.
    fn with_range(&self, range: KeyRange) -> Span {
        match self {
            Span::Index(found) => Span::Index(found.with_range(range)),
            Span::Point(_) | Span::Range(_) => Span::Range(range),
        }
    }

    /// What is left of it from a key on.
    fn from(self, first: &[u8]) -> Option<Span> {
        match self.range() {
            None => (self.start() >= first).then_some(self),
            Some(range) if range.start.as_slice() >= first => Some(self),
            Some(range) => {
                let range = KeyRange { start: first.to_vec(), end: range.end.clone() };
                (!range.is_empty()).then(|| self.with_range(range))
            }
        }
    }

    /// Parts it at a key: what is before it, and what is not.
    fn split(self, at: &[u8]) -> (Option<Span>, Option<Span>) {
        match self.range() {
            _ if self.start() >= at => (None, Some(self)),
            None => (Some(self), None),
            Some(range) if range.end.as_deref().is_some_and(|end| end <= at) => (Some(self), None),
            Some(range) => {
                let before = KeyRange { start: range.start.clone(), end: Some(at.to_vec()) };
                let after = KeyRange { start: at.to_vec(), end: range.end.clone() };
                (Some(self.with_range(before)), Some(self.with_range(after)))
            }
        }
    }
}

impl Access {
    /// Only what comes after the item at `rest`, a key without its container's number.
    pub fn after(self, container: u32, rest: &[u8]) -> Access {
        let mut first = key::join(container, rest);
        // The least key after it.
        first.push(0);
        self.from(&first)
    }

    /// Only the item at `rest` and what comes after it.
    pub fn at_or_after(self, container: u32, rest: &[u8]) -> Access {
        let first = key::join(container, rest);
        self.from(&first)
    }

    fn from(self, first: &[u8]) -> Access {
        Access { spans: self.spans.into_iter().filter_map(|span| span.from(first)).collect() }
    }

    /// Parts it at keys in ascending order. Parts without anything in them are left out.
    pub fn split(self, at: &[Vec<u8>]) -> Vec<Access> {
        let mut parts = Vec::with_capacity(at.len() + 1);
        let mut rest = self.spans;
        for key in at {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for span in rest {
                let (left, right) = span.split(key);
                before.extend(left);
                after.extend(right);
            }
            parts.push(Access { spans: before });
            rest = after;
        }
        parts.push(Access { spans: rest });
        parts.retain(|part| !part.spans.is_empty());
        parts
    }

    /// Only those of its items that a search finds. Single items stay as they are.
    pub fn through(self, search: &Arc<Search>) -> Access {
        let spans = self.spans.into_iter().map(|span| match span {
            Span::Range(range) => Span::Index(IndexSpan::new(search.clone(), range)),
            span => span,
        });
        Access { spans: spans.collect() }
    }

    /// The keys that its spans lie in, but for single items, in ascending order.
    pub fn ranges(&self) -> impl Iterator<Item = &KeyRange> {
        self.spans.iter().filter_map(Span::range)
    }

    /// Whether it is one or more ranges, and not single items.
    pub fn has_ranges(&self) -> bool {
        self.ranges().next().is_some()
    }

    /// As many scanned items cost what reading it through an index costs, if it is read so.
    pub fn index_weight_items(&self) -> Option<u64> {
        self.spans.iter().find_map(|span| match span {
            Span::Index(found) => Some(found.search().weight_items()),
            Span::Point(_) | Span::Range(_) => None,
        })
    }

    /// Brings the walk to each living item in order, until its collector wants no more.
    pub async fn run<C: Collector>(self, snapshot: &dyn Snapshot, mut walk: ItemWalk<C>) -> Result<ItemWalk<C>, Error> {
        let mut points = Vec::new();
        for span in self.spans {
            match span {
                Span::Point(key) => {
                    debug_assert!(key.len() > PREFIX_LEN);
                    points.push(key);
                    if points.len() == POINTS_AT_ONCE {
                        walk = look_up(snapshot, std::mem::take(&mut points), walk).await?;
                    }
                }
                Span::Range(range) => {
                    walk = look_up(snapshot, std::mem::take(&mut points), walk).await?;
                    if !walk.stopped && !range.is_empty() {
                        let request = Scan { space: Space::Items, range, reverse: false };
                        walk = scan(snapshot, request, walk).await?.checked()?;
                    }
                }
                Span::Index(found) => {
                    walk = look_up(snapshot, std::mem::take(&mut points), walk).await?;
                    if !walk.stopped {
                        walk = found.run(snapshot, walk).await?;
                    }
                }
            }
            if walk.stopped {
                return Ok(walk);
            }
        }
        look_up(snapshot, points, walk).await
    }
}

/// Brings the walk to the items with these keys.
pub(in crate::query) async fn look_up<C: Collector>(
    snapshot: &dyn Snapshot,
    keys: Vec<Vec<u8>>,
    mut walk: ItemWalk<C>,
) -> Result<ItemWalk<C>, Error> {
    if keys.is_empty() || walk.stopped {
        return Ok(walk);
    }
    let found = snapshot.multi_get(Space::Items, keys.clone()).await?;
    for (key, value) in keys.iter().zip(found) {
        if let Some(value) = value
            && !walk.stopped
        {
            walk.visit(key, &value);
        }
    }
    walk.checked()
}
