//! Stored access policies of a table.

use http::StatusCode;
use orrery_engine::request_charge::METADATA_WRITE_RU;
use orrery_table::StoredPolicy;

use super::error::ApiError;
use super::reply::Reply;
use super::request::RequestContext;

/// The policies of a table.
pub(crate) async fn read(cx: &RequestContext<'_>, table: &str) -> Result<Reply, ApiError> {
    let table = cx.catalog().table(table, cx.dialect())?;
    let policies = cx.catalog().policies(&table).await?;
    Ok(Reply::xml(StatusCode::OK, StoredPolicy::write_all(&policies)))
}

/// Sets all policies of a table. A body without anything takes them away.
pub(crate) async fn write(cx: &RequestContext<'_>, table: &str, body: &[u8]) -> Result<Reply, ApiError> {
    let table = cx.catalog().table(table, cx.dialect())?;
    let policies = if body.trim_ascii().is_empty() { Vec::new() } else { StoredPolicy::parse_all(body)? };
    cx.catalog().set_policies(&table, &policies).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT).charge(METADATA_WRITE_RU))
}
