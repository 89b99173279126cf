//! Items that were read one by one, at hand for the next time.
//!
//! A block cache spares reading and unpacking, and still each look-up searches a memtable and tables. Hot items are found here by their
//! hash. The cache is never behind: the committer takes out what it is about to write, and what was read before the write is published does
//! not get in, neither meanwhile nor later, for the slot counts its writes.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Longest key and value together that are kept.
const MAX_ROW_BYTES: usize = 16 << 10;
/// Most slots.
const MAX_SLOTS: usize = 1 << 16;
/// One slot for so many bytes of capacity.
const SLOT_BYTES: usize = 256;

/// A row for each slot, which the hash of its key names.
pub(super) struct RowCache {
    slots: Box<[Mutex<Slot>]>,
    /// Keys come from clients: a random seed keeps them from choosing collisions.
    seed: u64,
    capacity_bytes: usize,
    size_bytes: AtomicUsize,
}

#[derive(Default)]
struct Slot {
    row: Option<Box<Row>>,
    /// Counts the writes of its keys.
    writes: u32,
    /// Writes of its keys that are not published yet.
    in_progress: u32,
}

struct Row {
    key: Box<[u8]>,
    value: Bytes,
}

impl Row {
    fn size_bytes(&self) -> usize {
        self.key.len() + self.value.len()
    }
}

/// What the cache knows of a key.
pub(super) enum Found {
    Row(Bytes),
    /// Nothing. What is read now may be kept with the ticket, if there is one.
    Absent(Option<Ticket>),
}

/// The state of a slot before the store was read.
#[derive(Clone, Copy)]
pub(super) struct Ticket {
    slot: usize,
    writes: u32,
}

impl RowCache {
    pub(super) fn new(capacity_bytes: usize) -> Self {
        let slots = (capacity_bytes / SLOT_BYTES).next_power_of_two().min(MAX_SLOTS);
        RowCache {
            slots: (0..slots).map(|_| Mutex::default()).collect(),
            seed: RandomState::new().hash_one(0u8),
            capacity_bytes,
            size_bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn find(&self, key: &[u8]) -> Found {
        let at = self.slot_of(key);
        let slot = self.slot(at);
        match &slot.row {
            Some(row) if *row.key == *key => Found::Row(row.value.clone()),
            // Readers do not see a write that is not published.
            _ => Found::Absent((slot.in_progress == 0).then_some(Ticket { slot: at, writes: slot.writes })),
        }
    }

    /// Keeps a row that was read after its ticket was given, unless its slot was written to meanwhile. Takes the place of another.
    pub(super) fn keep(&self, ticket: Ticket, key: &[u8], value: &Bytes) {
        let size_bytes = key.len() + value.len();
        if size_bytes > MAX_ROW_BYTES {
            return;
        }
        // A copy: what was read may hold a whole block in memory.
        let row = Box::new(Row { key: key.into(), value: Bytes::copy_from_slice(value) });
        let mut slot = self.slot(ticket.slot);
        if slot.writes != ticket.writes {
            return;
        }
        let before = slot.row.take();
        self.size_bytes.fetch_sub(before.as_ref().map_or(0, |row| row.size_bytes()), Ordering::Relaxed);
        // A cache that is full loses the other row all the same, which makes room for those to come.
        if self.size_bytes.load(Ordering::Relaxed) + size_bytes <= self.capacity_bytes {
            self.size_bytes.fetch_add(size_bytes, Ordering::Relaxed);
            slot.row = Some(row);
        }
        drop(slot);
        drop(before);
    }

    /// The key is about to be written. Gives its slot, for [`RowCache::end_write`].
    pub(super) fn begin_write(&self, key: &[u8]) -> usize {
        let at = self.slot_of(key);
        let mut slot = self.slot(at);
        slot.writes = slot.writes.wrapping_add(1);
        slot.in_progress += 1;
        if slot.row.as_ref().is_some_and(|row| *row.key == *key) {
            let row = slot.row.take();
            self.size_bytes.fetch_sub(row.map_or(0, |row| row.size_bytes()), Ordering::Relaxed);
        }
        at
    }

    /// The write is published.
    pub(super) fn end_write(&self, at: usize) {
        self.slot(at).in_progress -= 1;
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.capacity_bytes
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes.load(Ordering::Relaxed)
    }

    fn slot_of(&self, key: &[u8]) -> usize {
        xxh3_64_with_seed(key, self.seed) as usize & (self.slots.len() - 1)
    }

    fn slot(&self, at: usize) -> MutexGuard<'_, Slot> {
        self.slots[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cache: &RowCache, key: &[u8]) -> Option<Bytes> {
        match cache.find(key) {
            Found::Row(value) => Some(value),
            Found::Absent(_) => None,
        }
    }

    fn ticket(cache: &RowCache, key: &[u8]) -> Ticket {
        match cache.find(key) {
            Found::Row(_) => panic!("it is there"),
            Found::Absent(ticket) => ticket.expect("no write is in progress"),
        }
    }

    fn is_closed(cache: &RowCache, key: &[u8]) -> bool {
        matches!(cache.find(key), Found::Absent(None))
    }

    #[test]
    fn what_was_read_before_a_write_does_not_get_in_after_it() {
        let cache = RowCache::new(1 << 20);
        let (key, value) = (b"key", Bytes::from_static(b"old"));
        let early = ticket(&cache, key);
        let slot = cache.begin_write(key);
        cache.keep(early, key, &value);
        assert!(is_closed(&cache, key), "what is read now is old");
        cache.end_write(slot);
        cache.keep(early, key, &value);
        assert_eq!(row(&cache, key), None);
        cache.keep(ticket(&cache, key), key, &Bytes::from_static(b"new"));
        assert_eq!(row(&cache, key).unwrap(), "new");
        assert_eq!(cache.size_bytes(), 6);
        let slot = cache.begin_write(key);
        assert_eq!((row(&cache, key), cache.size_bytes()), (None, 0));
        cache.end_write(slot);
    }

    #[test]
    fn keys_of_one_slot_take_each_others_place_and_are_not_mistaken() {
        let cache = RowCache::new(100);
        assert_eq!(cache.slots.len(), 1);
        cache.keep(ticket(&cache, b"a"), b"a", &Bytes::from_static(b"1"));
        cache.keep(ticket(&cache, b"b"), b"b", &Bytes::from_static(b"2"));
        assert_eq!((row(&cache, b"a"), row(&cache, b"b").unwrap()), (None, "2".into()));
        // Another key's write leaves the row, and two at once are both waited for.
        let slots = [cache.begin_write(b"a"), cache.begin_write(b"c")];
        assert_eq!(row(&cache, b"b").unwrap(), "2");
        cache.end_write(slots[0]);
        assert!(is_closed(&cache, b"a"));
        cache.end_write(slots[1]);
        cache.keep(ticket(&cache, b"a"), b"a", &Bytes::from_static(b"1"));
        assert_eq!(row(&cache, b"a").unwrap(), "1");
    }

    #[test]
    fn it_stays_within_its_capacity() {
        let cache = RowCache::new(10_000);
        for number in 0..10_000_u32 {
            let key = number.to_be_bytes();
            cache.keep(ticket(&cache, &key), &key, &vec![7; 200].into());
            assert!(cache.size_bytes() <= 10_000);
        }
        assert!(cache.size_bytes() > 5_000);
        cache.keep(ticket(&cache, b"long"), b"long", &vec![7; MAX_ROW_BYTES].into());
        assert_eq!(row(&cache, b"long"), None);
    }
}
