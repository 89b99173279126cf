//! Resource ids in the service's encoding.
//!
//! ```text
//! database            4 bytes
//! container           database + 4 bytes, top bit of the first set
//! user                database + 4 bytes, top bit of the first clear
//! item, script, …     container + 8 bytes little-endian; high nibble of the last byte is the type
//! permission          user + 8 bytes
//! ```
//! In links they are base64 with `-` for `/`, so that they fit a path segment.

use base64::Engine as _;
use base64::alphabet::Alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

const ALPHABET: Alphabet = match Alphabet::new("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-") {
    Ok(alphabet) => alphabet,
    Err(_) => panic!("64 distinct characters"),
};
const BASE64: GeneralPurpose = GeneralPurpose::new(&ALPHABET, GeneralPurposeConfig::new());

/// Bytes of a database's rid.
pub const DATABASE_RID_LEN: usize = 4;
/// Bytes of a container's or user's rid.
pub const CONTAINER_RID_LEN: usize = 8;
/// Bytes of an item's rid and those of its siblings.
pub const ITEM_RID_LEN: usize = 16;

/// The kinds of resource that share the item's rid form, by the high nibble of the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RidKind {
    /// An item.
    Document = 0x0,
    /// A conflict.
    Conflict = 0x4,
    /// A partition key range.
    PartitionKeyRange = 0x5,
    /// A user-defined function.
    UserDefinedFunction = 0x6,
    /// A trigger.
    Trigger = 0x7,
    /// A stored procedure.
    StoredProcedure = 0x8,
}

/// Text form of a rid.
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// Bytes of a rid's text; `None` if it is not one. Decoding is strict, so that one rid has one spelling.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let known = matches!(text.len(), 8 | 12 | 24);
    if known { BASE64.decode(text).ok() } else { None }
}

/// The rid of a child of a container.
pub fn child(container: &[u8; CONTAINER_RID_LEN], kind: RidKind, number: u64) -> [u8; ITEM_RID_LEN] {
    let mut rid = [0; ITEM_RID_LEN];
    rid[..CONTAINER_RID_LEN].copy_from_slice(container);
    rid[CONTAINER_RID_LEN..].copy_from_slice(&number.to_le_bytes());
    rid[ITEM_RID_LEN - 1] |= (kind as u8) << 4;
    rid
}

/// The document number in an item's rid, if the rid is an item's of that container.
pub fn document_number(container: &[u8; CONTAINER_RID_LEN], text: &str) -> Option<u64> {
    let bytes: [u8; ITEM_RID_LEN] = decode(text)?.try_into().ok()?;
    let (owner, number) = bytes.split_at(CONTAINER_RID_LEN);
    let number = u64::from_le_bytes(number.try_into().ok()?);
    (owner == container && number >> 60 == RidKind::Document as u64).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_published_example_decodes() {
        let bytes = decode("36ZyAPW+uN8NAAAAAAAAAA==").unwrap();
        assert_eq!(bytes, [0xdf, 0xa6, 0x72, 0, 0xf5, 0xbe, 0xb8, 0xdf, 13, 0, 0, 0, 0, 0, 0, 0]);
        let container: [u8; 8] = bytes[..8].try_into().unwrap();
        assert_eq!(document_number(&container, "36ZyAPW+uN8NAAAAAAAAAA=="), Some(13));
        assert_eq!(encode(&child(&container, RidKind::Document, 13)), "36ZyAPW+uN8NAAAAAAAAAA==");
    }

    #[test]
    fn a_name_is_no_rid() {
        assert_eq!(decode("not a rid, 24 characters"), None);
        assert_eq!(decode("orders"), None);
        assert_eq!(document_number(&[0; 8], "36ZyAPW+uN8NAAAAAAAAAA=="), None);
    }
}
