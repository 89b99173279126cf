//! Properties and statistics of the service.

use http::StatusCode;
use orrery_engine::request_charge::METADATA_WRITE_RU;
use orrery_table::service::write_stats;
use orrery_table::{ErrorCode, ServicePropertiesChange};

use super::error::{ApiError, now};
use super::reply::Reply;
use super::request::RequestContext;

/// The properties.
pub(crate) async fn read_properties(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    let properties = cx.catalog().properties().await?;
    Ok(Reply::xml(StatusCode::OK, properties.to_xml()))
}

/// Changes the properties that the body names.
pub(crate) async fn write_properties(cx: &RequestContext<'_>, body: &[u8]) -> Result<Reply, ApiError> {
    let change = ServicePropertiesChange::parse(body)?;
    cx.catalog().change_properties(change).await?;
    Ok(Reply::empty(StatusCode::ACCEPTED).charge(METADATA_WRITE_RU))
}

/// The state of the secondary, which only the secondary tells. There is one copy of the data, which is always up to date.
pub(crate) fn stats(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    if !cx.place.is_secondary {
        let detail = "Statistics are asked for at the secondary endpoint.";
        return Err(ApiError::with_detail(ErrorCode::InvalidQueryParameterValue, detail));
    }
    Ok(Reply::xml(StatusCode::OK, write_stats(now())))
}
