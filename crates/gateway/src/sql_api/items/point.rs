//! Operations on one item. A read copies nothing but headers: the body is the store's bytes.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use orrery_engine::{
    Condition, Container, Error, Item, NewItem, Operation, OperationKind, Target, Written, request_charge,
};

use super::scope::{ItemPlace, item_place};
use super::{options, session};
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// GET of one item: 200, or 304 if the client has this version.
pub(in crate::sql_api) async fn handle_read(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    target: Target,
) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let place = item_place(cx, container)?;
    session::await_token(cx, container, &place.reach).await?;
    // Taken before the read, so that the reply never claims a version that it may not show.
    let newest = container.head();
    let item = cx.engine().read_item(container, &place.key, &target).await?;
    let item = item.ok_or_else(|| Error::NotFound { kind: "item", id: target.name().to_owned() })?;
    let etag = item.etag();
    let text = item.text();
    let charge_ru = request_charge::point_read(text.len());
    let reply = match cx.condition()? {
        Condition::IfNoneMatch(header) if item.is_named_by(&header) => Reply::empty(StatusCode::NOT_MODIFIED),
        Condition::IfMatch(header) if !item.is_named_by(&header) => {
            return Err(Error::PreconditionFailed { reason: format!("the item's _etag is now \"{etag}\"") }.into());
        }
        Condition::None | Condition::IfMatch(_) | Condition::IfNoneMatch(_) | Condition::If(_) => {
            Reply::text(StatusCode::OK, text)
        }
    };
    let reply = reply.etag(etag).charge(charge_ru).number(names::ITEM_LSN, item.lsn());
    Ok(session::stamp(reply, container, &place.reach, newest))
}

/// POST of one item that must not exist.
pub(super) async fn create(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    body: &Bytes,
) -> Result<Reply, ApiError> {
    store(cx, container, body, OperationKind::Create).await
}

/// POST of one item: 201, or 200 where it replaced another.
pub(super) async fn upsert(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    body: &Bytes,
) -> Result<Reply, ApiError> {
    store(cx, container, body, OperationKind::Upsert).await
}

/// Checks the item in the body, and writes it as `kind` says.
async fn store(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    body: &Bytes,
    kind: impl FnOnce(NewItem) -> OperationKind,
) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let place = item_place(cx, container)?;
    let item = NewItem::parse(container, body, Some(&place.key))?;
    write(cx, container, place, kind(item)).await
}

/// PUT of one item.
pub(in crate::sql_api) async fn handle_replace(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    target: Target,
    body: Bytes,
) -> Result<Reply, ApiError> {
    store(cx, container, &body, |item| OperationKind::Replace { target, item }).await
}

/// DELETE of one item.
pub(in crate::sql_api) async fn handle_delete(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    target: Target,
) -> Result<Reply, ApiError> {
    options::check(cx)?;
    let place = item_place(cx, container)?;
    write(cx, container, place, OperationKind::Delete { target }).await
}

/// Does one write and makes the reply to it.
pub(super) async fn write(
    cx: &RequestContext<'_>,
    container: &Arc<Container>,
    place: ItemPlace,
    kind: OperationKind,
) -> Result<Reply, ApiError> {
    let operation = Operation { kind, key: place.key, condition: cx.condition()? };
    let failed = |(error, charge_ru)| ApiError::from(error).with_charge(charge_ru);
    let (written, charge_ru) = cx.engine().write_one(container, operation).await.map_err(failed)?;
    let reply = match &written {
        Written::Created(item) => with_item(StatusCode::CREATED, item),
        Written::Replaced(item) | Written::Read(item) => with_item(StatusCode::OK, item),
        Written::Deleted => Reply::empty(StatusCode::NO_CONTENT),
    };
    let written_lsn = written.item().map_or(0, Item::lsn);
    let reply = session::stamp(reply.charge(charge_ru), container, &place.reach, container.head().max(written_lsn));
    Ok(reply.minimal_if_preferred(cx))
}

fn with_item(status: StatusCode, item: &Item) -> Reply {
    Reply::text(status, item.text()).etag(item.etag()).number(names::ITEM_LSN, item.lsn())
}
