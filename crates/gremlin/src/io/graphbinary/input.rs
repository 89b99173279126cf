//! Bytes with a position: numbers, texts and counts, each checked against what is left.

use std::sync::Arc;

use super::super::{DecodeError, MAX_MESSAGE_BYTES, MAX_VALUES};
use crate::value::MAX_NESTING;

/// Most items that room is made for before any is read; larger collections grow as they are read.
const MAX_RESERVED_ITEMS: usize = 1024;

/// The fewest bytes of an item: a type code and a flag.
pub(super) const MIN_QUALIFIED_BYTES: usize = 2;

/// A message that is being read.
pub(super) struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: usize,
    values: usize,
}

impl<'b> Input<'b> {
    pub fn new(bytes: &'b [u8]) -> Result<Self, DecodeError> {
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(DecodeError::TooLong { size_bytes: bytes.len() });
        }
        Ok(Self { bytes, at: 0, depth: 0, values: 0 })
    }

    /// Offset of what is read next.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Refuses what is left.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.bytes.get(self.at) {
            None => Ok(()),
            Some(byte) => {
                Err(DecodeError::Unexpected { at: self.at, expected: "the end", found: format!("byte 0x{byte:02x}") })
            }
        }
    }

    /// An error about what begins at `at`.
    pub fn unexpected(at: usize, expected: &'static str, found: impl Into<String>) -> DecodeError {
        DecodeError::Unexpected { at, expected, found: found.into() }
    }

    /// Counts a value.
    pub fn count_value(&mut self, at: usize) -> Result<(), DecodeError> {
        self.values += 1;
        if self.values > MAX_VALUES { Err(DecodeError::TooManyValues { at }) } else { Ok(()) }
    }

    /// Reads something with values in it, one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, DecodeError>) -> Result<T, DecodeError> {
        if self.depth == MAX_NESTING {
            return Err(DecodeError::TooDeep { at: self.at });
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    pub fn take(&mut self, size: usize, expected: &'static str) -> Result<&'b [u8], DecodeError> {
        let end = self.at.checked_add(size).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(DecodeError::Truncated { at: self.at, expected })?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], DecodeError> {
        let taken = self.take(N, expected)?;
        Ok(taken.try_into().expect("as many bytes were taken"))
    }

    pub fn u8(&mut self, expected: &'static str) -> Result<u8, DecodeError> {
        Ok(self.array::<1>(expected)?[0])
    }

    pub fn i8(&mut self, expected: &'static str) -> Result<i8, DecodeError> {
        self.array(expected).map(i8::from_be_bytes)
    }

    pub fn i16(&mut self, expected: &'static str) -> Result<i16, DecodeError> {
        self.array(expected).map(i16::from_be_bytes)
    }

    pub fn i32(&mut self, expected: &'static str) -> Result<i32, DecodeError> {
        self.array(expected).map(i32::from_be_bytes)
    }

    pub fn i64(&mut self, expected: &'static str) -> Result<i64, DecodeError> {
        self.array(expected).map(i64::from_be_bytes)
    }

    pub fn f32(&mut self, expected: &'static str) -> Result<f32, DecodeError> {
        self.array(expected).map(f32::from_be_bytes)
    }

    pub fn f64(&mut self, expected: &'static str) -> Result<f64, DecodeError> {
        self.array(expected).map(f64::from_be_bytes)
    }

    pub fn uuid(&mut self) -> Result<uuid::Uuid, DecodeError> {
        self.array("a UUID").map(uuid::Uuid::from_bytes)
    }

    /// A count of items that take at least `item_bytes` each.
    pub fn count(&mut self, item_bytes: usize, expected: &'static str) -> Result<usize, DecodeError> {
        let at = self.at;
        let count = self.i32(expected)?;
        let count = usize::try_from(count).map_err(|_| Self::unexpected(at, expected, count.to_string()))?;
        let left = self.bytes.len() - self.at;
        if count > left / item_bytes {
            return Err(DecodeError::CountTooLarge { at, count, left });
        }
        Ok(count)
    }

    /// Bytes behind their length.
    pub fn sized(&mut self, expected: &'static str) -> Result<&'b [u8], DecodeError> {
        let size = self.count(1, expected)?;
        self.take(size, expected)
    }

    pub fn text(&mut self, expected: &'static str) -> Result<&'b str, DecodeError> {
        let bytes = self.sized(expected)?;
        let start = self.at - bytes.len();
        std::str::from_utf8(bytes)
            .map_err(|error| Self::unexpected(start + error.valid_up_to(), "UTF-8", "other bytes"))
    }

    pub fn string(&mut self, expected: &'static str) -> Result<Arc<str>, DecodeError> {
        self.text(expected).map(Arc::from)
    }

    /// Whether a value follows, by its flag.
    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        let at = self.at;
        match self.u8("a value's flag")? {
            0 => Ok(true),
            1 => Ok(false),
            other => Err(Self::unexpected(at, "a value's flag", format!("0x{other:02x}"))),
        }
    }

    /// Reads a count and as many items.
    pub fn list<T>(
        &mut self,
        item_bytes: usize,
        expected: &'static str,
        mut read: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let count = self.count(item_bytes, expected)?;
        let mut items = Vec::with_capacity(count.min(MAX_RESERVED_ITEMS));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }
}
