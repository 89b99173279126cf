//! GraphBinary 1: values behind a code of their type, big-endian.
//!
//! ```text
//! qualified value:  | type code (u8) | flag (u8) | body |      flag 1: null, no body
//! null of no type:  | fe | 01 |
//! collection:       | count (i32) | qualified values .. |
//! request:          | 81 | id (16) | op | processor | count, qualified keys and values |
//! response:         | 81 | flag, id | code (i32) | flag, message | attributes | meta | qualified data |
//! ```
//!
//! `code.rs` lists the types; `read*.rs` and `write*.rs` mirror each other.

mod code;
mod input;
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

pub(super) use message::{read_request, read_response, write_request, write_response, write_text_response};

use super::{DecodeError, EncodeError};
use crate::value::GValue;
use input::Input;
use output::Output;

pub(super) fn read_value(bytes: &[u8]) -> Result<GValue, DecodeError> {
    let mut input = Input::new(bytes)?;
    let value = read::value(&mut input)?;
    input.finish()?;
    Ok(value)
}

pub(super) fn write_value(value: &GValue, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    write::value(&mut Output::new(out), value)
}
