//! The Table API: of a server, or of the engine in this process. Both are asked the same and answer the same.

use anyhow::Context;
use bytes::Bytes;
use http::{HeaderValue, Method};
use orrery_engine::Engine;
use orrery_gateway::auth::{AadMode, EMULATOR_KEY, Key, Keys, STORAGE_EMULATOR_ACCOUNT, STORAGE_EMULATOR_KEY};
use orrery_gateway::table_api::{TableAccount, TableApi, TableApiConfig, TableCatalog};
use orrery_table::{Dialect, EntityKey};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::Reply;
use super::endpoint::Endpoint;
use super::request::{Request, Signing};
use super::via::Via;
use super::{Client, ClientOptions, RemoteError};
use crate::ready::ACCOUNT;
use crate::table_ports::DEFAULT_TABLE_PORT;

/// Everything but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Tables of the list that are read at the most.
const MAX_LISTED: usize = 100_000;

/// The tables of a server or a data folder.
pub struct Tables {
    via: Via,
    account: String,
}

/// How much rows say about the types of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// Nothing.
    None,
    /// What the JSON does not tell.
    Types,
}

/// A query of entities.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntityQuery<'q> {
    /// `$filter`
    pub filter: Option<&'q str>,
    /// `$select`
    pub select: Option<&'q str>,
    /// Entities of a page at the most, up to 1,000.
    pub max_items: Option<u32>,
}

/// A page of entities.
#[derive(Debug)]
pub struct EntityPage {
    /// JSON texts.
    pub rows: Vec<Bytes>,
    /// Request units.
    pub charge_ru: f64,
    /// Where the next page begins; none at the end.
    pub next: Option<String>,
}

/// What is done with an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityWrite {
    /// It must not be there.
    Insert,
    /// It must be there; its properties that are not given stay.
    Merge,
    /// It must be there.
    Replace,
    /// As a merge, or an insert if it is not there.
    InsertOrMerge,
}

impl Tables {
    /// The tables of a server whose SQL API is at `options.endpoint`. Its Table API is at `table_endpoint`, which may have an account as
    /// its path, else on the usual port of the same host.
    ///
    /// # Errors
    /// If the endpoint or the key is none, or it is not said which certificate to trust.
    pub fn on_server(options: &ClientOptions<'_>, table_endpoint: Option<&str>) -> anyhow::Result<Tables> {
        let (endpoint, account) = match table_endpoint {
            Some(text) => split_account(text).context("--table-endpoint")?,
            None => {
                let sql = Endpoint::parse(options.endpoint)?;
                (Endpoint { port: DEFAULT_TABLE_PORT, ..sql }.to_string(), ACCOUNT.to_owned())
            }
        };
        // The key of the storage emulators' account is as public as the default one.
        let is_public = account == STORAGE_EMULATOR_ACCOUNT && options.key == EMULATOR_KEY;
        let key = if is_public { STORAGE_EMULATOR_KEY } else { options.key };
        let client = Client::new(&ClientOptions { endpoint: &endpoint, key, ..*options })?;
        Ok(Tables { via: Via::Server(Box::new(client.connection())), account })
    }

    /// The tables of an engine in this process.
    ///
    /// # Errors
    /// If the emulator's key is none, which it is not.
    pub fn in_process(engine: Engine) -> anyhow::Result<Tables> {
        let key = || Key::from_base64(EMULATOR_KEY);
        let account = TableAccount { name: ACCOUNT.to_owned(), keys: Keys::single(key()?), dialect: Dialect::Cosmos };
        let api = TableApi::new(TableApiConfig { catalog: TableCatalog::new(engine), account, aad: AadMode::Off });
        let via = Via::InProcess { api: Box::new(api), key: key()?, name: "the Table API of the data folder" };
        Ok(Tables { via, account: ACCOUNT.to_owned() })
    }

