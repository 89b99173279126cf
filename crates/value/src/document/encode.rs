//! Turns the body of a write into a stored document in one pass: validates, compacts, drops system properties, indexes.

use std::borrow::Cow;
use std::cell::Cell;

use super::DocumentError;
use super::index::{ARRAY_STRIDE, HEADER_LEN, IndexMark, IndexWriter, Width};
use super::system::{SUFFIX, SUFFIX_LEN, SUFFIX_PROPERTIES, SystemProperty, may_be_system};
use super::walk::string_at;
use crate::json::scan::{Visitor, check_utf8, scan};
use crate::json::string::RawString;
use crate::json::{JsonError, MAX_DOCUMENT_BYTES};
use crate::names::{NameEntry, hash_name, sort_and_find_duplicate};

/// Which objects and arrays of a document get a table in its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IndexDepth {
    /// None; each look-up walks the text.
    Nothing,
    /// The root alone.
    Root,
    /// The root and every object or array that is large enough for a table to pay.
    #[default]
    Nested,
}

/// A smaller container is walked nearly as fast as its table would be searched. At 64 bytes the tables of nested objects took
/// twice the space and saved 30 of 190 ns (see the bench `documents`).
const MIN_INDEXED_BYTES: u32 = 128;

/// An object with fewer members is found without a table: its first name decides.
const MIN_INDEXED_MEMBERS: usize = 2;

/// Scratch buffers larger than this are not kept, so that one huge document does not hold memory for ever.
const MAX_KEPT_BYTES: usize = 256 * 1024;

/// A document that was encoded.
pub(super) struct Encoded {
    pub bytes: Vec<u8>,
    /// See [`NewDocument::values`](super::NewDocument::values).
    pub values: usize,
}

/// Encodes `body` behind `room` free bytes.
pub(super) fn encode(body: &[u8], room: usize, depth: IndexDepth) -> Result<Encoded, DocumentError> {
    if body.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::TooLarge { size_bytes: body.len() });
    }
    let text = check_utf8(body)?;
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{') {
        crate::value::Value::parse(body)?;
        return Err(DocumentError::NotAnObject);
    }
    let mut encoder = Encoder::new(text, room, depth);
    scan(text, &mut encoder)?;
    Ok(encoder.finish())
}

struct Encoder<'t> {
    source: &'t str,
    out: Vec<u8>,
    /// Where the stored text begins in `out`.
    text_start: usize,
    /// Start of the stretch of the source that is still to be copied.
    copy_from: usize,
    width: Width,
    depth: IndexDepth,
    scratch: Box<Scratch>,
    /// Set while the value of a system property at the root is read; what it is goes back to here.
    dropping: Option<Dropped>,
    /// The system properties that the body has named, as bits.
    seen_system: u8,
    /// Members and elements so far of all objects and arrays that are closed, without the first of each.
    further_values: usize,
}

/// Buffers kept from one document to the next by each thread, as allocating them costs more than a small document's scan.
#[derive(Default)]
struct Scratch {
    frames: Vec<Frame>,
    /// Members and elements of all open objects and arrays, those of the innermost last.
    entries: Vec<NameEntry>,
    index: IndexWriter,
}

impl Scratch {
    fn capacity_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<NameEntry>() + self.index.capacity_bytes()
    }
}

/// An object or array whose end has not come yet.
#[derive(Clone, Copy)]
struct Frame {
    /// Its offset in the stored text.
    start: u32,
    first_entry: usize,
    elements: usize,
}

