//! A sorted piece of an index in memory; it never changes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::dictionary::PathId;
use super::extract::{Term, Terms};
use super::posting::{PackedPosting, Posting};
use super::range::ValueRange;

/// Bytes of a path's number in front of a value.
pub(super) const PATH_LEN: usize = 4;

/// The terms of the versions with numbers in a range, grouped by path and value.
pub(super) struct Chunk {
    /// The numbers it covers: those behind the first, up to and with the last.
    pub after: u64,
    pub last: u64,
    /// Versions in it.
    pub rows: u64,
    /// Of each group in order its key: path number, then value.
    keys: Vec<u8>,
    groups: Vec<Group>,
    postings: Vec<PackedPosting>,
    charge: Charge,
}

/// Where a group ends; it begins where the one before it ends.
#[derive(Clone, Copy)]
struct Group {
    key_end: u32,
    postings_end: u32,
}

/// Bytes of memory that count as used while this lives.
struct Charge {
    bytes: usize,
    total: Arc<AtomicUsize>,
}

impl Charge {
    fn new(bytes: usize, total: &Arc<AtomicUsize>) -> Self {
        total.fetch_add(bytes, Ordering::Relaxed);
        Charge { bytes, total: total.clone() }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Chunk {
    /// Sorts the terms of some versions; `rows[term.row]` says whose they are.
    pub fn sort(terms: &mut Terms, rows: &[Posting], after: u64, last: u64, memory: &Arc<AtomicUsize>) -> Chunk {
        let ranks = ranks(rows);
        for term in &mut terms.entries {
            term.row = ranks[term.row as usize];
        }
        let mut packed: Vec<PackedPosting> = rows.iter().map(|posting| posting.pack()).collect();
        packed.sort_unstable();
        let bytes = &terms.bytes;
        let rest = |term: &Term| {
            let end = term.end as usize;
            &bytes[(term.start as usize + Term::VALUE_IN_HEAD).min(end)..end]
        };
        // By numbers first, which sorts without a branch for each comparison.
        terms.entries.sort_unstable_by_key(|term| term.head);
        for alike in terms.entries.chunk_by_mut(|a, b| a.head == b.head) {
            alike.sort_unstable_by(|a, b| rest(a).cmp(rest(b)).then(a.row.cmp(&b.row)));
        }
        let mut builder = ChunkBuilder::with_capacity(terms.entries.len(), terms.size_bytes());
        let mut key = Vec::new();
        let mut postings: Vec<PackedPosting> = Vec::new();
        for group in terms.entries.chunk_by(|a, b| a.head == b.head && terms.value(a) == terms.value(b)) {
            key.clear();
            key.extend_from_slice(&group[0].path().to_be_bytes());
            key.extend_from_slice(terms.value(&group[0]));
            postings.clear();
            postings.extend(group.iter().map(|term| packed[term.row as usize]));
            // An array may hold a value more than once.
            postings.dedup();
            builder.push(&key, &postings);
        }
        builder.finish(after, last, rows.len() as u64, memory)
    }

    pub fn size_bytes(&self) -> usize {
        self.charge.bytes
    }

    /// The groups of a path with values in a range.
    pub fn find(&self, path: PathId, range: &ValueRange) -> Range<usize> {
        let bound = |value: &[u8]| {
            let key = [&path.to_be_bytes()[..], value].concat();
            self.position(&key)
        };
        let start = bound(&range.low);
        start..bound(&range.high).max(start)
    }

    /// The first group at or behind a key.
    pub fn position(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.groups.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    pub fn key(&self, group: usize) -> &[u8] {
        let start = if group == 0 { 0 } else { self.groups[group - 1].key_end };
        &self.keys[start as usize..self.groups[group].key_end as usize]
    }

    pub fn postings(&self, group: usize) -> &[PackedPosting] {
        let start = if group == 0 { 0 } else { self.groups[group - 1].postings_end };
        &self.postings[start as usize..self.groups[group].postings_end as usize]
    }

    /// Postings in some groups.
    pub fn count(&self, groups: Range<usize>) -> usize {
        let end = |group: usize| if group == 0 { 0 } else { self.groups[group - 1].postings_end as usize };
        end(groups.end) - end(groups.start)
    }
}

/// The position of each row among all rows in the order of postings.
fn ranks(rows: &[Posting]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(rows.len()).collect();
    order.sort_unstable_by_key(|row| rows[*row as usize]);
    let mut ranks = vec![0; rows.len()];
    for (rank, row) in (0..).zip(order) {
        ranks[row as usize] = rank;
    }
    ranks
}

/// Takes groups in order.
pub(super) struct ChunkBuilder {
    keys: Vec<u8>,
    groups: Vec<Group>,
    postings: Vec<PackedPosting>,
}

impl ChunkBuilder {
    pub fn with_capacity(postings: usize, key_bytes: usize) -> Self {
        ChunkBuilder { keys: Vec::with_capacity(key_bytes), groups: Vec::new(), postings: Vec::with_capacity(postings) }
    }

    /// With room for all that is in these chunks, so that nothing is moved while they are joined.
    pub fn for_all(chunks: &[Arc<Chunk>]) -> Self {
        let sum = |part: fn(&Chunk) -> usize| chunks.iter().map(|chunk| part(chunk)).sum();
        ChunkBuilder {
            keys: Vec::with_capacity(sum(|chunk| chunk.keys.len())),
            groups: Vec::with_capacity(sum(|chunk| chunk.groups.len())),
            postings: Vec::with_capacity(sum(|chunk| chunk.postings.len())),
        }
    }

    pub fn push(&mut self, key: &[u8], postings: &[PackedPosting]) {
        self.keys.extend_from_slice(key);
        self.postings.extend_from_slice(postings);
        let offset = |at: usize| u32::try_from(at).expect("a chunk is bounded far below 4 GiB");
        self.groups.push(Group { key_end: offset(self.keys.len()), postings_end: offset(self.postings.len()) });
    }

    pub fn finish(mut self, after: u64, last: u64, rows: u64, memory: &Arc<AtomicUsize>) -> Chunk {
        self.keys.shrink_to_fit();
        self.groups.shrink_to_fit();
        self.postings.shrink_to_fit();
        let bytes = size_of::<Chunk>()
            + self.keys.len()
            + self.groups.len() * size_of::<Group>()
            + self.postings.len() * size_of::<PackedPosting>();
        Chunk {
            after,
            last,
            rows,
            keys: self.keys,
            groups: self.groups,
            postings: self.postings,
            charge: Charge::new(bytes, memory),
        }
    }
}