    /// The names of all tables.
    ///
    /// # Errors
    /// [`RemoteError`], as all of these.
    pub async fn list(&mut self) -> Result<Vec<String>, RemoteError> {
        #[derive(Deserialize)]
        struct List {
            value: Vec<Table>,
        }
        #[derive(Deserialize)]
        struct Table {
            #[serde(rename = "TableName")]
            name: String,
        }
        let mut names = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let from = next.map(|next| format!("?NextTableName={}", encode(&next))).unwrap_or_default();
            let reply = self.via.call(self.request(Method::GET, &format!("Tables{from}"), Metadata::None)).await?;
            let list: List = serde_json::from_slice(&reply.body).map_err(|error| self.via.unreadable(error))?;
            names.extend(list.value.into_iter().map(|table| table.name));
            next = reply.header("x-ms-continuation-nexttablename").map(str::to_owned);
            if next.is_none() || names.len() >= MAX_LISTED {
                return Ok(names);
            }
        }
    }

    /// Creates a table.
    pub async fn create(&mut self, name: &str) -> Result<f64, RemoteError> {
        let request = self.request(Method::POST, "Tables", Metadata::None);
        let body = serde_json::json!({"TableName": name}).to_string();
        self.via.call(Request { body: body.into(), is_repeatable: false, ..request }).await.map(|reply| charge(&reply))
    }

    /// Deletes a table with everything in it.
    pub async fn delete_table(&mut self, name: &str) -> Result<f64, RemoteError> {
        let path = format!("Tables('{}')", encode(&name.replace('\'', "''")));
        let request = self.request(Method::DELETE, &path, Metadata::None);
        self.via.call(Request { is_repeatable: false, ..request }).await.map(|reply| charge(&reply))
    }

    /// The page of a query that begins where the last one said.
    pub async fn query(
        &mut self,
        table: &str,
        query: EntityQuery<'_>,
        from: Option<&str>,
        metadata: Metadata,
    ) -> Result<EntityPage, RemoteError> {
        #[derive(Deserialize)]
        struct Feed<'a> {
            #[serde(borrow)]
            value: Vec<&'a RawValue>,
        }
        let max_items = query.max_items.map(|max_items| max_items.to_string());
        let parameters = [("$filter", query.filter), ("$select", query.select), ("$top", max_items.as_deref())];
        let given = parameters.iter().filter_map(|(name, value)| Some(format!("{name}={}", encode((*value)?))));
        let given: Vec<String> = given.chain(from.map(str::to_owned)).collect();
        let path = format!("{}()?{}", encode(table), given.join("&"));
        let reply = self.via.call(self.request(Method::GET, path.trim_end_matches('?'), metadata)).await?;
        let feed: Feed<'_> = serde_json::from_slice(&reply.body).map_err(|error| self.via.unreadable(error))?;
        let rows = feed.value.iter().map(|row| reply.body.slice_ref(row.get().as_bytes())).collect();
        let token = |name: &str, header: &str| Some(format!("{name}={}", encode(reply.header(header)?)));
        let partition = token("NextPartitionKey", "x-ms-continuation-nextpartitionkey");
        let row = token("NextRowKey", "x-ms-continuation-nextrowkey");
        let next = partition.map(|partition| partition + &row.map(|row| format!("&{row}")).unwrap_or_default());
        Ok(EntityPage { rows, charge_ru: charge(&reply), next })
    }

    /// One entity and what reading it cost.
    pub async fn get(&mut self, table: &str, key: &EntityKey, metadata: Metadata) -> Result<(Bytes, f64), RemoteError> {
        let reply = self.via.call(self.request(Method::GET, &address(table, key), metadata)).await?;
        Ok((reply.body.clone(), charge(&reply)))
    }

    /// Writes an entity, given as the JSON of it.
    pub async fn write(
        &mut self,
        table: &str,
        key: &EntityKey,
        write: EntityWrite,
        entity: &str,
    ) -> Result<f64, RemoteError> {
        let (method, path) = match write {
            EntityWrite::Insert => (Method::POST, encode(table)),
            EntityWrite::Replace => (Method::PUT, address(table, key)),
            EntityWrite::Merge | EntityWrite::InsertOrMerge => (Method::PATCH, address(table, key)),
        };
        let mut request = self.request(method, &path, Metadata::None);
        request.body = Bytes::copy_from_slice(entity.as_bytes());
        request.is_repeatable = write != EntityWrite::Insert;
        if matches!(write, EntityWrite::Merge | EntityWrite::Replace) {
            request = request.with("if-match", HeaderValue::from_static("*"));
        }
        let request = request.with("prefer", HeaderValue::from_static("return-no-content"));
        self.via.call(request).await.map(|reply| charge(&reply))
    }

    /// Deletes an entity.
    pub async fn delete(&mut self, table: &str, key: &EntityKey) -> Result<f64, RemoteError> {
        let request = self.request(Method::DELETE, &address(table, key), Metadata::None);
        let request = request.with("if-match", HeaderValue::from_static("*"));
        self.via.call(Request { is_repeatable: false, ..request }).await.map(|reply| charge(&reply))
    }

    fn request(&self, method: Method, path: &str, metadata: Metadata) -> Request {
        let accept = match metadata {
            Metadata::None => "application/json;odata=nometadata",
            Metadata::Types => "application/json;odata=minimalmetadata",
        };
        let signing = Signing::SharedKeyLite { account: self.account.clone() };
        Request::new(method, format!("/{}/{path}", self.account), signing, Bytes::new())
            .with("accept", HeaderValue::from_static(accept))
    }
}

/// `http://host:port` and the account, which is the path if there is one.
fn split_account(text: &str) -> anyhow::Result<(String, String)> {
    let uri: http::Uri = text.trim().parse().with_context(|| format!("'{text}' is no URL"))?;
    let account = uri.path().trim_matches('/');
    let endpoint = text.trim().trim_end_matches('/').trim_end_matches(account).trim_end_matches('/');
    let account = if account.is_empty() { ACCOUNT } else { account };
    Ok((Endpoint::parse(endpoint)?.to_string(), account.to_owned()))
}

fn address(table: &str, key: &EntityKey) -> String {
    let mut address = encode(table);
    key.write_address(&mut address);
    address
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

fn charge(reply: &Reply) -> f64 {
    reply.header("x-ms-request-charge").and_then(|charge| charge.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_may_name_the_account() {
        let split = |text| split_account(text).unwrap();
        let pair = |endpoint: &str, account: &str| (endpoint.to_owned(), account.to_owned());
        assert_eq!(
            split("http://127.0.0.1:10002/devstoreaccount1/"),
            pair("http://127.0.0.1:10002", "devstoreaccount1")
        );
        assert_eq!(split("https://localhost:8902"), pair("https://localhost:8902", ACCOUNT));
        assert!(split_account("localhost:8902").is_err() && split_account("http://h:1/a/b?c").is_err());
    }
}
