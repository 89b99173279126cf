//! A table of what is alike: groups, distinct rows, sets. It remembers the order of first appearance, and can give up the entries
//! with the largest hashes, so that any number of keys is handled in bounded memory, in several passes.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;

use super::identity;

/// Bytes that an entry takes beside its key and what its value holds elsewhere.
pub(in crate::query) const ENTRY_BYTES: usize = 160;

/// Entries by the identity of their key. The hash of the identity is the same at all times, as continuations need it; the map
/// over it has a random seed, and keys of one hash are told apart by their bytes.
pub(in crate::query) struct KeyedTable<T> {
    entries: Vec<Entry<T>>,
    /// The newest entry of each hash.
    newest: HashMap<u128, usize>,
    window: Window,
    bytes: usize,
    given_up: bool,
}

/// Which hashes a table takes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::query) struct Window {
    /// Only hashes greater than this.
    pub after: Option<u128>,
    /// Only hashes less than this.
    pub before: Option<u128>,
}

/// One key and what belongs to it.
pub(in crate::query) struct Entry<T> {
    pub hash: u128,
    key: Box<[u8]>,
    /// The entry before it with the same hash.
    older: Option<usize>,
    bytes: usize,
    pub value: T,
}

/// The place of a key in the table.
pub(in crate::query) struct Slot<'t, T> {
    pub value: &'t mut T,
    pub index: usize,
    pub is_new: bool,
}

impl Window {
    fn contains(&self, hash: u128) -> bool {
        self.after.is_none_or(|after| hash > after) && self.before.is_none_or(|before| hash < before)
    }
}

impl<T> Default for KeyedTable<T> {
    fn default() -> Self {
        KeyedTable::new()
    }
}

impl<T> KeyedTable<T> {
    /// A table for all keys.
    pub fn new() -> Self {
        KeyedTable::within(Window::default())
    }

    /// A table for the keys with hashes in a window.
    pub fn within(window: Window) -> Self {
        KeyedTable { entries: Vec::new(), newest: HashMap::new(), window, bytes: 0, given_up: false }
    }

