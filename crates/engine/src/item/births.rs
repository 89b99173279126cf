//! New items of late, remembered in memory for those who follow a container.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Item;

/// Items remembered per container.
const MAX_BIRTHS: usize = 1_024;
/// Bytes of their documents. It is for what came since the last request: more is read from the feed.
const MAX_BYTES: usize = 256 << 10;

/// The latest new items of a container. Nothing is remembered until somebody asks for it.
///
/// Whatever is written gets a number, also what takes an item away. So where each number behind a moment is that of a new item, these
/// items are all that has happened since.
///
/// A transaction notes its items when it has run, before they are durable: who asks must know up to which number all is.
#[derive(Debug, Default)]
pub(crate) struct Births {
    are_kept: AtomicBool,
    latest: Mutex<Latest>,
}

#[derive(Debug, Default)]
struct Latest {
    /// In the order of their numbers.
    items: VecDeque<Item>,
    size_bytes: usize,
}

impl Births {
    /// From now on, new items are remembered.
    pub fn keep(&self) {
        self.are_kept.store(true, Ordering::Release);
    }

    /// The item is new. A transaction that runs again says so again.
    pub fn note(&self, item: &Item) {
        if !self.are_kept.load(Ordering::Acquire) {
            return;
        }
        let mut latest = self.latest();
        while latest.items.back().is_some_and(|last| last.lsn() >= item.lsn()) {
            let last = latest.items.pop_back();
            latest.size_bytes -= last.map_or(0, |last| last.size_bytes());
        }
        latest.size_bytes += item.size_bytes();
        latest.items.push_back(item.clone());
        while latest.items.len() > MAX_BIRTHS || latest.size_bytes > MAX_BYTES {
            let Some(first) = latest.items.pop_front() else { break };
            latest.size_bytes -= first.size_bytes();
        }
    }

    /// The items with the numbers behind `after` up to `last`, if each number is that of a new item which is still remembered.
    pub fn between(&self, after: u64, last: u64) -> Option<Vec<Item>> {
        let latest = self.latest();
        let from = latest.items.partition_point(|item| item.lsn() <= after);
        let to = latest.items.partition_point(|item| item.lsn() <= last);
        ((to - from) as u64 == last.saturating_sub(after)).then(|| latest.items.range(from..to).cloned().collect())
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
