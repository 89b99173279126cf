//! The SQL API as one port's [`App`]: context, route, authorisation, handler, reply.

use std::future::Future;
use std::pin::Pin;
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};
use orrery_engine::{Engine, Target};
use orrery_sql::QueryCache;

use super::error::{ApiError, too_many_requests};
use super::path::Path;
use super::reply::{Reply, error_response};
use super::request::{MAX_CONTROL_BODY_BYTES, MAX_ITEM_BODY_BYTES, PostKind, RequestContext};
use super::route::{ContainerPath, FeedVerb, ITEM_BATCH, ITEM_QUERY, ROUTE_NAMES, Route};
use super::{
    account, authorize, conflicts, containers, databases, header_names as names, items, offers, partition_key_ranges,
    small_resources,
};
use crate::auth::Authenticator;
use crate::listen::{App, Refusal, Request, RequestBody, Response};

/// The SQL (Core) API over one engine.
pub struct SqlApi {
    pub(super) engine: Engine,
    pub(super) authenticator: Authenticator,
    pub(super) account_name: String,
    pub(super) public_url: Option<String>,
    pub(super) certificate_pem: Option<Bytes>,
    pub(super) strict: bool,
    /// Compiled queries of items.
    pub(super) queries: QueryCache,
}

/// What the SQL API is made of.
pub struct SqlApiConfig {
    /// The data.
    pub engine: Engine,
    /// Checks who sends a request, and issues the tokens of permissions.
    pub authenticator: Authenticator,
    /// The account's name in its document.
    pub account_name: String,
    /// Where clients reach this server, such as `https://db.example:8081/`; taken from each request if absent.
    pub public_url: Option<String>,
    /// The certificate that clients may download to trust it; absent without TLS.
    pub certificate_pem: Option<String>,
    /// Refuse what the service refuses, even where this server could do it.
    pub strict: bool,
}

impl SqlApi {
    /// The API, ready to serve.
    pub fn new(config: SqlApiConfig) -> SqlApi {
        SqlApi {
            engine: config.engine,
            authenticator: config.authenticator,
            account_name: config.account_name,
            public_url: config.public_url,
            certificate_pem: config.certificate_pem.map(Bytes::from),
            strict: config.strict,
            queries: QueryCache::new(),
        }
    }
}

#[async_trait]
impl App for SqlApi {
    /// Written out because the block that `async_trait` makes would hold the request twice.
    fn handle<'s, 'f>(&'s self, request: Request) -> Pin<Box<dyn Future<Output = Response> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        let Request { head, body, connection } = request;
        Box::pin(async move {
            let mut made_up = [0; uuid::fmt::Hyphenated::LENGTH];
            let activity_id = activity_id(head.headers.get(names::ACTIVITY_ID), &mut made_up);
            let cx = RequestContext { api: self, head: &head, connection: &connection, activity_id };
            answer(&cx, body).await
        })
    }

    fn refuse(&self, refusal: Refusal, activity_id: Option<&HeaderValue>) -> Response {
        let mut made_up = [0; uuid::fmt::Hyphenated::LENGTH];
        let activity_id = self::activity_id(activity_id, &mut made_up);
        let error = match refusal {
            Refusal::TooManyConnections => too_many_requests("The server has too many open connections"),
            Refusal::TooManyRequests => too_many_requests("The server works on too many requests at once"),
            Refusal::Panicked => ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "The server failed on this request; its log has the details under the activity id",
            ),
        };
        error_response(&error, &Method::GET, "", activity_id, 0)
    }
}

async fn answer(cx: &RequestContext<'_>, body: RequestBody) -> Response {
    let (head, activity_id) = (cx.head, cx.activity_id);
    let mut number = 0;
    let result = handle(cx, body, &mut number).await;
    let route = ROUTE_NAMES[usize::from(number)];
    match result {
        Ok(reply) => {
            let response = reply.into_response(&head.method, activity_id, number);
            let charge_ru = response.body().facts().charge_ru;
            tracing::trace!(activity_id, route, status = response.status().as_u16(), charge_ru, "request done");
            response
        }
        Err(error) => {
            let (status, sub_status, reason) = (error.status.as_u16(), error.sub_status, error.reason());
            tracing::debug!(activity_id, route, status, sub_status, reason, "request failed");
            error_response(&error, &head.method, head.uri.path(), activity_id, number)
        }
    }
}

/// The client's name for its request if it is fit to be echoed, else a new one.
fn activity_id<'a>(given: Option<&'a HeaderValue>, made_up: &'a mut [u8; uuid::fmt::Hyphenated::LENGTH]) -> &'a str {
    const MAX_BYTES: usize = 128;
    let given = given.and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty() && text.len() <= MAX_BYTES);
    match given {
        Some(text) => text,
        None => crate::activity_id::new().hyphenated().encode_lower(made_up),
    }
}

