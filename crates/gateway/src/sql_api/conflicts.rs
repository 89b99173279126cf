//! Conflicts: a server with one writable copy never has any.

use orrery_engine::Container;

use super::error::ApiError;
use super::feed::Feed;
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
        FeedVerb::Post if cx.is_query() => feed.query(cx, body),
        FeedVerb::Post => Err(ApiError::new(http::StatusCode::METHOD_NOT_ALLOWED, "Conflicts cannot be created")),
    }?;
    Ok(reply.container_paths(container))
}

/// `GET` and `DELETE` on one conflict.
pub(crate) fn one(container: &Container, id: &str) -> Result<Reply, ApiError> {
    Err(ApiError::not_found(format!("conflict '{id}' does not exist in container '{}'", container.id())))
}
