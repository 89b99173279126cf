//! ORDER BY: one scan of the whole scope for each page, keeping only the rows that can be in the page.
//!
//! A row's place is its sort keys and then its document number, which no two rows share; a page goes on after the place where the
//! one before ended. Numbers ascend, or descend if the first key does: clients that merge ranges resume by that rule.

use std::cmp::Ordering;
use std::sync::Arc;

use orrery_store::Visit;
use orrery_value::{Value, total_order};

use super::compare::sort_order;
use super::cursor::Position;
use super::datum::weight_of;
use super::row::Row;
use super::scan::Examined;
use super::{Datum, Direction, Effort, Plan, SortKey};
use crate::Error;
use crate::item::{Item, ItemVisitor};

/// Rows that one page of an ordered query holds places of, skipped ones included. Larger offsets take several pages.
pub const MAX_SORT_ROWS: usize = 100_000;

/// Bytes of sort keys and item keys that one page holds.
pub const MAX_SORT_BYTES: usize = 32 * 1024 * 1024;

/// Bytes that an entry takes beside its keys.
const ENTRY_BYTES: usize = 96;

/// Rows gathered beyond those wanted before they are sorted out.
const MIN_SLACK: usize = 256;

/// Keeps the first rows in the order of a plan.
pub(super) struct SortRows {
    plan: Arc<Plan>,
    after: Option<Position>,
    capacity: usize,
    entries: Vec<Entry>,
    bytes: usize,
    /// Entries that were sorted out to be the first so far, if there were too many: what comes after them is not wanted.
    full: Option<usize>,
    /// Whether any row was given up that comes later.
    pub dropped: bool,
    pub examined: Examined,
}

/// A row that may be in the page.
pub(super) struct Entry {
    pub position: Position,
    /// The item's key without its container's number.
    pub rest: Vec<u8>,
}

impl SortRows {
    /// Keeps the first `capacity` rows after a place.
    pub fn new(plan: Arc<Plan>, after: Option<Position>, capacity: usize) -> Self {
        let capacity = capacity.clamp(1, MAX_SORT_ROWS);
        SortRows {
            plan,
            after,
            capacity,
            entries: Vec::new(),
            bytes: 0,
            full: None,
            dropped: false,
            examined: Examined::default(),
        }
    }

    /// The rows in order.
    pub fn finish(&mut self) -> Vec<Entry> {
        self.sort_out();
        std::mem::take(&mut self.entries)
    }

    /// The row's place, if it can be in the page.
    fn wanted(&mut self, row: &Row<'_>, number: u64) -> Option<Position> {
        let plan = self.plan.clone();
        if plan.filter.as_ref().is_some_and(|filter| !filter.keeps(row)) {
            return None;
        }
        let keys: Vec<_> = plan.order.iter().map(|key| key.expr.evaluate(row)).collect();
        if self.after.as_ref().is_some_and(|after| place(&plan.order, &keys, number, after).is_le()) {
            return None;
        }
        if !plan.projection.yields(row) {
            return None;
        }
        let last = self.full.and_then(|full| self.entries.get(full.checked_sub(1)?));
        if last.is_some_and(|last| place(&plan.order, &keys, number, &last.position).is_ge()) {
            self.dropped = true;
            return None;
        }
        let paid = keys.iter().all(|key| row.effort().spend(key.weight()));
        paid.then(|| Position { keys: keys.into_iter().map(Datum::into_value).collect(), number })
    }

    fn add(&mut self, entry: Entry) {
        self.bytes += entry.size_bytes();
        self.entries.push(entry);
        if self.entries.len() >= self.capacity + self.capacity.max(MIN_SLACK) || self.bytes >= 2 * MAX_SORT_BYTES {
            self.sort_out();
        }
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

impl ItemVisitor for SortRows {
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error> {
        self.examined.add(item);
        let effort = Effort::for_row();
        let sources = [Datum::Stored(item.document().root())];
        let position = self.wanted(&Row::new(&sources, &effort), item.document_number());
        self.examined.finish_row(&effort)?;
        if let Some(position) = position {
            self.add(Entry { position, rest: rest.to_vec() });
        }
        Ok(Visit::Continue)
    }
}

impl Entry {
    fn size_bytes(&self) -> usize {
        self.position.keys.iter().fold(ENTRY_BYTES + self.rest.len(), |sum, key| sum + weight_of(key))
    }
}

/// How a row compares with a place.
fn place(order: &[SortKey], keys: &[Datum<'_>], number: u64, other: &Position) -> Ordering {
    let compared =
        order.iter().zip(keys.iter().zip(&other.keys)).map(|(key, (a, b))| key.direction.apply(sort_order(a, b)));
    first_difference(compared).then_with(|| tie(order, number, other.number))
}

fn compare(order: &[SortKey], a: &Position, b: &Position) -> Ordering {
    let compared = order
        .iter()
        .zip(a.keys.iter().zip(&b.keys))
        .map(|(key, (a, b)): (_, (&Value, &Value))| key.direction.apply(total_order(a, b)));
    first_difference(compared).then_with(|| tie(order, a.number, b.number))
}

fn first_difference(mut compared: impl Iterator<Item = Ordering>) -> Ordering {
    compared.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

fn tie(order: &[SortKey], a: u64, b: u64) -> Ordering {
    order.first().map_or(Direction::Ascending, |key| key.direction).apply(a.cmp(&b))
}

#[cfg(test)]
mod tests {
    use super::super::test_items::{item, sorted_by};
    use super::*;

    /// The document numbers that a page of `capacity` keeps of items with these keys, numbered from 0.
    fn kept(direction: Direction, capacity: usize, after: Option<Position>, keys: &[String]) -> (Vec<u64>, bool) {
        let mut sort = SortRows::new(Arc::new(sorted_by("x", direction)), after, capacity);
        for (number, key) in (0u64..).zip(keys) {
            sort.visit(b"rest", &item(&format!(r#"{{"id":"a","x":{key}}}"#), number)).unwrap();
        }
        let numbers = sort.finish().iter().map(|entry| entry.position.number).collect();
        (numbers, sort.dropped)
    }

    #[test]
    fn the_first_rows_are_kept_of_many() {
        let keys: Vec<String> = (0..5_000u64).map(|i| (i * 7_919 % 5_000 / 2).to_string()).collect();
        let mut expected: Vec<u64> = (0..5_000).collect();
        expected.sort_by_key(|i| (i * 7_919 % 5_000 / 2, *i));
        assert_eq!(kept(Direction::Ascending, 10, None, &keys), (expected[..10].to_vec(), true));
        assert_eq!(kept(Direction::Ascending, 5_000, None, &keys), (expected.clone(), false));
        let after = Position { keys: vec![Value::from((expected[9] * 7_919 % 5_000 / 2) as i64)], number: expected[9] };
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
