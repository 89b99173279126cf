//! A document on its way into the store.

use super::encode::{Encoded, IndexDepth, encode};
use super::index::HEADER_LEN;
use super::system::{SUFFIX_LEN, SystemProperties};
use super::{Document, DocumentError};
use crate::value::Value;

/// An encoded document whose system properties are placeholders until it is stamped.
///
/// The thread that took the request encodes; the committing thread, which alone knows the item's number and time, only
/// stamps: that overwrites some bytes of fixed places.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// Free bytes of the caller, then the stored document.
    bytes: Vec<u8>,
    room: usize,
    /// Where the system properties begin.
    suffix_at: usize,
    values: usize,
}

impl NewDocument {
    /// Validates and encodes the body of a write. System properties in it are dropped, white space between tokens too.
    ///
    /// # Errors
    /// [`DocumentError::Json`], [`DocumentError::NotAnObject`] or [`DocumentError::TooLarge`].
    pub fn from_json(body: &[u8]) -> Result<NewDocument, DocumentError> {
        NewDocument::from_json_with_room(body, 0)
    }

    /// Like [`from_json`](NewDocument::from_json), with `room` zero bytes before the document for the caller's own header.
    ///
    /// # Errors
    /// As for [`from_json`](NewDocument::from_json).
    pub fn from_json_with_room(body: &[u8], room: usize) -> Result<NewDocument, DocumentError> {
        NewDocument::from_json_indexed(body, room, IndexDepth::Nested)
    }

    /// Like [`from_json_with_room`](NewDocument::from_json_with_room), indexed less than usual: for measuring what the index
    /// brings. Every depth is read by the same [`Document`].
    ///
    /// # Errors
    /// As for [`from_json`](NewDocument::from_json).
    pub fn from_json_indexed(body: &[u8], room: usize, depth: IndexDepth) -> Result<NewDocument, DocumentError> {
        let Encoded { bytes, values } = encode(body, room, depth)?;
        let text_len = Document::new(&bytes[room..])?.text().len();
        Ok(NewDocument { suffix_at: room + HEADER_LEN + text_len - SUFFIX_LEN, bytes, room, values })
    }

    /// Encodes an object in memory; its undefined members are left out.
    ///
    /// # Errors
    /// As for [`from_json`](NewDocument::from_json).
    pub fn from_value(value: &Value) -> Result<NewDocument, DocumentError> {
        NewDocument::from_value_with_room(value, 0)
    }

    /// Like [`from_value`](NewDocument::from_value), with `room` zero bytes before the document.
    ///
    /// # Errors
    /// As for [`from_json`](NewDocument::from_json).
    pub fn from_value_with_room(value: &Value, room: usize) -> Result<NewDocument, DocumentError> {
        if value.as_object().is_none() {
            return Err(DocumentError::NotAnObject);
        }
        NewDocument::from_json_with_room(&value.to_signed_json(), room)
    }

    /// Puts the system properties in. May be repeated; costs a few copies of some bytes.
    ///
    /// # Errors
    /// [`DocumentError::SystemPropertyWidth`]; the document is then unchanged.
    pub fn stamp(&mut self, system: &SystemProperties<'_>) -> Result<(), DocumentError> {
        match self.bytes[self.suffix_at..].first_chunk_mut::<SUFFIX_LEN>() {
            Some(suffix) => system.write(suffix),
            None => Err(DocumentError::Damaged("its text ends before its system properties")),
        }
    }

    /// How many values it has, system properties included: one more than there are commas between members and between elements.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The document, to read it.
    pub fn document(&self) -> Document<'_> {
        Document::new(&self.bytes[self.room..]).expect("it was checked when it was made, and a stamp touches no header")
    }

    /// The caller's bytes before the document.
    pub fn room_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.room]
    }

    /// The caller's bytes and the stored document.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The caller's bytes and the stored document, to keep.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
