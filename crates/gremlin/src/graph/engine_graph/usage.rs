//! What a request has cost.

use std::sync::{Mutex, PoisonError};

use orrery_engine::{Item, request_charge};

use crate::graph::Usage;

/// Adds up what calls cost.
#[derive(Default)]
pub(super) struct Tally(Mutex<Usage>);

/// How a look-up found what it found.
pub(super) struct Reading {
    pub charge_ru: f64,
    pub partitions: u64,
    pub by_index: bool,
}

impl Tally {
    pub fn usage(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, add: impl FnOnce(&mut Usage)) {
        add(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Items that were read by their keys.
    pub fn points<'i>(&self, items: impl IntoIterator<Item = Option<&'i Item>>) {
        self.add(|usage| {
            usage.lookups += 1;
            usage.index_lookups += 1;
            for item in items {
                usage.partitions += 1;
                let size_bytes = item.map_or(0, Item::size_bytes);
                usage.charge_ru += request_charge::point_read(size_bytes);
                usage.bytes_read += size_bytes as u64;
                usage.elements_read += u64::from(item.is_some());
            }
        });
    }

    /// A page of a query. Only the first of a query counts as a look-up.
    pub fn page(&self, is_first: bool, reading: &Reading, items: &[Item]) {
        self.add(|usage| {
            usage.charge_ru += reading.charge_ru;
            usage.elements_read += items.len() as u64;
            usage.bytes_read += items.iter().map(|item| item.size_bytes() as u64).sum::<u64>();
            if is_first {
                usage.lookups += 1;
                usage.partitions += reading.partitions;
                usage.index_lookups += u64::from(reading.by_index);
            }
        });
    }

    /// Edges of vertices that were found in memory.
    pub fn neighbors(&self, vertices: usize, found: usize) {
        self.add(|usage| {
            usage.lookups += 1;
            usage.index_lookups += 1;
            usage.partitions += vertices as u64;
            usage.charge_ru += request_charge::page(found, 0);
        });
    }

    pub fn write(&self, charge_ru: f64, written: u64) {
        self.add(|usage| {
            usage.charge_ru += charge_ru;
            usage.elements_written += written;
        });
    }
}
