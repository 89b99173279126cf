//! The wire forms of values: GraphSON 1, 2 and 3, and GraphBinary 1.
//!
//! A frame names its [`Format`]; [`Request::read`] and [`Response::write`] do the rest. `graphson` and `graphbinary` hold the formats, each
//! with a picture of its layout; `json` reads JSON text for the first, keeping numbers as they are spelled.
//!
//! **Invariant:** whatever the bytes, reading takes memory in proportion to them, and the stack for [`MAX_NESTING`] levels. Counts are
//! checked against what is left of a message before room is made for them.

mod bulk;
mod error;
mod graphbinary;
mod graphson;
mod json;
mod message;
mod mime;
mod predicate;
mod temporal;
pub(crate) mod text;

pub use error::{DecodeError, EncodeError};
pub use message::{Named, Request, Response};
pub use mime::Format;

use crate::value::{GValue, MAX_NESTING};

/// Longest message in bytes. Official drivers assume this bound for both directions.
pub const MAX_MESSAGE_BYTES: usize = 10 * 1024 * 1024;

/// Most values of a message that is read, elements of collections and names of members included.
pub const MAX_VALUES: usize = 1_000_000;

/// Deepest nesting that is written. A result may nest as deep as an argument, and stands within traversers and elements.
const MAX_WRITTEN_NESTING: usize = MAX_NESTING + 16;

/// Appends one value to `out`, as it stands within a message.
///
/// # Errors
/// If the value has no form in `format`; `out` then holds a part of it.
pub fn write_value(value: &GValue, format: Format, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    if format.is_json() { graphson::write_value(value, format, out) } else { graphbinary::write_value(value, out) }
}

/// Reads one value.
///
/// # Errors
/// If `bytes` are not one, or break a bound.
pub fn read_value(bytes: &[u8], format: Format) -> Result<GValue, DecodeError> {
    if format.is_json() { graphson::read_value(bytes) } else { graphbinary::read_value(bytes) }
}

/// The text of a value as consoles show it.
pub fn to_text(value: &GValue) -> String {
    text::of(value)
}

/// A strategy's name without the package of its class.
fn strategy_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}
