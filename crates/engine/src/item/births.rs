//! New items of late, remembered in memory for those who follow a container.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Item;

/// The latest that are remembered per container once somebody asked for them.
const LATEST: Bound = Bound { items: 1_024, bytes: 256 << 10 };
/// What waits for the index of a container, beside these. It is as much as comes while the index is at work: more is read from the feed.
const UNINDEXED: Bound = Bound { items: 8_192, bytes: 4 << 20 };

struct Bound {
    items: usize,
    /// Of stored items. Those in memtables are there anyway.
    bytes: usize,
}

/// A new item.
#[derive(Clone, Debug)]
pub(crate) struct Birth {
    pub item: Item,
    /// Where it lies, for the index.
    pub place: u32,
}

/// The latest new items of a container. Nothing is remembered until somebody asks for it.
///
/// Whatever is written gets a number, also what takes an item away. So where each number behind a moment is that of a new item, these
/// items are all that has happened since.
///
/// A transaction notes its items when it has run, before they are durable: who asks must know up to which number all is.
#[derive(Debug, Default)]
pub(crate) struct Births {
    /// Whether anything is remembered.
    are_wanted: AtomicBool,
    latest: Mutex<Latest>,
}

#[derive(Debug, Default)]
struct Latest {
    /// In the order of their numbers.
    births: VecDeque<Birth>,
    size_bytes: usize,
    /// Whether the latest are wanted.
    are_kept: bool,
    /// Up to here they are indexed, if there is an index that goes on from there, and where their bytes are counted.
    indexed: Option<(u64, Arc<AtomicUsize>)>,
}

impl Births {
    /// From now on, the latest new items are remembered.
    pub fn keep(&self) {
        let mut latest = self.latest();
        latest.are_kept = true;
        self.are_wanted.store(true, Ordering::Release);
    }

    /// From now on, new items behind the number `reached` are remembered for the index until it says so of a later one. Their bytes
    /// count as its `memory`.
    pub fn await_index(&self, reached: u64, memory: &Arc<AtomicUsize>) {
        let mut latest = self.latest();
        match &mut latest.indexed {
            Some((before, _)) => *before = reached.max(*before),
            None => {
                memory.fetch_add(latest.size_bytes, Ordering::Relaxed);
                latest.indexed = Some((reached, memory.clone()));
            }
        }
        latest.trim();
        self.are_wanted.store(true, Ordering::Release);
    }

    /// There is no index any more that needs them, or it has been idle.
    pub fn forget_index(&self) {
        let mut latest = self.latest();
        if let Some((_, memory)) = latest.indexed.take() {
            memory.fetch_sub(latest.size_bytes, Ordering::Relaxed);
        }
        latest.trim();
        self.are_wanted.store(latest.are_kept, Ordering::Release);
    }

    /// Whether a new item is to be noted.
    pub fn are_wanted(&self) -> bool {
        self.are_wanted.load(Ordering::Acquire)
    }

    /// The item is new. A transaction that runs again says so again.
    pub fn note(&self, birth: Birth) {
        let mut latest = self.latest();
        while latest.births.back().is_some_and(|last| last.item.lsn() >= birth.item.lsn()) {
            let last = latest.births.pop_back();
            latest.count(last.map_or(0, |last| last.size_bytes()), 0);
        }
        latest.count(0, birth.size_bytes());
        latest.births.push_back(birth);
        latest.trim();
    }

