//! Removing items in the background: those that expired, and whole logical partitions.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Snapshot, Space, Store, Visit, Visitor, scan, transact};
use orrery_value::PartitionKey;

use super::key::{self, Side};
use super::list::{ItemVisitor, RowScan, key_range};
use super::remove::RemoveItems;
use super::{Item, Scope};
use crate::Error;
use crate::catalog::Container;
use crate::clock::Clock;

/// Items removed by one transaction: short enough that writers behind it do not notice.
const PURGE_BATCH: usize = 256;

/// Removes what has expired in a container; `from` is the first feed number that may hold something to remove.
/// Returns how many items went, and the number to begin with next time.
pub(crate) async fn purge_expired(
    store: &dyn Store,
    container: &Arc<Container>,
    clock: &Arc<dyn Clock>,
    from: u64,
) -> Result<(u64, u64), Error> {
    let settings = container.settings();
    if settings.default_ttl.is_none() {
        return Ok((0, 0));
    }
    let mut removed = 0;
    loop {
        let due = due_items(&*store.snapshot(), container, clock.unix_seconds()).await?;
        if due.is_empty() {
            break;
        }
        let more = due.len() == PURGE_BATCH;
        removed += remove(store, container, clock, due).await?;
        if !more {
            break;
        }
    }
    let mut from = from;
    loop {
        let batch = aged_items(store.snapshot(), container, clock.unix_seconds(), from).await?;
        from = batch.next;
        if batch.keys.is_empty() {
            return Ok((removed, from));
        }
        removed += remove(store, container, clock, batch.keys).await?;
    }
}

async fn remove(
    store: &dyn Store,
    container: &Arc<Container>,
    clock: &Arc<dyn Clock>,
    keys: Vec<Vec<u8>>,
) -> Result<u64, Error> {
    let done = transact(store, RemoveItems::expired(container.clone(), clock.clone(), keys)).await?;
    if let Some(counters) = &done.counters {
        container.publish(counters);
    }
    Ok(done.removed)
}

/// Items with a time to live of their own that is over, by their due records.
async fn due_items(snapshot: &dyn Snapshot, container: &Container, now: u64) -> Result<Vec<Vec<u8>>, Error> {
    let number = container.number();
    let range = KeyRange {
        start: key::side(number, Side::Due, &[]),
        end: Some(key::side(number, Side::Due, &(now + 1).to_be_bytes())),
    };
    let request = Scan { space: Space::Side, range, reverse: false };
    Ok(scan(snapshot, request, Collect { rests: Vec::new() }).await?.rests)
}

struct Collect {
    rests: Vec<Vec<u8>>,
}

impl Visitor for Collect {
    fn visit(&mut self, _key: &[u8], value: &Bytes) -> Visit {
        self.rests.push(value.to_vec());
        if self.rests.len() == PURGE_BATCH { Visit::Stop } else { Visit::Continue }
    }
}

/// Items that the container's default time to live ended. The feed is in order of `_ts`, so the search ends at the first that is
/// too young; items with a time to live of their own are stepped over, since their due records take care of them.
struct AgedItems {
    keys: Vec<Vec<u8>>,
    next: u64,
}

async fn aged_items(
    snapshot: Arc<dyn Snapshot>,
    container: &Container,
    now: u64,
    from: u64,
) -> Result<AgedItems, Error> {
    let settings = container.settings();
    let Some(default_ttl) = settings.effective_ttl(None) else { return Ok(AgedItems { keys: Vec::new(), next: 0 }) };
    let mut found = AgedItems { keys: Vec::new(), next: from };
    while found.keys.is_empty() {
        let range = KeyRange {
            start: key::feed(container.number(), found.next),
            end: KeyRange::prefix(&container.number().to_be_bytes()).end,
        };
        let request = Scan { space: Space::Feed, range, reverse: false };
        let old = Old { before: now.saturating_sub(u64::from(default_ttl)), records: Vec::new() };
        let records = scan(&*snapshot, request, old).await?.records;
        let Some((last, _)) = records.last() else { break };
        found.next = last + 1;
        let keys = records.iter().map(|(_, rest)| key::join(container.number(), rest)).collect();
        let items = snapshot.multi_get(Space::Items, keys).await?;
        for ((_, rest), bytes) in records.into_iter().zip(items) {
            if let Some(bytes) = bytes
                && Item::from_stored(bytes)?.is_expired(&settings, now)
            {
                found.keys.push(rest);
            }
        }
    }
    Ok(found)
}

struct Old {
    before: u64,
    records: Vec<(u64, Vec<u8>)>,
}

impl Visitor for Old {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let (Some(number), Some((ts, rest))) = (key::feed_number(key), value.split_at_checked(4)) else {
            return Visit::Continue;
        };
        let ts = ts.iter().fold(0, |ts, byte| ts << 8 | u64::from(*byte));
        if ts > self.before {
            return Visit::Stop;
        }
        self.records.push((number, rest.to_vec()));
        if self.records.len() == PURGE_BATCH { Visit::Stop } else { Visit::Continue }
    }
}

/// Removes every item of a logical partition that existed when it was called; returns how many.
pub(crate) async fn delete_partition(
    store: &dyn Store,
    container: &Arc<Container>,
    clock: &Arc<dyn Clock>,
    key: &PartitionKey,
) -> Result<u64, Error> {
    let settings = container.settings();
    let mut range = key_range(container, &settings, &Scope::Partition(key.clone()))?;
    let snapshot = store.snapshot();
    let mut removed = 0;
    loop {
        let rows = RowScan { range: range.clone(), reverse: false, settings: settings.clone(), now: 0 };
        let batch = rows.run(&*snapshot, Versions { found: Vec::new() }).await?.found;
        let Some((last, _)) = batch.last() else { return Ok(removed) };
        super::resume(&mut range, container, last);
        let done = transact(store, RemoveItems::versions(container.clone(), clock.clone(), batch)).await?;
        if let Some(counters) = &done.counters {
            container.publish(counters);
        }
        removed += done.removed;
    }
}

struct Versions {
    found: Vec<(Vec<u8>, u64)>,
}

impl ItemVisitor for Versions {
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error> {
        self.found.push((rest.to_vec(), item.lsn()));
        Ok(if self.found.len() == PURGE_BATCH { Visit::Stop } else { Visit::Continue })
    }
}
