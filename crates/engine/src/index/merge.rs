//! Several chunks as one: their groups in order, those of equal keys joined.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::chunk::{Chunk, ChunkBuilder};
use super::extract::head_of;
use super::posting::PackedPosting;

/// Groups of several chunks in the order of their keys, or in the opposite one.
pub(super) struct Merge {
    cursors: Vec<Cursor>,
    backward: bool,
    key: Vec<u8>,
    postings: Vec<PackedPosting>,
}

struct Cursor {
    chunk: Arc<Chunk>,
    groups: Range<usize>,
    /// The beginning of the next group's key.
    head: u128,
}

impl Merge {
    /// The chosen groups of each chunk, ascending.
    pub fn forward(parts: impl IntoIterator<Item = (Arc<Chunk>, Range<usize>)>) -> Self {
        Merge::new(parts, false)
    }

    /// The chosen groups of each chunk, descending; their postings ascend all the same.
    pub fn backward(parts: impl IntoIterator<Item = (Arc<Chunk>, Range<usize>)>) -> Self {
        Merge::new(parts, true)
    }

    fn new(parts: impl IntoIterator<Item = (Arc<Chunk>, Range<usize>)>, backward: bool) -> Self {
        let cursors = parts.into_iter().filter(|(_, groups)| !groups.is_empty()).map(|(chunk, groups)| {
            let mut cursor = Cursor { chunk, groups, head: 0 };
            cursor.head = head_of(cursor.key(backward));
            cursor
        });
        Merge { cursors: cursors.collect(), backward, key: Vec::new(), postings: Vec::new() }
    }

    /// All groups of some chunks.
    pub fn of_all(chunks: &[Arc<Chunk>]) -> Self {
        Merge::forward(chunks.iter().map(|chunk| (chunk.clone(), 0..chunk.group_count())))
    }

    /// The next key and its postings in order, each once.
    pub fn next(&mut self) -> Option<(&[u8], &[PackedPosting])> {
        let backward = self.backward;
        let next = (0..self.cursors.len()).reduce(|best, other| {
            let order = self.cursors[other].compare(&self.cursors[best], backward);
            let is_nearer = if backward { order.is_gt() } else { order.is_lt() };
            if is_nearer { other } else { best }
        })?;
        let head = self.cursors[next].head;
        self.key.clear();
        self.key.extend_from_slice(self.cursors[next].key(backward));
        self.postings.clear();
        let mut sources = 0;
        let mut index = 0;
        while index < self.cursors.len() {
            let cursor = &mut self.cursors[index];
            if cursor.head != head || cursor.key(backward) != self.key {
                index += 1;
                continue;
            }
            self.postings.extend_from_slice(cursor.chunk.postings(cursor.group(backward)));
            sources += 1;
            if cursor.advance(backward) {
                index += 1;
            } else {
                self.cursors.swap_remove(index);
            }
        }
        if sources > 1 {
            self.postings.sort_unstable();
            self.postings.dedup();
        }
        Some((&self.key, &self.postings))
    }
}

impl Cursor {
    fn group(&self, backward: bool) -> usize {
        if backward { self.groups.end - 1 } else { self.groups.start }
    }

    fn key(&self, backward: bool) -> &[u8] {
        self.chunk.key(self.group(backward))
    }

    fn compare(&self, other: &Cursor, backward: bool) -> Ordering {
        self.head.cmp(&other.head).then_with(|| self.key(backward).cmp(other.key(backward)))
    }

    /// Goes to the next group; false if there is none.
    fn advance(&mut self, backward: bool) -> bool {
        if backward {
            self.groups.end -= 1;
        } else {
            self.groups.start += 1;
        }
        if self.groups.is_empty() {
            return false;
        }
        self.head = head_of(self.key(backward));
        true
    }
}

/// Joins neighbouring chunks, the oldest first.
pub(super) fn merge_chunks(chunks: &[Arc<Chunk>], memory: &Arc<AtomicUsize>) -> Option<Chunk> {
    let (first, last) = (chunks.first()?, chunks.last()?);
    let mut builder = ChunkBuilder::for_all(chunks);
    let mut merge = Merge::of_all(chunks);
    while let Some((key, postings)) = merge.next() {
        builder.push(key, postings);
    }
    Some(builder.finish(first.after, last.last, chunks.iter().map(|chunk| chunk.rows).sum(), memory))
}
