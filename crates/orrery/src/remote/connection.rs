//! One kept-alive connection: requests out, replies in, and again when that makes sense.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::request::Request;
use super::{Client, RemoteError, Retry};

/// From the start of connecting to the end of the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first byte of a request to the last of its reply.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// A page of items has 4 MiB and what surrounds them; nothing else is larger.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
/// Of a refusal's text, so much is shown.
const MAX_MESSAGE_CHARS: usize = 500;

/// A connection to a server, made anew when it breaks.
pub struct Connection {
    pub(super) client: Client,
    sender: Option<SendRequest<Full<Bytes>>>,
}

/// A reply that says yes.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    /// A header, if it is there and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Connection {
    pub(super) fn new(client: Client) -> Connection {
        Connection { client, sender: None }
    }

    /// What the connection leads to, for more connections.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Sends a request until there is an answer other than "later".
    pub(super) async fn call(&mut self, request: &Request) -> Result<Reply, RemoteError> {
        let mut retry = Retry::default();
        loop {
            let failed = match self.attempt(request).await {
                Ok(reply) if reply.status.is_success() => return Ok(reply),
                Ok(reply) if !is_busy(reply.status) => return Err(refusal(&reply)),
                Ok(reply) => {
                    if retry.pause(asked_pause(&reply.headers)).await {
                        continue;
                    }
                    return Err(RemoteError::Busy { status: reply.status, waited_s: retry.waited().as_secs() });
                }
                Err(error) => error,
            };
            self.sender = None;
            let passing = matches!(failed, RemoteError::Connect { .. } | RemoteError::Broken { .. });
            if !passing || !self.client.inner.answered.load(Ordering::Relaxed) || !retry.pause(None).await {
                return Err(failed);
            }
        }
    }

    /// The error for a reply that the caller cannot read.
    pub(super) fn unreadable(&self, reason: impl ToString) -> RemoteError {
        RemoteError::Reply { endpoint: self.endpoint(), reason: reason.to_string() }
    }

    async fn attempt(&mut self, request: &Request) -> Result<Reply, RemoteError> {
        let sender = match self.sender.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        let sender = self.sender.insert(sender);
        let signed = request.sign(&self.client.inner.key, &self.client.inner.authority);
        let signed = signed.map_err(|error| RemoteError::Broken {
            endpoint: self.client.inner.endpoint.to_string(),
            reason: error.to_string(),
        })?;
        let exchange = async {
            sender.ready().await.map_err(|error| chain(&error))?;
            let (head, body) = sender.send_request(signed).await.map_err(|error| chain(&error))?.into_parts();
            let body = Limited::new(body, MAX_REPLY_BYTES).collect().await.map_err(|error| chain(&*error))?;
            Ok(Reply { status: head.status, headers: head.headers, body: body.to_bytes() })
        };
        let outcome = tokio::time::timeout(REQUEST_TIMEOUT, exchange).await;
        let outcome = outcome.unwrap_or_else(|_| Err(format!("no answer within {} s", REQUEST_TIMEOUT.as_secs())));
        let reply = outcome.map_err(|reason| RemoteError::Broken { endpoint: self.endpoint(), reason })?;
        self.client.inner.answered.store(true, Ordering::Relaxed);
        Ok(reply)
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, RemoteError> {
        let failed = |reason: String| RemoteError::Connect { endpoint: self.endpoint(), reason };
        match tokio::time::timeout(CONNECT_TIMEOUT, self.open_stream()).await {
            Ok(stream) => {
                let (sender, connection) =
                    handshake(TokioIo::new(stream?)).await.map_err(|error| failed(chain(&error)))?;
                // Ends with the sender; what breaks it, the request in flight reports.
                tokio::spawn(connection);
                Ok(sender)
            }
            Err(_) => Err(failed(format!("no answer within {} s", CONNECT_TIMEOUT.as_secs()))),
        }
    }

    async fn open_stream(&self) -> Result<Box<dyn Stream>, RemoteError> {
        let inner = &self.client.inner;
        let failed =
            |error: std::io::Error| RemoteError::Connect { endpoint: self.endpoint(), reason: error.to_string() };
        let stream = TcpStream::connect((inner.endpoint.host.as_str(), inner.endpoint.port)).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let Some(tls) = &inner.tls else { return Ok(Box::new(stream)) };
        let untrusted = |reason: String| RemoteError::Tls { endpoint: self.endpoint(), reason };
        let name = ServerName::try_from(inner.endpoint.host.clone()).map_err(|error| untrusted(error.to_string()))?;
        let stream = tls.connect(name, stream).await.map_err(|error| untrusted(error.to_string()))?;
        Ok(Box::new(stream))
    }

    fn endpoint(&self) -> String {
        self.client.inner.endpoint.to_string()
    }
}

/// Whether the server may have time later.
pub(super) fn is_busy(status: StatusCode) -> bool {
    const RETRY_WITH: u16 = 449;
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::REQUEST_TIMEOUT)
        || status == RETRY_WITH
}

fn asked_pause(headers: &HeaderMap) -> Option<Duration> {
    let number = |name| headers.get(name).and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok());
    let seconds = number("x-ms-retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn refusal(reply: &Reply) -> RemoteError {
    #[derive(Deserialize)]
    struct Body {
        message: String,
    }
    let body = serde_json::from_slice::<Body>(&reply.body).map(|body| body.message);
    let message = body.unwrap_or_else(|_| String::from_utf8_lossy(&reply.body).into_owned());
    // Ids of the activity and of the server follow on further lines.
    let message = message.lines().next().unwrap_or_default().chars().take(MAX_MESSAGE_CHARS).collect();
    let sub_status = reply.header("x-ms-substatus").and_then(|text| text.parse().ok()).unwrap_or(0);
    RemoteError::Refused { status: reply.status, sub_status, message }
}

/// An error with its causes: the outermost of hyper's says little.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
