//! Items that were read one by one, at hand for the next time.
//!
//! A block cache spares reading and unpacking, and still each look-up searches a memtable and tables. Hot items are found here by their
//! hash. The cache is never behind: the committer takes out what it is about to write, and what was read before the write is published does
//! not get in, neither meanwhile nor later, for the bucket counts its writes.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Longest key and value together that are kept.
const MAX_ROW_BYTES: usize = 16 << 10;
/// Rows of a bucket: with few of them, two hot items that fall together drive each other out.
const WAYS: usize = 4;
/// Most buckets.
const MAX_BUCKETS: usize = 1 << 14;
/// One bucket for so many bytes of capacity.
const BUCKET_BYTES: usize = 1 << 10;

/// Some rows for each bucket, which the hash of the key names.
pub(super) struct RowCache {
    buckets: Box<[Mutex<Bucket>]>,
    /// Keys come from clients: a random seed keeps them from choosing collisions.
    seed: u64,
    capacity_bytes: usize,
    size_bytes: AtomicUsize,
}

/// A line of the processor's cache.
#[derive(Default)]
struct Bucket {
    rows: [Option<Box<Row>>; WAYS],
    /// Of each row some bits of its hash, so that most that are not wanted need not be looked at.
    tags: [u16; WAYS],
    /// Counts the writes of its keys.
    writes: u32,
    /// Writes of its keys that are not published yet.
    in_progress: u32,
    /// The place whose row goes next.
    oldest: u8,
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

/// Where a key belongs.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    tag: u16,
}

/// What the cache knows of a key.
pub(super) enum Found {
    Row(Bytes),
    /// Nothing. What is read now may be kept with the ticket, if there is one.
    Absent(Option<Ticket>),
}

/// The state of a bucket before the store was read.
#[derive(Clone, Copy)]
pub(super) struct Ticket {
    place: Place,
    writes: u32,
}

impl Bucket {
    fn position(&self, tag: u16, key: &[u8]) -> Option<usize> {
        let is = |row: &Option<Box<Row>>| row.as_ref().is_some_and(|row| *row.key == *key);
        (0..WAYS).find(|at| self.tags[*at] == tag && is(&self.rows[*at]))
    }
}

