//! Conflicts: a server with one writable copy never has any.

use orrery_engine::Container;

use super::error::ApiError;
use super::feed::Feed;
use super::header_names as names;
use super::items::cross_partition;
use super::reply::Reply;
use super::request::RequestContext;
use super::route::FeedVerb;

/// `GET` and `POST` (queries) on `/dbs/{id}/colls/{id}/conflicts`.
pub(crate) fn feed(
    cx: &RequestContext<'_>,
    container: &Container,
    verb: FeedVerb,
    body: &[u8],
) -> Result<Reply, ApiError> {
    let feed = Feed { owner_rid: container.rid(), plural: "Conflicts", entries: Vec::new() };
    let reply = match verb {
        FeedVerb::List => feed.list(cx),
        FeedVerb::Post if cx.is_query() && !may_run(cx) => Err(cross_partition::refusal()),
        FeedVerb::Post if cx.is_query() => feed.query(cx, body),
        FeedVerb::Post => Err(ApiError::new(http::StatusCode::METHOD_NOT_ALLOWED, "Conflicts cannot be created")),
    }?;
    Ok(reply.container_paths(container))
}

/// Conflicts lie with their items: a query names a partition, or says that it crosses them.
fn may_run(cx: &RequestContext<'_>) -> bool {
    let named = |name: &http::HeaderName| cx.head.headers.contains_key(name);
    named(&names::PARTITION_KEY) || named(&names::PARTITION_KEY_RANGE_ID) || cx.flag(&names::ENABLE_CROSS_PARTITION)
}

/// `GET` and `DELETE` on one conflict.
pub(crate) fn one(container: &Container, id: &str) -> Result<Reply, ApiError> {
    Err(ApiError::not_found(format!("conflict '{id}' does not exist in container '{}'", container.id())))
}
