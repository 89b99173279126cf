//! From an HTTP request to a WebSocket (RFC 6455, section 4.2).

use std::sync::Arc;

use http::{HeaderMap, HeaderName, Method, StatusCode, Version, header};
use hyper_util::rt::TokioIo;
use orrery_gremlin::io::MAX_MESSAGE_BYTES;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::connection;
use super::server::{Operation, Server};
use crate::listen::{Request, Response};
use crate::reply::Reply;

/// Bytes read from a socket at a time. The library's own 128 KiB for each connection would be too much for thousands of them.
const READ_BUFFER_BYTES: usize = 16 * 1024;
/// What a frame's head and the name of its format take beside the message.
const FRAME_OVERHEAD_BYTES: usize = 1024;
/// Unwritten bytes of a connection: a message and what is before it.
const MAX_WRITE_BUFFER_BYTES: usize = 2 * MAX_MESSAGE_BYTES + FRAME_OVERHEAD_BYTES;

/// Whether a request asks for a WebSocket.
pub(super) fn is_asked_for(headers: &HeaderMap) -> bool {
    has_token(headers, header::UPGRADE, "websocket")
}

/// Answers 101 and serves the WebSocket on a task of its own, or says what is wrong with the handshake.
pub(super) fn accept(server: &Arc<Server>, request: Request) -> Response {
    let refused = |status, why: &str| Reply::new(status).facts(Operation::Upgrade.facts(0.0)).text(format!("{why}\n"));
    let (mut request, connection) = request.into_http();
    let headers = request.headers();
    if request.method() != Method::GET || request.version() != Version::HTTP_11 {
        return refused(StatusCode::BAD_REQUEST, "a WebSocket begins with a GET of HTTP/1.1");
    }
    if !has_token(headers, header::CONNECTION, "upgrade") {
        return refused(StatusCode::BAD_REQUEST, "a WebSocket begins with 'connection: upgrade'");
    }
    if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        let refused = Reply::new(StatusCode::UPGRADE_REQUIRED).facts(Operation::Upgrade.facts(0.0));
        return refused.constant(header::SEC_WEBSOCKET_VERSION, "13").text("the version of WebSockets is 13\n");
    }
    let Some(key) = headers.get(header::SEC_WEBSOCKET_KEY) else {
        return refused(StatusCode::BAD_REQUEST, "the header sec-websocket-key is missing");
    };
    let accepted = derive_accept_key(key.as_bytes());
    let upgrade = hyper::upgrade::on(&mut request);
    let server = server.clone();
    tokio::spawn(async move {
        match upgrade.await {
            Ok(upgraded) => {
                let socket = TokioIo::new(upgraded);
                let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(config())).await;
                connection::serve(socket, server, connection).await;
            }
            Err(error) => tracing::debug!(peer = %connection.peer(), %error, "the upgrade failed"),
        }
    });
    Reply::new(StatusCode::SWITCHING_PROTOCOLS)
        .facts(Operation::Upgrade.facts(0.0))
        .constant(header::CONNECTION, "Upgrade")
        .constant(header::UPGRADE, "websocket")
        .text_header(header::SEC_WEBSOCKET_ACCEPT, &accepted)
        .empty()
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(Some(MAX_MESSAGE_BYTES + FRAME_OVERHEAD_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES + FRAME_OVERHEAD_BYTES))
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_WRITE_BUFFER_BYTES)
}

fn has_token(headers: &HeaderMap, name: HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(token))
}
