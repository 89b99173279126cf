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

    /// Items that were looked for by their keys, by the lengths of those that exist.
    pub fn points(&self, sizes: &[Option<usize>]) {
        if sizes.is_empty() {
            return;
        }
        self.add(|usage| {
            usage.lookups += 1;
            usage.index_lookups += 1;
            for size_bytes in sizes {
                usage.partitions += 1;
                usage.charge_ru += request_charge::point_read(size_bytes.unwrap_or(0));
                usage.bytes_read += size_bytes.unwrap_or(0) as u64;
                usage.elements_read += u64::from(size_bytes.is_some());
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
