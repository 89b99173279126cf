//! Requests and responses.

use super::super::{DecodeError, EncodeError, Named, Request, Response, text};
use super::code;
use super::input::Input;
use super::output::Output;
use super::read::{named_entries, value};
use super::write;
use crate::value::GValue;

/// What a message begins with: the version, with the highest bit set.
const VERSION: u8 = 0x81;

pub(in super::super) fn read_request(message: &[u8]) -> Result<Request, DecodeError> {
    let mut input = Input::new(message)?;
    version(&mut input)?;
    let request = Request {
        id: input.uuid()?,
        op: input.text("an op")?.into(),
        processor: input.text("a processor")?.into(),
        args: Named::from_iter(named_entries(&mut input)?),
    };
    input.finish()?;
    Ok(request)
}

pub(in super::super) fn write_request(request: &Request, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let mut output = Output::new(out);
    output.u8(VERSION);
    output.bytes(request.id.as_bytes());
    output.text(&request.op)?;
    output.text(&request.processor)?;
    write::named_entries(&mut output, request.args.iter())
}

pub(in super::super) fn read_response(message: &[u8]) -> Result<Response, DecodeError> {
    let mut input = Input::new(message)?;
    version(&mut input)?;
    let request_id = if input.flag()? { Some(input.uuid()?) } else { None };
    let at = input.at();
    let code = input.i32("a status code")?;
    let code = u16::try_from(code).map_err(|_| Input::unexpected(at, "a status code", code.to_string()))?;
    let message = if input.flag()? { input.text("a message")?.into() } else { String::new() };
    let attributes = Named::from_iter(named_entries(&mut input)?);
    let meta = Named::from_iter(named_entries(&mut input)?);
    let at = input.at();
    let data = match value(&mut input)? {
        GValue::Null => None,
        GValue::List(items) => Some(std::sync::Arc::unwrap_or_clone(items)),
        other => return Err(Input::unexpected(at, "a list of results", other.kind())),
    };
    input.finish()?;
    Ok(Response { request_id, code, message, attributes, data, meta })
}

fn version(input: &mut Input) -> Result<(), DecodeError> {
    match input.u8("a version")? {
        VERSION => Ok(()),
        other => Err(Input::unexpected(0, "version 0x81", format!("0x{other:02x}"))),
    }
}

pub(in super::super) fn write_response(response: &Response, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    response_with(response, out, write::value)
}

/// Writes each result as its text.
pub(in super::super) fn write_text_response(response: &Response, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    response_with(response, out, |output, result| {
        // A bulk is no part of what is shown, but the console counts by it.
        if let GValue::Traverser(traverser) = result {
            output.start(code::TRAVERSER);
            output.i64(traverser.bulk);
            return write::string(output, &text::of(&traverser.value));
        }
        write::string(output, &text::of(result))
    })
}

fn response_with(
    response: &Response,
    out: &mut Vec<u8>,
    write_result: impl FnMut(&mut Output, &GValue) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let mut output = Output::new(out);
    output.u8(VERSION);
    match response.request_id {
        Some(id) => {
            output.u8(0);
            output.bytes(id.as_bytes());
        }
        None => output.u8(1),
    }
    output.i32(response.code.into());
    output.u8(0);
    output.text(&response.message)?;
    write::named_entries(&mut output, response.attributes.iter())?;
    write::named_entries(&mut output, response.meta.iter())?;
    match &response.data {
        Some(data) => {
            output.start(code::LIST);
            output.list(data.iter(), write_result)
        }
        None => {
            output.null();
            Ok(())
        }
    }
}
