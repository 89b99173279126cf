//! What the readers of files have in common.

use std::fmt;
use std::io;
use std::sync::Arc;

use orrery_value::MAX_DOCUMENT_BYTES;

/// Bytes of one record that are held; what is longer is skipped and rejected, so that no file fills the memory.
pub(super) const MAX_RECORD_BYTES: usize = MAX_DOCUMENT_BYTES;

/// Reads the records of a file one after the other, holding one at a time.
pub(super) trait RecordReader: Send {
    /// The next record; none at the end.
    ///
    /// # Errors
    /// If the file cannot be read on.
    fn next(&mut self) -> io::Result<Option<Entry>>;

    /// What the numbers of its records count.
    fn unit(&self) -> Unit;
}

/// A record, or why there is none at its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line or element, from 1.
    pub number: u64,
    /// The JSON text, not checked yet, or what is wrong.
    pub content: Result<Vec<u8>, String>,
}

impl Entry {
    pub fn found(number: u64, text: Vec<u8>) -> Entry {
        Entry { number, content: Ok(text) }
    }

    pub fn wrong(number: u64, reason: impl Into<String>) -> Entry {
        Entry { number, content: Err(reason.into()) }
    }

    pub fn too_long(number: u64, size_bytes: u64) -> Entry {
        Entry::wrong(number, format!("the record is {size_bytes} bytes long; the limit is {MAX_RECORD_BYTES}"))
    }
}

/// What the records of a file are numbered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Its lines.
    Line,
    /// The elements of its array, or its objects.
    Element,
}

impl Unit {
    pub fn word(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Element => "element",
        }
    }
}

/// Where a record stands.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// What `number` counts.
    pub unit: Unit,
    /// From 1.
    pub number: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {} {}", self.file, self.unit.word(), self.number)
    }
}

/// Bytes of a record, kept up to [`MAX_RECORD_BYTES`] and counted beyond.
#[derive(Default)]
pub(super) struct Bounded {
    pub kept: Vec<u8>,
    pub size_bytes: u64,
}

impl Bounded {
    pub fn push(&mut self, bytes: &[u8]) {
        self.size_bytes += bytes.len() as u64;
        if self.size_bytes <= MAX_RECORD_BYTES as u64 {
            self.kept.extend_from_slice(bytes);
        } else {
            self.kept = Vec::new();
        }
    }

    pub fn is_whole(&self) -> bool {
        self.size_bytes <= MAX_RECORD_BYTES as u64
    }

    /// The record, or the entry that says it was too long.
    pub fn into_entry(self, number: u64) -> Entry {
        if self.is_whole() { Entry::found(number, self.kept) } else { Entry::too_long(number, self.size_bytes) }
    }
}
