//! What a request on `/docs` asks for: one path and two verbs carry most of the API, and headers tell it apart.

use std::sync::Arc;

use bytes::Bytes;
use orrery_engine::Container;

use super::{batch, change_feed, list, point, query, query_plan};
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::{PostKind, RequestContext};

/// GET: the change feed if the client names a kind of feed, else a list.
pub(in crate::sql_api) async fn handle_feed(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
) -> Result<Reply, ApiError> {
    match cx.text(&names::A_IM)? {
        Some(kind) => change_feed::read(cx, container, kind).await,
        None => list::list(cx, container).await,
    }
}

/// POST: a batch, a query's plan, a query, or an item to create or upsert.
pub(in crate::sql_api) async fn handle_post(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    body: Bytes,
) -> Result<Reply, ApiError> {
    match cx.post_kind() {
        PostKind::Batch => Box::pin(batch::run(cx, container, body)).await,
        PostKind::QueryPlan => query_plan::plan(cx, container, &body),
        PostKind::Query => Box::pin(query::run(cx, container, &body)).await,
        PostKind::Upsert => point::upsert(cx, container, &body).await,
        PostKind::Create => point::create(cx, container, &body).await,
    }
}
