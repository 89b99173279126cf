//! A page of sorted or ranked rows: the places of the rows first, then the items.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use orrery_store::Space;

use super::cursor::{Cursor, Place, Position};
use crate::Error;
use crate::item::{ItemView, MAX_PAGE_BYTES, key, key_range};
use crate::query::collect::derived::Derived;
use crate::query::collect::feed::Feed;
use crate::query::collect::ranking::{self, Ranked, Scored, Scorer, Statistics};
use crate::query::collect::sort::{Entry, MAX_SORT_BYTES, MAX_SORT_ROWS, SortRows};
use crate::query::collect::sort_distinct::SortDistinct;
use crate::query::evaluation::row::{Row, Source};
use crate::query::execute::{Input, Output, Run};
use crate::query::explain::report::Trace;
use crate::query::scope::access::{Access, Span};
use crate::query::{Body, Datum, Effort, Expr, Plan};

/// Items that an ordered page loads at once.
const FETCH_ITEMS: usize = 16;

/// A row found before: the key of its item without the container's number, and its place among the item's rows.
trait Found {
    fn place(&self) -> (&[u8], u64);
}

impl Found for Entry {
    fn place(&self) -> (&[u8], u64) {
        (&self.rest, self.position.ordinal)
    }
}

impl Found for Scored {
    fn place(&self) -> (&[u8], u64) {
        (&self.rest, self.ordinal)
    }
}

