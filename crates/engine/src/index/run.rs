//! An index on disk: rows of [`orrery_store::Space::Index`], written in sorted runs.
//!
//! ```text
//! owner u32 | 0 u32 | 0 u8               -> format 1 u8 | mark u64 | versions u64 | flags u8
//! owner u32 | 0 u32 | 1 u8 | path u32    -> terms u64 | 0 u8 | path
//!                                           terms u64 | 1 u8 | for each path of a composite: descends u8 | length u16 | path
//! owner u32 | path u32 | value | posting -> the postings before that one in its block, in order
//! ```
//! Numbers are big-endian. The owner is the index's own number among those of containers. All versions with numbers up to the mark
//! are in the index; the mark is written with the run that makes it true, and so are the paths that the run uses. A block has
//! at most [`MAX_BLOCK_POSTINGS`] postings of one value and crosses no border between sixteenths of the places: blocks of several
//! runs lie between each other, and a reader who seeks a place reads on to the end of its sixteenth.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::KeyRange;

use super::chunk::{Chunk, PATH_LEN};
use super::dictionary::{Dictionary, PathEntry, PathId, PathKey};
use super::merge::Merge;
use super::path::IndexPath;
use super::policy::Composite;
use super::posting::{POSTING_LEN, PackedPosting, Posting, Window, end_of_sixteenth, sixteenth};
use super::range::ValueRange;

/// Postings of one block.
pub(super) const MAX_BLOCK_POSTINGS: usize = 256;

const FORMAT: u8 = 1;
const FULL: u8 = 1;
const OWNER_LEN: usize = 4;
/// Bytes of a row's key that are not its value.
const AROUND_VALUE: usize = OWNER_LEN + PATH_LEN + POSTING_LEN;

const HEADER: u8 = 0;
const ENTRY: u8 = 1;

/// What the newest run says of the whole index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// All versions with numbers up to this are in.
    pub mark: u64,
    /// Versions that were indexed, dead ones included.
    pub versions: u64,
    /// Some documents have paths that are not in the index.
    pub is_full: bool,
}

impl Header {
    /// Where it lies.
    pub fn key(owner: u32) -> Vec<u8> {
        own_key(owner, HEADER)
    }

    fn encode(&self) -> Bytes {
        let mut bytes = vec![FORMAT];
        bytes.extend_from_slice(&self.mark.to_be_bytes());
        bytes.extend_from_slice(&self.versions.to_be_bytes());
        bytes.push(if self.is_full { FULL } else { 0 });
        bytes.into()
    }

    /// `None` if it is of another format, or damaged: then the index is made anew.
    pub fn decode(bytes: &[u8]) -> Option<Header> {
        let (mark, rest) = bytes.strip_prefix(&[FORMAT])?.split_first_chunk::<8>()?;
        let (versions, rest) = rest.split_first_chunk::<8>()?;
        let flags = rest.first()?;
        Some(Header {
            mark: u64::from_be_bytes(*mark),
            versions: u64::from_be_bytes(*versions),
            is_full: flags & FULL != 0,
        })
    }
}

/// Where the paths of an index lie.
pub(super) fn entries_range(owner: u32) -> KeyRange {
    KeyRange::prefix(&own_key(owner, ENTRY))
}

/// Reads the row of a path.
pub(super) fn decode_entry(key: &[u8], value: &[u8]) -> Option<(PathId, PathEntry)> {
    let id = PathId::from_be_bytes(key.get(OWNER_LEN + PATH_LEN + 1..)?.try_into().ok()?);
    let (terms, rest) = value.split_first_chunk::<8>()?;
    let key = match rest.split_first()? {
        (0, path) => PathKey::Single(IndexPath::read(path)?),
        (1, paths) => PathKey::Composite(decode_composite(paths)?),
        _ => return None,
    };
    Some((id, PathEntry { key, terms: u64::from_be_bytes(*terms) }))
}

fn decode_composite(mut bytes: &[u8]) -> Option<Composite> {
    let mut paths = Vec::new();
    while let Some(([descends, a, b], rest)) = bytes.split_first_chunk::<3>() {
        let (path, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes([*a, *b])))?;
        paths.push((IndexPath::read(path)?, *descends != 0));
        bytes = rest;
    }
    bytes.is_empty().then_some(Composite { paths })
}

fn encode_entry(entry: &PathEntry) -> Bytes {
    let mut bytes = entry.terms.to_be_bytes().to_vec();
    match &entry.key {
        PathKey::Single(path) => {
            bytes.push(0);
            path.write(&mut bytes);
        }
        PathKey::Composite(composite) => {
            bytes.push(1);
            for (path, descends) in &composite.paths {
                let mut encoded = Vec::new();
                path.write(&mut encoded);
                bytes.push(u8::from(*descends));
                // Paths of policies are shorter, see `orrery_value::path::MAX_PATH_BYTES`.
                bytes.extend_from_slice(&u16::try_from(encoded.len()).unwrap_or(u16::MAX).to_be_bytes());
                bytes.extend_from_slice(&encoded);
            }
        }
    }
    bytes.into()
}

fn own_key(owner: u32, kind: u8) -> Vec<u8> {
    [&owner.to_be_bytes()[..], &[0; PATH_LEN], &[kind]].concat()
}