impl RowCache {
    pub(super) fn new(capacity_bytes: usize) -> Self {
        let buckets = (capacity_bytes / BUCKET_BYTES).next_power_of_two().min(MAX_BUCKETS);
        RowCache {
            buckets: (0..buckets).map(|_| Mutex::default()).collect(),
            seed: RandomState::new().hash_one(0u8),
            capacity_bytes,
            size_bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn find(&self, key: &[u8]) -> Found {
        let place = self.place_of(key);
        let bucket = self.bucket(place.bucket);
        match bucket.position(place.tag, key).and_then(|at| bucket.rows[at].as_ref()) {
            Some(row) => Found::Row(row.value.clone()),
            // Readers do not see a write that is not published.
            None => Found::Absent((bucket.in_progress == 0).then_some(Ticket { place, writes: bucket.writes })),
        }
    }

    /// Keeps a row that was read after its ticket was given, unless its bucket was written to meanwhile.
    pub(super) fn keep(&self, ticket: Ticket, key: &[u8], value: &Bytes) {
        let size_bytes = key.len() + value.len();
        if size_bytes > MAX_ROW_BYTES {
            return;
        }
        // A copy: what was read may hold a whole block in memory.
        let row = Box::new(Row { key: key.into(), value: Bytes::copy_from_slice(value) });
        let Ticket { place, writes } = ticket;
        let mut bucket = self.bucket(place.bucket);
        if bucket.writes != writes {
            return;
        }
        // Another reader may have brought it.
        let at = bucket.position(place.tag, key).or_else(|| bucket.rows.iter().position(Option::is_none));
        let at = at.unwrap_or_else(|| {
            bucket.oldest = (bucket.oldest + 1) % WAYS as u8;
            usize::from(bucket.oldest)
        });
        let before = bucket.rows[at].take();
        self.forget(before.as_deref());
        // A cache that is full loses the other row all the same, which makes room for those to come.
        if self.size_bytes.load(Ordering::Relaxed) + size_bytes <= self.capacity_bytes {
            self.size_bytes.fetch_add(size_bytes, Ordering::Relaxed);
            bucket.tags[at] = place.tag;
            bucket.rows[at] = Some(row);
        } else if let Some(other) = bucket.rows.iter_mut().find(|row| row.is_some()).and_then(Option::take) {
            self.forget(Some(&other));
        }
        drop(bucket);
        drop(before);
    }

    /// The key is about to be written. Gives its bucket, for [`RowCache::end_write`].
    pub(super) fn begin_write(&self, key: &[u8]) -> usize {
        let place = self.place_of(key);
        let mut bucket = self.bucket(place.bucket);
        bucket.writes = bucket.writes.wrapping_add(1);
        bucket.in_progress += 1;
        if let Some(at) = bucket.position(place.tag, key) {
            let row = bucket.rows[at].take();
            self.forget(row.as_deref());
        }
        place.bucket
    }

    /// The write is published.
    pub(super) fn end_write(&self, bucket: usize) {
        self.bucket(bucket).in_progress -= 1;
    }

    fn forget(&self, row: Option<&Row>) {
        self.size_bytes.fetch_sub(row.map_or(0, Row::size_bytes), Ordering::Relaxed);
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.capacity_bytes
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes.load(Ordering::Relaxed)
    }

    fn place_of(&self, key: &[u8]) -> Place {
        let hash = xxh3_64_with_seed(key, self.seed);
        Place { bucket: hash as usize & (self.buckets.len() - 1), tag: (hash >> 48) as u16 }
    }

    fn bucket(&self, at: usize) -> MutexGuard<'_, Bucket> {
        self.buckets[at].lock().unwrap_or_else(PoisonError::into_inner)
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
        let bucket = cache.begin_write(key);
        cache.keep(early, key, &value);
        assert!(is_closed(&cache, key), "what is read now is old");
        cache.end_write(bucket);
        cache.keep(early, key, &value);
        assert_eq!(row(&cache, key), None);
        cache.keep(ticket(&cache, key), key, &Bytes::from_static(b"new"));
        assert_eq!(row(&cache, key).unwrap(), "new");
        assert_eq!(cache.size_bytes(), 6);
        let bucket = cache.begin_write(key);
        assert_eq!((row(&cache, key), cache.size_bytes()), (None, 0));
        cache.end_write(bucket);
    }

    #[test]
    fn keys_of_one_bucket_take_each_others_place_and_are_not_mistaken() {
        let cache = RowCache::new(100);
        assert_eq!(cache.buckets.len(), 1);
        let keys: Vec<[u8; 1]> = (0..=WAYS as u8).map(|key| [key]).collect();
        for key in &keys {
            cache.keep(ticket(&cache, key), key, &Bytes::copy_from_slice(key));
            assert_eq!(row(&cache, key).unwrap(), key[..]);
        }
        let kept = keys.iter().filter(|key| row(&cache, *key).is_some()).count();
        assert_eq!((kept, cache.size_bytes()), (WAYS, 2 * WAYS));
        // Another key's write leaves the rows, and two at once are both waited for.
        let buckets = [cache.begin_write(b"x"), cache.begin_write(b"y")];
        let last = keys.last().unwrap();
        assert_eq!(row(&cache, last).unwrap(), last[..]);
        cache.end_write(buckets[0]);
        assert!(is_closed(&cache, b"x"));
        cache.end_write(buckets[1]);
        cache.keep(ticket(&cache, b"x"), b"x", &Bytes::from_static(b"1"));
        assert_eq!(row(&cache, b"x").unwrap(), "1");
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
