//! Tables: listed, looked up, created and deleted.

use http::StatusCode;
use orrery_engine::request_charge::METADATA_WRITE_RU;
use orrery_table::{ErrorCode, TableFilter, TableWriter, decode_continuation, encode_continuation, table_identity};

use super::error::ApiError;
use super::format::Echo;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;

/// The list of tables.
pub(crate) fn list(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    let level = cx.level()?;
    let page_size = super::entity_query::page_size(cx)?;
    let filter = cx.query.get("$filter").map(TableFilter::parse).transpose()?.flatten();
    let from = cx.query.get("NextTableName").filter(|token| !token.is_empty());
    let from = from.map(decode_continuation).transpose()?.unwrap_or_default();
    let tables = cx.catalog().sorted_tables(cx.dialect());
    let mut passing = tables
        .iter()
        .map(|table| table.id())
        .filter(|name| *table_identity(name, cx.dialect()) >= *from)
        .filter(|name| filter.as_ref().is_none_or(|filter| filter.keeps(name)));
    let page: Vec<&str> = passing.by_ref().take(page_size).collect();
    let next = passing.next().map(|name| encode_continuation(&table_identity(name, cx.dialect())));
    let mut body = Vec::new();
    TableWriter { level, base: &cx.base(), account: cx.account() }.write_list(page, &mut body);
    let reply = Reply::json(StatusCode::OK, level, body);
    Ok(match next {
        Some(next) => reply.text(names::NEXT_TABLE_NAME, &next),
        None => reply,
    })
}

/// One table.
pub(crate) fn read(cx: &RequestContext<'_>, name: &str) -> Result<Reply, ApiError> {
    let level = cx.level()?;
    let table = cx.catalog().table(name, cx.dialect()).map_err(|error| match error.code {
        ErrorCode::TableNotFound => ApiError::new(ErrorCode::ResourceNotFound),
        _ => error.into(),
    })?;
    Ok(Reply::json(StatusCode::OK, level, one(cx, level, table.id())))
}

/// Creates a table.
pub(crate) async fn create(cx: &RequestContext<'_>, body: &[u8]) -> Result<Reply, ApiError> {
    let (level, echo) = (cx.level()?, cx.echo());
    let name = TableWriter::parse_body(body)?;
    cx.catalog().create(&name, cx.dialect()).await?;
    let reply = match echo {
        Echo::None => Reply::empty(StatusCode::NO_CONTENT),
        Echo::Default | Echo::Content => Reply::json(StatusCode::CREATED, level, one(cx, level, &name)),
    };
    let reply = match echo.applied() {
        Some(applied) => reply.constant(names::PREFERENCE_APPLIED, applied),
        None => reply,
    };
    let address = format!("{}/Tables('{name}')", cx.base());
    let reply = reply.text(names::LOCATION, &address).text(names::DATA_SERVICE_ID, &address);
    Ok(reply.charge(METADATA_WRITE_RU))
}

/// Deletes a table.
pub(crate) async fn delete(cx: &RequestContext<'_>, name: &str) -> Result<Reply, ApiError> {
    cx.catalog().delete(name, cx.dialect()).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT).charge(METADATA_WRITE_RU))
}

fn one(cx: &RequestContext<'_>, level: orrery_table::MetadataLevel, name: &str) -> Vec<u8> {
    let mut body = Vec::new();
    TableWriter { level, base: &cx.base(), account: cx.account() }.write_one(name, &mut body);
    body
}
