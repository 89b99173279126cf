//! An item as it lies in the store.
//!
//! ```text
//! +--------+-----------+--------------------+--------+--------+-------------------------+
//! | 2: u8  | number u64| document number u64|time u64| ttl i32| stored document (value) |
//! +--------+-----------+--------------------+--------+--------+-------------------------+
//! ```
//! Big-endian. The number is the version's (its LSN), the document number the one of its first version, which its `_rid` holds. The
//! time is in ticks of 100 ns since 1970: `_ts` is its whole seconds, and no two versions of a container have the same. A ttl of 0 means that the item has none of its own.

use bytes::Bytes;
use orrery_value::Document;

use super::etag;
use crate::Error;
use crate::catalog::ContainerSettings;
use crate::clock::TICKS_PER_SECOND;

/// Bytes before the stored document.
pub(crate) const HEADER_LEN: usize = 29;
const FORMAT: u8 = 2;

/// One version of an item. Cloning it copies no bytes.
#[derive(Clone, Debug)]
pub struct Item {
    bytes: Bytes,
}

impl Item {
    /// Wraps what the store returned.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the bytes are not an item: the store is damaged.
    pub(crate) fn from_stored(bytes: Bytes) -> Result<Self, Error> {
        let known = bytes.len() > HEADER_LEN && bytes[0] == FORMAT && Document::new(&bytes[HEADER_LEN..]).is_ok();
        if known {
            Ok(Item { bytes })
        } else {
            Err(Error::Unavailable { reason: "an item in the store is damaged".into() })
        }
    }

    /// The finished JSON text, system properties included. Copies nothing.
    pub fn text(&self) -> Bytes {
        self.bytes.slice_ref(self.document().text())
    }

    /// The document, for access to single properties.
    pub fn document(&self) -> Document<'_> {
        Document::new(&self.bytes[HEADER_LEN..]).expect("checked when the item was read")
    }

    /// The number of this version in its container.
    pub fn lsn(&self) -> u64 {
        self.u64_at(1)
    }

    /// The number of the item's first version: the one in its `_rid`.
    pub fn document_number(&self) -> u64 {
        self.u64_at(9)
    }

    /// When this version was written, in seconds since 1970.
    pub fn ts(&self) -> u64 {
        self.ticks() / TICKS_PER_SECOND
    }

    /// When this version was written, in ticks of 100 ns since 1970. Later versions in the same container have greater ones.
    pub fn ticks(&self) -> u64 {
        self.u64_at(17)
    }

    /// The version's entity tag, without quotes.
    pub fn etag(&self) -> &str {
        // A damaged tag matches nothing.
        self.document().etag().unwrap_or_default()
    }

    /// Whether the raw value of an If-Match or If-None-Match header names this version, or any.
    pub fn is_named_by(&self, header: &str) -> bool {
        etag::matches(header, self.etag())
    }

    /// Bytes of the JSON text: what the service counts as the item's size.
    pub fn size_bytes(&self) -> usize {
        self.document().text().len()
    }

    /// Whether the item's time to live is over at `now`.
    pub(crate) fn is_expired(&self, settings: &ContainerSettings, now: u64) -> bool {
        settings.effective_ttl(self.own_ttl()).is_some_and(|ttl| self.ts() + u64::from(ttl) <= now)
    }

    /// The item's own `ttl`, if it has a valid one: seconds, or -1 for ever.
    pub fn own_ttl(&self) -> Option<i32> {
        let ttl = i32::from_be_bytes([self.bytes[25], self.bytes[26], self.bytes[27], self.bytes[28]]);
        (ttl != 0).then_some(ttl)
    }

    pub(crate) fn stored(&self) -> &Bytes {
        &self.bytes
    }

    fn u64_at(&self, at: usize) -> u64 {
        self.bytes[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// An item where a scan finds it: checked once, and not held on to.
#[derive(Clone, Copy)]
pub(crate) struct ItemView<'a> {
    bytes: &'a Bytes,
    document: Document<'a>,
}

impl<'a> ItemView<'a> {
    /// Looks at what the store returned.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the bytes are not an item: the store is damaged.
    #[inline]
    pub fn new(bytes: &'a Bytes) -> Result<Self, Error> {
        let document = match bytes.split_at_checked(HEADER_LEN) {
            Some(([FORMAT, ..], document)) => Document::new(document).ok(),
            _ => None,
        };
        match document {
            Some(document) => Ok(ItemView { bytes, document }),
            None => Err(Error::Unavailable { reason: "an item in the store is damaged".into() }),
        }
    }

    /// [`Item::document`].
    #[inline]
    pub fn document(&self) -> Document<'a> {
        self.document
    }

    /// [`Item::text`].
    pub fn text(&self) -> Bytes {
        self.bytes.slice_ref(self.document.text())
    }

    /// What the store returned.
    pub fn stored(&self) -> Bytes {
        self.bytes.clone()
    }

    /// [`Item::document_number`].
    #[inline]
    pub fn document_number(&self) -> u64 {
        u64::from_be_bytes(self.header(9))
    }

    /// [`Item::size_bytes`].
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.document.text().len()
    }

    /// [`Item::is_expired`].
    #[inline]
    pub fn is_expired(&self, settings: &ContainerSettings, now: u64) -> bool {
        if settings.default_ttl.is_none() {
            return false;
        }
        let ttl = i32::from_be_bytes(self.header(25));
        let ts = u64::from_be_bytes(self.header(17)) / TICKS_PER_SECOND;
        settings.effective_ttl((ttl != 0).then_some(ttl)).is_some_and(|ttl| ts + u64::from(ttl) <= now)
    }

    #[inline]
    fn header<const N: usize>(&self, at: usize) -> [u8; N] {
        self.bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().expect("checked by the constructor")
    }
}

/// The numbers in front of a stored document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub number: u64,
    pub document_number: u64,
    pub ticks: u64,
    pub own_ttl: Option<i32>,
}

impl Header {
    /// Writes the header over the first [`HEADER_LEN`] bytes of `bytes`.
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        bytes[0] = FORMAT;
        bytes[1..9].copy_from_slice(&self.number.to_be_bytes());
        bytes[9..17].copy_from_slice(&self.document_number.to_be_bytes());
        bytes[17..25].copy_from_slice(&self.ticks.to_be_bytes());
        bytes[25..29].copy_from_slice(&self.own_ttl.unwrap_or(0).to_be_bytes());
    }
}
