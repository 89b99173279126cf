//! Queries: one page of rows, merged over all partitions that the scope reaches.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use orrery_engine::{Container, PageRequest};

use super::{cross_partition, envelope, index_metrics, scope, session, strict};
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::query_body::QueryBody;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// POST of a query. Without partition key and range it runs over the whole container, whatever it asks for, if the client allows that.
pub(super) async fn run(cx: &RequestContext<'_>, container: &Arc<Container>, body: &Bytes) -> Result<Reply, ApiError> {
    let body = QueryBody::parse(body)?;
    let context = orrery_sql::Context::of_definition(&container.settings().body);
    let query = cx.api.queries.compile(&body.text, &body.parameters, &context)?;
    let place = scope::feed_place(cx, container)?;
    if !place.is_named {
        cross_partition::check(cx, container, &body, query.plan())?;
    }
    if cx.is_strict() {
        strict::check_composite_index(container, query.plan())?;
    }
    session::await_token(cx, container, &place.reach).await?;
    let token_limit_bytes = cx.continuation_limit_bytes()?;
    let explain = cx.flag(&names::EXPLAIN);
    let request = PageRequest { token_limit_bytes, explain, ..PageRequest::new(cx.page_items()?, cx.continuation()?) };
    let newest = container.head();
    let page = cx.engine().query(container, &place.scope, &query, &request).await?;
    let body = match &page.explain {
        Some(explain) => envelope::explained(container, &page.rows, &explain.to_json()),
        None => envelope::rows(container, &page.rows),
    };
    let reply = Reply::text(StatusCode::OK, body)
        .charge(page.charge_ru)
        .item_count(page.rows.len())
        .continuation(page.continuation.as_deref());
    let reply = match cx.flag(&names::POPULATE_QUERY_METRICS) {
        true => reply.header(names::QUERY_METRICS, page.metrics.to_service_header()),
        false => reply,
    };
    let reply = match cx.flag(&names::OPTIMISTIC_DIRECT_EXECUTE) {
        // Rows are final, whatever the query; without a word on it, the client would drop them and ask for a plan.
        true => reply.header(names::REQUIRES_DISTRIBUTION, "False"),
        false => reply,
    };
    let reply = index_metrics::add(cx, container, &query, &place.scope, reply);
    Ok(session::stamp(reply, container, &place.reach, newest))
}
