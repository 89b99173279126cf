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
    named: HashTable<Named>,
    /// Hashes of ids that had too many elements once.
    crowded: HashSet<u32>,
}

/// An element. It has the hash of its id beside it, so that a table that grows needs none of the ids, which lie all over the memory.
struct Named {
    hash: u32,
    place: u32,
}

impl Names {
    /// Adds an element. `id_at` tells the id of an element that was added before, by its place.
    pub fn insert<'i>(&mut self, id: &str, place: u32, id_at: impl Fn(u32) -> &'i str) {
        let hash = hash_of(id);
        if self.crowded.contains(&hash) {
            return;
        }
        if self.places(id, hash, id_at).count() >= MAX_NAMESAKES {
            self.crowded.insert(hash);
            return;
        }
        self.named.insert_unique(spread(hash), Named { hash, place }, |known| spread(known.hash));
    }

    /// Takes an element out, if it is known.
    pub fn remove(&mut self, id: &str, place: u32) {
        if let Ok(entry) = self.named.find_entry(spread(hash_of(id)), |known| known.place == place) {
            entry.remove();
        }
    }

    /// The places of all elements of an id; `None` if they are not known.
    pub fn find<'i>(&self, id: &str, id_at: impl Fn(u32) -> &'i str) -> Option<Vec<u32>> {
        let hash = hash_of(id);
        (!self.crowded.contains(&hash)).then(|| self.places(id, hash, id_at).collect())
    }

    fn places<'i>(&self, id: &str, hash: u32, id_at: impl Fn(u32) -> &'i str) -> impl Iterator<Item = u32> {
        let known = self.named.iter_hash(spread(hash)).filter(move |known| known.hash == hash);
        known.map(|known| known.place).filter(move |place| id_at(*place) == id)
    }
}

fn hash_of(id: &str) -> u32 {
    xxh3_64(id.as_bytes()) as u32
}

/// What the table is given: it looks at both ends of it.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
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
