//! Signed requests of the Table API, and the bodies of its batches.

use anyhow::Context;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::http::Reply;

/// The public key of the storage emulators' account.
pub const EMULATOR_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const BATCH_TYPE: &str = "multipart/mixed; boundary=batch_1";

/// An account as its clients know it.
#[derive(Clone)]
pub struct Account {
    authority: String,
    name: String,
    key: Vec<u8>,
}

impl Account {
    /// The account of the storage emulators at `endpoint` (`http://host:port/account`).
    ///
    /// # Errors
    /// If the endpoint does not name an account.
    pub fn of_emulator(endpoint: &str) -> anyhow::Result<Self> {
        let (authority, name) = endpoint
            .strip_prefix("http://")
            .and_then(|rest| rest.trim_end_matches('/').split_once('/'))
            .context("an endpoint without an account")?;
        Ok(Account {
            authority: authority.to_owned(),
            name: name.to_owned(),
            key: BASE64_STANDARD.decode(EMULATOR_KEY)?,
        })
    }

    /// Host and port.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The bytes of a request with a Shared Key signature. `path` is what follows the account, such as `Table()`; `query`, with its
    /// mark, is no part of the signature.
    ///
    /// # Errors
    /// If the key is unusable.
    pub fn request(&self, verb: &str, path: &str, query: &str, body: Option<&Value>) -> anyhow::Result<Vec<u8>> {
        let text = body.map(Value::to_string);
        let content_type = if body.is_some() { "application/json" } else { "" };
        self.signed(verb, path, query, content_type, &text.unwrap_or_default())
    }

    /// The bytes of a batch: entities, all with one partition key, each with the verb of its write. `POST` inserts, `PUT` inserts or
    /// replaces, `DELETE` deletes whatever version is there.
    ///
    /// # Errors
    /// If an entity has no keys, or the key is unusable.
    pub fn batch(&self, table: &str, writes: &[(&str, Value)]) -> anyhow::Result<Vec<u8>> {
        let Account { authority, name, .. } = self;
        let mut body = String::from("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n");
        for (verb, entity) in writes {
            let path = if *verb == "POST" { table.to_owned() } else { entity_path(table, entity)? };
            body.push_str(
                "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n",
            );
            body.push_str(&format!("{verb} http://{authority}/{name}/{path} HTTP/1.1\r\nDataServiceVersion: 3.0;\r\n"));
            body.push_str("Accept: application/json;odata=minimalmetadata\r\n");
            if *verb == "DELETE" {
                body.push_str("If-Match: *\r\n\r\n");
            } else {
                body.push_str("Content-Type: application/json\r\nPrefer: return-no-content\r\n\r\n");
                body.push_str(&entity.to_string());
            }
            body.push_str("\r\n");
        }
        body.push_str("--changeset_1--\r\n--batch_1--\r\n");
        self.signed("POST", "$batch", "", BATCH_TYPE, &body)
    }

    fn signed(&self, verb: &str, path: &str, query: &str, content_type: &str, body: &str) -> anyhow::Result<Vec<u8>> {
        let Account { authority, name, key } = self;
        let date = httpdate::fmt_http_date(std::time::SystemTime::now());
        let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
        mac.update(format!("{verb}\n\n{content_type}\n{date}\n/{name}/{name}/{path}").as_bytes());
        let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
        let mut request = format!(
            "{verb} /{name}/{path}{query} HTTP/1.1\r\nhost: {authority}\r\nauthorization: SharedKey {name}:{signature}\r\n\
             x-ms-date: {date}\r\nx-ms-version: 2019-02-02\r\naccept: application/json;odata=minimalmetadata\r\n\
             dataserviceversion: 3.0;NetFx\r\nprefer: return-no-content\r\ncontent-length: {}\r\n",
            body.len()
        );
        if !content_type.is_empty() {
            request.push_str(&format!("content-type: {content_type}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        Ok(request.into_bytes())
    }
}

/// Whether a batch of so many writes was done: the status of a refused one is that of a done one, and the refusal is its only part.
pub fn batch_is_done(reply: &Reply, writes: usize) -> bool {
    let done = |text: &str| text.matches("HTTP/1.1 204 ").count() == writes;
    reply.status == 202 && reply.body.as_str().is_some_and(done)
}

/// The path of an entity whose keys need no encoding.
///
/// # Errors
/// If it has no keys.
pub fn entity_path(table: &str, entity: &Value) -> anyhow::Result<String> {
    let key = |name: &str| entity[name].as_str().context("an entity without a key");
    Ok(format!("{table}(PartitionKey='{}',RowKey='{}')", key("PartitionKey")?, key("RowKey")?))
}
