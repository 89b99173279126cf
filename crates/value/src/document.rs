//! The stored form of an item: its JSON text, then a small index into it.
//!
//! A point read sends the text as it is. A filter finds its property through the index and reads nothing else. The text is
//! the client's, without white space between tokens but otherwise to the letter (property order, spelling of numbers and
//! strings), and ends in the system properties, all of fixed width, so that a writer can put them in last.
//!
//! ```text
//! | version 1 | flags 1 | text length 4 | table count 4 | text ... | tables ... | directory ... |
//!
//! text       {<the client's properties>,"_rid":"..24..","_self":"..","_etag":"\"..36..\"","_attachments":"attachments/","_ts":<10 digits>}
//! table      of an object   | members w | hashes w x members, ascending | offsets w x members |
//!            of an array    | elements w | offsets w x (elements / 8, rounded up): of elements 0, 8, 16, ... |
//! directory  of each table  | start w | end w | table w |, ascending by start
//! ```
//!
//! Numbers are little-endian. *w* is 2 bytes if flag bit 0 is clear and 4 if it is set (items over 64 KiB); a hash is the
//! upper *w* bytes of the 32-bit hash of the property's name, an offset counts from the text's first byte and leads to a
//! property's name (its opening quote) or to an element. `start` and `end` enclose the object or array, `table` counts
//! from the end of the text. The system properties of the root are in no table: their places follow from the text's length.
//!
//! An object or array without a table is read by walking its text, which for small ones is as fast; [`IndexDepth`] says which have
//! one. A property found through the index is compared with its name in the text, and all access is bounds-checked: a damaged
//! document gives errors, absent properties or wrong values, never a panic.

mod encode;
mod index;
mod members;
mod new_document;
mod node;
mod system;
mod walk;

pub use encode::IndexDepth;
pub use members::{Elements, Entries, Member, Members};
pub use new_document::NewDocument;
pub use node::{Node, NodeKind};
pub use system::SystemProperties;

use crate::json::{JsonError, MAX_DOCUMENT_BYTES};
use index::{HEADER_LEN, Index};
use system::SystemProperty;

/// First byte of a stored document in the one format there is.
pub const FORMAT_VERSION: u8 = 1;

/// A stored document being read. Copying it copies a few pointers.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    text: &'a [u8],
    index: Index<'a>,
}

impl<'a> Document<'a> {
    /// Looks at the header alone, at the same small cost for every document.
    ///
    /// # Errors
    /// [`DocumentError::Damaged`] or [`DocumentError::UnknownVersion`] if these bytes are not a stored document.
    pub fn new(bytes: &'a [u8]) -> Result<Document<'a>, DocumentError> {
        let (header, rest) =
            bytes.split_first_chunk::<HEADER_LEN>().ok_or(DocumentError::Damaged("it is shorter than its header"))?;
        if header[0] != FORMAT_VERSION {
            return Err(DocumentError::UnknownVersion(header[0]));
        }
        let (text, index) = Index::split(header, rest).ok_or(DocumentError::Damaged("its lengths do not add up"))?;
        if text.first() != Some(&b'{') || text.len() < system::SUFFIX_LEN {
            return Err(DocumentError::Damaged("its text is not that of an item"));
        }
        Ok(Document { text, index })
    }

    /// The item as JSON, system properties included: what clients get.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The whole item.
    pub fn root(&self) -> Node<'a> {
        Node::root(*self)
    }

    /// The members that the client gave the item, in order, as they are spelled.
    pub fn members(&self) -> Members<'a> {
        Members::new(*self)
    }

    /// The value of a property of the root.
    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        self.root().get(name)
    }

    /// The item's system id.
    ///
    /// # Errors
    /// [`DocumentError::Damaged`]
    pub fn rid(&self) -> Result<&'a str, DocumentError> {
        SystemProperty::Rid.text_in(self.text).ok_or(DocumentError::Damaged("its _rid is unreadable"))
    }

    /// The version tag: 36 characters, without the quotes that surround them in `_etag` and in headers.
    ///
    /// # Errors
    /// [`DocumentError::Damaged`]
    pub fn etag(&self) -> Result<&'a str, DocumentError> {
        SystemProperty::Etag.text_in(self.text).ok_or(DocumentError::Damaged("its _etag is unreadable"))
    }

    /// When the item was last written, in seconds since 1970.
    ///
    /// # Errors
    /// [`DocumentError::Damaged`]
    pub fn ts(&self) -> Result<u64, DocumentError> {
        let digits = SystemProperty::Ts.text_in(self.text);
        digits.and_then(|digits| digits.parse().ok()).ok_or(DocumentError::Damaged("its _ts is unreadable"))
    }
}

/// Why bytes are no item, or no stored document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The body is not JSON that can be stored.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The body is JSON, but not an object.
    #[error("an item must be a JSON object")]
    NotAnObject,
    /// The body is longer than [`MAX_DOCUMENT_BYTES`].
    #[error("the item is {size_bytes} bytes long; the limit is {MAX_DOCUMENT_BYTES}")]
    TooLarge {
        /// Length of the body.
        size_bytes: usize,
    },
    /// A system property has not the width that the format gives it.
    #[error("the system property {name} cannot be {value:?}: it must be {width} characters long")]
    SystemPropertyWidth {
        /// The property.
        name: &'static str,
        /// The refused value.
        value: String,
        /// The characters that it must have.
        width: usize,
    },
    /// Written by a later version of Orrery.
    #[error("the stored document has format {0}, which is unknown")]
    UnknownVersion(u8),
    /// The stored bytes contradict themselves.
    #[error("the stored document is damaged: {0}")]
    Damaged(&'static str),
}

/// Whether the server sets the root's property of this name, so that clients cannot.
pub fn is_system_property(name: &str) -> bool {
    SystemProperty::from_name(name.as_bytes()).is_some()
}