/// Finds the route, checks that the client may take it, reads the body and runs the handler.
async fn handle(cx: &RequestContext<'_>, body: RequestBody, route_number: &mut u8) -> Result<Reply, ApiError> {
    let path = Path::parse(cx.head.uri.path())?;
    let route = Route::find(cx.method(), &path)?;
    *route_number = number_for_metrics(cx, &route);
    if route != Route::Certificate {
        authorize::check(cx, &path, &route, SystemTime::now())?;
    }
    cx.check_consistency()?;
    let body = read_body(&route, body).await?;
    dispatch(cx, &path, &route, body).await
}

/// Queries and batches are POSTs to the same path as creates, and cost and take something else.
fn number_for_metrics(cx: &RequestContext<'_>, route: &Route<'_>) -> u8 {
    match route {
        Route::ItemPost(_) => match cx.post_kind() {
            PostKind::Batch => ITEM_BATCH,
            PostKind::Query | PostKind::QueryPlan => ITEM_QUERY,
            PostKind::Upsert | PostKind::Create => route.number(),
        },
        _ => route.number(),
    }
}

async fn read_body(route: &Route<'_>, body: RequestBody) -> Result<Bytes, ApiError> {
    let limit_bytes = match route {
        Route::ItemPost(_) | Route::ItemReplace(..) | Route::ItemPatch(..) => MAX_ITEM_BODY_BYTES,
        _ => MAX_CONTROL_BODY_BYTES,
    };
    Ok(body.collect(limit_bytes).await?)
}

/// Point reads run in place. The other handlers' futures are boxed, so that a read's stays small: it is allocated for each request.
async fn dispatch(cx: &RequestContext<'_>, path: &Path<'_>, route: &Route<'_>, body: Bytes) -> Result<Reply, ApiError> {
    let owner = |place: &ContainerPath<'_>| containers::find_owner(cx, place);
    let target = |id: &str| item_target(path, id);
    match route {
        Route::Account => Ok(account::read(cx)),
        Route::Certificate => account::certificate(cx),
        Route::DatabaseFeed(FeedVerb::List) => databases::list(cx),
        Route::DatabaseFeed(FeedVerb::Post) => Box::pin(databases::post(cx, &body)).await,
        Route::DatabaseRead(database) => databases::read(cx, database),
        Route::DatabaseDelete(database) => Box::pin(databases::delete(cx, database)).await,
        Route::ContainerFeed(database, FeedVerb::List) => containers::list(cx, database),
        Route::ContainerFeed(database, FeedVerb::Post) => Box::pin(containers::post(cx, database, &body)).await,
        Route::ContainerRead(place) => containers::read(cx, place),
        Route::ContainerReplace(place) => Box::pin(containers::replace(cx, place, &body)).await,
        Route::ContainerDelete(place) => Box::pin(containers::delete(cx, place)).await,
        Route::ItemFeed(place) => Box::pin(items::handle_feed(cx, &owner(place)?)).await,
        Route::ItemPost(place) => Box::pin(items::handle_post(cx, &owner(place)?, body)).await,
        Route::ItemRead(place, id) => items::handle_read(cx, &owner(place)?, target(id)).await,
        Route::ItemReplace(place, id) => Box::pin(items::handle_replace(cx, &owner(place)?, target(id), body)).await,
        Route::ItemPatch(place, id) => Box::pin(items::handle_patch(cx, &owner(place)?, target(id), body)).await,
        Route::ItemDelete(place, id) => Box::pin(items::handle_delete(cx, &owner(place)?, target(id))).await,
        Route::PartitionDelete(place) => Box::pin(items::handle_partition_delete(cx, &owner(place)?)).await,
        Route::PartitionKeyRangeFeed(place) => partition_key_ranges::list(cx, &*owner(place)?),
        Route::ConflictFeed(place, verb) => conflicts::feed(cx, &*owner(place)?, *verb, &body),
        Route::Conflict(place, id) => conflicts::one(&*owner(place)?, id),
        Route::ResourceFeed { parent, kind, verb } => {
            Box::pin(small_resources::feed(cx, parent, *kind, *verb, &body)).await
        }
        Route::Resource { parent, kind, id, verb } => {
            Box::pin(small_resources::one(cx, parent, *kind, id, *verb, &body)).await
        }
        Route::OfferFeed(FeedVerb::List) => offers::list(cx),
        Route::OfferFeed(FeedVerb::Post) => offers::query(cx, &body),
        Route::OfferRead(rid) => offers::read(cx, rid),
        Route::OfferReplace(rid) => Box::pin(offers::replace(cx, rid, &body)).await,
    }
}

/// Links by rids hold item rids; a link by names holds the item's id, even if it looks like a rid.
fn item_target(path: &Path<'_>, segment: &str) -> Target {
    match path.is_by_rid() {
        true => Target::Rid(segment.to_owned()),
        false => Target::Id(segment.to_owned()),
    }
}
