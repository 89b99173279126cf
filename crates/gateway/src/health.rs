//! The health port: liveness, readiness, status and metrics.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde::Serialize;

use crate::listen::{App, Refusal, ReplyFacts, Request, Response};
use crate::metrics::{Gauge, Metrics};
use crate::reply::Reply;

/// Names for [`Metrics::api`], in the order of this module's route numbers.
pub const ROUTES: [&str; 5] = ["other", "alive", "ready", "status", "metrics"];

const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What the health port asks of the parts behind the gateway. Called per request; answers within microseconds are expected.
pub trait Probe: Send + Sync + 'static {
    /// Whether requests can be served, or in a few words why not.
    fn readiness(&self) -> Result<(), String>;

    /// Numbers on store, caches and engine.
    fn gauges(&self) -> Vec<Gauge>;
}

/// Serves `/alive`, `/ready`, `/status` and `/metrics`, without authentication and without anything about the data.
pub struct Health {
    version: &'static str,
    metrics: Arc<Metrics>,
    probe: Arc<dyn Probe>,
}

#[derive(Serialize)]
struct Status<'a> {
    version: &'a str,
    ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    uptime_seconds: u64,
    apis: Vec<ApiStatus>,
    store: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct ApiStatus {
    api: &'static str,
    connections: u64,
    in_flight: u64,
    requests: u64,
}

impl Health {
    /// Reports `version`, the counters in `metrics` and what `probe` says.
    pub fn new(version: &'static str, metrics: Arc<Metrics>, probe: Arc<dyn Probe>) -> Health {
        Health { version, metrics, probe }
    }

    fn answer(&self, method: &Method, path: &str) -> Response {
        let route = match path {
            "/alive" | "/health" => 1,
            "/ready" => 2,
            "/status" => 3,
            "/metrics" => 4,
            _ => 0,
        };
        let begin = |status| {
            let facts = ReplyFacts { route, charge_ru: 0.0 };
            Reply::new(status).facts(facts).constant(header::CACHE_CONTROL, "no-store")
        };
        if !matches!(*method, Method::GET | Method::HEAD) {
            let refused = begin(StatusCode::METHOD_NOT_ALLOWED);
            return refused.constant(header::ALLOW, "GET, HEAD").empty();
        }
        match route {
            1 => begin(StatusCode::OK).text("alive\n"),
            2 => match self.probe.readiness() {
                Ok(()) => begin(StatusCode::OK).text("ready\n"),
                Err(reason) => begin(StatusCode::SERVICE_UNAVAILABLE).text(reason + "\n"),
            },
            3 => begin(StatusCode::OK).json(Bytes::from(self.status())),
            4 => {
                let page = self.metrics.render(&self.probe.gauges());
                let reply = begin(StatusCode::OK).constant(header::CONTENT_TYPE, PROMETHEUS_TEXT);
                reply.body(Bytes::from(page))
            }
            _ => begin(StatusCode::NOT_FOUND).text("try /alive, /ready, /status or /metrics\n"),
        }
    }

    fn status(&self) -> Vec<u8> {
        let reason = self.probe.readiness().err();
        let apis = self.metrics.apis();
        let gauges = self.probe.gauges();
        let status = Status {
            version: self.version,
            ready: reason.is_none(),
            reason,
            uptime_seconds: self.metrics.uptime().as_secs(),
            apis: apis
                .iter()
                .map(|api| ApiStatus {
                    api: api.api(),
                    connections: api.connections(),
                    in_flight: api.in_flight(),
                    requests: api.requests(None),
                })
                .collect(),
            store: gauges.into_iter().map(|gauge| (gauge.name.to_owned(), gauge.value.into())).collect(),
        };
        serde_json::to_vec_pretty(&status).expect("strings and numbers always serialise")
    }
}

#[async_trait]
impl App for Health {
    async fn handle(&self, request: Request) -> Response {
        self.answer(&request.head.method, request.head.uri.path())
    }

    fn refuse(&self, refusal: Refusal, _activity_id: Option<&HeaderValue>) -> Response {
        let status = match refusal {
            Refusal::TooManyConnections | Refusal::TooManyRequests => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Reply::new(status).empty()
    }
}
