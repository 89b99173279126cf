//! ORDER BY: one scan of the whole scope for each page, keeping only the rows that can be in the page.
//!
//! A row's place is its sort keys, then its document number and its ordinal in the item, which no two rows share; a page goes on
//! after the place where the one before ended. Numbers ascend, or descend if the first key does: clients that merge ranges resume by
//! that rule.

use std::cmp::Ordering;
use std::sync::Arc;

use orrery_store::Visit;
use orrery_value::{Value, total_order};

use super::feed::{At, Collector};
use super::memory::Held;
use crate::Error;
use crate::query::evaluation::compare::sort_order;
use crate::query::evaluation::datum::weight_of;
use crate::query::evaluation::row::Row;
use crate::query::page::cursor::Position;
use crate::query::scope::fan_out::Merge;
use crate::query::{Datum, Direction, Plan, SortKey};

/// Rows that one page of an ordered query holds places of, skipped ones included. Larger offsets take several pages.
pub const MAX_SORT_ROWS: usize = 100_000;

/// Bytes of sort keys and item keys that one page holds, in each of the parts that are read at once.
pub const MAX_SORT_BYTES: usize = 32 * 1024 * 1024;

/// Bytes that an entry takes beside its keys.
const ENTRY_BYTES: usize = 128;

/// Rows gathered beyond those wanted before they are sorted out.
pub(in crate::query) const MIN_SLACK: usize = 256;

/// Bytes of rows gathered before those beyond twice the wanted number are sorted out, however few they are.
pub(in crate::query) const SLACK_BYTES: usize = 256 * 1024;

/// Keeps the first rows in the order of a plan.
pub(in crate::query) struct SortRows {
    plan: Arc<Plan>,
    after: Option<Position>,
    capacity: usize,
    entries: Vec<Entry>,
    bytes: usize,
    held: Held,
    /// Entries that were sorted out to be the first so far, if there were too many: what comes after them is not wanted.
    full: Option<usize>,
    /// Whether any row was given up that comes later.
    pub dropped: bool,
}

/// A row that may be in the page.
pub(in crate::query) struct Entry {
    pub position: Position,
    /// The item's key without its container's number.
    pub rest: Vec<u8>,
}

impl SortRows {
    /// Keeps the first `capacity` rows after a place.
    pub fn new(plan: Arc<Plan>, after: Option<Position>, capacity: usize, held: Held) -> Self {
        let capacity = capacity.clamp(1, MAX_SORT_ROWS);
        SortRows { plan, after, capacity, entries: Vec::new(), bytes: 0, held, full: None, dropped: false }
    }

    /// Whether no row is wanted that comes after those that were seen.
    pub fn has_enough(&self) -> bool {
        self.entries.len() >= self.capacity || self.full.is_some()
    }

    /// Rows that are still wanted.
    pub fn room(&self) -> usize {
        self.capacity.saturating_sub(self.entries.len())
    }

    /// The rows in order.
    pub fn finish(&mut self) -> Vec<Entry> {
        self.sort_out();
        std::mem::take(&mut self.entries)
    }

    /// The row's place, if it can be in the page.
    fn wanted(&mut self, row: &Row<'_>, at: &At<'_>) -> Option<Position> {
        let order = &self.plan.order;
        let keys = SortKeys::evaluate(order, row);
        let before = |other: &Position| place(order, keys.as_slice(), at, other).is_lt();
        if self.after.as_ref().is_some_and(|after| place(order, keys.as_slice(), at, after).is_le()) {
            return None;
        }
        let last = self.full.and_then(|full| self.entries.get(full.checked_sub(1)?));
        let wanted = last.is_none_or(|last| before(&last.position));
        if !self.plan.body.projection.yields(row) {
            return None;
        }
        if !wanted {
            self.dropped = true;
            return None;
        }
        keys.into_position(row, at)
    }

    fn push(&mut self, entry: Entry) -> Result<(), Error> {
        self.bytes += entry.size_bytes();
        self.entries.push(entry);
        if is_worth_cutting(self.entries.len(), self.capacity, self.bytes) || self.bytes >= 2 * MAX_SORT_BYTES {
            self.sort_out();
        }
        self.held.hold(self.bytes)
    }

    /// Sorts, and drops what is beyond the capacity; at least one row stays.
    fn sort_out(&mut self) {
        let order = &self.plan.order;
        self.entries.sort_unstable_by(|a, b| compare(order, &a.position, &b.position));
        let mut bytes = 0;
        let fitting = self.entries.iter().take(self.capacity).take_while(|entry| {
            let first = bytes == 0;
            bytes += entry.size_bytes();
            first || bytes <= MAX_SORT_BYTES
        });
        let keep = fitting.count();
        self.dropped |= keep < self.entries.len();
        if self.dropped {
            self.full = Some(keep);
        }
        self.entries.truncate(keep);
        self.bytes = self.entries.iter().map(Entry::size_bytes).sum();
    }
}

impl Collector for SortRows {
    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        if let Some(position) = self.wanted(row, at) {
            self.push(Entry { position, rest: at.key.to_vec() })?;
        }
        Ok(Visit::Continue)
    }
}

impl Merge for SortRows {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        self.dropped |= later.dropped;
        later.entries.into_iter().try_for_each(|entry| self.push(entry))
    }
}

impl Entry {
    fn size_bytes(&self) -> usize {
        self.position.size_bytes() + self.rest.len()
    }
}

impl Position {
    /// Bytes in memory.
    pub fn size_bytes(&self) -> usize {
        self.keys.iter().fold(ENTRY_BYTES, |sum, key| sum + weight_of(key))
    }
}

