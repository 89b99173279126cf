//! A WebSocket to a Gremlin server: texts with variables as GraphSON 3, their answers read to the end.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::super::load::Exchange;

const MIME: &str = "application/vnd.gremlin-v3.0+json";
const READ_BUFFER_BYTES: usize = 8 << 10;
/// No load is cut off for being slow: that is for its figures to say.
const EVALUATION_TIMEOUT_MS: u32 = 600_000;

/// Where a graph is, and how to log in there.
#[derive(Clone)]
pub struct Place {
    /// Host and port.
    pub authority: String,
    /// User and password, for a server that asks.
    pub login: Option<(String, String)>,
}

/// A text with variables, ready to be sent. Each has an id of its own and may be sent again once it is answered.
#[derive(Clone)]
pub struct Request {
    id: String,
    frame: Bytes,
}

impl Request {
    /// `bindings` are the variables of the text, an object.
    pub fn new(text: &str, bindings: &Value) -> Self {
        Request::on(None, text, bindings)
    }

    /// Of a text whose source `g` is the graph of a path, or the one that was logged in to.
    fn on(path: Option<&str>, text: &str, bindings: &Value) -> Self {
        let mut arguments = json!({"gremlin": text, "language": "gremlin-groovy", "bindings": bindings,
            "evaluationTimeout": EVALUATION_TIMEOUT_MS});
        if let Some(path) = path {
            arguments["aliases"] = json!({"g": path});
        }
        let id = next_id();
        Request { frame: frame(&id, "eval", &arguments), id }
    }
}

fn next_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("00000000-0000-4000-8000-{:012x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn frame(id: &str, op: &str, arguments: &Value) -> Bytes {
    let body = json!({"requestId": {"@type": "g:UUID", "@value": id}, "op": op, "processor": "", "args": arguments});
    let mut frame = vec![MIME.len() as u8];
    frame.extend_from_slice(MIME.as_bytes());
    frame.extend_from_slice(body.to_string().as_bytes());
    frame.into()
}

/// A connection.
pub struct Socket {
    stream: WebSocketStream<TcpStream>,
    login: Option<(String, String)>,
}

impl Socket {
    /// Connects. The server asks for the login with the first request.
    ///
    /// # Errors
    /// If nobody listens there, or it is no WebSocket.
    pub async fn open(place: &Place) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(&place.authority).await?;
        stream.set_nodelay(true)?;
        let address = format!("ws://{}/gremlin", place.authority);
        // The buffer is zeroed before each read.
        let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER_BYTES);
        let (stream, _) = tokio_tungstenite::client_async_with_config(address, stream, Some(config)).await?;
        Ok(Socket { stream, login: place.login.clone() })
    }

    /// Sends a request and shows each message that it is answered with.
    async fn answers(
        &mut self,
        request: &Request,
        mut each: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.stream.send(Message::Binary(request.frame.clone())).await?;
        loop {
            let message = self.stream.next().await.context("the server closed the connection")??;
            if !message.is_binary() && !message.is_text() {
                continue;
            }
            let bytes = message.into_data();
            let Answer { status } = serde_json::from_slice(&bytes)?;
            match status.code {
                407 => self.log_in(&request.id).await?,
                206 => each(&bytes)?,
                200 | 204 => return each(&bytes),
                _ => {
                    bail!(
                        "unexpected answer: {}",
                        String::from_utf8_lossy(&bytes).chars().take(600).collect::<String>()
                    )
                }
            }
        }
    }

    async fn log_in(&mut self, id: &str) -> anyhow::Result<()> {
        let (user, password) = self.login.as_ref().context("the server wants a login")?;
        let sasl = BASE64_STANDARD.encode(format!("\0{user}\0{password}"));
        let message = frame(id, "authentication", &json!({"saslMechanism": "PLAIN", "sasl": sasl}));
        Ok(self.stream.send(Message::Binary(message)).await?)
    }
}

impl Exchange for Socket {
    type Request = Request;

    async fn exchange(&mut self, request: &Request) -> anyhow::Result<()> {
        self.answers(request, |_| Ok(())).await
    }
}

/// As much of an answer as a load looks at.
#[derive(Deserialize)]
struct Answer {
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    code: u16,
}

/// One connection that waits for its answers.
pub struct Client {
    runtime: Runtime,
    socket: Socket,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// As [`Socket::open`].
    pub fn open(place: &Place) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let socket = runtime.block_on(Socket::open(place))?;
        Ok(Client { runtime, socket })
    }

    /// Everything that a text gives, in GraphSON.
    ///
    /// # Errors
    /// If the server refuses it.
    pub fn ask(&mut self, text: &str, bindings: &Value) -> anyhow::Result<Vec<Value>> {
        self.answer(&Request::new(text, bindings)).with_context(|| text.to_owned())
    }

    /// Everything that a text gives whose source `g` is the graph of a path.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn ask_graph(&mut self, path: &str, text: &str, bindings: &Value) -> anyhow::Result<Vec<Value>> {
        self.answer(&Request::on(Some(path), text, bindings)).with_context(|| text.to_owned())
    }

    fn answer(&mut self, request: &Request) -> anyhow::Result<Vec<Value>> {
        let mut results = Vec::new();
        let each = |bytes: &[u8]| {
            let mut answer: Value = serde_json::from_slice(bytes)?;
            let data = answer["result"]["data"].take();
            ensure!(data["@type"] == "g:List", "results that are no list: {data}");
            results.extend(data["@value"].as_array().into_iter().flatten().cloned());
            Ok(())
        };
        self.runtime.block_on(self.socket.answers(request, each))?;
        Ok(results)
    }
}