    /// The items with the numbers behind `after` up to `last`, if each number is that of a new item which is still remembered.
    pub fn between(&self, after: u64, last: u64) -> Option<Vec<Birth>> {
        let latest = self.latest();
        let from = latest.births.partition_point(|birth| birth.item.lsn() <= after);
        let to = latest.births.partition_point(|birth| birth.item.lsn() <= last);
        ((to - from) as u64 == last.saturating_sub(after)).then(|| latest.births.range(from..to).cloned().collect())
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Birth {
    fn size_bytes(&self) -> usize {
        self.item.stored().len()
    }
}

impl Latest {
    /// Forgets what nobody wants.
    fn trim(&mut self) {
        while let Some(first) = self.births.front() {
            let is_unindexed = self.indexed.as_ref().is_some_and(|(reached, _)| first.item.lsn() > *reached);
            if (is_unindexed && self.is_within(&UNINDEXED)) || (self.are_kept && self.is_within(&LATEST)) {
                return;
            }
            let size_bytes = first.size_bytes();
            self.births.pop_front();
            self.count(size_bytes, 0);
        }
    }

    fn is_within(&self, bound: &Bound) -> bool {
        self.births.len() <= bound.items && self.size_bytes <= bound.bytes
    }

    fn count(&mut self, gone: usize, come: usize) {
        self.size_bytes = self.size_bytes - gone + come;
        if let Some((_, memory)) = &self.indexed {
            memory.fetch_add(come, Ordering::Relaxed);
            memory.fetch_sub(gone, Ordering::Relaxed);
        }
    }
}

impl Drop for Births {
    fn drop(&mut self) {
        self.forget_index();
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use orrery_value::NewDocument;

    use super::super::stored::{HEADER_LEN, Header};
    use super::*;

    fn birth(number: u64, size_bytes: usize) -> Birth {
        let json = format!(r#"{{"id":"{}"}}"#, "x".repeat(size_bytes));
        let mut document = NewDocument::from_json_with_room(json.as_bytes(), HEADER_LEN).unwrap();
        Header { number, document_number: number, ticks: 0, own_ttl: None }.write(document.room_mut());
        Birth { item: Item::from_stored(Bytes::copy_from_slice(document.as_bytes())).unwrap(), place: 7 }
    }

    /// Between which numbers all are remembered.
    fn known(births: &Births, last: u64) -> Option<u64> {
        (0..last).find(|after| births.between(*after, last).is_some())
    }

    #[test]
    fn the_latest_are_kept_and_those_that_the_index_lacks() {
        let (births, memory) = (Births::default(), Arc::new(AtomicUsize::new(0)));
        let latest = (256 << 10) / birth(1, 10).item.stored().len() as u64;
        assert!(!births.are_wanted());
        births.keep();
        (1..=3_000).for_each(|number| births.note(birth(number, 10)));
        assert_eq!(known(&births, 3_000), Some(3_000 - latest));
        births.await_index(2_990, &memory);
        (3_001..=6_000).for_each(|number| births.note(birth(number, 10)));
        assert_eq!(known(&births, 6_000), Some(2_990));
        assert!(memory.load(Ordering::Relaxed) > 3_000 * 10);
        births.await_index(5_990, &memory);
        assert_eq!(known(&births, 6_000), Some(6_000 - latest));
        // An index that comes late is not waited for beyond a bound.
        (6_001..=20_000).for_each(|number| births.note(birth(number, 10)));
        assert_eq!(known(&births, 20_000), Some(20_000 - 8_192));
        (20_001..=20_003).for_each(|number| births.note(birth(number, 3 << 19)));
        assert_eq!(known(&births, 20_003), Some(20_001), "4 MiB of them");
        births.forget_index();
        assert_eq!((known(&births, 20_003), memory.load(Ordering::Relaxed)), (None, 0), "256 KiB of them");
        assert!(births.are_wanted());
    }

    #[test]
    fn what_only_the_index_lacked_is_forgotten_with_it() {
        let (births, memory) = (Births::default(), Arc::new(AtomicUsize::new(0)));
        births.await_index(0, &memory);
        (1..=10).for_each(|number| births.note(birth(number, 10)));
        births.await_index(4, &memory);
        assert_eq!(births.between(4, 10).unwrap().len(), 6);
        assert_eq!(births.between(3, 10).map(|births| births.len()), None);
        // A transaction that runs again gives the same numbers to others.
        births.note(birth(9, 1_000));
        assert!(births.between(4, 9).unwrap().last().unwrap().item.size_bytes() > 1_000);
        drop(births);
        assert_eq!(memory.load(Ordering::Relaxed), 0);
    }
}
