//! GROUP BY, DISTINCT and aggregates over rows of many items.
//!
//! Groups come in the order of first appearance if they all fit in one page. Otherwise they come in the order of the hashes of their
//! keys, and a page goes on after the last hash of the one before: that order does not change with writes, restarts or splits. A page
//! then keeps only the groups with the least hashes, as many as it needs and its memory allows, and reads the scope again for the
//! next ones.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;
use orrery_value::Value;

use super::aggregate::{Accumulator, accumulators, add_row};
use super::feed::{At, Collector};
use super::group_table::{Group, GroupTable};
use super::identity::encode_projection;
use super::keyed_table::{KeyedTable, Window};
use super::memory::Held;
use super::sort::is_worth_cutting;
use crate::Error;
use crate::item::MAX_PAGE_BYTES;
use crate::query::evaluation::row::Row;
use crate::query::page::cursor::{Cursor, Place};
use crate::query::scope::fan_out::Merge;
use crate::query::{Effort, Grouping, Plan};

/// Bytes of groups or distinct rows that one query holds, in each of the parts that are read at once.
pub const MAX_GROUP_BYTES: usize = 64 * 1024 * 1024;

/// How many groups are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum Needed {
    /// Those of one page, by their hashes; the others come in later passes.
    Page(usize),
    /// All, as what follows looks at all of them. More than fit in memory are refused.
    All,
}

/// The groups of a plan's rows.
pub(in crate::query) struct Groups {
    plan: Arc<Plan>,
    pub groups: GroupTable,
    needed: Needed,
    held: Held,
}

impl Groups {
    /// Groups with keys after a place.
    pub fn new(plan: Arc<Plan>, grouping: &Grouping, place: &Place, needed: Needed, held: Held) -> Self {
        Groups { groups: GroupTable::within(grouping, window(place)), plan, needed, held }
    }

    /// One page of the groups' rows.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a projection takes too many steps.
    pub fn finish(mut self, cursor: &Cursor, max_items: usize) -> Result<(Vec<Bytes>, Option<Cursor>), Error> {
        let plan = self.plan.clone();
        page(&mut self.groups.table, cursor, max_items, false, |group| output(&plan, group))
    }
}

impl Collector for Groups {
    fn add(&mut self, row: &Row<'_>, _at: &At<'_>) -> Result<Visit, Error> {
        let Some(grouping) = &self.plan.body.grouping else { return Ok(Visit::Stop) };
        if self.groups.add(grouping, row)? > 0 {
            bound(&mut self.groups.table, self.needed, &mut self.held)?;
        }
        Ok(Visit::Continue)
    }
}

impl Merge for Groups {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        self.groups.merge(later.groups)?;
        bound(&mut self.groups.table, self.needed, &mut self.held)
    }
}

/// All rows as one group, which is there even without rows.
pub(in crate::query) struct Fold {
    plan: Arc<Plan>,
    accumulators: Vec<Accumulator>,
    bytes: usize,
    held: Held,
}

impl Fold {
    pub fn new(plan: Arc<Plan>, held: Held) -> Self {
        Fold { accumulators: accumulators(plan.body.aggregates()), plan, bytes: 0, held }
    }

    /// The one row; none if its projection is undefined.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the projection takes too many steps.
    pub fn finish(self) -> Result<Option<Bytes>, Error> {
        let results: Vec<_> = self.accumulators.into_iter().map(Accumulator::finish).collect();
        project_fold(&self.plan, &results)
    }
}

/// The one row of these aggregates; none if its projection is undefined.
///
/// # Errors
/// [`Error::Invalid`] if the projection takes too many steps.
pub(in crate::query) fn project_fold(plan: &Plan, results: &[Value]) -> Result<Option<Bytes>, Error> {
    let effort = Effort::for_row();
    let output = plan.body.projection.project(&Row::empty(&effort).folded(&[], results), None);
    effort.check()?;
    Ok(output)
}

