//! One request: bounded concurrency, the handler with its panics caught, compression and metrics.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::compress::{accepts_gzip, compress};
use super::connection::{Unanswered, WireResponse};
use super::server::Shared;
use super::unwind::{CatchUnwind, panic_text};
use super::{Connection, Limits, Refusal, ReplyAborted, ReplyBody, Request, RequestBody, Response};

/// The client's name for its request; echoed in replies and logs.
const ACTIVITY_ID: HeaderName = HeaderName::from_static("x-ms-activity-id");

/// Answers `request`, whatever happens.
///
/// A plain function that returns a block, because hyper copies the future around: the nested async functions that
/// would read better hold the request several times over, which costs a third of the whole overhead.
pub(super) fn answer(
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    request: http::Request<Incoming>,
) -> impl Future<Output = Result<WireResponse, Infallible>> + Send {
    let began = Instant::now();
    let in_flight = InFlight::begin(shared, &connection, request.version());
    let (head, incoming) = request.into_parts();
    let activity_id = head.headers.get(&ACTIVITY_ID).cloned();
    let limits = &in_flight.shared.limits;
    let gzip = wants_gzip(limits, &connection, &head.headers);
    let body = RequestBody::from_wire(&head, incoming, limits.body_timeout);
    let request = Request { head, body, connection };
    async move {
        let shared = &in_flight.shared;
        let mut response = if in_flight.over_limit {
            drop(request);
            let refusal = Refusal::TooManyRequests;
            shared.app.refuse(refusal, activity_id.as_ref())
        } else {
            match CatchUnwind(shared.app.handle(request)).await {
                Ok(response) => response,
                Err(panic) => panicked(shared, activity_id, panic.as_ref()),
            }
        };
        if gzip {
            response = Box::pin(compress(response, shared.limits.gzip_min_bytes)).await;
        }
        let facts = response.body().facts();
        let metrics = &shared.metrics;
        metrics.record(facts, response.status(), began.elapsed());
        Ok(response.map(|reply| Outgoing { reply, _in_flight: Some(in_flight) }))
    }
}

/// The only reply on a connection over the limit.
pub(super) fn too_many_connections(shared: &Shared, request: &http::Request<Incoming>) -> WireResponse {
    let activity_id = request.headers().get(&ACTIVITY_ID);
    let response = shared.app.refuse(Refusal::TooManyConnections, activity_id);
    response.map(|reply| Outgoing { reply, _in_flight: None })
}

fn panicked(shared: &Shared, activity_id: Option<HeaderValue>, panic: &(dyn Any + Send)) -> Response {
    let activity_id = activity_id.unwrap_or_else(new_activity_id);
    tracing::error!(
        api = shared.metrics.api(),
        activity_id = activity_id.to_str().unwrap_or("not text"),
        panic = panic_text(panic),
        "request handler panicked"
    );
    shared.app.refuse(Refusal::Panicked, Some(&activity_id))
}

fn new_activity_id() -> HeaderValue {
    let mut buffer = uuid::Uuid::encode_buffer();
    let text = crate::activity_id::new().hyphenated().encode_lower(&mut buffer);
    HeaderValue::from_str(text).expect("hexadecimal digits and hyphens are header characters")
}

fn wants_gzip(limits: &Limits, connection: &Connection, headers: &HeaderMap) -> bool {
    (limits.gzip_over_loopback || !connection.is_loopback()) && accepts_gzip(headers)
}

/// Counts a request from its headers to the last byte of its reply.
struct InFlight {
    shared: Arc<Shared>,
    request: Unanswered,
    over_limit: bool,
}

impl InFlight {
    fn begin(shared: Arc<Shared>, connection: &Arc<Connection>, version: http::Version) -> InFlight {
        connection.traffic().request_begins(version);
        let count = shared.metrics.request_begins();
        InFlight { over_limit: count > shared.limits.max_in_flight as u64, shared, request: connection.request() }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.request.connection().traffic().request_ends();
        self.shared.metrics.request_ends();
    }
}

/// A reply's body on its way out.
pub(super) struct Outgoing {
    reply: ReplyBody,
    _in_flight: Option<InFlight>,
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = ReplyAborted;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, ReplyAborted>>> {
        Pin::new(&mut self.reply).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.reply.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.reply.size_hint()
    }
}
