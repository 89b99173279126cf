//! Which indexes a query can use or could use, in the forms that clients decode.
//!
//! As on the service, the indexing policy and the query's text decide, not the size of the container.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orrery_engine::query::{IndexSpecs, IndexUtilization};
use orrery_engine::{Container, Query, Scope};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};

use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// A list of rules that the query breaks, percent-encoded. The service's rules are not known here; EXPLAIN gives advice of its own.
const ADVICE: &str = "[]";

/// The score of an index that spares reading all items, as all those named do.
const IMPACT: &str = "High";

/// Adds what the client asks for; of two forms, the second.
pub(super) fn add(
    cx: &RequestContext<'_>,
    container: &Container,
    query: &Query,
    scope: &Scope,
    mut reply: Reply,
) -> Reply {
    if cx.flag(&names::POPULATE_INDEX_METRICS_V2) {
        let metrics = second_form(&query.index_utilization(container, scope));
        reply = reply.header(names::INDEX_UTILIZATION, percent_encoded(&metrics.to_string()));
    } else if cx.flag(&names::POPULATE_INDEX_METRICS) {
        let metrics = first_form(&query.index_utilization(container, scope));
        reply = reply.header(names::INDEX_UTILIZATION, STANDARD.encode(metrics.to_string()));
    }
    if cx.flag(&names::POPULATE_QUERY_ADVICE) {
        reply = reply.header(names::QUERY_ADVICE, percent_encoded(ADVICE));
    }
    reply
}

/// The first form, which travels as base64. Like the service, it leaves the filter's text out.
fn first_form(utilization: &IndexUtilization) -> Json {
    let singles = |specs: &IndexSpecs| -> Vec<Json> {
        let single = |spec: &String| {
            json!({
                "FilterExpression": "",
                "IndexSpec": spec,
                "FilterPreciseSet": true,
                "IndexPreciseSet": true,
                "IndexImpactScore": IMPACT,
            })
        };
        specs.singles.iter().map(single).collect()
    };
    let composites = |specs: &IndexSpecs| -> Vec<Json> {
        let composite =
            |specs: &Vec<String>| json!({"IndexSpecs": specs, "IndexPreciseSet": true, "IndexImpactScore": IMPACT});
        specs.composites.iter().map(composite).collect()
    };
    let IndexUtilization { utilized, potential } = utilization;
    json!({
        "UtilizedSingleIndexes": singles(utilized),
        "PotentialSingleIndexes": singles(potential),
        "UtilizedCompositeIndexes": composites(utilized),
        "PotentialCompositeIndexes": composites(potential),
    })
}

/// The second form, which travels percent-encoded.
fn second_form(utilization: &IndexUtilization) -> Json {
    let form = |specs: &IndexSpecs| {
        let single = |spec: &String| json!({"IndexSpec": spec, "IndexImpactScore": IMPACT});
        let composite = |specs: &Vec<String>| json!({"IndexSpecs": specs, "IndexImpactScore": IMPACT});
        let singles: Vec<Json> = specs.singles.iter().map(single).collect();
        let composites: Vec<Json> = specs.composites.iter().map(composite).collect();
        json!({"SingleIndexes": singles, "CompositeIndexes": composites})
    };
    json!({"UtilizedIndexes": form(&utilization.utilized), "PotentialIndexes": form(&utilization.potential)})
}

fn percent_encoded(json: &str) -> String {
    utf8_percent_encode(json, NON_ALPHANUMERIC).to_string()
}
