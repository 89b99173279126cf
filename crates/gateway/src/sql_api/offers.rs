//! Offers: the provisioned throughput of databases and containers, as resources of their own.

use http::StatusCode;
use orrery_engine::{Offer, request_charge};
use serde_json::Value as Json;

use super::error::ApiError;
use super::feed::{Entry, Feed};
use super::reply::Reply;
use super::request::RequestContext;
use super::{json_body, throughput};

/// `GET /offers`.
pub(crate) fn list(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    feed(cx).list(cx)
}

/// `POST /offers`, which takes queries only: offers are created with what they belong to.
pub(crate) fn query(cx: &RequestContext<'_>, body: &[u8]) -> Result<Reply, ApiError> {
    if !cx.is_query() {
        return Err(ApiError::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "Offers are created with the database or container they belong to",
        ));
    }
    feed(cx).query(cx, body)
}

/// `GET /offers/{rid}`.
pub(crate) fn read(cx: &RequestContext<'_>, rid: &str) -> Result<Reply, ApiError> {
    let offer = cx.engine().offer(rid)?;
    cx.check_not_modified(&offer.etag())?;
    Ok(reply(&offer))
}

/// `PUT /offers/{rid}`.
pub(crate) async fn replace(cx: &RequestContext<'_>, rid: &str, body: &[u8]) -> Result<Reply, ApiError> {
    let definition = json_body::object(body)?;
    let current = cx.engine().offer(rid)?;
    let throughput = throughput::of_replacement(cx, &current, &definition)?;
    let offer = cx.engine().replace_offer(rid, throughput, &cx.condition()?).await?;
    Ok(reply(&offer).charge(request_charge::METADATA_WRITE_RU))
}

fn feed(cx: &RequestContext<'_>) -> Feed<'static> {
    let entry = |offer: Offer| Entry { position: offer.rid(), body: offer.to_json() };
    let mut entries: Vec<Entry> = cx.engine().offers().into_iter().map(entry).collect();
    entries.sort_by(|a, b| a.position.cmp(&b.position));
    Feed { owner_rid: "", plural: "Offers", entries }
}

fn reply(offer: &Offer) -> Reply {
    Reply::json(StatusCode::OK, &Json::Object(offer.to_json())).etag(&offer.etag())
}
