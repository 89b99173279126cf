//! Replies in the service's shape, with the headers of every one of them.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use orrery_engine::Container;
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use serde_json::Value as Json;

use super::error::ApiError;
use super::header_names as names;
use super::request::RequestContext;
use crate::listen::{ReplyBody, ReplyFacts, Response};

/// This server and its version, as replies name it.
pub(crate) const SERVER_VERSION: &str = concat!("Orrery/", env!("CARGO_PKG_VERSION"));

/// Characters that are percent-encoded in header values; those outside of ASCII are as well.
const UNSAFE_IN_HEADERS: &AsciiSet = &CONTROLS.add(b'%');
/// Characters that are percent-encoded in links in headers, which clients decode.
const UNSAFE_IN_LINKS: &AsciiSet = &UNSAFE_IN_HEADERS.add(b' ').add(b'"').add(b'+').add(b'<').add(b'>').add(b'`');

/// A successful answer of a handler.
#[derive(Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    charge_ru: f64,
}

impl Reply {
    /// A reply without a body.
    pub fn empty(status: StatusCode) -> Reply {
        Reply {
            status,
            headers: HeaderMap::with_capacity(16),
            body: Bytes::new(),
            charge_ru: orrery_engine::request_charge::METADATA_RU,
        }
    }

    /// A reply whose body is finished JSON text.
    pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Reply {
        let mut reply = Reply::empty(status);
        reply.body = body.into();
        reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        reply
    }

    /// A reply whose body is `body` printed compactly.
    pub fn json(status: StatusCode, body: &Json) -> Reply {
        Reply::text(status, body.to_string())
    }

    /// What the request cost.
    pub fn charge(mut self, charge_ru: f64) -> Reply {
        self.charge_ru = charge_ru;
        self
    }

    /// Sets a header; characters that cannot stand in one are percent-encoded.
    pub fn header(mut self, name: HeaderName, value: impl AsRef<[u8]>) -> Reply {
        self.headers.insert(name, header_value(value.as_ref()));
        self
    }

