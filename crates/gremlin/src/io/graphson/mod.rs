//! GraphSON: values as JSON, with the names of their types or without.
//!
//! ```text
//! typed:     {"@type": "g:Int32", "@value": 1}
//! untyped:   1
//! request:   {"requestId": .., "op": .., "processor": .., "args": {..}}
//! response:  {"requestId": .., "status": {"message", "code", "attributes"}, "result": {"data": [..], "meta"}}
//! ```
//!
//! Readers take every version and typed and untyped values side by side, as clients mix them. Writers have a [`Shape`].
//! What GraphSON 2 and 3 differ in: only 3 types lists, sets and maps, so that only there a map keeps keys that are no strings.

mod message;
mod output;
mod read;
mod read_element;
mod read_metrics;
mod read_scalar;
mod read_traversal;
mod write;
mod write_element;
mod write_traversal;

pub(super) use message::{read_request, read_response, write_request, write_response};

use super::json::Json;
use super::{DecodeError, EncodeError, Format};
use crate::value::GValue;
use output::Output;

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// GraphSON 1 without types, which is also how the service answers.
    Untyped,
    /// GraphSON 2.
    Two,
    /// GraphSON 3.
    Three,
}

impl Shape {
    fn of(format: Format) -> Self {
        match format {
            Format::GraphSon1 | Format::GraphSon2Untyped | Format::GraphSon3Untyped => Self::Untyped,
            Format::GraphSon2 => Self::Two,
            // GraphBinary never comes here.
            Format::GraphSon3 | Format::GraphBinary | Format::GraphBinaryText => Self::Three,
        }
    }
}

pub(super) fn read_value(text: &[u8]) -> Result<GValue, DecodeError> {
    read::value(Json::parse(text)?.root(), 0)
}

pub(super) fn write_value(value: &GValue, format: Format, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    write::value(&mut Output::new(Shape::of(format), out), value)
}
