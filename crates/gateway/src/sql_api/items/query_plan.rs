//! The plan of a query, for clients that run each partition's part themselves and merge.

use bytes::Bytes;
use orrery_engine::Container;

use crate::sql_api::error::ApiError;
use crate::sql_api::query_body::QueryBody;
use crate::sql_api::reply::Reply;

/// What clients read out of a plan: how to merge, the query to send to each range, and the ranges.
///
/// # Errors
/// 400 for a body that is no query; otherwise 400 saying that there are no plans.
pub(super) fn plan(_container: &Container, body: &Bytes) -> Result<Reply, ApiError> {
    QueryBody::parse(body)?;
    Err(ApiError::bad_request(
        "Query plans are not available yet: send the query itself, without the query plan headers; this server merges the partitions' results",
    ))
}
