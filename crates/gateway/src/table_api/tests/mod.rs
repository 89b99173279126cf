//! The API over an engine in memory: what clients send, and what they read back.

mod batches;
mod entities;
mod lists;
mod malformed;
mod rights;
mod service;
mod sql_view;
mod tables;

use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method};
use orrery_engine::{Engine, EngineOptions};
use orrery_store::MemoryStore;
use orrery_table::Dialect;
use serde_json::Value as Json;

use super::{TableAccount, TableApi, TableApiConfig, TableCatalog};
use crate::auth::{AadMode, EMULATOR_KEY, Key, Keys};
use crate::listen::{App, Request};
use crate::reply::rfc1123;

pub const ACCOUNT: &str = "acc";

/// The API of one account under the rules of storage.
pub struct Lab {
    api: TableApi,
    pub engine: Engine,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The status and the error's code.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status, self.header("x-ms-error-code"))
    }

    /// The keys of a list, as `p/r`.
    pub fn keys(&self) -> Vec<String> {
        let text = |entity: &Json, name: &str| entity[name].as_str().unwrap().to_owned();
        let body = self.json();
        let entities = body["value"].as_array().unwrap();
        entities.iter().map(|entity| text(entity, "PartitionKey") + "/" + &text(entity, "RowKey")).collect()
    }
}

impl Lab {
    pub async fn new() -> Lab {
        Lab::of(Dialect::Storage).await
    }

    pub async fn of(dialect: Dialect) -> Lab {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.unwrap();
        Lab { api: api(&engine, dialect), engine }
    }

    /// With a table `T`.
    pub async fn with_table() -> Lab {
        let lab = Lab::new().await;
        assert_eq!(lab.post("/Tables", r#"{"TableName":"Tab"}"#).await.status, 201);
        lab
    }

    /// The same tables under other rules.
    pub fn as_seen_by(&self, dialect: Dialect) -> Lab {
        Lab { api: api(&self.engine, dialect), engine: self.engine.clone() }
    }

    /// Sends to a path below the account, signed with its key unless the headers have an `authorization`.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        let target = format!("/{ACCOUNT}{path}");
        let mut all = vec![("host", "127.0.0.1:10002"), ("accept", "application/json;odata=nometadata")];
        all.retain(|(name, _)| !headers.iter().any(|(own, _)| own == name));
        all.extend(headers);
        let date = rfc1123(unix_seconds()).unwrap();
        let signature = sign(method, &target, &all, &date);
        if !all.iter().any(|(name, _)| *name == "authorization") && !target.contains("sig=") {
            all.push(("x-ms-date", &date));
            all.push(("authorization", &signature));
        }
        self.send_as_it_is(method, &target, &all, body).await
    }

    pub async fn send_as_it_is(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let mut head = http::Request::builder().method(Method::from_bytes(method.as_bytes()).unwrap()).uri(target);
        for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
            head = head.header(*name, *value);
        }
        let (head, ()) = head.body(()).unwrap().into_parts();
        let response = self.api.handle(Request::in_process(head, body.into())).await;
        let (parts, body) = response.into_parts();
        let body = Bytes::copy_from_slice(body.bytes().unwrap());
        assert_ne!(parts.headers["x-ms-request-id"], "");
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    pub async fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[], body.to_owned()).await
    }

    /// Inserts `{"PartitionKey", "RowKey"}` and more members, given as `"A":1`.
    pub async fn insert(&self, partition_key: &str, row_key: &str, members: &str) -> Answer {
        let comma = if members.is_empty() { "" } else { "," };
        let body = format!(r#"{{"PartitionKey":"{partition_key}","RowKey":"{row_key}"{comma}{members}}}"#);
        let answer = self.post("/Tab", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer
    }
}

/// The path of an entity of `Tab`.
pub fn entity(partition_key: &str, row_key: &str) -> String {
    format!("/Tab(PartitionKey='{partition_key}',RowKey='{row_key}')")
}

/// The path of a list of `Tab` with this filter.
pub fn filtered(filter: &str) -> String {
    format!("/Tab()?$filter={}", encoded(filter))
}

pub fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

pub fn key() -> Key {
    Key::from_base64(EMULATOR_KEY).unwrap()
}

pub fn unix_seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_secs()).unwrap()
}

fn api(engine: &Engine, dialect: Dialect) -> TableApi {
    TableApi::new(TableApiConfig {
        catalog: TableCatalog::new(engine.clone()),
        account: TableAccount { name: ACCOUNT.into(), keys: Keys::single(key()), dialect },
        aad: AadMode::Off,
    })
}

fn sign(method: &str, target: &str, headers: &[(&str, &str)], date: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let comp = query.split('&').find_map(|pair| pair.strip_prefix("comp="));
    let comp = comp.map(|comp| format!("?comp={comp}")).unwrap_or_default();
    let content_type = headers.iter().find(|(name, _)| *name == "content-type").map_or("", |(_, value)| value);
    let text = format!("{method}\n\n{content_type}\n{date}\n/{ACCOUNT}{path}{comp}");
    format!("SharedKey {ACCOUNT}:{}", STANDARD.encode(key().sign(&[text.as_bytes()])))
}
