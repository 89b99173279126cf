//! Rows that depend on all items: of a query in FROM, and of groups that are sorted or made distinct. They are held in memory, and
//! take the place of items for what follows.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;
use orrery_value::Value;

use super::feed::{At, Collector, Examined, Feed};
use super::group_table::{Group, finish_group};
use super::groups::DistinctOutput;
use super::identity;
use super::keyed_table::KeyedTable;
use super::memory::Held;
use super::sort::compare;
use crate::Error;
use crate::item::MAX_PAGE_BYTES;
use crate::query::evaluation::datum::weight_of;
use crate::query::evaluation::row::{Row, Source};
use crate::query::page::cursor::{Cursor, Place, Position};
use crate::query::{Datum, Effort, Plan, SortKey};

/// Rows looked at before the thread is given to others.
const ROWS_PER_TURN: usize = 256;

/// A row that depends on all items.
pub(in crate::query) struct Derived {
    /// Its value; none for the one row of a query without FROM.
    pub value: Option<Value>,
    /// Its place: what it is sorted by, if by anything, and the hash of what makes it different from the others.
    pub position: Position,
}

impl Derived {
    /// The row of a query without FROM.
    pub fn single() -> Self {
        Derived { value: None, position: Position { keys: Vec::new(), number: 0, ordinal: 0 } }
    }

    /// A row known by this hash.
    pub fn new(value: Value, hash: u128) -> Self {
        Derived { value: Some(value), position: Position { keys: Vec::new(), number: hash, ordinal: 0 } }
    }

    /// What stands for the key of an item.
    pub fn key(&self) -> [u8; 16] {
        self.position.number.to_be_bytes()
    }

    /// Brings `visit` to the row.
    pub fn with_row<T>(&self, effort: &Effort, visit: impl FnOnce(&Row<'_>) -> T) -> T {
        match &self.value {
            None => visit(&Row::empty(effort)),
            Some(value) => visit(&Row::of(&Source::first(Datum::Borrowed(value)), effort)),
        }
    }
}

impl DistinctOutput for Value {
    fn of(plan: &Plan, row: &Row<'_>, _at: &At<'_>) -> Option<Self> {
        let value = plan.body.projection.evaluate(row);
        row.effort().spend(value.weight()).then(|| value.into_value())
    }

    fn size_bytes(&self) -> usize {
        size_of::<Value>() + weight_of(self)
    }
}

/// Brings a collector to rows in their order.
pub(in crate::query) async fn run_rows<C: Collector>(
    rows: &[Derived],
    feed: &Feed,
    mut collector: C,
) -> Result<(C, Examined), Error> {
    let mut examined = Examined::default();
    for (number, derived) in rows.iter().enumerate() {
        if number % ROWS_PER_TURN == ROWS_PER_TURN - 1 {
            tokio::task::yield_now().await;
        }
        // What these rows came from was counted when they were made.
        if collector.is_full(&examined) {
            break;
        }
        let effort = Effort::for_row();
        let key = derived.key();
        let (_, end) =
            derived.with_row(&effort, |row| feed.bring(row, &key, derived.position.number, None, &mut collector));
        examined.steps += effort.spent();
        effort.check()?;
        if end? == Visit::Stop {
            break;
        }
        collector.item_done(&key);
    }
    Ok((collector, examined))
}

/// The rows of groups, with what they are sorted by.
///
/// # Errors
/// [`Error::Invalid`] if a row takes too many steps, [`Error::Unavailable`] if the server's query memory is used up.
pub(in crate::query) fn of_groups(
    plan: &Plan,
    groups: impl Iterator<Item = (u128, Group)>,
    held: &mut Held,
) -> Result<Vec<Derived>, Error> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    for (hash, group) in groups {
        let (keys, aggregates) = finish_group(group);
        let effort = Effort::for_row();
        let row = Row::empty(&effort).folded(&keys, &aggregates);
        let value = plan.body.projection.evaluate(&row).into_value();
        let mut derived = Derived::new(value, hash);
        derived.position.keys = plan.order.iter().map(|key| key.expr.evaluate(&row).into_value()).collect();
        effort.check()?;
        if derived.value.as_ref().is_some_and(Value::has_json) {
            bytes += derived.position.size_bytes() + derived.value.as_ref().map_or(0, weight_of);
            held.hold(bytes)?;
            rows.push(derived);
        }
    }
    Ok(if plan.body.distinct { distinct(rows, &plan.order) } else { rows })
}