#[derive(Clone, Copy)]
struct Dropped {
    out_len: usize,
    index: IndexMark,
    further_values: usize,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl<'t> Encoder<'t> {
    fn new(source: &'t str, room: usize, depth: IndexDepth) -> Self {
        let text_start = room + HEADER_LEN;
        // The index of usual documents is smaller than an eighth of the text.
        let capacity = text_start + source.len() + SUFFIX_LEN + source.len() / 8 + 64;
        let mut out = Vec::with_capacity(capacity);
        out.resize(text_start, 0);
        Encoder {
            source,
            out,
            text_start,
            copy_from: 0,
            width: Width::for_text(source.len() + SUFFIX_LEN),
            depth,
            scratch: SCRATCH.take().unwrap_or_default(),
            dropping: None,
            seen_system: 0,
            further_values: 0,
        }
    }

    fn finish(mut self) -> Encoded {
        let text_len = self.out.len() - self.text_start;
        let header = self.scratch.index.finish(text_len, self.width, &mut self.out);
        self.out[self.text_start - HEADER_LEN..self.text_start].copy_from_slice(&header);
        if self.scratch.capacity_bytes() <= MAX_KEPT_BYTES {
            self.scratch.index.rewind(IndexMark::default());
            SCRATCH.set(Some(self.scratch));
        }
        Encoded { bytes: self.out, values: 1 + self.further_values }
    }

    /// Where the source's byte `at` comes to lie in the stored text.
    #[inline]
    fn stored(&self, at: usize) -> u32 {
        (self.out.len() - self.text_start + at - self.copy_from) as u32
    }

    /// Copies the source up to `to`.
    fn copy_to(&mut self, to: usize) {
        self.out.extend_from_slice(&self.source.as_bytes()[self.copy_from..to]);
        self.copy_from = to;
    }

    #[inline]
    fn open(&mut self, at: usize) {
        if self.scratch.frames.is_empty() {
            self.copy_from = at;
        }
        let first_entry = self.scratch.entries.len();
        self.scratch.frames.push(Frame { start: self.stored(at), first_entry, elements: 0 });
    }

    /// Takes note of a system property whose name begins the source's stretch from `at`; its bytes will be dropped.
    #[cold]
    fn drop_system_property(&mut self, property: SystemProperty, at: usize, name: &str) -> Result<(), JsonError> {
        if self.seen_system & property.bit() != 0 {
            return Err(JsonError::duplicate(at, name));
        }
        self.seen_system |= property.bit();
        self.copy_to(at);
        let further_values = self.further_values;
        self.dropping = Some(Dropped { out_len: self.out.len(), index: self.scratch.index.mark(), further_values });
        Ok(())
    }

    /// Drops a system property that ends somewhere before `at`, where the next member or the root's end is.
    #[inline]
    fn end_dropping(&mut self, at: usize) {
        if let Some(dropped) = self.dropping.take() {
            self.out.truncate(dropped.out_len);
            self.scratch.index.rewind(dropped.index);
            self.further_values = dropped.further_values;
            self.copy_from = at;
        }
    }

    /// Ends the root's text with the system properties.
    fn close_root(&mut self, at: usize) {
        self.copy_to(at);
        self.end_dropping(at);
        // The last client property may have been dropped, and its comma not.
        if !matches!(self.out.last(), Some(b'{' | b',')) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(SUFFIX);
    }

    #[inline]
    fn wants_table(&self, frame: Frame, end: u32, count: usize, min_count: usize) -> bool {
        match self.depth {
            IndexDepth::Nothing => false,
            IndexDepth::Root => self.scratch.frames.is_empty(),
            IndexDepth::Nested => {
                self.scratch.frames.is_empty() || (end - frame.start >= MIN_INDEXED_BYTES && count >= min_count)
            }
        }
    }
}

/// The decoded name at `offset` of the stored text, of which `copied` is there and the source's stretch from `pending` on is
/// still to come. A name is never split between the two.
fn stored_name<'t>(copied: &'t [u8], pending: &'t [u8], offset: usize) -> Cow<'t, str> {
    let (text, at) = match offset.checked_sub(copied.len()) {
        Some(at) => (pending, at),
        None => (copied, offset),
    };
    string_at(text, at).and_then(|raw| super::node::decode(text, raw)).unwrap_or_default()
}

impl Visitor for Encoder<'_> {
    fn space(&mut self, from: usize, to: usize) {
        if !self.scratch.frames.is_empty() {
            self.copy_to(from);
            self.copy_from = to;
        }
    }

    #[inline]
    fn element(&mut self, at: usize) {
        let offset = self.stored(at);
        if let Some(frame) = self.scratch.frames.last_mut() {
            if frame.elements % ARRAY_STRIDE == 0 {
                self.scratch.entries.push(NameEntry::new(0, offset));
            }
            frame.elements += 1;
        }
    }

    #[inline]
    fn name(&mut self, raw: RawString) -> Result<(), JsonError> {
        let at = raw.start - 1;
        if self.scratch.frames.len() == 1 {
            self.end_dropping(at);
            if may_be_system(self.source.as_bytes(), raw) {
                let name = raw.decode(self.source);
                if let Some(property) = SystemProperty::from_name(name.as_bytes()) {
                    return self.drop_system_property(property, at, &name);
                }
            }
        }
        let hash = match raw.escaped {
            false => hash_name(&self.source.as_bytes()[raw.start..raw.end]),
            true => hash_name(raw.decode(self.source).as_bytes()),
        };
        let entry = NameEntry::new(hash, self.stored(at));
        self.scratch.entries.push(entry);
        Ok(())
    }

    #[inline]
    fn string(&mut self, _raw: RawString) {}

    #[inline]
    fn number(&mut self, _from: usize, _to: usize) {}

    #[inline]
    fn literal(&mut self, _at: usize) {}

    #[inline]
    fn open_object(&mut self, at: usize) {
        self.open(at);
    }

    #[inline]
    fn close_object(&mut self, at: usize) -> Result<(), JsonError> {
        let Some(frame) = self.scratch.frames.pop() else {
            return Ok(());
        };
        let copied = &self.out[self.text_start..];
        let pending = &self.source.as_bytes()[self.copy_from..];
        let name_at = |offset: u32| stored_name(copied, pending, offset as usize);
        let members = &mut self.scratch.entries[frame.first_entry..];
        if let Some(twice) = sort_and_find_duplicate(members, name_at) {
            return Err(JsonError::duplicate(at, &name_at(twice.offset())));
        }
        let is_root = self.scratch.frames.is_empty();
        if is_root {
            self.close_root(at);
        }
        // The root now ends where the suffix does; any other object ends after its brace.
        let end = if is_root { self.stored(at) } else { self.stored(at + 1) };
        let members = self.scratch.entries.len() - frame.first_entry;
        let of_system = if is_root { SUFFIX_PROPERTIES } else { 0 };
        self.further_values += (members + of_system).saturating_sub(1);
        if self.wants_table(frame, end, members, MIN_INDEXED_MEMBERS) {
            let members = &self.scratch.entries[frame.first_entry..];
            self.scratch.index.add_object(frame.start, end, members, self.width);
        }
        self.scratch.entries.truncate(frame.first_entry);
        Ok(())
    }

    #[inline]
    fn open_array(&mut self, at: usize) {
        self.open(at);
    }

    #[inline]
    fn close_array(&mut self, at: usize) {
        let Some(frame) = self.scratch.frames.pop() else {
            return;
        };
        let end = self.stored(at + 1);
        self.further_values += frame.elements.saturating_sub(1);
        if self.wants_table(frame, end, frame.elements, ARRAY_STRIDE + 1) {
            let strides = &self.scratch.entries[frame.first_entry..];
            self.scratch.index.add_array(frame.start, end, frame.elements, strides, self.width);
        }
        self.scratch.entries.truncate(frame.first_entry);
    }
}