impl Collector for Fold {
    fn add(&mut self, row: &Row<'_>, _at: &At<'_>) -> Result<Visit, Error> {
        let growth = add_row(&mut self.accumulators, self.plan.body.aggregates(), row)?;
        if growth > 0 {
            self.bytes += growth;
            self.held.hold(self.bytes)?;
        }
        Ok(Visit::Continue)
    }
}

impl Merge for Fold {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        for (accumulator, later) in self.accumulators.iter_mut().zip(later.accumulators) {
            self.bytes += accumulator.merge(later)?;
        }
        self.held.hold(self.bytes)
    }
}

/// What is kept of a distinct row.
pub(in crate::query) trait DistinctOutput: Sized + Send + 'static {
    /// The output of a row, if it has one.
    fn of(plan: &Plan, row: &Row<'_>, at: &At<'_>) -> Option<Self>;

    /// Bytes in memory.
    fn size_bytes(&self) -> usize;
}

impl DistinctOutput for Bytes {
    fn of(plan: &Plan, row: &Row<'_>, at: &At<'_>) -> Option<Self> {
        plan.body.projection.project(row, at.item.as_ref())
    }

    fn size_bytes(&self) -> usize {
        self.len()
    }
}

/// The distinct rows of a plan.
pub(in crate::query) struct Distinct<T> {
    plan: Arc<Plan>,
    pub rows: KeyedTable<T>,
    needed: Needed,
    /// Rows that are enough, in the order of first appearance.
    enough: Option<usize>,
    output_bytes: usize,
    held: Held,
    scratch: Vec<u8>,
}

impl<T: DistinctOutput> Distinct<T> {
    /// Distinct rows after a place.
    pub fn new(plan: Arc<Plan>, place: &Place, needed: Needed, enough: Option<usize>, held: Held) -> Self {
        let (rows, scratch) = (KeyedTable::within(window(place)), Vec::new());
        Distinct { plan, rows, needed, enough, output_bytes: 0, held, scratch }
    }

    /// Whether there are enough rows already.
    pub fn is_enough(&self) -> bool {
        self.enough.is_some_and(|enough| self.rows.len() >= enough) && self.output_bytes <= MAX_PAGE_BYTES
    }

    fn insert(&mut self, key: &[u8], make: impl FnOnce() -> T) -> Result<(), Error> {
        let (index, size) = match self.rows.find_or_insert(key, make) {
            Some(slot) if slot.is_new => (slot.index, slot.value.size_bytes()),
            _ => return Ok(()),
        };
        self.output_bytes += size;
        self.rows.grow(index, size);
        bound(&mut self.rows, self.needed, &mut self.held)
    }
}

impl Distinct<Bytes> {
    /// One page of the rows.
    ///
    /// # Errors
    /// None of its own.
    pub fn finish(mut self, cursor: &Cursor, max_items: usize) -> Result<(Vec<Bytes>, Option<Cursor>), Error> {
        let is_enough = self.enough.is_some_and(|enough| self.rows.len() >= enough);
        page(&mut self.rows, cursor, max_items, is_enough, |row| Ok(Some(row.clone())))
    }
}

impl<T: DistinctOutput> Collector for Distinct<T> {
    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        let plan = self.plan.clone();
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        let known = encode_projection(&plan.body.projection, row, &mut key) && row.effort().spend(key.len());
        if known
            && !self.rows.contains(&key)
            && let Some(output) = T::of(&plan, row, at)
        {
            self.insert(&key, || output)?;
        }
        self.scratch = key;
        Ok(if self.is_enough() { Visit::Stop } else { Visit::Continue })
    }
}

impl<T: DistinctOutput> Merge for Distinct<T> {
    fn merge(&mut self, later: Self) -> Result<(), Error> {
        if let (true, Some(before)) = (later.rows.has_given_up(), later.rows.window().before) {
            self.rows.give_up_from(before);
        }
        for entry in later.rows.into_entries() {
            let key: Box<[u8]> = entry.key().into();
            self.insert(&key, || entry.value)?;
        }
        Ok(())
    }
}

