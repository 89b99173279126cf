//! The writes of transactions that are not in the store yet.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher, RandomState};

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{Error, KeyRange, MAX_KEY_LEN, MAX_VALUE_LEN, Space};

/// Writes of a group of transactions in the order they were made; a lookup finds the newest of a key.
///
/// A transaction that aborts is rolled back to where the writes stood before it, which leaves those of its predecessors
/// as they were. Keys are found by their hash, so that a write costs one probe and copies nothing.
pub(crate) struct Overlay {
    writes: Vec<Write>,
    /// The newest write of each hash; older ones follow in [`Write::below`].
    newest: HashMap<u64, u32, BuildHasherDefault<AlreadyHashed>>,
    seed: u64,
    size_bytes: usize,
    /// Why the running transaction cannot be committed, whatever it decides.
    refused: Option<Error>,
}

/// One put or remove.
pub(crate) struct Write {
    pub(crate) space: Space,
    pub(crate) key: Bytes,
    /// Absent if the key is removed.
    pub(crate) value: Option<Bytes>,
    hash: u64,
    /// The next older write of the same hash.
    below: Option<u32>,
    /// The next older write of the same key, which this one makes void.
    replaces: Option<u32>,
    void: bool,
}

impl Overlay {
    pub(crate) fn new() -> Self {
        use std::hash::BuildHasher;
        Overlay {
            writes: Vec::new(),
            newest: HashMap::default(),
            // Keys come from clients; a random seed keeps them from choosing collisions.
            seed: RandomState::new().hash_one(0u8),
            size_bytes: 0,
            refused: None,
        }
    }

    /// Where the writes stand, for [`Overlay::roll_back`].
    pub(crate) fn mark(&self) -> usize {
        self.writes.len()
    }

    /// Undoes all writes made since `mark`.
    pub(crate) fn roll_back(&mut self, mark: usize) {
        while self.writes.len() > mark {
            let Some(write) = self.writes.pop() else { return };
            self.size_bytes -= write.size_bytes();
            match write.below {
                Some(below) => self.newest.insert(write.hash, below),
                None => self.newest.remove(&write.hash),
            };
            if let Some(older) = write.replaces {
                self.writes[older as usize].void = false;
            }
        }
    }

    /// The newest write of a key: `None` if there is none, `Some(None)` if it removed the key.
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Option<Option<Bytes>> {
        let found = self.find(self.hash(space, key), space, key)?;
        Some(self.writes[found as usize].value.clone())
    }

    /// The newest writes of the keys in a range. Looks at every write of the group.
    pub(crate) fn range(&self, space: Space, range: &KeyRange) -> BTreeMap<Bytes, Option<Bytes>> {
        let inside = |key: &[u8]| key >= &range.start[..] && range.end.as_ref().is_none_or(|end| key < &end[..]);
        let standing = self.writes.iter().filter(|write| !write.void && write.space == space && inside(&write.key));
        standing.map(|write| (write.key.clone(), write.value.clone())).collect()
    }

    /// Adds a write.
    pub(crate) fn push(&mut self, space: Space, key: Vec<u8>, value: Option<Bytes>) {
        if let Err(error) = check_space(space).and_then(|()| check_size(&key, value.as_ref())) {
            self.refused.get_or_insert(error);
            return;
        }
        let hash = self.hash(space, &key);
        let replaces = self.find(hash, space, &key);
        if let Some(older) = replaces {
            self.writes[older as usize].void = true;
        }
        let index = u32::try_from(self.writes.len()).expect("a group is bounded far below u32::MAX writes");
        let below = self.newest.insert(hash, index);
        let write = Write { space, key: Bytes::from(key), value, hash, below, replaces, void: false };
        self.size_bytes += write.size_bytes();
        self.writes.push(write);
    }

    /// The error of a write that could not be added since this was last asked.
    pub(crate) fn take_refused(&mut self) -> Option<Error> {
        self.refused.take()
    }

    /// Bytes of all keys and values held.
    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The newest write of every key.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(|write| !write.void)
    }

    /// Takes the newest write of every key out and leaves the overlay empty.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Write> + '_ {
        self.newest.clear();
        self.size_bytes = 0;
        self.writes.drain(..).filter(|write| !write.void)
    }

    fn find(&self, hash: u64, space: Space, key: &[u8]) -> Option<u32> {
        let mut next = self.newest.get(&hash).copied();
        while let Some(index) = next {
            let write = &self.writes[index as usize];
            if write.space == space && write.key == key {
                return Some(index);
            }
            next = write.below;
        }
        None
    }

    fn hash(&self, space: Space, key: &[u8]) -> u64 {
        xxh3_64_with_seed(key, self.seed ^ space as u64)
    }
}

