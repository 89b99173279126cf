//! How an API is reached: over the wire, or as a part of this process. Both are asked the same and answer the same.

use bytes::Bytes;
use http::HeaderValue;
use orrery_gateway::auth::Key;
use orrery_gateway::listen::{App, Request as AppRequest};

use super::connection::{Reply, refusal};
use super::request::Request;
use super::{Connection, RemoteError};

/// The host of requests that go over no wire.
const IN_PROCESS: HeaderValue = HeaderValue::from_static("localhost");

/// A way to an API.
pub(super) enum Via {
    /// A server has it.
    Server(Box<Connection>),
    /// It is here.
    InProcess {
        api: Box<dyn App>,
        key: Key,
        /// What errors call it.
        name: &'static str,
    },
}

impl Via {
    /// Sends a request. Anything but success is an error.
    pub async fn call(&mut self, request: Request) -> Result<Reply, RemoteError> {
        let (api, key, name) = match self {
            Via::Server(connection) => return connection.call(&request).await,
            Via::InProcess { api, key, name } => (api, key, *name),
        };
        let broken = |reason: String| RemoteError::Broken { endpoint: name.into(), reason };
        let (head, _) = request.sign(key, &IN_PROCESS).map_err(|error| broken(error.to_string()))?.into_parts();
        let (head, body) = api.handle(AppRequest::in_process(head, request.body)).await.into_parts();
        let body = body.bytes().map(Bytes::copy_from_slice).unwrap_or_default();
        let reply = Reply { status: head.status, headers: head.headers, body };
        if reply.status.is_success() { Ok(reply) } else { Err(refusal(&reply)) }
    }

    /// The error for a reply that the caller cannot read.
    pub fn unreadable(&self, reason: impl ToString) -> RemoteError {
        match self {
            Via::Server(connection) => connection.unreadable(reason),
            Via::InProcess { name, .. } => RemoteError::Reply { endpoint: (*name).into(), reason: reason.to_string() },
        }
    }
}