/// Equal rows once, at the first of their places.
fn distinct(rows: Vec<Derived>, order: &[SortKey]) -> Vec<Derived> {
    let mut table: KeyedTable<Derived> = KeyedTable::new();
    let mut key = Vec::new();
    for row in rows {
        key.clear();
        if let Some(value) = &row.value {
            identity::encode(&Datum::Borrowed(value), &mut key);
        }
        let mut row = Some(row);
        let Some(slot) = table.find_or_insert(&key, || row.take().expect("taken once, here")) else { continue };
        if let Some(row) = row
            && !order.is_empty()
            && compare(order, &row.position, &slot.value.position).is_lt()
        {
            *slot.value = row;
        }
    }
    let known_by = |entry: super::keyed_table::Entry<Derived>| {
        let mut row = entry.value;
        row.position.number = entry.hash;
        row
    };
    table.into_entries().map(known_by).collect()
}

/// One page of rows that are held in memory: sorted if the plan says so, else in the order of first appearance if all fit, and if
/// not, in the order of their hashes.
pub(in crate::query) fn page(
    plan: &Arc<Plan>,
    mut rows: Vec<Derived>,
    cursor: &Cursor,
    max_items: usize,
    token_limit_bytes: Option<usize>,
) -> (Vec<Bytes>, Option<Cursor>) {
    let sorted = !plan.order.is_empty();
    let skip = usize::try_from(cursor.skip).unwrap_or(usize::MAX);
    let limit = cursor.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if !sorted && cursor.place == Place::Start && fits(&rows, skip, limit, max_items) {
        return (rows.iter().skip(skip).take(limit).map(text).collect(), None);
    }
    rows.sort_by(|a, b| compare(&plan.order, &a.position, &b.position));
    let (passed, first) = match &cursor.place {
        Place::Sorted { passed, after } => (
            *passed,
            after
                .as_ref()
                .map_or(0, |after| rows.partition_point(|row| compare(&plan.order, &row.position, after).is_le())),
        ),
        Place::AfterHash(hash) => (0, rows.partition_point(|row| row.position.number <= *hash)),
        Place::Start | Place::AfterKey(_) | Place::Within { .. } => (0, 0),
    };
    let rest = &rows[first..];
    let skipped = skip.min(rest.len());
    let (mut page, mut bytes) = (Vec::new(), 0);
    for row in rest[skipped..].iter().take(max_items.min(limit)) {
        if bytes >= MAX_PAGE_BYTES {
            break;
        }
        let text = text(row);
        bytes += text.len();
        page.push(text);
    }
    let used = skipped + page.len();
    let limit = cursor.limit.map(|limit| limit.saturating_sub(page.len() as u64));
    let next = match used.checked_sub(1).and_then(|last| rest.get(last)) {
        Some(last) if used < rest.len() && limit != Some(0) => {
            let passed = passed.saturating_add(used as u64);
            let (skip, place) = if !sorted {
                (cursor.skip - skipped as u64, Place::AfterHash(last.position.number))
            } else if last.position.is_short(token_limit_bytes) {
                let after = Some(last.position.clone());
                (cursor.skip - skipped as u64, Place::Sorted { passed, after })
            } else {
                ((cursor.skip - skipped as u64).saturating_add(passed), Place::Sorted { passed: 0, after: None })
            };
            Some(Cursor { skip, limit, place })
        }
        _ => None,
    };
    (page, next)
}

fn fits(rows: &[Derived], skip: usize, limit: usize, max_items: usize) -> bool {
    let wanted = rows.len().saturating_sub(skip).min(limit);
    let bytes: usize = rows.iter().skip(skip).take(wanted).map(|row| row.value.as_ref().map_or(0, weight_of)).sum();
    wanted <= max_items && bytes <= MAX_PAGE_BYTES
}

fn text(row: &Derived) -> Bytes {
    row.value.as_ref().map(Value::to_json).unwrap_or_default().into()
}
