//! JSON being written, with or without types.

use super::super::json::write_string;
use super::super::{EncodeError, MAX_VALUES, MAX_WRITTEN_NESTING};
use super::Shape;

/// A message that is being written.
pub(super) struct Output<'o> {
    pub out: &'o mut Vec<u8>,
    pub shape: Shape,
    depth: usize,
    /// Repetitions of bulked values written so far.
    repeated: usize,
}

impl<'o> Output<'o> {
    pub fn new(shape: Shape, out: &'o mut Vec<u8>) -> Self {
        Self { out, shape, depth: 0, repeated: 0 }
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

    /// Counts a value that is written again and again for its bulk: a bulk may be any number.
    pub fn count_repeated(&mut self) -> Result<(), EncodeError> {
        self.repeated += 1;
        if self.repeated > MAX_VALUES { Err(EncodeError::TooLong) } else { Ok(()) }
    }

    pub fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub fn string(&mut self, text: &str) {
        write_string(text, self.out);
    }

    /// Writes what a type with this name has as its value.
    pub fn typed(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if self.shape == Shape::Untyped {
            return write(self);
        }
        self.raw("{\"@type\":");
        self.string(name);
        self.raw(",\"@value\":");
        write(self)?;
        self.raw("}");
        Ok(())
    }

    /// The same for types that only GraphSON 3 has.
    pub fn typed_in_three(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if self.shape == Shape::Three { self.typed(name, write) } else { write(self) }
    }

    pub fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Self, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.raw("[");
        self.separated(items, write)?;
        self.raw("]");
        Ok(())
    }

    /// An object; `write` writes a name and its value.
    pub fn object<T>(
        &mut self,
        members: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Self, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.raw("{");
        self.separated(members, write)?;
        self.raw("}");
        Ok(())
    }

    pub fn separated<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            write(self, item)?;
        }
        Ok(())
    }

    /// The name of a member, whose value follows.
    pub fn name(&mut self, name: &str) {
        self.string(name);
        self.raw(":");
    }
}
