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
            let passing = match &failed {
                RemoteError::Connect { .. } => true,
                RemoteError::Broken { .. } => request.is_repeatable,
                _ => false,
            };
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
        let stream = tls.connect(name, stream).await.map_err(|error| match error.get_ref() {
            Some(cause) if cause.is::<rustls::Error>() => untrusted(error.to_string()),
            // The connection broke: that says nothing about trust, and may pass.
            _ => failed(error),
        })?;
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

pub(super) fn refusal(reply: &Reply) -> RemoteError {
    #[derive(Deserialize)]
    struct Body {
        message: String,
    }
    let body = serde_json::from_slice::<Body>(&reply.body).ok().map(|body| body.message);
    let message = body.or_else(|| table_refusal(&reply.body)).or_else(|| gremlin_refusal(&reply.body));
    let message = message.unwrap_or_else(|| String::from_utf8_lossy(&reply.body).into_owned());
    let message = said(&message).chars().take(MAX_MESSAGE_CHARS).collect();
    let sub_status = reply.header("x-ms-substatus").and_then(|text| text.parse().ok()).unwrap_or(0);
    RemoteError::Refused { status: reply.status, sub_status, message }
}

/// What the Table API says: `{"odata.error":{"code":"X","message":{"value":"…"}}}`.
fn table_refusal(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let error = body.get("odata.error")?;
    let text = error.pointer("/message/value").and_then(serde_json::Value::as_str).unwrap_or_default();
    Some(format!("{}: {text}", error.get("code")?.as_str()?))
}

/// What the Gremlin API says: `{"status":{"message":"…"}}`.
fn gremlin_refusal(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body.pointer("/status/message")?.as_str().map(str::to_owned)
}

/// What a message says, without the service's wrapping: `Message: {"Errors":["…"]}`, and lines of ids below it.
pub(super) fn said(message: &str) -> String {
    #[derive(Deserialize)]
    struct Wrapped {
        #[serde(rename = "Errors")]
        errors: Vec<String>,
    }
    let line = message.lines().next().unwrap_or_default();
    let wrapped = line.strip_prefix("Message: ").and_then(|text| serde_json::from_str::<Wrapped>(text).ok());
    wrapped.map_or_else(|| line.to_owned(), |wrapped| wrapped.errors.join("; "))
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::remote::{BulkItem, BulkOutcome, ClientOptions, ContainerLink};

    /// Answers request after request with these texts; an empty one closes the connection instead. Returns its URL and what it was asked.
    async fn server(answers: Vec<String>) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        tokio::spawn(async move {
            let mut answers = answers.into_iter();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                while let Some(request) = read_request(&mut stream).await {
                    log.lock().unwrap().push(request);
                    match answers.next() {
                        Some(answer) if !answer.is_empty() => stream.write_all(answer.as_bytes()).await.unwrap(),
                        _ => break,
                    }
                }
            }
        });
        (url, asked)
    }

    async fn read_request(stream: &mut TcpStream) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "))
                    .map_or(0, |text| text.parse().unwrap());
                if body.len() >= length {
                    return Some(text);
                }
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
    }

    fn connection(url: &str) -> (Connection, ContainerLink) {
        let options =
            ClientOptions { endpoint: url, key: orrery_gateway::auth::EMULATOR_KEY, ca: None, insecure: false };
        let link = ContainerLink { database: "d".into(), container: "c".into() };
        (Client::new(&options).unwrap().connection(), link)
    }

    /// An answer with its length; `head` is the status line and further headers.
    fn answer(head: &str, body: &str) -> String {
        format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn a_busy_server_and_a_broken_connection_are_tried_again() {
        let busy = answer("429 Busy\r\nx-ms-retry-after-ms: 1", "");
        let page = || answer("200 OK", r#"{"Documents":[]}"#);
        let (url, asked) = server(vec![busy, page(), String::new(), page()]).await;
        let (mut connection, link) = connection(&url);
        for _ in 0..2 {
            assert!(connection.page(&link, None).await.unwrap().items.is_empty());
        }
        assert_eq!(asked.lock().unwrap().len(), 4);
    }

    #[tokio::test]
    async fn a_server_that_never_answered_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let (mut connection, link) = connection(&url);
        let error = connection.page(&link, None).await.unwrap_err();
        assert!(matches!(error, RemoteError::Connect { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_refusal_is_told_in_the_servers_words() {
        let body = r#"{"code":"x","message":"Message: {\"Errors\":[\"not so\"]}\r\nActivityId: 1"}"#;
        let (url, _) = server(vec![answer("403 No\r\nx-ms-substatus: 7", body)]).await;
        let (mut connection, link) = connection(&url);
        let error = connection.page(&link, None).await.unwrap_err();
        assert!(error.to_string().starts_with("the server answered 403: not so. A read-only key"), "{error}");
        assert!(matches!(error, RemoteError::Refused { sub_status: 7, .. }));
    }

    #[tokio::test]
    async fn each_item_of_a_bulk_request_has_its_own_outcome() {
        let answer = answer("207 Multi-Status", r#"[{"statusCode":201},{"statusCode":400}]"#);
        let (url, asked) = server(vec![answer]).await;
        let (mut connection, link) = connection(&url);
        let items =
            [BulkItem { text: b"{\"id\":\"a\"}", key: "[1]" }, BulkItem { text: b"{\"id\":\"b\"}", key: "[2]" }];
        let outcomes = connection.bulk_upsert(&link, "7", &items).await.unwrap();
        assert_eq!(outcomes, [BulkOutcome::Done, BulkOutcome::Rejected("the server answered 400".into())]);
        let asked = asked.lock().unwrap();
        assert!(
            asked[0].contains("x-ms-documentdb-partitionkeyrangeid: 7")
                && asked[0].starts_with("POST /dbs/d/colls/c/docs ")
        );
    }
}
