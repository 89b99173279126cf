//! The change feed: each item once, in its newest version, in the order of writing.
//!
//! Positions are version numbers of the container, so they hold across splits, and any scope can be read from any position.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Snapshot, Space, Visit, Visitor, scan};

use crate::catalog::{Container, ContainerSettings};
use crate::item::{Item, ItemVisitor, MAX_PAGE_BYTES, RowScan, Scope, key, key_range};
use crate::{Error, request_charge};

/// Feed records looked up at a time.
const LOOKUP_BATCH: usize = 256;
/// Logical partitions of up to so many items are read item by item; the feed of larger ones is filtered out of the container's.
const SMALL_PARTITION_ITEMS: usize = 1_000;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedStart {
    /// With the oldest change.
    Beginning,
    /// With the next change.
    Now,
    /// With the first change at or after that second since 1970.
    Time(u64),
    /// Behind that version number.
    After(u64),
}

/// Changes in order.
#[derive(Clone, Debug)]
pub struct FeedPage {
    /// The items; each knows its version number.
    pub items: Vec<Item>,
    /// Where to go on: [`FeedStart::After`] this.
    pub position: u64,
    /// Request units.
    pub charge_ru: f64,
}

/// One page of changes in `scope`.
pub(crate) async fn read(
    snapshot: Arc<dyn Snapshot>,
    container: &Container,
    scope: &Scope,
    start: FeedStart,
    max_items: usize,
    now: u64,
) -> Result<FeedPage, Error> {
    let settings = container.settings();
    let items = key_range(container, &settings, scope)?;
    let head = newest(&*snapshot, container).await?;
    let mut after = match start {
        FeedStart::Beginning => 0,
        FeedStart::Now => head,
        FeedStart::After(number) => number.min(head),
        FeedStart::Time(ts) => last_before(&*snapshot, container, ts, head).await?,
    };
    let rows = RowScan { range: items.clone(), reverse: false, settings: settings.clone(), now };
    let mut page = Page { settings: &settings, now, max_items: max_items.max(1), items: Vec::new(), bytes: 0 };
    let mut position = head;
    if let Scope::Partition(_) = scope
        && let Some(changes) = small_partition(&*snapshot, rows, after).await?
    {
        for batch in changes.chunks(LOOKUP_BATCH) {
            if let Some(full_at) = page.add(&*snapshot, batch.to_vec()).await? {
                position = full_at;
                break;
            }
        }
    } else {
        while after < head {
            let records = next_records(&*snapshot, container, &items, after, page.room().min(LOOKUP_BATCH)).await?;
            let Some((last, _)) = records.last() else { break };
            after = *last;
            if let Some(full_at) = page.add(&*snapshot, records).await? {
                position = full_at;
                break;
            }
        }
    }
    let charge_ru = request_charge::page(page.items.len(), page.bytes);
    Ok(FeedPage { items: page.items, position, charge_ru })
}

/// A page that is being filled.
struct Page<'a> {
    settings: &'a ContainerSettings,
    now: u64,
    max_items: usize,
    items: Vec<Item>,
    bytes: usize,
}

