//! Short ways to build replies, and the header names all APIs share.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

use http::{HeaderName, HeaderValue, StatusCode, header};
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use crate::listen::{ReplyBody, ReplyFacts, Response};

/// Names of headers that replies carry; constants, so that no reply parses or hashes a name.
pub mod names {
    use http::HeaderName;

    macro_rules! names {
        ($($constant:ident = $name:literal;)*) => {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $constant: HeaderName = HeaderName::from_static($name);
            )*
        };
    }

    names! {
        ACTIVITY_ID = "x-ms-activity-id";
        ALT_CONTENT_PATH = "x-ms-alt-content-path";
        CLIENT_REQUEST_ID = "x-ms-client-request-id";
        CONTENT_PATH = "x-ms-content-path";
        CONTINUATION = "x-ms-continuation";
        DATE = "x-ms-date";
        ERROR_CODE = "x-ms-error-code";
        GATEWAY_VERSION = "x-ms-gatewayversion";
        GLOBAL_COMMITTED_LSN = "x-ms-global-committed-lsn";
        INDEX_TRANSFORMATION_PROGRESS = "x-ms-documentdb-collection-index-transformation-progress";
        INDEX_UTILIZATION = "x-ms-cosmos-index-utilization";
        ITEM_COUNT = "x-ms-item-count";
        ITEM_LSN = "x-ms-item-lsn";
        LAST_STATE_CHANGE_UTC = "x-ms-last-state-change-utc";
        LSN = "lsn";
        PARTITION_KEY_RANGE_ID = "x-ms-documentdb-partitionkeyrangeid";
        QUERY_ADVICE = "x-ms-cosmos-query-advice";
        QUERY_METRICS = "x-ms-documentdb-query-metrics";
        REQUEST_CHARGE = "x-ms-request-charge";
        REQUIRES_DISTRIBUTION = "x-ms-cosmos-query-requiresdistribution";
        REQUEST_ID = "x-ms-request-id";
        RESOURCE_QUOTA = "x-ms-resource-quota";
        RESOURCE_USAGE = "x-ms-resource-usage";
        RETRY_AFTER_MS = "x-ms-retry-after-ms";
        SCHEMA_VERSION = "x-ms-schemaversion";
        SCRIPT_LOG_RESULTS = "x-ms-documentdb-script-log-results";
        SERVICE_VERSION = "x-ms-serviceversion";
        SESSION_TOKEN = "x-ms-session-token";
        SUBSTATUS = "x-ms-substatus";
        VERSION = "x-ms-version";
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// A reply under construction.
#[derive(Debug)]
pub struct Reply {
    response: Response,
    facts: ReplyFacts,
}

impl Reply {
    /// Begins a reply without headers and body.
    pub fn new(status: StatusCode) -> Reply {
        let mut response = Response::new(ReplyBody::empty());
        *response.status_mut() = status;
        Reply { response, facts: ReplyFacts::default() }
    }

    /// Begins a reply that will carry about `headers` headers, so that their map need not grow on the way.
    pub fn with_capacity(status: StatusCode, headers: usize) -> Reply {
        let mut reply = Reply::new(status);
        reply.response.headers_mut().reserve(headers);
        reply
    }

    /// Sets a header whose value is at hand.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Reply {
        self.response.headers_mut().insert(name, value);
        self
    }

    /// Sets a header to a constant.
    pub fn constant(self, name: HeaderName, value: &'static str) -> Reply {
        self.header(name, HeaderValue::from_static(value))
    }

    /// Sets a header to a text. Characters that no header may hold (line breaks in a client's id, say) become `?`, since
    /// a reply without the header would be worse than one with a mark in it.
    pub fn text_header(self, name: HeaderName, text: &str) -> Reply {
        self.header(name, header_text(text))
    }

    /// Sets a header to a whole number.
    pub fn number(self, name: HeaderName, number: u64) -> Reply {
        self.header(name, HeaderValue::from(number))
    }

    /// What the metrics should know of the request.
    pub fn facts(mut self, facts: ReplyFacts) -> Reply {
        self.facts = facts;
        self
    }

    /// Ends the reply with a JSON body.
    pub fn json(self, body: impl Into<ReplyBody>) -> Response {
        self.header(header::CONTENT_TYPE, JSON).body(body)
    }

    /// Ends the reply with a plain text body.
    pub fn text(self, body: impl Into<String>) -> Response {
        let body = ReplyBody::full(body.into());
        self.header(header::CONTENT_TYPE, TEXT).body(body)
    }

    /// Ends the reply with `body`, its type being in the headers already.
    pub fn body(mut self, body: impl Into<ReplyBody>) -> Response {
        *self.response.body_mut() = body.into().with_facts(self.facts);
        self.response
    }

    /// Ends the reply without a body.
    pub fn empty(self) -> Response {
        self.body(ReplyBody::empty())
    }
}

/// `text` as a header value, unfit characters as `?`.
pub fn header_text(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| {
        let fit = |byte: u8| if byte == b'\t' || (0x20..0x7f).contains(&byte) { byte } else { b'?' };
        let bytes: Vec<u8> = text.bytes().map(fit).collect();
        HeaderValue::from_bytes(&bytes).expect("printable ASCII is a header value")
    })
}

const RFC1123: &[BorrowedFormatItem<'_>] =
    format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");

/// A date such as `Tue, 01 Nov 1994 08:12:31 GMT`; `None` outside the years that four digits hold.
pub fn rfc1123(unix_seconds: i64) -> Option<String> {
    let moment = OffsetDateTime::from_unix_timestamp(unix_seconds).ok()?;
    if !(0..=9999).contains(&moment.year()) {
        return None;
    }
    moment.format(RFC1123).ok()
}

/// The current date as a header value, formatted once per second and thread.
pub fn date_now() -> HeaderValue {
    thread_local! {
        static CACHED: RefCell<(u64, HeaderValue)> =
            const { RefCell::new((u64::MAX, HeaderValue::from_static(""))) };
    }
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since_epoch.map_or(0, |elapsed| elapsed.as_secs());
    CACHED.with_borrow_mut(|cached| {
        if cached.0 != seconds {
            let text = i64::try_from(seconds).ok().and_then(rfc1123).unwrap_or_default();
            *cached = (seconds, header_text(&text));
        }
        cached.1.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_formatted_as_http_wants_them() {
        assert_eq!(rfc1123(784_887_151).as_deref(), Some("Tue, 15 Nov 1994 08:12:31 GMT"));
        assert_eq!(rfc1123(0).as_deref(), Some("Thu, 01 Jan 1970 00:00:00 GMT"));
        assert_eq!(rfc1123(i64::MAX), None);
        assert_eq!(date_now().len(), 29);
    }

    #[test]
    fn unfit_characters_never_reach_a_header() {
        assert_eq!(header_text("a\r\nb: c"), "a??b: c");
        assert_eq!(header_text("plain"), "plain");
    }
}
