//! An API over an empty store in memory, and requests to it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::HeaderMap;
use orrery_engine::{Engine, EngineOptions};
use orrery_store::MemoryStore;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value as Json, json};

use crate::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys, SignedResource};
use crate::listen::{App, Request};
use crate::reply::rfc1123;
use crate::sql_api::{SqlApi, SqlApiConfig};

const READ_ONLY_KEY: &[u8] = b"a read-only key for tests";

/// The API, and the keys to sign with.
pub(super) struct Server {
    pub api: SqlApi,
}

/// A request under construction.
pub(super) struct Call<'s> {
    server: &'s Server,
    method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Bytes,
    signature: Signing,
}

enum Signing {
    Key(Key),
    /// As the type given, whatever the path says.
    KeyAs(Key, &'static str),
    Header(String),
    None,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Server {
    pub async fn start() -> Server {
        Server::with(false).await
    }

    pub async fn start_strict() -> Server {
        Server::with(true).await
    }

    async fn with(strict: bool) -> Server {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.unwrap();
        let primary = Key::from_base64(EMULATOR_KEY).unwrap();
        let keys = Keys { primary_readonly: Some(Key::from_bytes(READ_ONLY_KEY)), ..Keys::single(primary) };
        let api = SqlApi::new(SqlApiConfig {
            engine,
            authenticator: Authenticator::new(keys, AadMode::Off),
            account_name: "localhost".into(),
            public_url: None,
            certificate_pem: Some("-----BEGIN CERTIFICATE-----".into()),
            strict,
        });
        Server { api }
    }

    /// A request signed with the primary key.
    pub fn call(&self, method: &str, path: &str) -> Call<'_> {
        Call {
            server: self,
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            body: Bytes::new(),
            signature: Signing::Key(Key::from_base64(EMULATOR_KEY).unwrap()),
        }
    }

    /// `GET`, expected to be 200.
    pub async fn get(&self, path: &str) -> Json {
        self.call("GET", path).send().await.expect(200).json()
    }

    /// `POST` of a definition, expected to be 201.
    pub async fn create(&self, path: &str, definition: Json) -> Json {
        self.call("POST", path).json(&definition).send().await.expect(201).json()
    }

    /// A database `db` and in it a container `c` on `/pk`.
    pub async fn with_container() -> Server {
        let server = Server::start().await;
        server.create("/dbs", json!({"id": "db"})).await;
        server.create("/dbs/db/colls", container("c")).await;
        server
    }
}

/// The definition of a container on `/pk`.
pub(super) fn container(id: &str) -> Json {
    json!({"id": id, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
}

impl Call<'_> {
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    pub fn json(mut self, body: &Json) -> Self {
        self.body = body.to_string().into();
        self
    }

    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub fn read_only(mut self) -> Self {
        self.signature = Signing::Key(Key::from_bytes(READ_ONLY_KEY));
        self
    }

    pub fn signed_with(mut self, key: &[u8]) -> Self {
        self.signature = Signing::Key(Key::from_bytes(key));
        self
    }

    pub fn signed_as(mut self, resource_type: &'static str) -> Self {
        self.signature = Signing::KeyAs(Key::from_base64(EMULATOR_KEY).unwrap(), resource_type);
        self
    }

    /// With a resource token, sent URL-encoded as clients do.
    pub fn token(mut self, token: &str) -> Self {
        self.signature = Signing::Header(utf8_percent_encode(token, NON_ALPHANUMERIC).to_string());
        self
    }

    pub fn unsigned(mut self) -> Self {
        self.signature = Signing::None;
        self
    }

    pub async fn send(self) -> Answer {
        let mut request = http::Request::builder().method(self.method.as_str()).uri(&self.path);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let date = rfc1123(now as i64).unwrap();
        request = request.header("host", "127.0.0.1:8081").header("x-ms-date", &date);
        if let Some(header) = self.authorization(&date) {
            request = request.header("authorization", header);
        }
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), value.as_slice());
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let response = self.server.api.handle(Request::in_process(head, self.body)).await;
        let (head, body) = response.into_parts();
        let body = Bytes::copy_from_slice(body.bytes().unwrap());
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    fn authorization(&self, date: &str) -> Option<String> {
        let path = self.path.split('?').next().unwrap_or_default();
        let signed = SignedResource::from_path(path);
        let (key, resource_type) = match &self.signature {
            Signing::Key(key) => (key, signed.resource_type),
            Signing::KeyAs(key, resource_type) => (key, *resource_type),
            Signing::Header(header) => return Some(header.clone()),
            Signing::None => return None,
        };
        let text =
            format!("{}\n{resource_type}\n{}\n{}\n\n", self.method.to_lowercase(), signed.link, date.to_lowercase());
        let signature = STANDARD.encode(key.sign(&[text.as_bytes()]));
        let header = format!("type=master&ver=1.0&sig={signature}");
        Some(utf8_percent_encode(&header, NON_ALPHANUMERIC).to_string())
    }
}

impl Answer {
    /// The same answer, which must have that status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert!(self.headers.contains_key("x-ms-activity-id"), "every reply has an activity id");
        assert!(self.headers.contains_key("x-ms-request-charge"), "every reply has a charge");
        self
    }

    /// The same answer, which must have that sub-status.
    #[track_caller]
    pub fn sub_status(self, sub_status: &str) -> Answer {
        assert_eq!(self.header("x-ms-substatus"), Some(sub_status));
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message of an error.
    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }
}
