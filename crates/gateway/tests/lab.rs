//! A server with an app made for tests, and plain clients for it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use orrery_gateway::listen::certificate::Certificate;
use orrery_gateway::listen::{
    App, BodyError, Limits, Listener, Options, Outcome, Refusal, ReplyBody, Request, Response, Shutdown,
    ShutdownTrigger, Tls, Workers, serve,
};
use orrery_gateway::metrics::{ApiMetrics, Metrics};
use orrery_gateway::reply::{Reply, names};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// No step of a test may take longer; generous, since it only bounds failures.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// What `/echo` accepts.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

pub struct Lab {
    /// A permit for each request that reached `/wait`.
    pub entered: Semaphore,
    /// Each permit lets one request leave `/wait`.
    pub leave: Semaphore,
    /// The reply of `/large`.
    pub large: Bytes,
}

#[async_trait]
impl App for Lab {
    async fn handle(&self, request: Request) -> Response {
        let version = request.head.version;
        match request.head.uri.path() {
            "/hello" => ok().text("hello"),
            "/facts" => {
                let connection = &request.connection;
                let alpn = String::from_utf8_lossy(connection.alpn().unwrap_or(b"none"));
                let scheme = connection.scheme().as_str();
                ok().text(format!("{scheme} {alpn} {version:?} {}", connection.peer().ip()))
            }
            "/echo" => echo(request).await,
            "/ignore" => Reply::new(StatusCode::UNAUTHORIZED).text("not read"),
            "/panic" => panic!("on purpose"),
            "/wait" => {
                self.entered.add_permits(1);
                self.leave.acquire().await.unwrap().forget();
                ok().text("waited")
            }
            "/large" => ok().body(self.large.clone()),
            "/stream" => stream(true),
            "/broken" => stream(false),
            _ => Reply::new(StatusCode::NOT_FOUND).empty(),
        }
    }

    fn refuse(&self, refusal: Refusal, activity_id: Option<&HeaderValue>) -> Response {
        let status = match refusal {
            Refusal::TooManyConnections => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let activity_id = activity_id.cloned().unwrap_or(HeaderValue::from_static("none"));
        Reply::new(status).header(names::ACTIVITY_ID, activity_id).text(format!("{refusal:?}"))
    }
}

fn ok() -> Reply {
    Reply::new(StatusCode::OK)
}

async fn echo(request: Request) -> Response {
    let error = match request.body.collect(MAX_BODY_BYTES).await {
        Ok(body) => return ok().body(body),
        Err(error) => error,
    };
    let status = match error {
        BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
        BodyError::UnsupportedEncoding { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        _ => StatusCode::BAD_REQUEST,
    };
    Reply::new(status).text(error.to_string())
}

fn stream(to_the_end: bool) -> Response {
    let (sender, body) = ReplyBody::stream(1);
    tokio::spawn(async move {
        for piece in ["one ", "two ", "three"] {
            sender.send(Bytes::from_static(piece.as_bytes())).await?;
        }
        if to_the_end {
            sender.finish().await?;
        }
        Ok::<_, orrery_gateway::listen::ClientGone>(())
    });
    ok().body(body)
}

/// A running server.
pub struct Server {
    pub addr: SocketAddr,
    pub lab: Arc<Lab>,
    pub metrics: Arc<Metrics>,
    pub api: Arc<ApiMetrics>,
    pub certificate: Arc<Certificate>,
    pub trigger: ShutdownTrigger,
    pub task: JoinHandle<Outcome>,
}

pub async fn start() -> Server {
    start_with(Limits::default()).await
}

pub async fn start_with(limits: Limits) -> Server {
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let addr = listener.local_addr();
    let certificate = Certificate::ephemeral(&[]).unwrap();
    let metrics = Arc::new(Metrics::default());
    let api = metrics.api("lab", &["other"]);
    let lab = Arc::new(Lab {
        entered: Semaphore::new(0),
        leave: Semaphore::new(0),
        large: Bytes::from("a line that repeats\n".repeat(20_000)),
    });
    let workers = Arc::new(Workers::start(2).unwrap());
    let options = Options {
        tls: Some(Tls::try_new(&certificate).unwrap()),
        limits,
        metrics: api.clone(),
        workers: Some(workers),
    };
    let (trigger, shutdown) = Shutdown::channel();
    let task = tokio::spawn(serve(listener, lab.clone(), options, shutdown));
    Server { addr, lab, metrics, api, certificate: Arc::new(certificate), trigger, task }
}

impl Server {
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addr).await.unwrap()
    }

    /// Sends `request` on a connection of its own and returns everything until the server closes it.
    pub async fn exchange(&self, request: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_ref()).await.unwrap();
        read_to_end(&mut stream).await
    }

    pub async fn get(&self, path: &str) -> String {
        self.exchange(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).await
    }

    /// Waits until `count` more requests are inside `/wait`.
    pub async fn wait_entered(&self, count: u32) {
        let entered = self.lab.entered.acquire_many(count);
        within(entered).await.unwrap().forget();
    }

    /// Asks for the stop and waits for it.
    pub async fn stop(self) -> Outcome {
        self.trigger.request();
        within(self.task).await.unwrap()
    }
}

pub async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset after the reply is an end like any other.
    let _ = within(stream.read_to_end(&mut bytes)).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads one HTTP/1.1 reply with a content length from a connection that stays open.
pub async fn read_reply(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= content_length(head)
        {
            return text.into_owned();
        }
        let count = within(stream.read_buf(&mut bytes)).await.unwrap();
        assert!(count > 0, "closed after {:?}", String::from_utf8_lossy(&bytes));
    }
}

fn content_length(head: &str) -> usize {
    let value = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    value.map_or(0, |value| value.parse().unwrap())
}

pub fn status(reply: &str) -> u16 {
    reply.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub fn body(reply: &str) -> &str {
    reply.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("the step takes too long")
}

/// Polls `condition` until it holds, for states that announce themselves to nobody.
pub async fn eventually(condition: impl Fn() -> bool) {
    within(async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
