//! Effective partition keys: the hash of a partition key, by whose order a container's items are spread over ranges.
//!
//! Official clients compute these themselves to choose a range, so every bit must be the service's.

mod hash;
mod range;

use std::fmt;

pub use range::{EpkRange, even_ranges};

use crate::partition_key::{PartitionKey, PartitionKeyDefinition, PartitionKeyKind};

/// Longest effective partition key in bytes that is accepted from a client. Those of the first hash, the longest there are,
/// have up to 111.
pub const MAX_EPK_BYTES: usize = 128;

/// An effective partition key, or a bound between such keys. Compares by bytes; printed in upper-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Epk(Vec<u8>);

impl Epk {
    /// The bound at or below every key: `""`.
    pub fn min() -> Epk {
        Epk(Vec::new())
    }

    /// The bound above every key: `"FF"`.
    pub fn max() -> Epk {
        Epk(vec![0xFF])
    }

    /// A key of these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Epk {
        Epk(bytes.into())
    }

    /// Reads hexadecimal digits of either case.
    ///
    /// # Errors
    /// [`EpkError`]
    pub fn parse(hex: &str) -> Result<Epk, EpkError> {
        if hex.len() > 2 * MAX_EPK_BYTES {
            return Err(EpkError::TooLong { digits: hex.len() });
        }
        let (pairs, odd) = hex.as_bytes().as_chunks::<2>();
        let digit = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<_>>();
        match (bytes, odd) {
            (Some(bytes), []) => Ok(Epk(bytes)),
            _ => Err(EpkError::NotHex { text: hex.to_owned() }),
        }
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The first bound above all keys that begin with this one: what clients write as the key followed by `FF`.
    pub fn prefix_end(&self) -> Epk {
        let mut bytes = self.0.clone();
        bytes.push(0xFF);
        Epk(bytes)
    }
}

impl fmt::Display for Epk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl fmt::Debug for Epk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epk({self})")
    }
}

/// Why a text is no effective partition key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EpkError {
    /// Something else than pairs of hexadecimal digits.
    #[error("the effective partition key {text:?} is not made of pairs of hexadecimal digits")]
    NotHex {
        /// The text.
        text: String,
    },
    /// Longer than twice [`MAX_EPK_BYTES`].
    #[error("the effective partition key has {digits} digits; the limit is {}", 2 * MAX_EPK_BYTES)]
    TooLong {
        /// Length of the text.
        digits: usize,
    },
}

/// Length of the place of all items in a container without a partition key.
const WITHOUT_KEY_BYTES: usize = 16;

impl PartitionKeyDefinition {
    /// Where the items with this key lie. The key has a value for every path ([`check`](PartitionKeyDefinition::check)).
    pub fn epk(&self, key: &PartitionKey) -> Epk {
        Epk(match self.kind {
            // One place for all items, as long as any other.
            _ if self.paths.is_empty() => vec![0; WITHOUT_KEY_BYTES],
            PartitionKeyKind::HashV1 => hash::hash_v1(key.components()),
            PartitionKeyKind::HashV2 => hash::hash_v2(key.components()),
            PartitionKeyKind::MultiHash => hash::multi_hash(key.components()),
        })
    }

    /// Where the items lie whose keys begin with these values; everywhere for an empty key.
    ///
    /// Only hierarchical keys have true prefixes. For a full key of any kind it is the range that holds its one place.
    pub fn epk_range(&self, prefix: &PartitionKey) -> EpkRange {
        if prefix.components().is_empty() || !self.is_prefix(prefix) {
            return EpkRange::full();
        }
        let min = self.epk(prefix);
        EpkRange { max: min.prefix_end(), min }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_printed_as_hex() {
        let key = Epk::parse("05c1Ef").unwrap();
        assert_eq!(key.as_bytes(), [0x05, 0xC1, 0xEF]);
        assert_eq!(key.to_string(), "05C1EF");
        assert_eq!(Epk::parse("").unwrap(), Epk::min());
        assert_eq!(Epk::parse("FF").unwrap(), Epk::max());
        for bad in ["0", "0G", "+1", "é"] {
            assert!(matches!(Epk::parse(bad), Err(EpkError::NotHex { .. })), "{bad}");
        }
        assert!(matches!(Epk::parse(&"0".repeat(258)), Err(EpkError::TooLong { digits: 258 })));
    }
}
