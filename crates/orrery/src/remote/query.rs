//! Queries and point reads, with what the server says they cost.

use bytes::Bytes;
use http::HeaderValue;
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::connection::Reply;
use super::link::ContainerLink;
use super::request::Request;
use super::{Connection, RemoteError};

/// One page of an answer.
#[derive(Debug)]
pub struct Answer {
    /// JSON texts.
    pub rows: Vec<Bytes>,
    /// Request units.
    pub charge_ru: f64,
    /// Physical partitions that had a part in it.
    pub ranges: usize,
    /// Where the next page begins; none at the end.
    pub continuation: Option<HeaderValue>,
    /// What the server measured, if it was asked to.
    pub metrics: Option<String>,
}

/// One page of a query.
#[derive(Clone, Debug, Default)]
pub struct QueryRequest<'q> {
    /// The query.
    pub text: &'q str,
    /// Only this logical partition: a JSON array such as `["SE"]`.
    pub partition_key: Option<&'q str>,
    /// Rows of a page at the most; the server's own page size without it.
    pub max_items: Option<u32>,
    /// Where the page begins.
    pub continuation: Option<HeaderValue>,
    /// Whether the server measures.
    pub metrics: bool,
}

impl Connection {
    /// The first page of a query over the whole container, or over one logical partition: a JSON array such as `["SE"]`.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn query(
        &mut self,
        container: &ContainerLink,
        text: &str,
        partition_key: Option<&str>,
    ) -> Result<Answer, RemoteError> {
        self.query_page(container, QueryRequest { text, partition_key, ..QueryRequest::default() }).await
    }

    /// One page of a query.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn query_page(
        &mut self,
        container: &ContainerLink,
        query: QueryRequest<'_>,
    ) -> Result<Answer, RemoteError> {
        #[derive(Deserialize)]
        struct Feed<'a> {
            #[serde(borrow, rename = "Documents")]
            documents: Vec<&'a RawValue>,
        }
        let mut request = query_request(container, query.text);
        if let Some(key) = query.partition_key {
            let key = HeaderValue::try_from(key).map_err(|error| self.unreadable(error))?;
            request = request.with("x-ms-documentdb-partitionkey", key);
        }
        if let Some(max_items) = query.max_items {
            request = request.with("x-ms-max-item-count", HeaderValue::from(max_items));
        }
        if let Some(continuation) = query.continuation {
            request = request.with("x-ms-continuation", continuation);
        }
        if query.metrics {
            request = request.with("x-ms-documentdb-populatequerymetrics", HeaderValue::from_static("True"));
        }
        let reply = self.call(&request).await?;
        let feed: Feed<'_> = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        let rows = feed.documents.iter().map(|row| reply.body.slice_ref(row.get().as_bytes())).collect();
        Ok(Answer {
            rows,
            charge_ru: charge(&reply),
            ranges: ranges(&reply),
            continuation: reply.headers.get("x-ms-continuation").cloned(),
            metrics: reply.header("x-ms-documentdb-query-metrics").map(str::to_owned),
        })
    }

    /// How the server runs a query: the member `explain` of its answer, of whatever shape; none from a server that does not explain.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn explain(&mut self, container: &ContainerLink, text: &str) -> Result<Option<Json>, RemoteError> {
        let request = query_request(container, text).with("x-orrery-explain", HeaderValue::from_static("true"));
        let reply = self.call(&request).await?;
        let mut body: Json = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        Ok(body.get_mut("explain").map(Json::take))
    }

    /// A point read.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_not_found`].
    pub async fn read(
        &mut self,
        container: &ContainerLink,
        id: &str,
        partition_key: &str,
    ) -> Result<Answer, RemoteError> {
        let key = HeaderValue::try_from(partition_key).map_err(|error| self.unreadable(error))?;
        let request = Request::get(container.item_path(id), "docs", container.item_link(id))
            .with("x-ms-documentdb-partitionkey", key);
        let reply = self.call(&request).await?;
        Ok(Answer {
            charge_ru: charge(&reply),
            ranges: ranges(&reply),
            rows: vec![reply.body],
            continuation: None,
            metrics: None,
        })
    }
}

fn query_request(container: &ContainerLink, text: &str) -> Request {
    let body = serde_json::json!({"query": text, "parameters": []}).to_string();
    Request::post(format!("{}/docs", container.path()), "docs", container.link(), body)
        .with("x-ms-documentdb-isquery", HeaderValue::from_static("True"))
        .with("x-ms-documentdb-query-enablecrosspartition", HeaderValue::from_static("True"))
        .with("content-type", HeaderValue::from_static("application/query+json"))
}

fn charge(reply: &Reply) -> f64 {
    reply.header("x-ms-request-charge").and_then(|charge| charge.parse().ok()).unwrap_or_default()
}

/// The session token names each range that the answer came from.
fn ranges(reply: &Reply) -> usize {
    reply.header("x-ms-session-token").map_or(0, |token| token.split(',').count())
}