impl Page<'_> {
    fn room(&self) -> usize {
        self.max_items - self.items.len()
    }

    /// Adds the items behind some feed records; returns the number of the last one if that filled the page.
    async fn add(&mut self, snapshot: &dyn Snapshot, records: Vec<(u64, Vec<u8>)>) -> Result<Option<u64>, Error> {
        let keys = records.iter().map(|(_, key)| key.clone()).collect();
        let values = snapshot.multi_get(Space::Items, keys).await?;
        for ((number, _), value) in records.into_iter().zip(values) {
            let Some(value) = value else { continue };
            let item = Item::from_stored(value)?;
            if item.lsn() != number || item.is_expired(self.settings, self.now) {
                continue;
            }
            self.bytes += item.size_bytes();
            self.items.push(item);
            if self.room() == 0 || self.bytes >= MAX_PAGE_BYTES {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// The next feed records behind `after` whose items lie in `items`.
async fn next_records(
    snapshot: &dyn Snapshot,
    container: &Container,
    items: &KeyRange,
    after: u64,
    wanted: usize,
) -> Result<Vec<(u64, Vec<u8>)>, Error> {
    let range = feed_behind(container, after);
    let records = Records { scope: items.clone(), wanted, found: Vec::new() };
    Ok(scan(snapshot, Scan { space: Space::Feed, range, reverse: false }, records).await?.found)
}

fn feed_behind(container: &Container, after: u64) -> KeyRange {
    KeyRange {
        start: key::feed(container.number(), after + 1),
        end: KeyRange::prefix(&container.number().to_be_bytes()).end,
    }
}

/// The changes of a logical partition behind `after`, from its items instead of the container's whole feed; `None` if it has too
/// many items for that.
async fn small_partition(
    snapshot: &dyn Snapshot,
    rows: RowScan,
    after: u64,
) -> Result<Option<Vec<(u64, Vec<u8>)>>, Error> {
    let prefix = rows.range.start[..4].to_vec();
    let mut found = rows.run(snapshot, Versions { prefix, after, seen: 0, newer: Vec::new() }).await?;
    if found.seen > SMALL_PARTITION_ITEMS {
        return Ok(None);
    }
    found.newer.sort_unstable();
    Ok(Some(found.newer))
}

struct Versions {
    prefix: Vec<u8>,
    after: u64,
    seen: usize,
    newer: Vec<(u64, Vec<u8>)>,
}

impl ItemVisitor for Versions {
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error> {
        self.seen += 1;
        if item.lsn() > self.after {
            self.newer.push((item.lsn(), [&self.prefix, rest].concat()));
        }
        Ok(if self.seen > SMALL_PARTITION_ITEMS { Visit::Stop } else { Visit::Continue })
    }
}

/// The newest number in the snapshot.
async fn newest(snapshot: &dyn Snapshot, container: &Container) -> Result<u64, Error> {
    let counters = snapshot.get(Space::Meta, &key::counters(container.number())).await?;
    Ok(counters.map_or(0, |counters| crate::item::Counters::decode(&counters).last_number))
}

/// Collects records whose item lies in a range of keys.
struct Records {
    scope: KeyRange,
    wanted: usize,
    found: Vec<(u64, Vec<u8>)>,
}

impl Visitor for Records {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let (Some(number), Some(rest)) = (key::feed_number(key), value.get(4..)) else { return Visit::Continue };
        let item_key = [&key[..4], rest].concat();
        if item_key >= self.scope.start && self.scope.end.as_ref().is_none_or(|end| item_key < *end) {
            self.found.push((number, item_key));
        }
        if self.found.len() == self.wanted { Visit::Stop } else { Visit::Continue }
    }
}

/// The largest number whose record, and all before it, are older than `ts`: found by halving, for `_ts` never falls along the feed.
async fn last_before(snapshot: &dyn Snapshot, container: &Container, ts: u64, head: u64) -> Result<u64, Error> {
    let (mut low, mut high) = (0, head);
    while low < high {
        let middle = low + (high - low) / 2;
        match first_after(snapshot, container, middle).await? {
            Some((number, written)) if written < ts => low = number.min(high),
            Some(_) | None => high = middle,
        }
    }
    Ok(low)
}

/// Number and time of the first record behind `number`.
async fn first_after(snapshot: &dyn Snapshot, container: &Container, number: u64) -> Result<Option<(u64, u64)>, Error> {
    let request = Scan { space: Space::Feed, range: feed_behind(container, number), reverse: false };
    Ok(scan(snapshot, request, First { found: None }).await?.found)
}

struct First {
    found: Option<(u64, u64)>,
}

impl Visitor for First {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        self.found = key::feed_number(key)
            .zip(value.get(..4).map(|ts| ts.iter().fold(0, |ts, byte| ts << 8 | u64::from(*byte))));
        Visit::Stop
    }
}
