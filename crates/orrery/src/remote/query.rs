//! Queries and point reads, with what the server says they cost.

use bytes::Bytes;
use http::HeaderValue;
use serde::Deserialize;
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
        #[derive(Deserialize)]
        struct Feed<'a> {
            #[serde(borrow, rename = "Documents")]
            documents: Vec<&'a RawValue>,
        }
        let body = serde_json::json!({"query": text, "parameters": []}).to_string();
        let mut request = Request::post(format!("{}/docs", container.path()), "docs", container.link(), body)
            .with("x-ms-documentdb-isquery", HeaderValue::from_static("True"))
            .with("x-ms-documentdb-query-enablecrosspartition", HeaderValue::from_static("True"))
            .with("content-type", HeaderValue::from_static("application/query+json"));
        if let Some(key) = partition_key {
            let key = HeaderValue::try_from(key).map_err(|error| self.unreadable(error))?;
            request = request.with("x-ms-documentdb-partitionkey", key);
        }
        let reply = self.call(&request).await?;
        let feed: Feed<'_> = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        let rows = feed.documents.iter().map(|row| reply.body.slice_ref(row.get().as_bytes())).collect();
        Ok(Answer { rows, charge_ru: charge(&reply), ranges: ranges(&reply) })
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
        Ok(Answer { charge_ru: charge(&reply), ranges: ranges(&reply), rows: vec![reply.body] })
    }
}

fn charge(reply: &Reply) -> f64 {
    reply.header("x-ms-request-charge").and_then(|charge| charge.parse().ok()).unwrap_or_default()
}

/// The session token names each range that the answer came from.
fn ranges(reply: &Reply) -> usize {
    reply.header("x-ms-session-token").map_or(0, |token| token.split(',').count())
}
