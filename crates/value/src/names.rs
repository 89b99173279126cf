//! Property names of one object: their hashes, and the check that no name occurs twice.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

/// The hash by which a stored document's index finds a property.
///
/// The upper half of xxh3, so that an index with 16-bit hashes can keep the top bits of the same order.
#[inline]
pub(crate) fn hash_name(name: &[u8]) -> u32 {
    (xxh3_64(name) >> 32) as u32
}

/// A property of an object being read: its hash above, its offset below, so that sorting the numbers sorts by hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NameEntry(u64);

impl NameEntry {
    #[inline]
    pub fn new(hash: u32, offset: u32) -> Self {
        NameEntry(u64::from(hash) << 32 | u64::from(offset))
    }

    #[inline]
    pub fn hash(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    pub fn offset(self) -> u32 {
        self.0 as u32
    }
}

/// Sorts an object's properties by hash and returns a property whose name another one has too, if there is one.
/// `name_at` decodes the name at an entry's offset; it is asked only where hashes are equal.
#[inline]
pub(crate) fn sort_and_find_duplicate<'t>(
    entries: &mut [NameEntry],
    name_at: impl Fn(u32) -> Cow<'t, str>,
) -> Option<NameEntry> {
    entries.sort_unstable();
    if entries.windows(2).all(|pair| pair[0].hash() != pair[1].hash()) {
        return None;
    }
    find_duplicate_among_equal_hashes(entries, name_at)
}

/// Names with equal hashes are sorted by text: a client that forges thousands of collisions costs n log n, not n².
#[cold]
fn find_duplicate_among_equal_hashes<'t>(
    entries: &[NameEntry],
    name_at: impl Fn(u32) -> Cow<'t, str>,
) -> Option<NameEntry> {
    entries.chunk_by(|a, b| a.hash() == b.hash()).filter(|run| run.len() > 1).find_map(|run| {
        let mut names: Vec<_> = run.iter().map(|entry| (name_at(entry.offset()), *entry)).collect();
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1)
    })
}
