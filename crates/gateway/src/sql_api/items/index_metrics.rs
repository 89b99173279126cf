//! Which indexes a query used or could use, and what would make it cheaper.
//!
//! No query uses an index yet, so that all these lists are empty; each is in the form that clients decode.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// The first form, which travels as base64.
const METRICS: &str = r#"{"UtilizedSingleIndexes":[],"PotentialSingleIndexes":[],"UtilizedCompositeIndexes":[],"PotentialCompositeIndexes":[]}"#;
/// The second form, which travels percent-encoded.
const METRICS_V2: &str = r#"{"UtilizedIndexes":{"SingleIndexes":[],"CompositeIndexes":[]},"PotentialIndexes":{"SingleIndexes":[],"CompositeIndexes":[]}}"#;
/// A list of rules that the query breaks, percent-encoded.
const ADVICE: &str = "[]";

/// Adds what the client asks for; of two forms, the second.
pub(super) fn add(cx: &RequestContext<'_>, mut reply: Reply) -> Reply {
    if cx.flag(&names::POPULATE_INDEX_METRICS_V2) {
        reply = reply.header(names::INDEX_UTILIZATION, percent_encoded(METRICS_V2));
    } else if cx.flag(&names::POPULATE_INDEX_METRICS) {
        reply = reply.header(names::INDEX_UTILIZATION, STANDARD.encode(METRICS));
    }
    if cx.flag(&names::POPULATE_QUERY_ADVICE) {
        reply = reply.header(names::QUERY_ADVICE, percent_encoded(ADVICE));
    }
    reply
}

fn percent_encoded(json: &str) -> String {
    utf8_percent_encode(json, NON_ALPHANUMERIC).to_string()
}