    /// The place of a key; none if its hash is outside of the window.
    pub fn find_or_insert(&mut self, key: &[u8], make: impl FnOnce() -> T) -> Option<Slot<'_, T>> {
        let hash = identity::hash(key);
        if !self.window.contains(hash) {
            return None;
        }
        let index = self.entries.len();
        let older = match self.newest.entry(hash) {
            MapEntry::Vacant(vacant) => {
                vacant.insert(index);
                None
            }
            MapEntry::Occupied(mut newest) => {
                let mut candidate = Some(*newest.get());
                while let Some(index) = candidate {
                    if *self.entries[index].key == *key {
                        return Some(Slot { value: &mut self.entries[index].value, index, is_new: false });
                    }
                    candidate = self.entries[index].older;
                }
                Some(newest.insert(index))
            }
        };
        let bytes = ENTRY_BYTES + key.len();
        self.bytes += bytes;
        self.entries.push(Entry { hash, key: key.into(), older, bytes, value: make() });
        Some(Slot { value: &mut self.entries[index].value, index, is_new: true })
    }

    /// Whether there is nothing to do for a key: it is in the table, or outside of the window.
    pub fn contains(&self, key: &[u8]) -> bool {
        let hash = identity::hash(key);
        let mut candidate = self.newest.get(&hash).copied();
        while let Some(index) = candidate {
            if *self.entries[index].key == *key {
                return true;
            }
            candidate = self.entries[index].older;
        }
        !self.window.contains(hash)
    }

    /// Notes that an entry's value holds more bytes than before.
    pub fn grow(&mut self, index: usize, bytes: usize) {
        self.entries[index].bytes += bytes;
        self.bytes += bytes;
    }

    /// Gives up the entries with the largest hashes beyond `max_entries` or `max_bytes`; one stays. From then on their keys are
    /// outside of the window, and the order of first appearance is lost.
    pub fn give_up(&mut self, max_entries: usize, max_bytes: usize) {
        self.sort();
        let mut bytes = 0;
        let fitting = self.entries.iter().take(max_entries.max(1)).take_while(|entry| {
            let first = bytes == 0;
            bytes += entry.bytes;
            first || bytes <= max_bytes
        });
        let keep = fitting.count();
        self.cut(keep);
        self.rebuild();
    }

    /// Narrows the window to what is below `before`, as another part of the same table gave up the rest.
    pub fn give_up_from(&mut self, before: u128) {
        self.sort();
        let keep = self.entries.partition_point(|entry| entry.hash < before);
        self.given_up = true;
        self.window.before = Some(self.window.before.map_or(before, |own| own.min(before)));
        self.entries.truncate(keep);
        self.rebuild();
    }

    /// Keeps only some entries. Their keys may come again.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.entries.retain(|entry| keep(&entry.value));
        self.rebuild();
    }

    /// Puts the entries in the order of their hashes.
    pub fn sort(&mut self) {
        self.entries.sort_unstable_by(|a, b| a.hash.cmp(&b.hash).then_with(|| a.key.cmp(&b.key)));
    }

    /// Keeps the first entries. Entries of one hash stay or go together, so that a hash says where to go on.
    fn cut(&mut self, keep: usize) {
        let Some(bound) = self.entries.get(keep).map(|first| first.hash) else { return };
        let start = self.entries[..keep].partition_point(|entry| entry.hash < bound);
        if start == 0 {
            // All that is kept has one hash: keep the whole of it.
            let end = self.entries.partition_point(|entry| entry.hash <= bound);
            self.window.before = bound.checked_add(1);
            self.entries.truncate(end);
        } else {
            self.window.before = Some(bound);
            self.entries.truncate(start);
        }
        self.given_up = true;
    }

    fn rebuild(&mut self) {
        self.newest.clear();
        self.bytes = 0;
        for (index, entry) in self.entries.iter_mut().enumerate() {
            entry.older = self.newest.insert(entry.hash, index);
            self.bytes += entry.bytes;
        }
    }

    /// Whether entries were given up, so that the rest comes in later passes and the order is that of the hashes.
    pub fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// The window that is left.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Entries in the order of first appearance, or of their hashes once they were sorted.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// [`KeyedTable::entries`], taken out.
    pub fn into_entries(self) -> std::vec::IntoIter<Entry<T>> {
        self.entries.into_iter()
    }
}

impl<T> Entry<T> {
    /// The identity of the key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(keys: std::ops::Range<u32>) -> KeyedTable<u32> {
        let mut table = KeyedTable::new();
        for key in keys {
            table.find_or_insert(&key.to_be_bytes(), || key);
        }
        table
    }

    #[test]
    fn first_appearance_is_remembered_and_keys_are_found_again() {
        let mut table = filled(0..100);
        let slot = table.find_or_insert(&7u32.to_be_bytes(), || 1_000).unwrap();
        assert!(!slot.is_new && *slot.value == 7 && slot.index == 7);
        assert!(table.entries().iter().map(|entry| entry.value).eq(0..100));
        assert!(!table.has_given_up());
    }

    #[test]
    fn passes_over_windows_see_every_key_once() {
        let mut seen = Vec::new();
        let mut window = Window::default();
        loop {
            let mut table = KeyedTable::within(window);
            for key in (0..1_000u32).chain(0..1_000) {
                table.find_or_insert(&key.to_be_bytes(), || key);
                if table.len() > 150 {
                    table.give_up(100, usize::MAX);
                }
            }
            table.give_up(100, usize::MAX);
            assert!(table.len() <= 100);
            seen.extend(table.entries().iter().map(|entry| entry.value));
            window = Window { after: table.entries().last().map(|entry| entry.hash), before: None };
            if !table.has_given_up() {
                break;
            }
        }
        assert_eq!(seen.len(), 1_000);
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..1_000));
    }

    #[test]
    fn bytes_are_counted_and_bound_the_table() {
        let mut table = filled(0..10);
        assert_eq!(table.bytes(), 10 * (ENTRY_BYTES + 4));
        table.grow(3, 1_000);
        assert_eq!(table.bytes(), 10 * (ENTRY_BYTES + 4) + 1_000);
        table.give_up(usize::MAX, 3 * (ENTRY_BYTES + 4));
        assert!(table.len() <= 3 && table.len() >= 1);
        table.give_up(usize::MAX, 0);
        assert_eq!(table.len(), 1);
    }
}
