//! The index behind a stored document's text: reading its directory and tables, and writing them.

use crate::names::NameEntry;

/// Version, flags, length of the text, number of tables.
pub(super) const HEADER_LEN: usize = 10;

/// Every which element of an array is in its table.
pub(super) const ARRAY_STRIDE: usize = 8;

const WIDE: u8 = 1;

/// Width of the numbers in tables and directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// 2 bytes.
    Narrow,
    /// 4 bytes.
    Wide,
}

impl Width {
    /// The least width for offsets into a text of this length.
    pub fn for_text(text_len: usize) -> Width {
        if text_len <= usize::from(u16::MAX) { Width::Narrow } else { Width::Wide }
    }

    #[inline]
    fn bytes(self) -> usize {
        match self {
            Width::Narrow => 2,
            Width::Wide => 4,
        }
    }

    /// The part of a name's hash that is kept.
    #[inline]
    fn hash(self, hash: u32) -> u32 {
        match self {
            Width::Narrow => hash >> 16,
            Width::Wide => hash,
        }
    }

    /// The number `position` places into `numbers`.
    #[inline]
    fn read(self, numbers: &[u8], position: usize) -> Option<u32> {
        match self {
            Width::Narrow => {
                let bytes = numbers.get(position * 2..)?.first_chunk::<2>()?;
                Some(u32::from(u16::from_le_bytes(*bytes)))
            }
            Width::Wide => Some(u32::from_le_bytes(*numbers.get(position * 4..)?.first_chunk::<4>()?)),
        }
    }

    fn write(self, number: u32, out: &mut Vec<u8>) {
        out.extend_from_slice(&number.to_le_bytes()[..self.bytes()]);
    }

    fn fits(self, number: usize) -> bool {
        match self {
            Width::Narrow => u16::try_from(number).is_ok(),
            Width::Wide => u32::try_from(number).is_ok(),
        }
    }
}

/// Where the index of a stored document lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index<'a> {
    tables: &'a [u8],
    directory: &'a [u8],
    width: Width,
}

/// The table of an object or array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    /// Offset after the closing bracket.
    pub end: usize,
    bytes: &'a [u8],
    width: Width,
}

impl<'a> Index<'a> {
    /// Parts what follows the header into text and index; none if the header's lengths exceed it.
    pub fn split(header: &[u8; HEADER_LEN], rest: &'a [u8]) -> Option<(&'a [u8], Index<'a>)> {
        let [_, flags, a, b, c, d, e, f, g, h] = *header;
        let text_len = u32::from_le_bytes([a, b, c, d]) as usize;
        let table_count = u32::from_le_bytes([e, f, g, h]) as usize;
        let width = if flags & WIDE == 0 { Width::Narrow } else { Width::Wide };
        let (text, index) = rest.split_at_checked(text_len)?;
        let directory_len = table_count.checked_mul(3 * width.bytes())?;
        let (tables, directory) = index.split_at_checked(index.len().checked_sub(directory_len)?)?;
        Some((text, Index { tables, directory, width }))
    }

