//! A port with the API on it, and a client.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use orrery_engine::{Engine, EngineOptions};
use orrery_gremlin::graph::DEFAULT_LIMIT_BYTES;
use orrery_gremlin::io::{Format, Named, Request, Response};
use orrery_gremlin::value::{Bytecode, GValue, Instruction};
use orrery_store::MemoryStore;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::super::{GremlinApi, GremlinApiConfig, ROUTE_NAMES};
use crate::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys};
use crate::listen::{Limits, Listener, Options, Outcome, Shutdown, ShutdownTrigger, serve};
use crate::metrics::{ApiMetrics, Metrics};

/// The user of the graph that every lab has.
pub const USER: &str = "/dbs/db/colls/people";
/// A key that only reads.
pub const READ_ONLY_KEY: &[u8] = b"a read-only key for tests";
/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running port.
pub struct Lab {
    pub engine: Engine,
    pub address: std::net::SocketAddr,
    pub metrics: Arc<ApiMetrics>,
    pub trigger: ShutdownTrigger,
    pub port: JoinHandle<Outcome>,
}

impl Lab {
    pub async fn start() -> Lab {
        Lab::with(false).await
    }

    pub async fn start_strict() -> Lab {
        Lab::with(true).await
    }

    async fn with(strict: bool) -> Lab {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.unwrap();
        let database = engine.create_database("db", None).await.unwrap();
        let definition = json!({"id": "people", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
        engine.create_container(&database, definition.as_object().unwrap(), None).await.unwrap();
        let metrics = Metrics::default().api("gremlin", &ROUTE_NAMES);
        let app = GremlinApi::new(GremlinApiConfig {
            engine: engine.clone(),
            authenticator: authenticator(),
            strict,
            graph_bytes: DEFAULT_LIMIT_BYTES,
            metrics: metrics.clone(),
        });
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = listener.local_addr();
        let (trigger, shutdown) = Shutdown::channel();
        let options = Options { tls: None, limits: Limits::default(), metrics: metrics.clone(), workers: None };
        let port = tokio::spawn(serve(listener, Arc::new(app), options, shutdown));
        Lab { engine, address, metrics, trigger, port }
    }

    /// A client that has not logged in.
    pub async fn stranger(&self, format: Format) -> Client {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (socket, _) =
            tokio_tungstenite::client_async(format!("ws://{}/gremlin", self.address), stream).await.unwrap();
        Client { socket, format }
    }

    /// A client that has, with the account's key.
    pub async fn client(&self, format: Format) -> Client {
        let mut client = self.stranger(format).await;
        let answer = client.log_in(USER, EMULATOR_KEY).await;
        assert_eq!(answer.code, 204, "{answer:?}");
        client
    }
}

/// What the labs' servers know of keys and tokens.
pub fn authenticator() -> Authenticator {
    let primary = Key::from_base64(EMULATOR_KEY).unwrap();
    let keys = Keys { primary_readonly: Some(Key::from_bytes(READ_ONLY_KEY)), ..Keys::single(primary) };
    Authenticator::new(keys, AadMode::Off)
}

/// One WebSocket.
pub struct Client {
    pub socket: WebSocketStream<TcpStream>,
    pub format: Format,
}

impl Client {
    pub async fn send(&mut self, op: &str, processor: &str, args: &[(&str, GValue)]) -> Uuid {
        let id = Uuid::new_v4();
        let args: Named = args.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let request = Request { id, op: op.into(), processor: processor.into(), args };
        let mut frame = Vec::new();
        self.format.write_frame_start(&mut frame);
        request.write(self.format, &mut frame).unwrap();
        self.socket.send(Message::binary(frame)).await.unwrap();
        id
    }

    /// The next answer.
    pub async fn receive(&mut self) -> Response {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap() {
                Message::Binary(bytes) => return Response::read(self.format, &bytes).unwrap(),
                Message::Text(text) => return Response::read(self.format, text.as_bytes()).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits until the server has closed the connection.
    pub async fn closed(&mut self) {
        let ended = async { while !matches!(self.socket.next().await, None | Some(Err(_))) {} };
        tokio::time::timeout(PATIENCE, ended).await.unwrap();
    }

    pub async fn log_in(&mut self, user: &str, password: &str) -> Response {
        let sasl = STANDARD.encode(format!("\0{user}\0{password}"));
        self.send("authentication", "traversal", &[("sasl", sasl.as_str().into())]).await;
        self.receive().await
    }

    /// All answers to one request.
    pub async fn ask(&mut self, op: &str, processor: &str, args: &[(&str, GValue)]) -> Vec<Response> {
        let id = self.send(op, processor, args).await;
        let mut answers: Vec<Response> = Vec::new();
        while answers.last().is_none_or(|last| last.code == 206) {
            let answer = self.receive().await;
            assert_eq!(answer.request_id, Some(id));
            answers.push(answer);
        }
        answers
    }

    /// The last answer to a text.
    pub async fn eval(&mut self, text: &str) -> Response {
        self.ask("eval", "", &[("gremlin", text.into())]).await.pop().unwrap()
    }

    /// The last answer to bytecode.
    pub async fn bytecode(&mut self, bytecode: GValue) -> Response {
        let aliases = GValue::map([("g".into(), "g".into())]);
        self.ask("bytecode", "traversal", &[("gremlin", bytecode), ("aliases", aliases)]).await.pop().unwrap()
    }
}

/// A traversal of steps with arguments.
pub fn steps(steps: &[(&str, &[GValue])]) -> GValue {
    let steps = steps.iter().map(|(name, arguments)| Instruction::new(*name, arguments.to_vec())).collect();
    GValue::Bytecode(Bytecode { source: Vec::new(), steps }.into())
}
