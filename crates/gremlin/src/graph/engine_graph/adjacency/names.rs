//! Elements by their ids alone, for those who do not know the partition.
//!
//! Ids are unique within a logical partition only, so one may name many elements. Those of an id that names more than
//! [`MAX_NAMESAKES`] are not kept: a table of equal hashes would be as slow as a list.

use std::collections::HashSet;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// Elements with the same id that are known by it at the most.
const MAX_NAMESAKES: usize = 64;

/// Places of elements by id. The ids themselves are where the elements are.
#[derive(Default)]
pub(super) struct Names {
    places: HashTable<u32>,
    /// Hashes of ids that had too many elements once.
    crowded: HashSet<u64>,
}

impl Names {
    /// Adds an element. `id_at` tells the id of an element that was added before, by its place.
    pub fn insert<'i>(&mut self, id: &str, place: u32, id_at: impl Fn(u32) -> &'i str) {
        let hash = xxh3_64(id.as_bytes());
        if self.crowded.contains(&hash) {
            return;
        }
        if self.places.iter_hash(hash).filter(|known| id_at(**known) == id).count() >= MAX_NAMESAKES {
            self.crowded.insert(hash);
            return;
        }
        self.places.insert_unique(hash, place, |known| xxh3_64(id_at(*known).as_bytes()));
    }

    /// Takes an element out, if it is known.
    pub fn remove(&mut self, id: &str, place: u32) {
        if let Ok(entry) = self.places.find_entry(xxh3_64(id.as_bytes()), |known| *known == place) {
            entry.remove();
        }
    }

    /// The places of all elements of an id; `None` if they are not known.
    pub fn find<'i>(&self, id: &str, id_at: impl Fn(u32) -> &'i str) -> Option<Vec<u32>> {
        let hash = xxh3_64(id.as_bytes());
        if self.crowded.contains(&hash) {
            return None;
        }
        Some(self.places.iter_hash(hash).copied().filter(|place| id_at(*place) == id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namesakes_are_told_apart_and_crowds_are_not_known() {
        let mut ids: Vec<String> = (0..1_000).map(|n| format!("id{}", n / 2)).collect();
        let mut names = Names::default();
        for (place, id) in ids.iter().enumerate() {
            names.insert(id, place as u32, |at| &ids[at as usize]);
        }
        let mut found = names.find("id7", |at| &ids[at as usize]).unwrap();
        found.sort_unstable();
        assert_eq!(found, [14, 15]);
        names.remove("id7", 14);
        assert_eq!(names.find("id7", |at| &ids[at as usize]), Some(vec![15]));
        assert_eq!(names.find("id", |at| &ids[at as usize]), Some(Vec::new()));
        ids.extend(std::iter::repeat_n("same".to_owned(), MAX_NAMESAKES + 1));
        for place in 1_000..ids.len() {
            names.insert("same", place as u32, |at| &ids[at as usize]);
        }
        assert_eq!(names.find("same", |at| &ids[at as usize]), None);
    }
}
