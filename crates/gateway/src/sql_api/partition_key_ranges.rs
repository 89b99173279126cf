//! Partition key ranges: how clients learn which physical partitions to ask.

use http::StatusCode;
use orrery_engine::{Container, PartitionRange, rid};
use serde_json::{Value as Json, json};

use super::error::ApiError;
use super::feed;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;

/// `GET /dbs/{id}/colls/{id}/pkranges`: all ranges, whatever page size is asked for, since clients need the whole map. They repeat
/// the request with the etag they got until the answer is 304.
pub(crate) fn list(cx: &RequestContext<'_>, container: &Container) -> Result<Reply, ApiError> {
    let partitions = container.partitions();
    let etag = partitions.version().to_string();
    let base = |status| Reply::empty(status).etag(&etag).container_paths(container).lsn(container.head());
    if cx.text(&names::IF_NONE_MATCH)?.is_some_and(|known| known.trim_matches('"') == etag) {
        return Ok(base(StatusCode::NOT_MODIFIED));
    }
    let rows: Vec<String> = partitions.ranges().iter().map(|range| row(container, range, &etag).to_string()).collect();
    let body = feed::envelope(container.rid(), "PartitionKeyRanges", &rows);
    Ok(Reply::text(StatusCode::OK, body)
        .etag(&etag)
        .item_count(rows.len())
        .container_paths(container)
        .lsn(container.head()))
}

fn row(container: &Container, range: &PartitionRange, etag: &str) -> Json {
    let rid = range_rid(container, range.id);
    let parents: Vec<String> = range.parents.iter().map(u32::to_string).collect();
    let created = container.to_json().get("_ts").cloned().unwrap_or_default();
    json!({
        "_rid": rid,
        "id": range.id.to_string(),
        "_etag": format!("\"{etag}\""),
        "minInclusive": range.epk.min.to_string(),
        "maxExclusive": range.epk.max.to_string(),
        "ridPrefix": range.id,
        "_self": format!("{}pkranges/{rid}/", container.self_link()),
        "throughputFraction": 1.0 / container.partitions().ranges().len().max(1) as f64,
        "status": "online",
        "parents": parents,
        "ownedArchivalPKRangeIds": [],
        "_ts": created,
        "lsn": container.head(),
    })
}

fn range_rid(container: &Container, id: u32) -> String {
    let bytes = rid::decode(container.rid()).and_then(|bytes| bytes.try_into().ok());
    let bytes: [u8; rid::CONTAINER_RID_LEN] = bytes.expect("a container's rid is its own encoding of that many bytes");
    rid::encode(&rid::child(&bytes, rid::RidKind::PartitionKeyRange, u64::from(id) + 1))
}
