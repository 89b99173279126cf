//! Queries: one page of rows, merged over all partitions that the scope reaches.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use orrery_engine::{Container, PageRequest, Query};
use orrery_value::Value;

use super::{cross_partition, envelope, index_metrics, scope, session};
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::query_body::QueryBody;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// POST of a query. Without partition key and range it runs over the whole container, whatever it asks for, if the client allows that.
pub(super) async fn run(cx: &RequestContext<'_>, container: &Arc<Container>, body: &Bytes) -> Result<Reply, ApiError> {
    let body = QueryBody::parse(body)?;
    let query = compile(&body.text, &body.parameters)?;
    let place = scope::feed_place(cx, container)?;
    if !place.is_named {
        cross_partition::check(cx, query.plan(), &container.settings().partition_key)?;
    }
    session::await_token(cx, container, &place.reach).await?;
    let request = PageRequest { max_items: cx.page_items()?, continuation: cx.continuation()? };
    let newest = container.head();
    let page = cx.engine().query(container, &place.scope, &query, &request).await?;
    let reply = Reply::text(StatusCode::OK, envelope::rows(container, &page.rows))
        .charge(page.charge_ru)
        .item_count(page.rows.len())
        .continuation(page.continuation.as_deref());
    let reply = match cx.flag(&names::POPULATE_QUERY_METRICS) {
        true => reply.header(names::QUERY_METRICS, page.metrics.to_service_header()),
        false => reply,
    };
    let reply = index_metrics::add(cx, reply);
    Ok(session::stamp(reply, container, &place.reach, newest))
}

/// Compiles a query's text.
///
/// # Errors
/// 400 with the compiler's findings in the service's form.
pub(super) fn compile(text: &str, parameters: &[(String, Value)]) -> Result<Query, ApiError> {
    Ok(orrery_sql::compile(text, parameters)?)
}
