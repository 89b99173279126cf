//! Groups of rows, each with its aggregates on their way.

use orrery_value::Value;

use super::aggregate::Accumulator;
use super::identity;
use super::keyed_table::{ENTRY_BYTES, KeyedTable, Window};
use crate::Error;
use crate::query::Grouping;
use crate::query::evaluation::datum::weight_of;
use crate::query::evaluation::row::Row;

/// The groups of a grouping. Without keys there is one group from the start.
pub(in crate::query) struct GroupTable {
    pub table: KeyedTable<Group>,
    scratch: Vec<u8>,
}

/// Rows alike in the keys.
pub(in crate::query) struct Group {
    keys: Vec<Value>,
    accumulators: Vec<Accumulator>,
}

impl GroupTable {
    /// The groups of all keys.
    pub fn new(grouping: &Grouping) -> Self {
        GroupTable::within(grouping, Window::default())
    }

    /// The groups whose keys have hashes in a window.
    pub fn within(grouping: &Grouping, window: Window) -> Self {
        let mut table = KeyedTable::within(window);
        if grouping.keys.is_empty() {
            table.find_or_insert(&[], || Group::new(Vec::new(), grouping));
        }
        GroupTable { table, scratch: Vec::new() }
    }

    /// Adds a row to its group; returns by how many bytes the table grew.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if a list of the group becomes too large.
    pub fn add(&mut self, grouping: &Grouping, row: &Row<'_>) -> Result<usize, Error> {
        self.scratch.clear();
        for key in &grouping.keys {
            identity::encode(&key.evaluate(row), &mut self.scratch);
        }
        if !row.effort().spend(self.scratch.len()) {
            return Ok(0);
        }
        let make = || Group::new(grouping.keys.iter().map(|key| key.evaluate(row).into_value()).collect(), grouping);
        let Some(slot) = self.table.find_or_insert(&self.scratch, make) else { return Ok(0) };
        let mut growth = 0;
        for (accumulator, aggregate) in slot.value.accumulators.iter_mut().zip(&grouping.aggregates) {
            growth += accumulator.add(&aggregate.argument.evaluate(row))?;
        }
        let (index, is_new) = (slot.index, slot.is_new);
        if is_new {
            growth += slot.value.size_bytes();
        }
        if growth > 0 {
            self.table.grow(index, growth);
        }
        Ok(growth + if is_new { ENTRY_BYTES + self.scratch.len() } else { 0 })
    }

    /// Adds the groups of rows that come after those of this table.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if a list of a group becomes too large.
    pub fn merge(&mut self, later: GroupTable) -> Result<(), Error> {
        if let Some(before) = later.table.window().before
            && later.table.has_given_up()
        {
            self.table.give_up_from(before);
        }
        for entry in later.table.into_entries() {
            let key: Box<[u8]> = entry.key().into();
            let mut group = Some(entry.value);
            let Some(slot) = self.table.find_or_insert(&key, || group.take().expect("taken once, here")) else {
                continue;
            };
            let mut growth = 0;
            match group {
                Some(group) => {
                    for (accumulator, later) in slot.value.accumulators.iter_mut().zip(group.accumulators) {
                        growth += accumulator.merge(later)?;
                    }
                }
                None => growth += slot.value.held_bytes(),
            }
            let index = slot.index;
            self.table.grow(index, growth);
        }
        Ok(())
    }

    /// The groups in the order of the table.
    pub fn into_groups(self) -> impl Iterator<Item = Group> {
        self.table.into_entries().map(|entry| entry.value)
    }
}

impl Group {
    fn new(keys: Vec<Value>, grouping: &Grouping) -> Self {
        let accumulators = grouping.aggregates.iter().map(|aggregate| Accumulator::new(aggregate.function)).collect();
        Group { keys, accumulators }
    }

    /// Bytes of a group without anything in its lists.
    fn size_bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(|key| size_of::<Value>() + weight_of(key)).sum();
        keys + self.accumulators.len() * size_of::<Accumulator>()
    }

    fn held_bytes(&self) -> usize {
        self.size_bytes() + self.accumulators.iter().map(Accumulator::held_bytes).sum::<usize>()
    }

    /// The keys and the results of the aggregates so far.
    pub fn results(&self) -> (Vec<Value>, Vec<Value>) {
        (self.keys.clone(), self.accumulators.iter().map(Accumulator::result).collect())
    }
}

/// The keys of a group and the results of its aggregates.
pub(in crate::query) fn finish_group(group: Group) -> (Vec<Value>, Vec<Value>) {
    (group.keys, group.accumulators.into_iter().map(Accumulator::finish).collect())
}