    /// Sets a header to a number.
    pub fn number(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Reply {
        self.headers.insert(name, value.into());
        self
    }

    /// The body's media type where it is not JSON.
    pub fn content_type(mut self, media_type: &'static str) -> Reply {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        self
    }

    /// Sets a header to text that is not copied where it can stand in one as it is.
    pub fn shared(mut self, name: HeaderName, value: impl Into<Bytes>) -> Reply {
        let value = value.into();
        let value = if is_plain(&value) {
            HeaderValue::from_maybe_shared(value).expect("printable ASCII always makes a header value")
        } else {
            header_value(&value)
        };
        self.headers.insert(name, value);
        self
    }

    /// The entity tag, given without its quotes.
    pub fn etag(self, etag: &str) -> Reply {
        self.shared(names::ETAG, ["\"", etag, "\""].concat())
    }

    /// Where the next page begins; `None` on the last page.
    pub fn continuation(self, continuation: Option<&str>) -> Reply {
        match continuation {
            Some(continuation) => self.header(names::CONTINUATION, continuation),
            None => self,
        }
    }

    /// How many results the page holds.
    pub fn item_count(self, count: usize) -> Reply {
        self.number(names::ITEM_COUNT, count as u64)
    }

    /// The owner's link by names and its rid: SDKs file session tokens under them.
    pub fn container_paths(self, container: &Container) -> Reply {
        let link = link_in_header(container.name_link());
        self.shared(names::ALT_CONTENT_PATH, link).header(names::CONTENT_PATH, container.rid())
    }

    /// The container's newest version, as the service's replicas report theirs.
    pub fn lsn(self, newest: impl Into<HeaderValue>) -> Reply {
        let newest = newest.into();
        self.number(names::LSN, newest.clone()).number(names::GLOBAL_COMMITTED_LSN, newest)
    }

    /// The same reply without its body, if the client asked for that by `prefer: return=minimal`.
    pub fn minimal_if_preferred(mut self, cx: &RequestContext<'_>) -> Reply {
        if cx.prefers_minimal() {
            self.body = Bytes::new();
            self.headers.remove(header::CONTENT_TYPE);
        }
        self
    }

    /// The HTTP response, with what every reply carries. `HEAD` gets no body.
    pub fn into_response(mut self, method: &Method, activity_id: &str, route: u8) -> Response {
        if method == Method::HEAD {
            self.body = Bytes::new();
        }
        let facts = ReplyFacts { route, charge_ru: self.charge_ru };
        let body = ReplyBody::full(self.body).with_facts(facts);
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        add_common_headers(response.headers_mut(), activity_id, self.charge_ru);
        response
    }
}

/// The response to a failure.
pub(crate) fn error_response(
    error: &ApiError,
    method: &Method,
    target: &str,
    activity_id: &str,
    route: u8,
) -> Response {
    let body = error.body(activity_id, target);
    let mut reply = match body {
        Some(body) => Reply::text(error.status, body),
        None => Reply::empty(error.status),
    }
    .charge(error.charge_ru);
    if error.sub_status != 0 {
        reply = reply.number(names::SUB_STATUS, error.sub_status);
    }
    if let Some(retry_after_ms) = error.retry_after_ms {
        reply = reply.number(names::RETRY_AFTER_MS, retry_after_ms);
    }
    reply.into_response(method, activity_id, route)
}

fn add_common_headers(headers: &mut HeaderMap, activity_id: &str, charge_ru: f64) {
    headers.insert(names::ACTIVITY_ID, header_value(activity_id.as_bytes()));
    headers.insert(names::REQUEST_CHARGE, charge_value(charge_ru));
    headers.insert(names::SERVICE_VERSION, HeaderValue::from_static(SERVER_VERSION));
    headers.insert(names::GATEWAY_VERSION, HeaderValue::from_static(SERVER_VERSION));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-cache"));
}

/// A link as headers carry it; shared with `link` where nothing in it needs encoding.
fn link_in_header(link: &Bytes) -> Bytes {
    match Cow::from(percent_encode(link, UNSAFE_IN_LINKS)) {
        Cow::Borrowed(_) => link.clone(),
        Cow::Owned(encoded) => encoded.into(),
    }
}

fn charge_value(charge_ru: f64) -> HeaderValue {
    if charge_ru == 1.0 {
        return HeaderValue::from_static("1");
    }
    // Two decimals at most, as the service prints them.
    let rounded = (charge_ru * 100.0).round() / 100.0;
    header_value(rounded.to_string().as_bytes())
}

fn is_plain(value: &[u8]) -> bool {
    value.iter().all(|byte| (0x20..0x7f).contains(byte))
}

fn header_value(value: &[u8]) -> HeaderValue {
    let made = match is_plain(value) {
        true => HeaderValue::from_bytes(value),
        false => HeaderValue::from_str(&percent_encode(value, UNSAFE_IN_HEADERS).to_string()),
    };
    made.expect("printable ASCII always makes a header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_values_survive_any_name() {
        assert_eq!(header_value(b"50% off"), "50% off");
        assert_eq!(header_value("føø\n".as_bytes()), "f%C3%B8%C3%B8%0A");
        let link = link_in_header(&Bytes::from("dbs/my db/colls/50%é"));
        assert_eq!(link, "dbs/my%20db/colls/50%25%C3%A9");
        let plain = Bytes::from("dbs/a/colls/b");
        assert_eq!(link_in_header(&plain).as_ptr(), plain.as_ptr());
    }

    #[test]
    fn charges_print_without_noise() {
        assert_eq!(charge_value(1.0), "1");
        assert_eq!(charge_value(2.829_999_999), "2.83");
    }

    #[test]
    fn head_gets_headers_and_no_body() {
        let reply = Reply::text(StatusCode::OK, "{}").charge(2.5);
        let response = reply.into_response(&Method::HEAD, "a-1", 3);
        assert_eq!(response.body().bytes(), Some(&b""[..]));
        assert_eq!(response.headers()[names::REQUEST_CHARGE], "2.5");
        assert_eq!(response.headers()[names::ACTIVITY_ID], "a-1");
        assert_eq!(response.body().facts(), ReplyFacts { route: 3, charge_ru: 2.5 });
    }
}