    /// The table of the object or array whose text begins at `start`, if it has one.
    #[inline]
    pub fn table(&self, start: usize) -> Option<Table<'a>> {
        let width = self.width;
        let position = if start == 0 { 0 } else { self.position(start) };
        let entry = self.directory.get(position * 3 * width.bytes()..)?;
        if width.read(entry, 0)? as usize != start {
            return None;
        }
        let end = width.read(entry, 1)? as usize;
        let table = self.tables.get(width.read(entry, 2)? as usize..)?;
        Some(Table { end, bytes: table, width })
    }

    /// Number of the first directory entry at or after `start`.
    #[inline]
    fn position(&self, start: usize) -> usize {
        let entry_len = 3 * self.width.bytes();
        let (mut low, mut high) = (0, self.directory.len() / entry_len);
        while low < high {
            let middle = (low + high) / 2;
            let entry_start = self.width.read(&self.directory[middle * entry_len..], 0);
            if entry_start.is_some_and(|entry_start| (entry_start as usize) < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl<'a> Table<'a> {
    /// Number of members or elements.
    pub fn count(&self) -> Option<usize> {
        Some(self.width.read(self.bytes, 0)? as usize)
    }

    /// Offsets of the properties whose names may have this hash; an object's table only.
    #[inline]
    pub fn candidates(&self, hash: u32) -> Option<impl Iterator<Item = usize> + use<'a>> {
        let width = self.width;
        let count = self.count()?;
        let bytes = width.bytes();
        let hashes = self.bytes.get(bytes..bytes + count.checked_mul(bytes)?)?;
        let offsets = self.bytes.get(bytes + count * bytes..)?;
        let wanted = width.hash(hash);
        let first = lower_bound(hashes, count, width, wanted);
        Some(
            (first..count)
                .take_while(move |position| width.read(hashes, *position) == Some(wanted))
                .map_while(move |position| width.read(offsets, position).map(|offset| offset as usize)),
        )
    }

    /// The nearest element at or before `index` whose offset is in an array's table: its index and its offset.
    pub fn element_before(&self, index: usize) -> Option<(usize, usize)> {
        let slot = index / ARRAY_STRIDE;
        let offset = self.width.read(self.bytes, 1 + slot)? as usize;
        Some((slot * ARRAY_STRIDE, offset))
    }
}

#[inline]
fn lower_bound(hashes: &[u8], count: usize, width: Width, wanted: u32) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if width.read(hashes, middle).is_some_and(|hash| hash < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Gathers tables while a document is written.
#[derive(Debug, Default)]
pub(super) struct IndexWriter {
    tables: Vec<u8>,
    directory: Vec<[u32; 3]>,
}

/// A point to which an [`IndexWriter`] can go back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IndexMark {
    tables: usize,
    directory: usize,
}

impl IndexWriter {
    /// Adds the table of the object at `start..end`, whose members are sorted by hash.
    pub fn add_object(&mut self, start: u32, end: u32, members: &[NameEntry], width: Width) {
        if self.begin(start, end, members.len(), width) {
            for member in members {
                width.write(width.hash(member.hash()), &mut self.tables);
            }
            for member in members {
                width.write(member.offset(), &mut self.tables);
            }
        }
    }

    /// Adds the table of the array at `start..end`, of whose elements `strides` has every [`ARRAY_STRIDE`]-th.
    pub fn add_array(&mut self, start: u32, end: u32, elements: usize, strides: &[NameEntry], width: Width) {
        if self.begin(start, end, elements, width) {
            for element in strides {
                width.write(element.offset(), &mut self.tables);
            }
        }
    }

    /// False if the table's offset is too large for the width: then there is none.
    fn begin(&mut self, start: u32, end: u32, count: usize, width: Width) -> bool {
        let fits = width.fits(self.tables.len());
        if fits {
            self.directory.push([start, end, self.tables.len() as u32]);
            width.write(count as u32, &mut self.tables);
        }
        fits
    }

    /// Bytes of memory that the writer holds.
    pub fn capacity_bytes(&self) -> usize {
        self.tables.capacity() + self.directory.capacity() * size_of::<[u32; 3]>()
    }

    /// The present point, for [`rewind`](Self::rewind).
    pub fn mark(&self) -> IndexMark {
        IndexMark { tables: self.tables.len(), directory: self.directory.len() }
    }

    /// Forgets what was added since the mark.
    pub fn rewind(&mut self, mark: IndexMark) {
        self.tables.truncate(mark.tables);
        self.directory.truncate(mark.directory);
    }

    /// Appends the index to a text of `text_len` bytes that ends `out`, and returns the document's header.
    pub fn finish(&mut self, text_len: usize, width: Width, out: &mut Vec<u8>) -> [u8; HEADER_LEN] {
        self.directory.sort_unstable();
        out.reserve(self.tables.len() + self.directory.len() * 3 * width.bytes());
        out.extend_from_slice(&self.tables);
        for number in self.directory.iter().flatten() {
            width.write(*number, out);
        }
        let [a, b, c, d] = (text_len as u32).to_le_bytes();
        let [e, f, g, h] = (self.directory.len() as u32).to_le_bytes();
        let flags = if width == Width::Wide { WIDE } else { 0 };
        [super::FORMAT_VERSION, flags, a, b, c, d, e, f, g, h]
    }
}
