//! The Gremlin API: of a server, or of the engine in this process. Texts go over plain HTTP.

use anyhow::Context;
use http::{HeaderValue, Method};
use orrery_engine::Engine;
use orrery_gateway::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys};
use orrery_gateway::gremlin_api::{GremlinApi, GremlinApiConfig, ROUTE_NAMES};
use orrery_gateway::metrics::Metrics;
use orrery_gremlin::graph::DEFAULT_LIMIT_BYTES;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::endpoint::Endpoint;
use super::request::{Request, Signing};
use super::via::Via;
use super::{Client, ClientOptions, ContainerLink, RemoteError};
use crate::serve::DEFAULT_GREMLIN_PORT;

/// Results without types, and messages without the service's layout.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/vnd.gremlin-v3.0+json;types=false");

/// The graphs of a server or a data folder.
pub struct Graphs {
    via: Via,
}

/// What a text gave.
#[derive(Debug)]
pub struct GraphAnswer {
    /// The results in order.
    pub results: Vec<Json>,
    /// Request units.
    pub charge_ru: f64,
    /// Physical partitions that were looked at, counted once for each look-up.
    pub partitions: usize,
}

impl Graphs {
    /// The graphs of a server whose SQL API is at `options.endpoint`. Its Gremlin API is at `gremlin_endpoint`, else on the usual port of
    /// the same host.
    ///
    /// # Errors
    /// If the endpoint or the key is none, or it is not said which certificate to trust.
    pub fn on_server(options: &ClientOptions<'_>, gremlin_endpoint: Option<&str>) -> anyhow::Result<Graphs> {
        let endpoint = match gremlin_endpoint {
            // As the server prints it.
            Some(text) => text.replacen("ws", "http", usize::from(text.starts_with("ws"))),
            None => Endpoint { port: DEFAULT_GREMLIN_PORT, ..Endpoint::parse(options.endpoint)? }.to_string(),
        };
        let endpoint = endpoint.trim_end_matches('/').trim_end_matches("/gremlin");
        let client = Client::new(&ClientOptions { endpoint, ..*options }).context("--gremlin-endpoint")?;
        Ok(Graphs { via: Via::Server(Box::new(client.connection())) })
    }

    /// The graphs of an engine in this process.
    ///
    /// # Errors
    /// If the emulator's key is none, which it is not.
    pub fn in_process(engine: Engine) -> anyhow::Result<Graphs> {
        let key = || Key::from_base64(EMULATOR_KEY);
        let authenticator = Authenticator::new(Keys::single(key()?), AadMode::Off);
        let metrics = Metrics::default().api("gremlin", &ROUTE_NAMES);
        let api = GremlinApi::new(GremlinApiConfig {
            engine,
            authenticator,
            strict: false,
            graph_bytes: DEFAULT_LIMIT_BYTES,
            metrics,
        });
        let name = "the Gremlin API of the data folder";
        Ok(Graphs { via: Via::InProcess { api: Box::new(api), key: key()?, name } })
    }

    /// Runs a text on a graph.
    ///
    /// # Errors
    /// What is wrong with it, in the server's words.
    pub async fn ask(&mut self, graph: &ContainerLink, text: &str) -> Result<GraphAnswer, RemoteError> {
        #[derive(Deserialize)]
        struct Body {
            status: Status,
            result: Data,
        }
        #[derive(Deserialize)]
        struct Status {
            attributes: Json,
        }
        #[derive(Deserialize)]
        struct Data {
            data: Option<Vec<Json>>,
        }
        let link = format!("/dbs/{}/colls/{}", graph.database, graph.container);
        let body = json!({"gremlin": text, "aliases": {"g": link}}).to_string();
        let signing = Signing::MasterKey { resource_type: "gremlin", link: String::new() };
        let request = Request::new(Method::POST, "/gremlin".to_owned(), signing, body.into()).with("accept", ACCEPTED);
        let reply = self.via.call(Request { is_repeatable: false, ..request }).await?;
        let body: Body = serde_json::from_slice(&reply.body).map_err(|error| self.via.unreadable(error))?;
        let number = |name| body.status.attributes.get(name).and_then(Json::as_f64).unwrap_or_default();
        Ok(GraphAnswer {
            charge_ru: number("x-ms-total-request-charge"),
            partitions: number("x-orrery-partitions") as usize,
            results: body.result.data.unwrap_or_default(),
        })
    }
}
