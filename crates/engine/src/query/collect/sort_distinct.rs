//! DISTINCT with ORDER BY: each distinct row once, at the first of its places.
//!
//! A row that an earlier page gave has places after that page too, so that each page finds the first place of every distinct row up
//! to its own end. Memory grows with the distinct rows before the page's end; more of them than fit are refused.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;

use super::feed::{At, Collector};
use super::identity::encode_projection;
use super::keyed_table::KeyedTable;
use super::memory::Held;
use super::sort::{SortKeys, compare, is_worth_cutting, place};
use crate::Error;
use crate::query::Plan;
use crate::query::evaluation::row::Row;
use crate::query::page::cursor::Position;
use crate::query::scope::fan_out::Merge;

/// Bytes of distinct rows that one page of an ordered query holds, in each of the parts that are read at once.
pub const MAX_DISTINCT_SORT_BYTES: usize = 64 * 1024 * 1024;

/// Keeps the first distinct rows in the order of a plan.
pub(in crate::query) struct SortDistinct {
    plan: Arc<Plan>,
    after: Option<Position>,
    capacity: usize,
    rows: KeyedTable<DistinctRow>,
    /// Rows first found from here on were given up.
    before: Option<Position>,
    held: Held,
    scratch: Vec<u8>,
    sorted_out_at: usize,
}

/// A distinct row and its first place.
pub(in crate::query) struct DistinctRow {
    pub position: Position,
    pub output: Bytes,
}

impl SortDistinct {
    /// Keeps the first `capacity` distinct rows after a place.
    pub fn new(plan: Arc<Plan>, after: Option<Position>, capacity: usize, held: Held) -> Self {
        SortDistinct {
            plan,
            after,
            capacity: capacity.max(1),
            rows: KeyedTable::new(),
            before: None,
            held,
            scratch: Vec::new(),
            sorted_out_at: 0,
        }
    }

    /// The rows after the place in order, and whether there are more of them.
    ///
    /// # Errors
    /// [`Error::OverBudget`]
    pub fn finish(mut self) -> Result<(Vec<DistinctRow>, bool), Error> {
        self.sort_out()?;
        let (order, after) = (&self.plan.order, &self.after);
        let is_after =
            |row: &DistinctRow| after.as_ref().is_none_or(|after| compare(order, &row.position, after).is_gt());
        let rows = self.rows.into_entries().map(|entry| entry.value);
        let mut rows: Vec<_> = rows.filter(is_after).collect();
        rows.sort_unstable_by(|a, b| compare(order, &a.position, &b.position));
        Ok((rows, self.before.is_some()))
    }

    fn insert(&mut self, key: &[u8], row: DistinctRow) -> Result<(), Error> {
        let order = &self.plan.order;
        let mut row = Some(row);
        let size = |row: &DistinctRow| row.position.size_bytes() + row.output.len();
        let Some(slot) = self.rows.find_or_insert(key, || row.take().expect("taken once, here")) else {
            return Ok(());
        };
        let index = slot.index;
        let growth = match row {
            None => size(slot.value),
            Some(row) if compare(order, &row.position, &slot.value.position).is_lt() => {
                let growth = size(&row).saturating_sub(size(slot.value));
                *slot.value = row;
                growth
            }
            Some(_) => 0,
        };
        self.rows.grow(index, growth);
        let beyond_passed = self.rows.len().saturating_sub(self.sorted_out_at);
        let many = is_worth_cutting(beyond_passed, self.capacity, self.rows.bytes());
        if many || self.rows.bytes() > MAX_DISTINCT_SORT_BYTES {
            self.sort_out()?;
        }
        self.held.hold(self.rows.bytes())
    }

    /// Gives up the rows that cannot be in the page. Those before it stay, so that they are known.
    fn sort_out(&mut self) -> Result<(), Error> {
        let order = &self.plan.order;
        let mut places: Vec<_> = self.rows.entries().iter().map(|entry| &entry.value.position).collect();
        places.sort_unstable_by(|a, b| compare(order, a, b));
        let passed = places
            .partition_point(|place| self.after.as_ref().is_some_and(|after| compare(order, place, after).is_le()));
        let keep = passed.saturating_add(self.capacity);
        if let Some(bound) = places.get(keep).map(|bound| (*bound).clone()) {
            self.rows.retain(|row| compare(order, &row.position, &bound).is_lt());
            self.before = Some(bound);
        }
        self.sorted_out_at = passed;
        if self.rows.bytes() > MAX_DISTINCT_SORT_BYTES {
            return Err(Error::OverBudget { limit_bytes: MAX_DISTINCT_SORT_BYTES });
        }
        Ok(())
    }
}

impl Collector for SortDistinct {
    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        let plan = self.plan.clone();
        let keys = SortKeys::evaluate(&plan.order, row);
        let given_up = |before: &Position| place(&plan.order, keys.as_slice(), at, before).is_ge();
        if self.before.as_ref().is_some_and(given_up) {
            return Ok(Visit::Continue);
        }
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        if encode_projection(&plan.body.projection, row, &mut key)
            && row.effort().spend(key.len())
            && let Some(output) = plan.body.projection.project(row, at.item.as_ref())
            && let Some(position) = keys.into_position(row, at)
        {
            self.insert(&key, DistinctRow { position, output })?;
        }
        self.scratch = key;
        Ok(Visit::Continue)
    }
}

impl Merge for SortDistinct {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        let order = self.plan.order.clone();
        if let Some(bound) = later.before
            && self.before.as_ref().is_none_or(|before| compare(&order, &bound, before).is_lt())
        {
            self.rows.retain(|row| compare(&order, &row.position, &bound).is_lt());
            self.before = Some(bound);
        }
        for entry in later.rows.into_entries() {
            let given_up = |before: &Position| compare(&order, &entry.value.position, before).is_ge();
            if !self.before.as_ref().is_some_and(given_up) {
                let key: Box<[u8]> = entry.key().into();
                self.insert(&key, entry.value)?;
            }
        }
        Ok(())
    }
}
