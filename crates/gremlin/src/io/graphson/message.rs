//! Requests and responses.

use super::super::json::{Item, Json, Kind};
use super::super::{DecodeError, EncodeError, Format, Named, Request, Response};
use super::Shape;
use super::output::Output;
use super::read::{self, Typed, array, member, text, unexpected};
use super::{read_scalar, write};
use crate::value::Uuid;

pub(in super::super) fn read_request(message: &[u8]) -> Result<Request, DecodeError> {
    let json = Json::parse(message)?;
    let item = json.root();
    if item.kind() != Kind::Object {
        return Err(unexpected(item, "a request"));
    }
    let processor = item.member("processor").filter(|processor| processor.kind() != Kind::Null);
    let args = item.member("args").filter(|args| args.kind() != Kind::Null);
    Ok(Request {
        id: request_id(member(item, "requestId", "a requestId")?)?,
        op: text(member(item, "op", "an op")?, "an op")?.into(),
        processor: processor.map_or(Ok(String::new()), |processor| text(processor, "a processor").map(Into::into))?,
        args: args.map_or_else(|| Ok(Named::default()), |args| read::named(args, 0))?,
    })
}

/// A UUID as a string, typed or not.
fn request_id(item: Item) -> Result<Uuid, DecodeError> {
    match Typed::of(item) {
        Some(typed) if typed.name == "g:UUID" => read_scalar::uuid(typed.value()?),
        _ => read_scalar::uuid(item),
    }
}

pub(in super::super) fn write_request(request: &Request, format: Format, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let mut output = Output::new(Shape::of(format), out);
    output.raw("{\"requestId\":");
    output.string(&request.id.to_string());
    output.raw(",\"op\":");
    output.string(&request.op);
    output.raw(",\"processor\":");
    output.string(&request.processor);
    output.raw(",\"args\":");
    write::named(&mut output, &request.args)?;
    output.raw("}");
    Ok(())
}

pub(in super::super) fn read_response(message: &[u8]) -> Result<Response, DecodeError> {
    let json = Json::parse(message)?;
    let item = json.root();
    let request_id_item = member(item, "requestId", "a requestId")?;
    let status = member(item, "status", "a status")?;
    let result = member(item, "result", "a result")?;
    let code_item = member(status, "code", "a status code")?;
    let code = code_item.number().and_then(|code| code.parse().ok());
    let data = member(result, "data", "data")?;
    Ok(Response {
        request_id: if request_id_item.kind() == Kind::Null { None } else { Some(request_id(request_id_item)?) },
        code: code.ok_or_else(|| unexpected(code_item, "a status code"))?,
        message: status.member("message").and_then(|message| message.string()).unwrap_or_default().into(),
        attributes: status.member("attributes").map_or_else(|| Ok(Named::default()), |item| read::named(item, 0))?,
        data: match data.kind() {
            Kind::Null => None,
            _ => Some(read::items(array(data, "a list of results")?, 1)?),
        },
        meta: result.member("meta").map_or_else(|| Ok(Named::default()), |item| read::named(item, 0))?,
    })
}

pub(in super::super) fn write_response(
    response: &Response,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut output = Output::new(Shape::of(format), out);
    output.raw("{\"requestId\":");
    match response.request_id {
        Some(id) => output.string(&id.to_string()),
        None => output.raw("null"),
    }
    output.raw(",\"status\":{\"message\":");
    output.string(&response.message);
    output.raw(&format!(",\"code\":{},\"attributes\":", response.code));
    write::named(&mut output, &response.attributes)?;
    output.raw("},\"result\":{\"data\":");
    match &response.data {
        Some(data) => write::list(&mut output, data)?,
        None => output.raw("null"),
    }
    output.raw(",\"meta\":");
    write::named(&mut output, &response.meta)?;
    output.raw("}}");
    Ok(())
}
