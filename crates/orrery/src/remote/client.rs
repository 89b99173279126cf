//! The server and the key.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use http::HeaderValue;
use orrery_gateway::auth::Key;
use tokio_rustls::TlsConnector;

use super::Connection;
use super::endpoint::Endpoint;
use super::tls;

/// A server and the key to it. Cloning it is cheap.
#[derive(Clone)]
pub struct Client {
    pub(super) inner: Arc<ClientInner>,
}

/// How to reach a server.
#[derive(Clone, Copy)]
pub struct ClientOptions<'a> {
    /// Its URL.
    pub endpoint: &'a str,
    /// The account key, in base64.
    pub key: &'a str,
    /// A PEM file of certificates to trust.
    pub ca: Option<&'a Path>,
    /// Whether any certificate is taken.
    pub insecure: bool,
}

pub(super) struct ClientInner {
    pub endpoint: Endpoint,
    pub authority: HeaderValue,
    pub key: Key,
    pub tls: Option<TlsConnector>,
    /// Whether the server has answered before: if not, there is no point in asking a closed port again.
    pub answered: AtomicBool,
}

impl Client {
    /// A client; nothing is sent yet.
    ///
    /// # Errors
    /// If the endpoint or the key is none, or it is not said which certificate to trust.
    pub fn new(options: &ClientOptions<'_>) -> anyhow::Result<Client> {
        let endpoint = Endpoint::parse(options.endpoint)?;
        let inner = ClientInner {
            authority: HeaderValue::try_from(endpoint.authority())?,
            key: Key::from_base64(options.key).context("--key or ORRERY_KEY")?,
            tls: tls::connector(&endpoint, options.ca, options.insecure)?,
            answered: AtomicBool::new(false),
            endpoint,
        };
        Ok(Client { inner: Arc::new(inner) })
    }

    /// A connection of its own, made when it is first used.
    pub fn connection(&self) -> Connection {
        Connection::new(self.clone())
    }
}
