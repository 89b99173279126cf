//! The Table API in the demonstration: a few entities, asked for over both APIs.

use std::io::{Write, stdout};
use std::time::Instant;

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use orrery_gateway::auth::Key;
use orrery_gateway::reply::date_now;
use orrery_gateway::table_api::TABLES_DATABASE;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::queries;
use crate::ready::ACCOUNT;
use crate::remote::{Connection, ContainerLink};

const TABLE: &str = "airports";
/// Replies of the demonstration are far smaller.
const MAX_REPLY_BYTES: usize = 1 << 20;
const AIRPORTS: [(&str, &str, &str, i32); 4] = [
    ("US", "SEA", "Seattle", 433),
    ("US", "DEN", "Denver", 5_434),
    ("GB", "LHR", "London", 83),
    ("CH", "ZRH", "Zurich", 1_416),
];

/// Writes entities over the Table API at `endpoint`, and asks for them there and in SQL.
pub async fn show(endpoint: &str, key: &str, sql: &mut Connection) -> anyhow::Result<()> {
    writeln!(stdout(), "\nTable API, table {TABLE}, which is container {TABLES_DATABASE}/{TABLE} of the SQL API:")?;
    let mut tables = Tables::connect(endpoint, key).await?;
    tables.create(TABLE).await?;
    for (country, code, city, elevation) in AIRPORTS {
        let entity = json!({"city": city, "elevationFt": elevation}).to_string();
        tables.send(Method::PUT, &format!("{TABLE}(PartitionKey='{country}',RowKey='{code}')"), entity).await?;
    }
    let filter = "PartitionKey eq 'US' and elevationFt gt 1000";
    let list = format!("{TABLE}()?$filter={}", utf8_percent_encode(filter, NON_ALPHANUMERIC));
    let questions = [
        ("entity ('US', 'SEA')", format!("{TABLE}(PartitionKey='US',RowKey='SEA')")),
        (filter, list),
        ("all entities, in the order of keys", format!("{TABLE}()")),
    ];
    for (question, path) in questions {
        let started = Instant::now();
        let answer = tables.send(Method::GET, &path, String::new()).await?;
        let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        let entities = answer.body["value"].as_array().cloned().unwrap_or_else(|| vec![answer.body.clone()]);
        let mut out = stdout().lock();
        writeln!(out, "\n  {question}\n    -> {} RU; {elapsed_ms:.2} ms", answer.charge_ru)?;
        for entity in entities {
            writeln!(out, "       {entity}")?;
        }
    }
    let container = ContainerLink { database: TABLES_DATABASE.to_owned(), container: TABLE.to_owned() };
    let text = "SELECT c.PartitionKey, c.id, c.city FROM c WHERE c.elevationFt > 1000";
    let started = Instant::now();
    let answer = sql.query(&container, text, None).await?;
    queries::show(&format!("SQL: {text}"), "all logical partitions", &answer, started.elapsed())?;
    Ok(())
}

/// One connection to the Table API.
struct Tables {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
    key: Key,
}

struct Answer {
    body: Value,
    charge_ru: String,
}

impl Tables {
    async fn connect(endpoint: &str, key: &str) -> anyhow::Result<Tables> {
        let authority = endpoint.strip_prefix("http://").context("the Table API has a plain address")?.to_owned();
        let stream = TcpStream::connect(&authority).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends with the sender.
        tokio::spawn(connection);
        Ok(Tables { sender, authority, key: Key::from_base64(key)? })
    }

    /// Creates a table unless it is there from an earlier demonstration.
    async fn create(&mut self, name: &str) -> anyhow::Result<()> {
        let found = self.send(Method::GET, &format!("Tables?$filter=TableName%20eq%20'{name}'"), String::new()).await?;
        if found.body["value"].as_array().is_some_and(Vec::is_empty) {
            self.send(Method::POST, "Tables", json!({"TableName": name}).to_string()).await?;
        }
        Ok(())
    }

    /// Sends a request to a path below the account, signed as Shared Key Lite.
    async fn send(&mut self, method: Method, path: &str, body: String) -> anyhow::Result<Answer> {
        let target = format!("/{ACCOUNT}/{path}");
        let signed_path = target.split('?').next().unwrap_or(&target);
        let date = date_now();
        let text = format!("{}\n/{ACCOUNT}{signed_path}", date.to_str()?);
        let signature = STANDARD.encode(self.key.sign(&[text.as_bytes()]));
        let request = Request::builder()
            .method(method)
            .uri(&target)
            .header(HOST, &self.authority)
            .header("x-ms-date", date)
            .header(AUTHORIZATION, format!("SharedKeyLite {ACCOUNT}:{signature}"))
            .header(ACCEPT, "application/json;odata=nometadata")
            .header(CONTENT_TYPE, "application/json")
            .header("prefer", "return-no-content")
            .body(Full::new(Bytes::from(body)))?;
        self.sender.ready().await?;
        let (head, body) = self.sender.send_request(request).await?.into_parts();
        let body = Limited::new(body, MAX_REPLY_BYTES).collect().await.map_err(anyhow::Error::from_boxed)?.to_bytes();
        ensure!(head.status.is_success(), "the Table API answered {}: {}", head.status, String::from_utf8_lossy(&body));
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        let charge_ru = head.headers.get("x-ms-request-charge").and_then(|charge| charge.to_str().ok()).unwrap_or("?");
        Ok(Answer { body, charge_ru: charge_ru.to_owned() })
    }
}
