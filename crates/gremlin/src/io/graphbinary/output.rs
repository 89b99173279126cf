//! Bytes being written: numbers, texts and counts.

use super::super::{EncodeError, MAX_WRITTEN_NESTING};

/// A message that is being written.
pub(super) struct Output<'o> {
    out: &'o mut Vec<u8>,
    depth: usize,
}

impl<'o> Output<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, depth: 0 }
    }

    /// Writes something with values in it, one level deeper.
    pub fn nested(&mut self, write: impl FnOnce(&mut Self) -> Result<(), EncodeError>) -> Result<(), EncodeError> {
        if self.depth == MAX_WRITTEN_NESTING {
            return Err(EncodeError::TooDeep);
        }
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    pub fn u8(&mut self, byte: u8) {
        self.out.push(byte);
    }

    pub fn i32(&mut self, number: i32) {
        self.bytes(&number.to_be_bytes());
    }

    pub fn i64(&mut self, number: i64) {
        self.bytes(&number.to_be_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub fn count(&mut self, count: usize) -> Result<(), EncodeError> {
        self.i32(i32::try_from(count).map_err(|_| EncodeError::TooLong)?);
        Ok(())
    }

    /// Bytes behind their length.
    pub fn sized(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.count(bytes.len())?;
        self.bytes(bytes);
        Ok(())
    }

    pub fn text(&mut self, text: &str) -> Result<(), EncodeError> {
        self.sized(text.as_bytes())
    }

    /// The start of a value that is not null.
    pub fn start(&mut self, code: u8) {
        self.bytes(&[code, 0]);
    }

    pub fn null(&mut self) {
        self.bytes(&[super::code::UNSPECIFIED_NULL, 1]);
    }

    /// A count and as many items.
    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.count(items.len())?;
        for item in items {
            write(self, item)?;
        }
        Ok(())
    }
}
