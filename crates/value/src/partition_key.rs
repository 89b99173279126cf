//! Partition keys: which properties of an item make up its key, the key's values, and their forms on the wire and in the
//! store.

mod bytes;
mod component;
mod definition;
mod header;

pub use component::KeyComponent;
pub use definition::{MAX_PATHS, PartitionKeyDefinition, PartitionKeyKind};

use crate::json::JsonError;

/// The values of one logical partition's key, one per path of the container's definition.
///
/// Keys with fewer values than paths are prefixes of a hierarchical key. Without any value it is the key of a container that
/// has no definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PartitionKey(pub Vec<KeyComponent>);

impl PartitionKey {
    /// The key's values, in the order of the definition's paths.
    pub fn components(&self) -> &[KeyComponent] {
        &self.0
    }

    /// Bytes that count towards the limit of a key's size.
    pub fn size_bytes(&self) -> usize {
        self.0.iter().map(KeyComponent::size_bytes).sum()
    }
}

impl<C: Into<KeyComponent>> FromIterator<C> for PartitionKey {
    fn from_iter<I: IntoIterator<Item = C>>(components: I) -> Self {
        PartitionKey(components.into_iter().map(Into::into).collect())
    }
}

/// What is wrong with a partition key or the definition of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionKeyError {
    /// The header is not JSON.
    #[error("the partition key header is not valid JSON: {0}")]
    HeaderJson(#[source] JsonError),
    /// The header is JSON, but not an array.
    #[error("the partition key header must be a JSON array")]
    HeaderNotArray,
    /// A value of the header is an array, or an object other than `{}`.
    #[error("value {position} of the partition key header must be a string, number, boolean, null or {{}}")]
    HeaderComponent {
        /// Counted from 0.
        position: usize,
    },
    /// The number of values does not fit the definition.
    #[error("the partition key has {found} values where {expected} are expected")]
    ComponentCount {
        /// Values in the key.
        found: usize,
        /// Paths in the definition.
        expected: usize,
    },
    /// The values are longer than the definition's kind allows.
    #[error("the partition key is {size_bytes} bytes long; the limit is {limit_bytes}")]
    TooLong {
        /// Bytes in the key.
        size_bytes: usize,
        /// Bytes allowed.
        limit_bytes: usize,
    },
    /// A definition's `kind` is not one that exists or is supported.
    #[error("the partition key kind {kind:?} is not one of Hash and MultiHash")]
    UnknownKind {
        /// The refused text.
        kind: String,
    },
    /// A definition's `version` does not go with its kind.
    #[error("partition keys of kind {kind} have no version {version}")]
    UnknownVersion {
        /// The definition's kind.
        kind: &'static str,
        /// The refused version.
        version: u8,
    },
    /// A definition has too few or too many paths for its kind.
    #[error("{}a partition key of kind {kind} has from 1 to {limit} paths, not {found}", words_for_many(.found, .limit))]
    PathCount {
        /// The definition's kind.
        kind: &'static str,
        /// Paths in the definition.
        found: usize,
        /// Most paths allowed.
        limit: usize,
    },
    /// A definition's path cannot be a key.
    #[error("the partition key path {path} is not allowed: {reason}")]
    PathNotAllowed {
        /// The path.
        path: String,
        /// Why not.
        reason: &'static str,
    },
    /// Stored key bytes are not what [`PartitionKey::encode`] writes.
    #[error("the stored partition key is damaged")]
    Damaged,
}

/// The service's words for too many paths, which its clients' tests look for.
fn words_for_many(found: &usize, limit: &usize) -> &'static str {
    if found > limit { "Too many partition key paths: " } else { "" }
}
