//! The SQL API over a store in memory, called without a socket.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::HeaderMap;
use orrery_engine::{Engine, EngineOptions};
use orrery_gateway::auth::{AadMode, Authenticator, EMULATOR_KEY, Key, Keys, SignedResource};
use orrery_gateway::listen::{App, Request};
use orrery_gateway::reply::rfc1123;
use orrery_gateway::sql_api::{SqlApi, SqlApiConfig};
use orrery_store::MemoryStore;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// An account with a database `db` and in it a container `c` on `/pk`.
pub struct Server {
    api: SqlApi,
    key: Key,
    runtime: tokio::runtime::Runtime,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The reply's headers.
    pub headers: HeaderMap,
    /// The reply's body.
    pub body: Bytes,
}

impl Server {
    /// An empty one.
    pub fn start() -> Server {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let store = Arc::new(MemoryStore::new());
        let engine = runtime.block_on(Engine::open(store, EngineOptions::default())).expect("a new store opens");
        let key = Key::from_base64(EMULATOR_KEY).expect("it is one");
        let api = SqlApi::new(SqlApiConfig {
            engine,
            authenticator: Authenticator::new(Keys::single(key.clone()), AadMode::Off),
            account_name: "localhost".into(),
            public_url: None,
            certificate_pem: None,
            strict: false,
        });
        let server = Server { api, key, runtime };
        server.expect(201, server.call("POST", "/dbs", &[], br#"{"id":"db"}"#));
        let container = br#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
        server.expect(201, server.call("POST", "/dbs/db/colls", &[], container));
        server
    }

    /// Sends a signed request. No input may make the server fail: statuses from 500 on are findings.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
        let date = rfc1123(now as i64).expect("it is before 9999");
        let mut request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost:8081")
            .header("x-ms-date", &date)
            .header("authorization", self.authorization(method, path, &date));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).expect("the target's headers are valid").into_parts();
        let request = Request::in_process(head, Bytes::copy_from_slice(body));
        let (head, body) = self.runtime.block_on(self.api.handle(request)).into_parts();
        let body = Bytes::copy_from_slice(body.bytes().expect("this reply is no stream"));
        let answer = Answer { status: head.status.as_u16(), headers: head.headers, body };
        assert!(answer.status < 500, "{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        answer
    }

    /// The items of the container, as JSON values without their system properties.
    pub fn items(&self) -> Vec<serde_json::Value> {
        let headers = [("x-ms-max-item-count", "1000")];
        let page = self.expect(200, self.call("GET", "/dbs/db/colls/c/docs", &headers, b"")).json();
        let mut items = page["Documents"].as_array().cloned().expect("a list has an array of items");
        for item in &mut items {
            item.as_object_mut().expect("items are objects").retain(|name, _| !is_system_property(name));
        }
        items
    }

    /// Removes the items of a logical partition; the key is a JSON array.
    pub fn clear(&self, key: &str) {
        let headers = [("x-ms-documentdb-partitionkey", key)];
        self.expect(200, self.call("POST", "/dbs/db/colls/c/operations/partitionkeydelete", &headers, b""));
    }

    /// The same answer, which must have that status: it is to a request that the target made up, not the fuzzer.
    pub fn expect(&self, status: u16, answer: Answer) -> Answer {
        assert_eq!(answer.status, status, "{}", String::from_utf8_lossy(&answer.body));
        answer
    }

    fn authorization(&self, method: &str, path: &str, date: &str) -> String {
        let signed = SignedResource::from_path(path);
        let (resource_type, link) = (signed.resource_type, signed.link);
        let text = format!("{}\n{resource_type}\n{link}\n{}\n\n", method.to_lowercase(), date.to_lowercase());
        let signature = STANDARD.encode(self.key.sign(&[text.as_bytes()]));
        utf8_percent_encode(&format!("type=master&ver=1.0&sig={signature}"), NON_ALPHANUMERIC).to_string()
    }
}

impl Answer {
    /// The body, which every reply of the API has as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("replies are JSON")
    }
}

fn is_system_property(name: &str) -> bool {
    ["_rid", "_self", "_etag", "_attachments", "_ts"].contains(&name)
}
