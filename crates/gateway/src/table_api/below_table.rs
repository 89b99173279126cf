//! Addresses that lead on behind a table's name. Nothing is there; what is said about it helps clients whose address of the account ends
//! with the name of a table, which official SDKs recognise by the service's words.

use orrery_table::{Dialect, EntityBody, Error, ErrorCode, PartMethod};

use super::error::ApiError;
use super::header_names as names;
use super::request::RequestContext;
use super::route::method;

/// Why there is nothing: what the service stumbles over when it takes the path for one of the table.
pub(crate) fn refusal(cx: &RequestContext<'_>, table: &str, body: &[u8]) -> ApiError {
    match find_refusal(cx, table, body) {
        Err(error) => error.into(),
        Ok(()) => ApiError::new(ErrorCode::InvalidUri),
    }
}

fn find_refusal(cx: &RequestContext<'_>, table: &str, body: &[u8]) -> Result<(), Error> {
    let dialect = cx.dialect();
    if dialect == Dialect::Cosmos {
        return Err(Error::invalid_input("Request url is invalid."));
    }
    cx.catalog().table(table, dialect)?;
    let media_type = cx.header(&names::CONTENT_TYPE).unwrap_or_default().trim_start();
    if media_type.starts_with("multipart/") {
        return Err(Error::new(ErrorCode::MediaTypeNotSupported));
    }
    if method(&cx.head.method, &cx.head.headers)? == PartMethod::Post {
        EntityBody::parse(body, dialect)?.take_key(dialect)?;
    }
    Err(Error::invalid_input(format_args!(
        "The number of keys specified in the URI does not match number of key properties for the resource '{table}'."
    )))
}