impl Write {
    fn size_bytes(&self) -> usize {
        self.key.len() + self.value.as_ref().map_or(0, Bytes::len)
    }
}

fn check_space(space: Space) -> Result<(), Error> {
    match space {
        Space::Index => Err(Error::Misused { what: "transactions do not write to the space of indexes" }),
        Space::Meta | Space::Items | Space::Feed | Space::Side => Ok(()),
    }
}

/// Whether the store takes a key and value of these sizes.
pub(crate) fn check_size(key: &[u8], value: Option<&Bytes>) -> Result<(), Error> {
    if !(1..=MAX_KEY_LEN).contains(&key.len()) {
        return Err(Error::Size { what: "key", length: key.len(), least: 1, most: MAX_KEY_LEN });
    }
    match value {
        Some(value) if value.len() > MAX_VALUE_LEN => {
            Err(Error::Size { what: "value", length: value.len(), least: 0, most: MAX_VALUE_LEN })
        }
        _ => Ok(()),
    }
}

/// Passes on keys that are hashes.
#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(overlay: &mut Overlay, key: &str, value: &str) {
        overlay.push(Space::Items, key.into(), Some(Bytes::copy_from_slice(value.as_bytes())));
    }

    fn drained(overlay: &mut Overlay) -> Vec<(Bytes, Option<Bytes>)> {
        overlay.drain().map(|write| (write.key, write.value)).collect()
    }

    #[test]
    fn the_newest_write_of_a_key_wins() {
        let mut overlay = Overlay::new();
        put(&mut overlay, "a", "1");
        put(&mut overlay, "b", "2");
        put(&mut overlay, "a", "3");
        overlay.push(Space::Items, b"b".to_vec(), None);
        assert_eq!(overlay.get(Space::Items, b"a"), Some(Some("3".into())));
        assert_eq!(overlay.get(Space::Items, b"b"), Some(None));
        assert_eq!(overlay.get(Space::Feed, b"a"), None);
        assert_eq!(drained(&mut overlay), [("a".into(), Some("3".into())), ("b".into(), None)]);
        assert!(overlay.is_empty() && overlay.size_bytes() == 0);
        assert_eq!(overlay.get(Space::Items, b"a"), None);
    }

    #[test]
    fn rolling_back_restores_what_was_replaced() {
        let mut overlay = Overlay::new();
        put(&mut overlay, "a", "1");
        let (mark, size_bytes) = (overlay.mark(), overlay.size_bytes());
        put(&mut overlay, "a", "2");
        put(&mut overlay, "a", "3");
        put(&mut overlay, "new", "4");
        overlay.roll_back(mark);
        assert_eq!(overlay.size_bytes(), size_bytes);
        assert_eq!(overlay.get(Space::Items, b"a"), Some(Some("1".into())));
        assert_eq!(overlay.get(Space::Items, b"new"), None);
        assert_eq!(drained(&mut overlay), [("a".into(), Some("1".into()))]);
    }

    #[test]
    fn keys_of_equal_hash_stay_apart() {
        let mut overlay = Overlay::new();
        put(&mut overlay, "a", "1");
        // What a true collision of "a" and "z" would leave behind.
        let hash = overlay.hash(Space::Items, b"z");
        overlay.newest.insert(hash, 0);
        overlay.writes[0].hash = hash;
        put(&mut overlay, "z", "2");
        assert_eq!(overlay.get(Space::Items, b"z"), Some(Some("2".into())));
        assert_eq!(overlay.find(hash, Space::Items, b"a"), Some(0));
        overlay.roll_back(1);
        assert_eq!(overlay.find(hash, Space::Items, b"a"), Some(0));
        assert_eq!(overlay.get(Space::Items, b"z"), None);
    }

    #[test]
    fn sizes_out_of_bounds_are_refused_once() {
        let mut overlay = Overlay::new();
        overlay.push(Space::Meta, Vec::new(), None);
        assert!(matches!(overlay.take_refused(), Some(Error::Size { what: "key", length: 0, .. })));
        assert!(overlay.take_refused().is_none());
        overlay.push(Space::Meta, vec![0; MAX_KEY_LEN + 1], None);
        assert!(matches!(overlay.take_refused(), Some(Error::Size { what: "key", .. })));
        overlay.push(Space::Meta, vec![0; MAX_KEY_LEN], Some(Bytes::new()));
        assert!(overlay.take_refused().is_none() && overlay.mark() == 1);
    }
}
