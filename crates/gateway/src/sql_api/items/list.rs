//! The plain feed of items, a page at a time.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, PageRequest};

use super::{envelope, scope, session};
use crate::sql_api::error::ApiError;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// One page of the scope's items in key order.
pub(super) async fn list(cx: &RequestContext<'_>, container: &Arc<Container>) -> Result<Reply, ApiError> {
    let place = scope::feed_place(cx, container)?;
    session::await_token(cx, container, &place.reach).await?;
    let request = PageRequest::new(cx.page_items()?, cx.continuation()?);
    let newest = container.head();
    let page = cx.engine().list_items(container, &place.scope, &request).await?;
    let reply = Reply::text(StatusCode::OK, envelope::items(container, &page.items))
        .charge(page.charge_ru)
        .item_count(page.items.len())
        .continuation(page.continuation.as_deref());
    Ok(session::stamp(reply, container, &place.reach, newest))
}
