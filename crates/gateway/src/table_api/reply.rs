//! Replies in the service's shape, with the headers of every one of them.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use orrery_engine::request_charge;

use super::error::{ApiError, RETRY_AFTER_SECONDS};
use super::format;
use super::header_names as names;
use crate::listen::{ReplyBody, ReplyFacts, Response};
use crate::reply::{date_now, header_text};
use orrery_table::{ErrorCode, MetadataLevel};

/// Version of the protocol that replies name if the request names none.
const OLDEST_VERSION: &str = "2019-02-02";
const XML: HeaderValue = HeaderValue::from_static("application/xml");
/// Headers of a reply, at most: room for them is made once.
const HEADERS: usize = 16;

/// A successful answer of a handler.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub charge_ru: f64,
}

/// What every reply repeats of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Echoed<'a> {
    /// The name that the server gave the request.
    pub request_id: &'a str,
    /// The name that the client gave it.
    pub client_request_id: Option<&'a HeaderValue>,
    /// The version of the protocol.
    pub version: Option<&'a HeaderValue>,
    /// The number of its route, for the metrics.
    pub route: u8,
}

impl Reply {
    /// A reply without a body.
    pub fn empty(status: StatusCode) -> Self {
        let headers = HeaderMap::with_capacity(HEADERS);
        Reply { status, headers, body: Bytes::new(), charge_ru: request_charge::METADATA_RU }
    }

    /// A reply whose body is JSON of a level of metadata.
    pub fn json(status: StatusCode, level: MetadataLevel, body: Vec<u8>) -> Self {
        let reply = Reply::empty(status).constant(names::CONTENT_TYPE, format::content_type(level));
        Reply { body: body.into(), ..reply }
    }

    /// A reply whose body is XML.
    pub fn xml(status: StatusCode, body: Vec<u8>) -> Self {
        let reply = Reply::empty(status).header(names::CONTENT_TYPE, XML);
        Reply { body: body.into(), ..reply }
    }

    /// What the request cost.
    pub fn charge(self, charge_ru: f64) -> Self {
        Reply { charge_ru, ..self }
    }

    /// Sets a header whose value is at hand.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Sets a header to a constant.
    pub fn constant(self, name: HeaderName, value: &'static str) -> Self {
        self.header(name, HeaderValue::from_static(value))
    }

    /// Sets a header to a text.
    pub fn text(self, name: HeaderName, value: &str) -> Self {
        self.header(name, header_text(value))
    }

    /// The HTTP response, with what every reply carries.
    pub fn into_response(self, echoed: &Echoed<'_>) -> Response {
        let facts = ReplyFacts { route: echoed.route, charge_ru: self.charge_ru };
        let mut response = Response::new(ReplyBody::full(self.body).with_facts(facts));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        add_common_headers(response.headers_mut(), echoed, self.charge_ru);
        response
    }
}

/// The response to a failure, as JSON or as XML.
pub(crate) fn error_response(error: &ApiError, echoed: &Echoed<'_>, reads_json: bool) -> Response {
    let (status, code) = (error.status(), error.error.code);
    let reply = if reads_json {
        Reply::json(status, MetadataLevel::Minimal, error.to_json(echoed.request_id, None))
    } else {
        Reply::xml(status, error.to_xml(echoed.request_id))
    };
    let mut reply = reply.charge(error.charge_ru).constant(names::ERROR_CODE, code.as_str());
    if let Some(challenge) = &error.challenge {
        reply = reply.text(names::WWW_AUTHENTICATE, challenge);
    }
    if matches!(code, ErrorCode::ServerBusy | ErrorCode::TooManyRequests) {
        reply = reply.header(names::RETRY_AFTER, RETRY_AFTER_SECONDS.into());
    }
    reply.into_response(echoed)
}

fn add_common_headers(headers: &mut HeaderMap, echoed: &Echoed<'_>, charge_ru: f64) {
    const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
    const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
    const OLDEST: HeaderValue = HeaderValue::from_static(OLDEST_VERSION);
    headers.insert(names::VERSION, echoed.version.cloned().unwrap_or(OLDEST));
    headers.insert(names::REQUEST_ID, header_text(echoed.request_id));
    if let Some(id) = echoed.client_request_id {
        headers.insert(names::CLIENT_REQUEST_ID, id.clone());
    }
    headers.insert(names::HTTP_DATE, date_now());
    headers.insert(names::CACHE_CONTROL, NO_CACHE);
    headers.insert(names::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    // Sums of charges have digits that mean nothing.
    headers.insert(names::REQUEST_CHARGE, header_text(&((charge_ru * 100.0).round() / 100.0).to_string()));
}
