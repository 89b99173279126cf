//! The plan of a query, for clients that run each range's part themselves and merge.

use bytes::Bytes;
use http::StatusCode;
use orrery_engine::{Container, Scope};
use orrery_sql::query_plan::QueryPlan;
use orrery_sql::{Features, PlanTarget};

use super::scope;
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::query_body::QueryBody;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// What clients read out of a plan: how to merge, the query to send to each range, and the ranges.
///
/// # Errors
/// 400 for a body that is no query, a query that is wrong, and one that needs what the client does not say it can do.
pub(super) fn plan(cx: &RequestContext<'_>, container: &Container, body: &Bytes) -> Result<Reply, ApiError> {
    let body = QueryBody::parse(body)?;
    let features = match cx.text(&names::SUPPORTED_QUERY_FEATURES)? {
        Some(list) => Features::parse(list),
        None if cx.is_strict() => Features::parse(""),
        None => Features::all(),
    };
    let names_key = matches!(scope::feed_place(cx, container)?.scope, Scope::Partition(_));
    let plan = of(container, &body, names_key, &features)?;
    Ok(Reply::text(StatusCode::OK, plan.to_json().to_json()))
}

/// The plan of a query over a container.
///
/// # Errors
/// As [`plan`].
pub(super) fn of(
    container: &Container,
    body: &QueryBody,
    names_key: bool,
    features: &Features,
) -> Result<QueryPlan, ApiError> {
    let settings = container.settings();
    let target = PlanTarget { partition_key: Some(&settings.partition_key), names_key };
    let context = orrery_sql::Context::of_definition(&settings.body);
    Ok(orrery_sql::query_plan(&body.text, &body.parameters, target, features, &context)?)
}
