//! Why a message cannot be read or written.

use super::{MAX_MESSAGE_BYTES, MAX_VALUES};
use crate::value::MAX_NESTING;

/// Why bytes are no message. `at` is a byte offset into what was given to the reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end within a value.
    #[error("expected {expected} at offset {at}, found the end")]
    Truncated {
        /// Where more was needed.
        at: usize,
        /// What would have stood there.
        expected: &'static str,
    },
    /// Something else stands where one thing was expected.
    #[error("expected {expected} at offset {at}, found {found}")]
    Unexpected {
        /// Where it stands.
        at: usize,
        /// What would have been right.
        expected: &'static str,
        /// What it is; never long.
        found: String,
    },
    /// The format has no such type, or the value model has none for it.
    #[error("unknown type {name} at offset {at}")]
    UnknownType {
        /// Where its name or code stands.
        at: usize,
        /// Its name or code.
        name: String,
    },
    /// Values nest deeper than [`MAX_NESTING`].
    #[error("value nests deeper than {MAX_NESTING} levels at offset {at}")]
    TooDeep {
        /// Where the level too many begins.
        at: usize,
    },
    /// More than [`MAX_VALUES`] values.
    #[error("message holds more than {MAX_VALUES} values at offset {at}")]
    TooManyValues {
        /// Where the value too many begins.
        at: usize,
    },
    /// A number with too many digits to work with.
    #[error("number has too many digits at offset {at}")]
    NumberTooLong {
        /// Where it begins.
        at: usize,
    },
    /// A collection claims more items than the rest of the message can hold.
    #[error("{count} items at offset {at} cannot fit into the {left} bytes that follow")]
    CountTooLarge {
        /// Where the count stands.
        at: usize,
        /// The count claimed.
        count: usize,
        /// The bytes left.
        left: usize,
    },
    /// A message longer than [`MAX_MESSAGE_BYTES`].
    #[error("message of {size_bytes} bytes is longer than {MAX_MESSAGE_BYTES}")]
    TooLong {
        /// Its length.
        size_bytes: usize,
    },
    /// The format named before the message is not known.
    #[error("unknown format '{name}'")]
    UnknownMime {
        /// As the client named it, cut to a sensible length.
        name: String,
    },
}

/// Why a value cannot be written. What has been written of the message before is to be thrown away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The format has no form for such a value.
    #[error("{kind} cannot be serialized")]
    Unsupported {
        /// What it is.
        kind: &'static str,
    },
    /// Values nest deeper than [`MAX_NESTING`].
    #[error("result nests deeper than {MAX_NESTING} levels")]
    TooDeep,
    /// A text, a collection or the whole is too long for the format's 32-bit lengths.
    #[error("result is too long for its format")]
    TooLong,
}
