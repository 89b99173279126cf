//! Items: written many at a time, and read page by page.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{is_busy, said};
use super::link::ContainerLink;
use super::request::Request;
use super::{Connection, RemoteError};

/// Items of one bulk request at the most.
pub const MAX_BULK_ITEMS: usize = 100;
/// Items of one page; it ends sooner where it reaches 4 MiB.
const PAGE_ITEMS: u32 = 1_000;

/// An item to be written.
#[derive(Clone, Copy, Debug)]
pub struct BulkItem<'a> {
    /// Its JSON text.
    pub text: &'a [u8],
    /// Its partition key as a JSON array.
    pub key: &'a str,
}

/// What became of one item of a bulk request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulkOutcome {
    /// It is stored.
    Done,
    /// The server had no time for it, and asks to wait so long if it says.
    Later(Option<Duration>),
    /// It cannot be stored.
    Rejected(String),
}

/// A page of items.
#[derive(Debug)]
pub struct Page {
    /// JSON texts.
    pub items: Vec<Bytes>,
    /// Where the next page begins; none at the end.
    pub continuation: Option<HeaderValue>,
}

impl Connection {
    /// Creates or replaces items of one partition key range, each on its own; one outcome for each, in order.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_range_gone`].
    pub async fn bulk_upsert(
        &mut self,
        container: &ContainerLink,
        range: &str,
        items: &[BulkItem<'_>],
    ) -> Result<Vec<BulkOutcome>, RemoteError> {
        if let [item] = items {
            return Ok(vec![self.upsert(container, item).await?]);
        }
        let range = HeaderValue::try_from(range).map_err(|error| self.unreadable(error))?;
        let request = Request::post(format!("{}/docs", container.path()), "docs", container.link(), bulk_body(items))
            .with("x-ms-cosmos-is-batch-request", HeaderValue::from_static("True"))
            .with("x-ms-cosmos-batch-atomic", HeaderValue::from_static("False"))
            .with("x-ms-cosmos-batch-continue-on-error", HeaderValue::from_static("True"))
            .with("x-ms-documentdb-partitionkeyrangeid", range)
            .with("prefer", HeaderValue::from_static("return=minimal"));
        let reply = self.call(&request).await?;
        let results: Vec<BulkResult> = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        if results.len() != items.len() {
            return Err(self.unreadable(format!("{} results for {} items", results.len(), items.len())));
        }
        Ok(results.into_iter().map(BulkResult::into_outcome).collect())
    }

    /// One item alone, which may be as large as the request's limit.
    async fn upsert(&mut self, container: &ContainerLink, item: &BulkItem<'_>) -> Result<BulkOutcome, RemoteError> {
        let body = Bytes::copy_from_slice(item.text);
        let key = HeaderValue::try_from(ascii_json(item.key)).map_err(|error| self.unreadable(error))?;
        let request = Request::post(format!("{}/docs", container.path()), "docs", container.link(), body)
            .with("x-ms-documentdb-is-upsert", HeaderValue::from_static("True"))
            .with("x-ms-documentdb-partitionkey", key)
            .with("prefer", HeaderValue::from_static("return=minimal"));
        match self.call(&request).await {
            Ok(_) => Ok(BulkOutcome::Done),
            Err(error) if error.is_item_fault() => Ok(BulkOutcome::Rejected(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Reads a page of all items of a container.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn page(
        &mut self,
        container: &ContainerLink,
        continuation: Option<HeaderValue>,
    ) -> Result<Page, RemoteError> {
        #[derive(Deserialize)]
        struct Feed<'a> {
            #[serde(borrow, rename = "Documents")]
            documents: Vec<&'a RawValue>,
        }
        let mut request = Request::get(format!("{}/docs", container.path()), "docs", container.link())
            .with("x-ms-max-item-count", HeaderValue::from(PAGE_ITEMS));
        if let Some(continuation) = continuation {
            request = request.with("x-ms-continuation", continuation);
        }
        let reply = self.call(&request).await?;
        let feed: Feed<'_> = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        let items = feed.documents.iter().map(|item| reply.body.slice_ref(item.get().as_bytes())).collect();
        Ok(Page { items, continuation: reply.headers.get("x-ms-continuation").cloned() })
    }
}

fn bulk_body(items: &[BulkItem<'_>]) -> Vec<u8> {
    let bytes: usize = items.iter().map(|item| item.text.len() + 2 * item.key.len() + 80).sum();
    let mut body = Vec::with_capacity(bytes);
    for (item, index) in items.iter().zip(0..) {
        body.push(if index == 0 { b'[' } else { b',' });
        body.extend_from_slice(br#"{"operationType":"Upsert","minimalReturnPreference":true,"partitionKey":"#);
        // A string is always serialisable, and writing to a `Vec` cannot fail.
        let _ = serde_json::to_writer(&mut body, item.key);
        body.extend_from_slice(br#","resourceBody":"#);
        body.extend_from_slice(item.text);
        body.push(b'}');
    }
    body.push(b']');
    body
}

/// The JSON text with escapes for what a header cannot hold.
fn ascii_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        match character {
            ' '..='~' => out.push(character),
            _ => character.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BulkResult {
    status_code: u16,
    #[serde(default)]
    sub_status_code: u32,
    retry_after_milliseconds: Option<u64>,
    message: Option<String>,
}

impl BulkResult {
    fn into_outcome(self) -> BulkOutcome {
        match StatusCode::from_u16(self.status_code) {
            Ok(status) if status.is_success() => BulkOutcome::Done,
            Ok(status) if is_busy(status) || status == StatusCode::GONE => {
                BulkOutcome::Later(self.retry_after_milliseconds.map(Duration::from_millis))
            }
            _ => {
                let (status, sub_status) = (self.status_code, self.sub_status_code);
                let said = self
                    .message
                    .map(|message| said(&message))
                    .map(|message| format!(": {message}"))
                    .unwrap_or_default();
                let sub_status = if sub_status == 0 { String::new() } else { format!(", sub-status {sub_status}") };
                BulkOutcome::Rejected(format!("the server answered {status}{sub_status}{said}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bulk_bodies_are_arrays_of_upserts() {
        let items =
            [BulkItem { text: br#"{"id":"a"}"#, key: r#"["x"]"# }, BulkItem { text: br#"{"id":"b"}"#, key: "[{}]" }];
        let body: serde_json::Value = serde_json::from_slice(&bulk_body(&items)).unwrap();
        assert_eq!(body[0]["partitionKey"], r#"["x"]"#);
        assert_eq!(body[1]["resourceBody"]["id"], "b");
        assert_eq!(body[1]["operationType"], "Upsert");
    }

    #[test]
    fn results_say_done_later_or_never() {
        let outcome = |text: &str| serde_json::from_str::<BulkResult>(text).unwrap().into_outcome();
        assert_eq!(outcome(r#"{"statusCode":201,"eTag":"x"}"#), BulkOutcome::Done);
        let later = BulkOutcome::Later(Some(Duration::from_millis(12)));
        assert_eq!(outcome(r#"{"statusCode":429,"retryAfterMilliseconds":12}"#), later);
        assert_eq!(outcome(r#"{"statusCode":449}"#), BulkOutcome::Later(None));
        let rejected = BulkOutcome::Rejected("the server answered 400, sub-status 1001: wrong key".into());
        assert_eq!(outcome(r#"{"statusCode":400,"subStatusCode":1001,"message":"wrong key"}"#), rejected);
    }

    #[test]
    fn keys_fit_into_headers() {
        assert_eq!(ascii_json(r#"["é😀",1]"#), r#"["\u00e9\ud83d\ude00",1]"#);
    }
}