/// The hashes after a place.
fn window(place: &Place) -> Window {
    let after = match place {
        Place::AfterHash(hash) => Some(*hash),
        Place::Start | Place::AfterKey(_) | Place::Within { .. } | Place::Sorted { .. } => None,
    };
    Window { after, before: None }
}

/// Keeps a table within its bounds.
fn bound<T>(table: &mut KeyedTable<T>, needed: Needed, held: &mut Held) -> Result<(), Error> {
    let over_budget = table.bytes() > MAX_GROUP_BYTES;
    match needed {
        Needed::All => {}
        Needed::Page(capacity) if is_worth_cutting(table.len(), capacity, table.bytes()) => {
            table.give_up(capacity, MAX_GROUP_BYTES);
        }
        Needed::Page(capacity) if over_budget => table.give_up(capacity, MAX_GROUP_BYTES / 2),
        Needed::Page(_) => {}
    }
    if table.bytes() > MAX_GROUP_BYTES {
        return Err(Error::OverBudget { limit_bytes: MAX_GROUP_BYTES });
    }
    held.hold(table.bytes())
}

/// The row of a group.
fn output(plan: &Plan, group: &Group) -> Result<Option<Bytes>, Error> {
    let (keys, aggregates) = group.results();
    let effort = Effort::for_row();
    let output = plan.body.projection.project(&Row::empty(&effort).folded(&keys, &aggregates), None);
    effort.check()?;
    Ok(output)
}

/// One page of a table's rows. `is_enough` says that the table has all rows of the query though not all items were read.
fn page<T>(
    table: &mut KeyedTable<T>,
    cursor: &Cursor,
    max_items: usize,
    is_enough: bool,
    output: impl Fn(&T) -> Result<Option<Bytes>, Error>,
) -> Result<(Vec<Bytes>, Option<Cursor>), Error> {
    if !table.has_given_up() && cursor.place == Place::Start {
        let max_bytes = if is_enough { usize::MAX } else { MAX_PAGE_BYTES };
        if let Some(rows) = only_page(table, cursor, max_items, max_bytes, &output)? {
            return Ok((rows, None));
        }
    }
    table.sort();
    let mut cursor = cursor.clone();
    let (mut rows, mut row_bytes, mut last) = (Vec::new(), 0, None);
    for entry in table.entries() {
        // What has the hash of the last row must be in the same page, since the next one begins after that hash.
        if (rows.len() >= max_items || row_bytes >= MAX_PAGE_BYTES) && last != Some(entry.hash) {
            return Ok((rows, Some(cursor)));
        }
        last = Some(entry.hash);
        cursor.place = Place::AfterHash(entry.hash);
        let Some(row) = output(&entry.value)? else { continue };
        if cursor.skip > 0 {
            cursor.skip -= 1;
            continue;
        }
        row_bytes += row.len();
        rows.push(row);
        cursor.limit = cursor.limit.map(|limit| limit.saturating_sub(1));
        if cursor.limit == Some(0) {
            return Ok((rows, None));
        }
    }
    Ok((rows, table.has_given_up().then_some(cursor)))
}

/// All rows in the order of first appearance, if they fit in one page.
fn only_page<T>(
    table: &KeyedTable<T>,
    cursor: &Cursor,
    max_items: usize,
    max_bytes: usize,
    output: &impl Fn(&T) -> Result<Option<Bytes>, Error>,
) -> Result<Option<Vec<Bytes>>, Error> {
    let (mut rows, mut row_bytes, mut skip) = (Vec::new(), 0, cursor.skip);
    for entry in table.entries() {
        if cursor.limit.is_some_and(|limit| rows.len() as u64 >= limit) {
            break;
        }
        let Some(row) = output(&entry.value)? else { continue };
        if skip > 0 {
            skip -= 1;
            continue;
        }
        if rows.len() >= max_items || row_bytes >= max_bytes {
            return Ok(None);
        }
        row_bytes += row.len();
        rows.push(row);
    }
    Ok(Some(rows))
}
