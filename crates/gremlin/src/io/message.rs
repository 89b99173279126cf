//! Requests and responses, whatever format carries them.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{DecodeError, EncodeError, Format, graphbinary, graphson};
use crate::value::{GValue, Uuid};

/// Named values, in the order sent.
pub type Named = IndexMap<Arc<str>, GValue>;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Chosen by the client; the answers carry it.
    pub id: Uuid,
    /// `eval`, `bytecode`, `authentication`, `close`.
    pub op: String,
    /// Empty for the standard one, or `traversal`, `session`.
    pub processor: String,
    /// `gremlin`, `bindings`, `aliases` and so on.
    pub args: Named,
}

impl Request {
    /// Reads the message of a frame (see [`Format::split_frame`]), or a text frame's whole.
    ///
    /// # Errors
    /// If it is none, or breaks a bound.
    pub fn read(format: Format, message: &[u8]) -> Result<Self, DecodeError> {
        if format.is_json() { graphson::read_request(message) } else { graphbinary::read_request(message) }
    }

    /// Appends the message, without a frame's start.
    ///
    /// # Errors
    /// If an argument has no form in `format`.
    pub fn write(&self, format: Format, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if format.is_json() {
            graphson::write_request(self, format, out)
        } else {
            graphbinary::write_request(self, out)
        }
    }
}

/// One of the answers to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Of the request; none if that could not be read.
    pub request_id: Option<Uuid>,
    /// 200, 204, 206, or why not.
    pub code: u16,
    /// Empty if all is well.
    pub message: String,
    /// Figures and reasons.
    pub attributes: Named,
    /// Results; none goes out as null, which is not an empty list.
    pub data: Option<Vec<GValue>>,
    /// Nothing, today.
    pub meta: Named,
}

impl Response {
    /// Appends the message. A binary answer needs no frame's start.
    ///
    /// # Errors
    /// If a value has no form in `format`; `out` then holds a part of the message.
    pub fn write(&self, format: Format, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match format {
            Format::GraphBinary => graphbinary::write_response(self, out),
            Format::GraphBinaryText => graphbinary::write_text_response(self, out),
            _ => graphson::write_response(self, format, out),
        }
    }

    /// Reads an answer, as a client does.
    ///
    /// # Errors
    /// If it is none, or breaks a bound.
    pub fn read(format: Format, message: &[u8]) -> Result<Self, DecodeError> {
        if format.is_json() { graphson::read_response(message) } else { graphbinary::read_response(message) }
    }
}
