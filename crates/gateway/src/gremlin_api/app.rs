//! The Gremlin API as one port's [`App`]: WebSockets, and texts over plain HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use http::{HeaderValue, Method, StatusCode, header};
use orrery_engine::Engine;

use super::server::{Operation, Server};
use super::{http_eval, upgrade};
use crate::auth::Authenticator;
use crate::listen::{App, Refusal, Request, Response};
use crate::metrics::ApiMetrics;
use crate::reply::Reply;

/// The Gremlin API.
pub struct GremlinApi {
    server: Arc<Server>,
}

/// What the Gremlin API is made of.
pub struct GremlinApiConfig {
    /// Holds the graphs, which are containers.
    pub engine: Engine,
    /// Knows the account's keys and tokens.
    pub authenticator: Authenticator,
    /// Whether the service's limits apply.
    pub strict: bool,
    /// Memory for who is whose neighbour; see [`orrery_gremlin::graph::Adjacencies::new`].
    pub graph_bytes: usize,
    /// Where requests on WebSockets are counted.
    pub metrics: Arc<ApiMetrics>,
}

impl GremlinApi {
    /// The API, ready to serve.
    pub fn new(config: GremlinApiConfig) -> GremlinApi {
        GremlinApi { server: Arc::new(Server::new(config)) }
    }
}

#[async_trait]
impl App for GremlinApi {
    async fn handle(&self, request: Request) -> Response {
        let head = &request.head;
        let asks_something =
            || head.method == Method::POST || head.uri.query().is_some_and(|query| query.contains("gremlin="));
        match head.uri.path() {
            "/" | "/gremlin" if upgrade::is_asked_for(&head.headers) => upgrade::accept(&self.server, request),
            "/" | "/gremlin" if !matches!(head.method, Method::GET | Method::POST) => {
                let reply = Reply::new(StatusCode::METHOD_NOT_ALLOWED).facts(Operation::Other.facts(0.0));
                reply.constant(header::ALLOW, "GET, POST").empty()
            }
            "/" | "/gremlin" if asks_something() => http_eval::answer(&self.server, request).await,
            "/" | "/gremlin" => said(
                StatusCode::BAD_REQUEST,
                "this is the Gremlin API: connect by WebSocket, or send a text as POST {\"gremlin\": \"...\"}\n",
            ),
            _ => said(StatusCode::NOT_FOUND, "the Gremlin API is at /gremlin\n"),
        }
    }

    fn refuse(&self, refusal: Refusal, _activity_id: Option<&HeaderValue>) -> Response {
        match refusal {
            Refusal::TooManyConnections => said(StatusCode::SERVICE_UNAVAILABLE, "too many connections\n"),
            Refusal::TooManyRequests => said(StatusCode::TOO_MANY_REQUESTS, "too many requests are in flight\n"),
            Refusal::Panicked => said(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request\n"),
        }
    }
}

fn said(status: StatusCode, text: &str) -> Response {
    Reply::new(status).facts(Operation::Other.facts(0.0)).text(text)
}
