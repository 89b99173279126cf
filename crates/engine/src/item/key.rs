//! Where the parts of a container lie in the store.
//!
//! ```text
//! Items   container u32 | effective partition key | partition key | id
//! Feed    container u32 | number u64                                     -> _ts u32 | rest of the item's key
//! Side    container u32 | 1 | effective partition key | partition key | constraint u8 | values -> id
//!         container u32 | 2 | due u64 | number u64                       -> rest of the item's key
//!         container u32 | 3 | document number u64                        -> rest of the item's key
//! Meta    'n' container u32                                              -> counters
//! ```
//! Numbers are big-endian. "Rest of the item's key" is all that follows the container's number. Effective partition keys of one
//! container are prefix-free, so that a logical partition, and the prefix of a hierarchical key, is a contiguous run.

use orrery_store::KeyRange;
use orrery_value::{EpkRange, PartitionKey, PartitionKeyDefinition};

/// First byte of the keys of [`orrery_store::Space::Side`] after the container's number.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Unique = 1,
    Due = 2,
    Rid = 3,
}

/// Bytes of the time in front of the item's key in a feed record.
pub(crate) const FEED_TS_LEN: usize = 4;

/// Room for the partition key in front of an id, so that most are written without growing.
const USUAL_KEY_BYTES: usize = 48;

/// The part of an item's key that its logical partition shares, after the container's number.
pub(crate) fn partition(definition: &PartitionKeyDefinition, key: &PartitionKey) -> Vec<u8> {
    let epk = definition.epk(key);
    let mut bytes = Vec::with_capacity(epk.as_bytes().len() + USUAL_KEY_BYTES);
    bytes.extend_from_slice(epk.as_bytes());
    key.encode(&mut bytes);
    bytes
}

/// An item's whole key.
pub(crate) fn item(container: u32, partition: &[u8], id: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + partition.len() + id.len());
    bytes.extend_from_slice(&container.to_be_bytes());
    bytes.extend_from_slice(partition);
    bytes.extend_from_slice(id.as_bytes());
    bytes
}

/// Joins a container's number and what follows it in a key.
pub(crate) fn join(container: u32, rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + rest.len());
    bytes.extend_from_slice(&container.to_be_bytes());
    bytes.extend_from_slice(rest);
    bytes
}

/// Key of a feed record.
pub(crate) fn feed(container: u32, number: u64) -> Vec<u8> {
    join(container, &number.to_be_bytes())
}

/// The number in a feed record's key.
pub(crate) fn feed_number(key: &[u8]) -> Option<u64> {
    key.get(4..12).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes)
}

/// Key of a record beside the items.
pub(crate) fn side(container: u32, kind: Side, rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5 + rest.len());
    bytes.extend_from_slice(&container.to_be_bytes());
    bytes.push(kind as u8);
    bytes.extend_from_slice(rest);
    bytes
}

/// Key of a container's counters.
pub(crate) fn counters(container: u32) -> Vec<u8> {
    let mut bytes = vec![b'n'];
    bytes.extend_from_slice(&container.to_be_bytes());
    bytes
}

/// All items of a container.
pub(crate) fn container_range(container: u32) -> KeyRange {
    KeyRange::prefix(&container.to_be_bytes())
}

/// The items whose effective partition key lies in `epk`.
pub(crate) fn epk_range(container: u32, epk: &EpkRange) -> KeyRange {
    KeyRange { start: join(container, epk.min.as_bytes()), end: Some(join(container, epk.max.as_bytes())) }
}

/// The items of one logical partition.
pub(crate) fn partition_range(container: u32, partition: &[u8]) -> KeyRange {
    KeyRange::prefix(&join(container, partition))
}
