//! Partial updates of one item.

use std::sync::Arc;

use bytes::Bytes;
use orrery_engine::query::From;
use orrery_engine::{Container, OperationKind, Patch, Target};
use orrery_sql::{Context, compile};
use orrery_value::Value;

use super::scope::item_place;
use super::{options, point};
use crate::sql_api::error::ApiError;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// Longest condition of a patch.
const MAX_CONDITION_BYTES: usize = 64 * 1024;

/// PATCH of one item.
pub(in crate::sql_api) async fn handle_patch(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    target: Target,
    body: Bytes,
) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let place = item_place(cx, container)?;
    let patch = parse(&body)?;
    point::write(cx, container, place, OperationKind::Patch { target, patch }).await
}

/// Reads `{"condition":"from c where …","operations":[…]}`, or the operations alone.
///
/// # Errors
/// 400 naming what is wrong.
pub(super) fn parse(body: &[u8]) -> Result<Patch, ApiError> {
    let body =
        Value::parse(body).map_err(|error| ApiError::bad_request(format!("The patch is not valid JSON: {error}")))?;
    if body.as_array().is_some() {
        return Ok(Patch::parse(&body)?);
    }
    let operations =
        body.get("operations").ok_or_else(|| ApiError::bad_request("A patch needs 'operations', a non-empty array"))?;
    let patch = Patch::parse(operations)?;
    match body.get("condition") {
        None | Some(Value::Null) => Ok(patch),
        Some(condition) => {
            let text = condition.as_str().ok_or_else(|| {
                ApiError::bad_request("The 'condition' of a patch must be a string such as \"from c where c.x = 1\"")
            })?;
            only_if(patch, text)
        }
    }
}

fn only_if(patch: Patch, condition: &str) -> Result<Patch, ApiError> {
    if condition.len() > MAX_CONDITION_BYTES {
        return Err(ApiError::bad_request(format!(
            "The 'condition' of a patch is longer than {MAX_CONDITION_BYTES} bytes"
        )));
    }
    let query = compile(&format!("SELECT * {condition}"), &[], &Context::default())?;
    let plan = query.plan();
    let is_filter = matches!(plan.from, From::Items)
        && plan.body.sources.is_empty()
        && plan.body.grouping.is_none()
        && plan.ranking.is_none()
        && plan.order.is_empty()
        && plan.offset == 0
        && plan.limit.is_none();
    if !is_filter {
        return Err(ApiError::bad_request(
            "The 'condition' of a patch must be FROM and WHERE only, such as \"from c where c.x = 1\"",
        ));
    }
    Ok(match &plan.body.filter {
        Some(filter) => patch.only_if(filter.clone()),
        None => patch,
    })
}
