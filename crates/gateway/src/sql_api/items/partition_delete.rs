//! Deleting every item of one logical partition.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, request_charge};

use super::{options, scope, session};
use crate::sql_api::error::ApiError;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// POST of `operations/partitionkeydelete`. The service deletes in the background; here the items are gone when the reply is sent.
pub(in crate::sql_api) async fn handle_partition_delete(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let place = scope::item_place(cx, container)?;
    let deleted = cx.engine().delete_partition(container, &place.key).await?;
    let charge_ru = request_charge::METADATA_RU + request_charge::delete() * deleted as f64;
    let reply = Reply::empty(StatusCode::OK).charge(charge_ru);
    Ok(session::stamp(reply, container, &place.reach, container.head()))
}