/// Whether so many more rows than wanted were gathered that giving up those beyond is worth the sorting: at least half of them go.
pub(in crate::query) fn is_worth_cutting(rows: usize, wanted: usize, bytes: usize) -> bool {
    rows >= wanted.saturating_add(wanted.max(MIN_SLACK)) || (rows >= wanted.saturating_mul(2) && bytes >= SLACK_BYTES)
}

/// The sort keys of a row; a single one, as most queries have, needs no memory.
pub(in crate::query) enum SortKeys<'a> {
    One([Datum<'a>; 1]),
    Many(Vec<Datum<'a>>),
}

impl<'a> SortKeys<'a> {
    pub fn evaluate(order: &'a [SortKey], row: &Row<'a>) -> Self {
        match order {
            [key] => SortKeys::One([key.expr.evaluate(row)]),
            keys => SortKeys::Many(keys.iter().map(|key| key.expr.evaluate(row)).collect()),
        }
    }

    pub fn as_slice(&self) -> &[Datum<'a>] {
        match self {
            SortKeys::One(key) => key,
            SortKeys::Many(keys) => keys,
        }
    }

    /// The place of the row, copied out of it and paid for.
    pub fn into_position(self, row: &Row<'_>, at: &At<'_>) -> Option<Position> {
        let paid = self.as_slice().iter().all(|key| row.effort().spend(key.weight()));
        let keys = match self {
            SortKeys::One([key]) => vec![key.into_value()],
            SortKeys::Many(keys) => keys.into_iter().map(Datum::into_value).collect(),
        };
        paid.then_some(Position { keys, number: at.number, ordinal: at.ordinal })
    }
}

/// How a row compares with a place.
pub(in crate::query) fn place(order: &[SortKey], keys: &[Datum<'_>], at: &At<'_>, other: &Position) -> Ordering {
    let compared =
        order.iter().zip(keys.iter().zip(&other.keys)).map(|(key, (a, b))| key.direction.apply(sort_order(a, b)));
    first_difference(compared).then_with(|| tie(order, (at.number, at.ordinal), other))
}

/// How two places compare.
pub(in crate::query) fn compare(order: &[SortKey], a: &Position, b: &Position) -> Ordering {
    let compared = order
        .iter()
        .zip(a.keys.iter().zip(&b.keys))
        .map(|(key, (a, b)): (_, (&Value, &Value))| key.direction.apply(total_order(a, b)));
    first_difference(compared).then_with(|| tie(order, (a.number, a.ordinal), b))
}

fn first_difference(mut compared: impl Iterator<Item = Ordering>) -> Ordering {
    compared.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

/// Rows of one item keep their order.
fn tie(order: &[SortKey], (number, ordinal): (u128, u64), other: &Position) -> Ordering {
    let direction = order.first().map_or(Direction::Ascending, |key| key.direction);
    direction.apply(number.cmp(&other.number)).then_with(|| ordinal.cmp(&other.ordinal))
}

#[cfg(test)]
mod tests {
    use super::super::memory::QueryMemory;
    use super::*;
    use crate::query::test_items::{sorted_by, walked};

    /// The document numbers that a page of `capacity` keeps of items with these keys, numbered from 0.
    fn kept(direction: Direction, capacity: usize, after: Option<Position>, keys: &[String]) -> (Vec<u128>, bool) {
        let plan = sorted_by("x", direction);
        let held = Held::new(Arc::new(QueryMemory::new(usize::MAX)));
        let sort = SortRows::new(Arc::new(plan.clone()), after, capacity, held);
        let texts: Vec<String> = keys.iter().map(|key| format!(r#"{{"id":"a","x":{key}}}"#)).collect();
        let (mut sort, _) = walked(&plan, sort, &mut texts.iter().map(String::as_str));
        let numbers = sort.finish().iter().map(|entry| entry.position.number).collect();
        (numbers, sort.dropped)
    }

    #[test]
    fn the_first_rows_are_kept_of_many() {
        let keys: Vec<String> = (0..5_000u64).map(|i| (i * 7_919 % 5_000 / 2).to_string()).collect();
        let mut expected: Vec<u128> = (0..5_000).collect();
        expected.sort_by_key(|i| (i * 7_919 % 5_000 / 2, *i));
        assert_eq!(kept(Direction::Ascending, 10, None, &keys), (expected[..10].to_vec(), true));
        assert_eq!(kept(Direction::Ascending, 5_000, None, &keys), (expected.clone(), false));
        let keys_after = vec![Value::from((expected[9] * 7_919 % 5_000 / 2) as i64)];
        let after = Position { keys: keys_after, number: expected[9], ordinal: 0 };
        assert_eq!(kept(Direction::Ascending, 10, Some(after), &keys), (expected[10..20].to_vec(), true));
        expected.reverse();
        assert_eq!(kept(Direction::Descending, 10, None, &keys), (expected[..10].to_vec(), true));
    }

    #[test]
    fn memory_is_bounded_by_bytes_too() {
        let megabyte = |i: usize| format!("\"{:03}{}\"", (i * 37) % 100, "x".repeat(1_000_000));
        let keys: Vec<String> = (0..100).map(megabyte).collect();
        let (numbers, dropped) = kept(Direction::Ascending, 1_000, None, &keys);
        assert!(dropped && (20..=MAX_SORT_BYTES / 1_000_000).contains(&numbers.len()), "{} rows", numbers.len());
        assert!(numbers.iter().enumerate().all(|(place, number)| (*number as usize * 37) % 100 == place));
    }
}