/// The rows of a path with values in a range.
pub(super) fn rows_range(owner: u32, path: PathId, range: &ValueRange) -> KeyRange {
    KeyRange { start: row_key(owner, path, &range.low), end: Some(row_key(owner, path, &range.high)) }
}

/// The rows that have one value's postings in a window.
pub(super) fn rows_of_value(owner: u32, path: PathId, value: &[u8], window: Window) -> KeyRange {
    let start = row_key(owner, path, &[value, &window.first.to_be_bytes()].concat());
    // A block's key is its last posting, which may be behind the window, but in the same sixteenth.
    let end = row_key(owner, path, &[value, &end_of_sixteenth(window.last).to_be_bytes(), &[0xFF; 7]].concat());
    KeyRange { start, end: Some(end) }
}

fn row_key(owner: u32, path: PathId, rest: &[u8]) -> Vec<u8> {
    [&owner.to_be_bytes()[..], &path.to_be_bytes(), rest].concat()
}

/// The value in a row's key.
pub(super) fn row_value(key: &[u8]) -> &[u8] {
    match key.len().checked_sub(AROUND_VALUE) {
        Some(length) => &key[OWNER_LEN + PATH_LEN..][..length],
        None => &[],
    }
}

/// The postings of a row in order.
pub(super) fn row_postings<'a>(key: &'a [u8], value: &'a [u8]) -> impl Iterator<Item = Posting> + 'a {
    let last = key.last_chunk::<POSTING_LEN>();
    let (others, _) = value.as_chunks::<POSTING_LEN>();
    others.iter().chain(last).map(Posting::unpack)
}

/// The rows of a run, in order: the paths, the header, and the blocks of some chunks.
pub(super) struct RunRows {
    owner: u32,
    first: std::vec::IntoIter<(Bytes, Bytes)>,
    merge: Merge,
    /// Blocks of the group at hand.
    blocks: std::vec::IntoIter<(Bytes, Bytes)>,
}

impl RunRows {
    /// A run that brings the index up to `mark`.
    pub fn new(owner: u32, mark: u64, dictionary: &Dictionary, chunks: &[Arc<Chunk>]) -> Self {
        let header = Header { mark, versions: dictionary.versions(), is_full: dictionary.is_full() };
        let mut first = vec![(Bytes::from(Header::key(owner)), header.encode())];
        for (entry, id) in dictionary.entries().iter().zip(1 as PathId..) {
            let key = [&own_key(owner, ENTRY)[..], &id.to_be_bytes()].concat();
            first.push((key.into(), encode_entry(entry)));
        }
        RunRows { owner, first: first.into_iter(), merge: Merge::of_all(chunks), blocks: Vec::new().into_iter() }
    }
}

impl Iterator for RunRows {
    type Item = (Bytes, Bytes);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.first.next() {
            return Some(row);
        }
        loop {
            if let Some(block) = self.blocks.next() {
                return Some(block);
            }
            let (key, postings) = self.merge.next()?;
            if let [posting] = postings {
                return Some(block(self.owner, key, std::slice::from_ref(posting)));
            }
            let place = |posting: &PackedPosting| sixteenth(Posting::unpack(posting).place);
            let parts = postings.chunk_by(|a, b| place(a) == place(b));
            let blocks = parts.flat_map(|part| part.chunks(MAX_BLOCK_POSTINGS));
            let blocks: Vec<_> = blocks.map(|postings| block(self.owner, key, postings)).collect();
            self.blocks = blocks.into_iter();
        }
    }
}

fn block(owner: u32, key: &[u8], postings: &[PackedPosting]) -> (Bytes, Bytes) {
    let Some((last, others)) = postings.split_last() else { return (Bytes::new(), Bytes::new()) };
    let key = [&owner.to_be_bytes()[..], key, last].concat();
    (key.into(), Bytes::copy_from_slice(others.as_flattened()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_paths_come_back_and_forged_ones_do_not() {
        let header = Header { mark: 1 << 40, versions: 7, is_full: true };
        assert_eq!(Header::decode(&header.encode()), Some(header));
        assert_eq!(Header::decode(&header.encode()[..12]), None);
        assert_eq!(Header::decode(&[2; 18]), None);
        let path = |text| IndexPath::parse(text).unwrap();
        let composite = Composite { paths: vec![(path("/a"), false), (path("/b/c"), true)] };
        for key in [PathKey::Single(path("/tags/[]/x")), PathKey::Composite(composite)] {
            let entry = PathEntry { key, terms: 9 };
            let row_key = [&own_key(5, ENTRY)[..], &3u32.to_be_bytes()].concat();
            let value = encode_entry(&entry);
            assert_eq!(decode_entry(&row_key, &value), Some((3, entry)));
            assert_eq!(decode_entry(&row_key, &value[..value.len() - 1]), None);
            assert_eq!(decode_entry(&row_key[..8], &value), None);
        }
    }

    #[test]
    fn short_rows_are_no_postings_and_no_panic() {
        assert_eq!(row_value(&[1, 2, 3]), b"");
        assert_eq!(row_postings(&[1, 2, 3], &[0; 9]).count(), 0);
    }
}
