//! Lists: the envelope around them, and pages of lists that are in memory.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::StatusCode;
use orrery_engine::JsonMap;
use serde_json::Value as Json;

use super::control_query;
use super::error::ApiError;
use super::reply::Reply;
use super::request::RequestContext;

/// What continuations of lists begin with; those of queries begin with [`QUERY_TOKEN`].
const LIST_TOKEN: &str = "list:";
const QUERY_TOKEN: &str = "query:";
/// Longer continuations are none of this server's.
const MAX_TOKEN_BYTES: usize = 4 * 1024;

/// A list of resources that is in memory as a whole.
pub(crate) struct Feed<'a> {
    /// Rid of the owner; empty for databases and offers.
    pub owner_rid: &'a str,
    /// Name of the list in the envelope.
    pub plural: &'static str,
    /// The resources, in ascending order of their positions.
    pub entries: Vec<Entry>,
}

/// A resource in a list.
pub(crate) struct Entry {
    /// Where it stands: stays the same while others come and go, so that pages neither repeat nor lose any.
    pub position: String,
    pub body: JsonMap,
}

/// The body of a feed: `{"_rid": …, "<plural>": [ … ], "_count": n}`. `rows` are finished JSON texts.
pub(crate) fn envelope(owner_rid: &str, plural: &str, rows: &[impl AsRef<[u8]>]) -> Bytes {
    let rows_bytes: usize = rows.iter().map(|row| row.as_ref().len() + 1).sum();
    let mut body = Vec::with_capacity(rows_bytes + owner_rid.len() + plural.len() + 48);
    body.extend_from_slice(b"{\"_rid\":");
    body.extend_from_slice(Json::from(owner_rid).to_string().as_bytes());
    body.extend_from_slice(b",\"");
    body.extend_from_slice(plural.as_bytes());
    body.extend_from_slice(b"\":[");
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(row.as_ref());
    }
    body.extend_from_slice(format!("],\"_count\":{}}}", rows.len()).as_bytes());
    body.into()
}

impl Feed<'_> {
    /// The page the client asks for.
    ///
    /// # Errors
    /// 400 for a continuation that is not this list's.
    pub fn list(self, cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
        let after = match cx.continuation()? {
            None => None,
            Some(token) => Some(position_of(&token)?),
        };
        let max_items = cx.page_items()?;
        let mut rest = self
            .entries
            .into_iter()
            .filter(|entry| after.as_ref().is_none_or(|after| entry.position > *after))
            .peekable();
        let mut last = String::new();
        let mut rows = Vec::new();
        while rows.len() < max_items
            && let Some(entry) = rest.next()
        {
            rows.push(Json::Object(entry.body).to_string());
            last = entry.position;
        }
        let more = rest.peek().is_some();
        let token = more.then(|| format!("{LIST_TOKEN}{}", URL_SAFE_NO_PAD.encode(last)));
        Ok(page(self.owner_rid, self.plural, &rows, token.as_deref()))
    }

    /// The page of the query in `body` over the list.
    ///
    /// # Errors
    /// 400 for a wrong query or a continuation that is not a query's.
    pub fn query(self, cx: &RequestContext<'_>, body: &[u8]) -> Result<Reply, ApiError> {
        let skip = match cx.continuation()? {
            None => 0,
            Some(token) => offset_of(&token)?,
        };
        let max_items = cx.page_items()?;
        let resources = self.entries.into_iter().map(|entry| entry.body);
        let all = control_query::run(body, resources)?;
        let rows: Vec<_> = all.iter().skip(skip).take(max_items).collect();
        let end = skip.saturating_add(rows.len());
        let token = (end < all.len()).then(|| format!("{QUERY_TOKEN}{end}"));
        Ok(page(self.owner_rid, self.plural, &rows, token.as_deref()))
    }
}

fn page(owner_rid: &str, plural: &str, rows: &[impl AsRef<[u8]>], continuation: Option<&str>) -> Reply {
    Reply::text(StatusCode::OK, envelope(owner_rid, plural, rows)).item_count(rows.len()).continuation(continuation)
}

fn position_of(token: &str) -> Result<String, ApiError> {
    let encoded =
        token.strip_prefix(LIST_TOKEN).filter(|encoded| encoded.len() <= MAX_TOKEN_BYTES).ok_or_else(bad_token)?;
    let position = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| bad_token())?;
    String::from_utf8(position).map_err(|_| bad_token())
}

fn offset_of(token: &str) -> Result<usize, ApiError> {
    token.strip_prefix(QUERY_TOKEN).and_then(|offset| offset.parse().ok()).ok_or_else(bad_token)
}

fn bad_token() -> ApiError {
    ApiError::bad_request("Invalid Continuation Token: it was not issued for this request")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_counts_its_rows() {
        assert_eq!(
            envelope("a\"b", "Documents", &["1", "{}"]),
            "{\"_rid\":\"a\\\"b\",\"Documents\":[1,{}],\"_count\":2}"
        );
        assert_eq!(envelope("", "Databases", &[""; 0]), "{\"_rid\":\"\",\"Databases\":[],\"_count\":0}");
    }

    #[test]
    fn tokens_survive_the_round_trip_and_garbage_is_refused() {
        let token = format!("{LIST_TOKEN}{}", URL_SAFE_NO_PAD.encode("ü/1"));
        assert_eq!(position_of(&token).unwrap(), "ü/1");
        assert_eq!(offset_of("query:20").unwrap(), 20);
        for garbage in ["", "list:%%", "list:_w", "query:", "query:-1", "+RID:~x"] {
            assert!(position_of(garbage).is_err() || garbage.is_empty(), "{garbage}");
            assert!(offset_of(garbage).is_err(), "{garbage}");
        }
    }
}
