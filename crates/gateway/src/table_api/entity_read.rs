//! Reading one entity.

use http::StatusCode;
use orrery_engine::{Item, Target, request_charge};
use orrery_table::{DateTime, EntityKey, EntityWriter, ErrorCode, Location, Select, etag};
use orrery_value::{KeyComponent, PartitionKey};

use super::error::ApiError;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;

/// The entity with these keys.
pub(crate) async fn read(cx: &RequestContext<'_>, table: &str, key: &EntityKey) -> Result<Reply, ApiError> {
    if cx.query.get("$filter").is_some() {
        return Err(ApiError::with_detail(
            ErrorCode::InvalidInput,
            "An entity that is named by its keys has no $filter.",
        ));
    }
    let level = cx.level()?;
    let select = select(cx)?;
    let table = cx.catalog().table(table, cx.dialect())?;
    key.check(cx.dialect())?;
    let partition = partition(&key.partition_key);
    let item = cx.catalog().engine().read_item(&table, &partition, &Target::Id(key.row_key.clone())).await?;
    let item = item.ok_or_else(|| ApiError::new(ErrorCode::ResourceNotFound))?;
    let base = cx.base();
    let location = Location { base: &base, account: cx.account(), table: table.id() };
    let timestamp = timestamp(&item);
    let mut body = Vec::with_capacity(2 * item.size_bytes());
    EntityWriter { level, location, select: select.as_ref() }.write_one(item.document(), timestamp, &mut body);
    let reply = Reply::json(StatusCode::OK, level, body).charge(request_charge::point_read(item.size_bytes()));
    Ok(reply.text(names::ETAG, &etag(timestamp)))
}

/// Which properties the client wants to see; none for all.
///
/// # Errors
/// 400 for a malformed list.
pub(crate) fn select(cx: &RequestContext<'_>) -> Result<Option<Select>, ApiError> {
    Ok(cx.query.get("$select").map(Select::parse).transpose()?.flatten())
}

/// When an entity was last written.
pub(crate) fn timestamp(item: &Item) -> DateTime {
    DateTime::from_unix_ticks(i64::try_from(item.ticks()).unwrap_or(i64::MAX))
}

/// The logical partition of a PartitionKey.
pub(crate) fn partition(partition_key: &str) -> PartitionKey {
    PartitionKey(vec![KeyComponent::String(partition_key.to_owned())])
}