impl Run<'_> {
    /// A page of sorted rows.
    pub(in crate::query) async fn sorted(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let make = || self.sort_rows(&cursor);
        let sort = self.collect(&input, &feed, trace, make).await?;
        self.sorted_page(sort, &input, &feed, cursor, started, trace).await
    }

    /// What keeps the rows of a page.
    pub(in crate::query) fn sort_rows(&self, cursor: &Cursor) -> SortRows {
        let (_, after) = sorted_place(&cursor.place);
        SortRows::new(self.plan.clone(), after, self.capacity(cursor), self.held())
    }

    /// A page of rows whose places were found since `started`.
    pub(in crate::query) async fn sorted_page(
        &self,
        mut sort: SortRows,
        input: &Input,
        feed: &Feed,
        cursor: Cursor,
        started: Instant,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let (passed, _) = sorted_place(&cursor.place);
        let entries = sort.finish();
        trace.stage("sort", started, entries.len());
        let started = Instant::now();
        let skipped = usize::try_from(cursor.skip).unwrap_or(usize::MAX).min(entries.len());
        let (rows, taken) = self.fetch(input, feed, &entries[skipped..], self.wanted(&cursor)).await?;
        trace.loaded(started, rows.len());
        let used = skipped + taken;
        let limit = cursor.limit.map(|limit| limit.saturating_sub(rows.len() as u64));
        let more = (used < entries.len() || sort.dropped) && limit != Some(0);
        let next = match entries.get(used.wrapping_sub(1)) {
            Some(last) if more => {
                let passed = passed.saturating_add(used as u64);
                Some(self.next_sorted(&last.position, rows.len(), passed, cursor.skip - skipped as u64, limit)?)
            }
            _ => None,
        };
        Ok(Output { rows, next })
    }

    /// A page of sorted rows, equal ones once.
    pub(in crate::query) async fn sorted_distinct(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let (passed, after) = sorted_place(&cursor.place);
        let capacity = self.capacity(&cursor);
        let make = || SortDistinct::new(self.plan.clone(), after.clone(), capacity, self.held());
        let (entries, dropped) = self.collect(&input, &feed, trace, make).await?.finish()?;
        trace.stage("sort distinct", started, entries.len());
        let skipped = usize::try_from(cursor.skip).unwrap_or(usize::MAX).min(entries.len());
        let (mut rows, mut row_bytes) = (Vec::new(), 0);
        for entry in entries[skipped..].iter().take(self.wanted(&cursor)) {
            if row_bytes >= MAX_PAGE_BYTES {
                break;
            }
            row_bytes += entry.output.len();
            rows.push(entry.output.clone());
        }
        let used = skipped + rows.len();
        let limit = cursor.limit.map(|limit| limit.saturating_sub(rows.len() as u64));
        let more = (used < entries.len() || dropped) && limit != Some(0);
        let next = match entries.get(used.wrapping_sub(1)) {
            Some(last) if more => {
                let passed = passed.saturating_add(used as u64);
                Some(self.next_sorted(&last.position, rows.len(), passed, cursor.skip - skipped as u64, limit)?)
            }
            _ => None,
        };
        Ok(Output { rows, next })
    }

    /// A page of ranked rows. The rows before it are found again by counting them.
    pub(in crate::query) async fn ranked(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let scorers = Arc::new(self.scorers(trace).await?);
        let make = || Ranked::new(self.plan.clone(), scorers.clone(), self.held());
        let scored = self.collect(&input, &feed, trace, make).await?.finish();
        trace.stage("rank", started, scored.len());
        let started = Instant::now();
        let skipped = usize::try_from(cursor.skip).unwrap_or(usize::MAX).min(scored.len());
        let (rows, taken) = self.fetch(&input, &feed, &scored[skipped..], self.wanted(&cursor)).await?;
        trace.loaded(started, rows.len());
        let limit = cursor.limit.map(|limit| limit.saturating_sub(rows.len() as u64));
        let more = skipped + taken < scored.len() && limit != Some(0);
        let place = Place::Sorted { passed: 0, after: None };
        let next = more.then(|| Cursor { skip: cursor.skip + taken as u64, limit, place });
        Ok(Output { rows, next })
    }

    /// What scores rows, with the statistics of the whole scope where they are needed.
    async fn scorers(&self, trace: &mut Trace) -> Result<Vec<Scorer>, Error> {
        let Some(ranking) = &self.plan.ranking else { return Ok(Vec::new()) };
        if !ranking::needs_statistics(ranking) {
            return Ok(ranking::scorers(ranking));
        }
        let everything =
            Plan { body: Body::of(Expr::Source(0)), ranking: self.plan.ranking.clone(), ..(*self.plan).clone() };
        let (feed, _) = Feed::new(&Arc::new(everything));
        let range = key_range(self.container, &self.settings, self.scope)?;
        let input = Input::Items(Access { spans: vec![Span::Range(range)] });
        let make = || Statistics::new(self.plan.clone(), ranking);
        Ok(self.collect(&input, &Arc::new(feed), trace, make).await?.finish())
    }

    /// The cursor after the last row of a page. A place too long for a token is found again by counting the rows before it, which
    /// leads on only if there are rows.
    fn next_sorted(
        &self,
        last: &Position,
        rows: usize,
        passed: u64,
        skip: u64,
        limit: Option<u64>,
    ) -> Result<Cursor, Error> {
        if last.is_short(self.token_limit_bytes) {
            let place = Place::Sorted { passed, after: Some(last.clone()) };
            return Ok(Cursor { skip, limit, place });
        }
        if rows == 0 || passed > MAX_SORT_ROWS as u64 / 2 {
            return Err(Error::OverBudget { limit_bytes: MAX_SORT_BYTES });
        }
        let place = Place::Sorted { passed: 0, after: None };
        Ok(Cursor { skip: skip.saturating_add(passed), limit, place })
    }

    /// Loads and projects rows until there are `wanted` of them or the page is full; also returns how many were used up.
    async fn fetch<F: Found>(
        &self,
        input: &Input,
        feed: &Feed,
        found: &[F],
        wanted: usize,
    ) -> Result<(Vec<Bytes>, usize), Error> {
        let by_key = match input {
            Input::Items(_) => Vec::new(),
            Input::Rows(rows) => {
                let mut rows: Vec<&Derived> = rows.iter().collect();
                rows.sort_by_key(|row| row.key());
                rows
            }
        };
        let (mut rows, mut row_bytes, mut used) = (Vec::new(), 0, 0);
        for chunk in found.chunks(FETCH_ITEMS.min(wanted.max(1))) {
            let stored = match input {
                Input::Items(_) => self.load(chunk).await?,
                Input::Rows(_) => Vec::new(),
            };
            for (number, found) in chunk.iter().enumerate() {
                if rows.len() == wanted || row_bytes >= MAX_PAGE_BYTES {
                    return Ok((rows, used));
                }
                let (rest, ordinal) = found.place();
                let effort = Effort::for_row();
                let output = match stored.get(number) {
                    Some(bytes) => {
                        let item = ItemView::new(bytes)?;
                        let source = Source::first(Datum::Stored(item.document().root()));
                        project_row(feed, &Row::of(&source, &effort), Some(&item), ordinal)
                    }
                    None => by_key
                        .binary_search_by(|row| row.key().as_slice().cmp(rest))
                        .ok()
                        .and_then(|at| by_key[at].with_row(&effort, |row| project_row(feed, row, None, ordinal))),
                };
                effort.check()?;
                used += 1;
                if let Some(output) = output {
                    row_bytes += output.len();
                    rows.push(output);
                }
            }
        }
        Ok((rows, used))
    }

    async fn load<F: Found>(&self, chunk: &[F]) -> Result<Vec<Bytes>, Error> {
        let keys = chunk.iter().map(|found| key::join(self.container.number(), found.place().0)).collect();
        let stored = self.snapshot.multi_get(Space::Items, keys).await?;
        let missing = || Error::Unavailable { reason: "an item that a scan found is not in the same snapshot".into() };
        stored.into_iter().map(|stored| stored.ok_or_else(missing)).collect()
    }
}

/// The output of the row of an item with this ordinal.
fn project_row(feed: &Feed, input: &Row<'_>, item: Option<&ItemView<'_>>, ordinal: u64) -> Option<Bytes> {
    let projection = &feed.plan.body.projection;
    if feed.is_direct() {
        return projection.project(input, item);
    }
    let (mut number, mut output) = (0, None);
    let item = item.filter(|_| feed.is_over_items());
    // It breaks once it has the row.
    let _ = feed.each_row(input, &mut |row| {
        if number == ordinal {
            output = projection.project(row, item);
            return ControlFlow::Break(());
        }
        number += 1;
        ControlFlow::Continue(())
    });
    output
}

/// How many rows come before a place, and the last one of them.
pub(in crate::query) fn sorted_place(place: &Place) -> (u64, Option<Position>) {
    match place {
        Place::Sorted { passed, after } => (*passed, after.clone()),
        Place::Start | Place::AfterKey(_) | Place::Within { .. } | Place::AfterHash(_) => (0, None),
    }
}
