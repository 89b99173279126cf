//! What a port serves: the contract between the listener and one API's adapter.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::HeaderValue;
use http::request::Parts;

use super::{Connection, ReplyBody, RequestBody};

/// One API as the listener sees it. Shared by all connections of a port.
#[async_trait]
pub trait App: Send + Sync + 'static {
    /// Answers one request. Dropped unfinished when the client goes away, so work that must complete
    /// belongs on a task of its own. A panic in here becomes [`Refusal::Panicked`]; the connection lives on.
    async fn handle(&self, request: Request) -> Response;

    /// The reply to a request which [`handle`](App::handle) never saw or did not survive, in the API's own error shape.
    /// `activity_id` is the client's `x-ms-activity-id`, if it sent one.
    fn refuse(&self, refusal: Refusal, activity_id: Option<&HeaderValue>) -> Response;
}

/// One request: the head as received, the body still on the wire, and the connection it came in on.
pub struct Request {
    /// Method, target, version, headers and extensions.
    pub head: Parts,
    /// The body, read only when asked for.
    pub body: RequestBody,
    /// Facts about the connection. A task that takes the connection over (a WebSocket) keeps this alive,
    /// because it holds the connection's slot in the limit.
    pub connection: Arc<Connection>,
}

impl Request {
    /// A request that came over no socket: a part of a batch, or a test's.
    pub fn in_process(head: Parts, body: Bytes) -> Request {
        Request { head, body: RequestBody::from_bytes(body), connection: Arc::new(Connection::in_process()) }
    }

    /// The same request as an `http::Request`, for libraries that perform a protocol upgrade.
    pub fn into_http(self) -> (http::Request<RequestBody>, Arc<Connection>) {
        (http::Request::from_parts(self.head, self.body), self.connection)
    }
}

/// A reply. Facts for the metrics travel in the body, see [`ReplyFacts`](super::ReplyFacts).
pub type Response = http::Response<ReplyBody>;

/// Why the listener answers instead of the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The port already carries [`Limits::max_connections`](super::Limits::max_connections); the connection closes after this reply.
    TooManyConnections,
    /// The API already works on [`Limits::max_in_flight`](super::Limits::max_in_flight) requests.
    TooManyRequests,
    /// The handler panicked; the log has the details under the activity id.
    Panicked,
}
