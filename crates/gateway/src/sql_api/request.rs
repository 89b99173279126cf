//! One request as handlers see it: typed headers over the raw ones.
//!
//! Headers are read when asked for: a point read asks for three or four of some twenty.

use http::request::Parts;
use http::{HeaderName, Method, StatusCode, header};
use orrery_engine::{Condition, Engine};

use super::app::SqlApi;
use super::error::ApiError;
use super::header_names as names;
use crate::listen::Connection;

/// Largest body of a request on databases, containers and other control-plane resources.
pub(crate) const MAX_CONTROL_BODY_BYTES: usize = 2 * 1024 * 1024;
/// Largest body of a request on items: a batch of the largest size and its framing. Single items have a lower bound of their own.
pub(crate) const MAX_ITEM_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Results in a page when the client leaves the choice to the server.
pub(crate) const DEFAULT_PAGE_ITEMS: usize = 100;
/// Most results in a page, whatever the client asks for.
pub(crate) const MAX_PAGE_ITEMS: usize = 10_000;

/// What a POST to a container's items does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostKind {
    /// A transactional batch, or bulk.
    Batch,
    QueryPlan,
    Query,
    Upsert,
    Create,
}

/// A request without its body.
pub(crate) struct RequestContext<'a> {
    pub api: &'a SqlApi,
    pub head: &'a Parts,
    pub connection: &'a Connection,
    /// The client's name for the request, or one made up for it.
    pub activity_id: &'a str,
}

impl RequestContext<'_> {
    /// The databases, containers and items.
    pub fn engine(&self) -> &Engine {
        &self.api.engine
    }

    /// Whether to refuse what the service refuses, even where this server could do it.
    pub fn is_strict(&self) -> bool {
        self.api.strict
    }

    /// The request's method.
    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// A header as text; absent and empty are the same.
    ///
    /// # Errors
    /// 400 if its value is not UTF-8.
    pub fn text(&self, name: &HeaderName) -> Result<Option<&str>, ApiError> {
        let Some(value) = self.head.headers.get(name) else { return Ok(None) };
        let text = std::str::from_utf8(value.as_bytes())
            .map_err(|_| ApiError::bad_request(format!("The value of the header '{name}' is not UTF-8")))?;
        let text = text.trim();
        Ok((!text.is_empty()).then_some(text))
    }

    /// Whether any of these headers was sent: one walk over those that were, which for rare ones costs less than to hash the names.
    pub fn has_any(&self, names: &[&HeaderName]) -> bool {
        self.head.headers.keys().any(|sent| names.contains(&sent))
    }

    /// Whether a header says `true`, in any case.
    pub fn flag(&self, name: &HeaderName) -> bool {
        self.optional_flag(name) == Some(true)
    }

    /// What a header says: `None` if it is absent or neither `true` nor `false`.
    pub fn optional_flag(&self, name: &HeaderName) -> Option<bool> {
        let value = self.head.headers.get(name)?.as_bytes().trim_ascii();
        if value.eq_ignore_ascii_case(b"true") {
            Some(true)
        } else if value.eq_ignore_ascii_case(b"false") {
            Some(false)
        } else {
            None
        }
    }

    /// A whole number in a header.
    ///
    /// # Errors
    /// 400 naming the header, if it holds anything else.
    pub fn integer(&self, name: &HeaderName) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let parsed = text.parse().map_err(|_| {
            ApiError::bad_request(format!("The value '{text}' of the header '{name}' is not a whole number"))
        })?;
        Ok(Some(parsed))
    }

    /// Whether the body is a query: by either header, or by its media type.
    pub fn is_query(&self) -> bool {
        self.flag(&names::IS_QUERY) || self.flag(&names::IS_QUERY_OLD) || self.has_media_type("application/query+json")
    }

    /// Whether the client asks for a query's plan instead of its results.
    pub fn is_query_plan(&self) -> bool {
        self.flag(&names::IS_QUERY_PLAN)
    }

    /// What a POST to a container's items does. Authorisation and the handler must agree on it, so both ask here.
    pub fn post_kind(&self) -> PostKind {
        if self.flag(&names::IS_BATCH) {
            PostKind::Batch
        } else if self.is_query_plan() {
            PostKind::QueryPlan
        } else if self.is_query() {
            PostKind::Query
        } else if self.flag(&names::IS_UPSERT) {
            PostKind::Upsert
        } else {
            PostKind::Create
        }
    }

    /// Whether the body's media type is `media_type`, whatever its parameters.
    pub fn has_media_type(&self, media_type: &str) -> bool {
        let value = self.head.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes());
        let essence = value.and_then(|value| value.split(|byte| *byte == b';').next());
        essence.is_some_and(|essence| essence.trim_ascii().eq_ignore_ascii_case(media_type.as_bytes()))
    }

    /// Whether the client wants no body back from a write.
    pub fn prefers_minimal(&self) -> bool {
        let wants = |value: &http::HeaderValue| {
            value.as_bytes().split(|byte| matches!(byte, b',' | b';')).any(|part| {
                let mut part = part.to_ascii_lowercase();
                part.retain(|byte| !byte.is_ascii_whitespace());
                part == b"return=minimal"
            })
        };
        self.head.headers.get_all(&names::PREFER).iter().any(wants)
    }

    /// What If-Match or If-None-Match demand; If-Match wins, as on the service.
    ///
    /// # Errors
    /// 400 if the header is not UTF-8.
    pub fn condition(&self) -> Result<Condition, ApiError> {
        if let Some(etag) = self.text(&names::IF_MATCH)? {
            return Ok(Condition::IfMatch(etag.to_owned()));
        }
        Ok(match self.text(&names::IF_NONE_MATCH)? {
            Some(etag) => Condition::IfNoneMatch(etag.to_owned()),
            None => Condition::None,
        })
    }

    /// Ends the read of a control-plane resource that the client has already.
    ///
    /// # Errors
    /// 304 if If-None-Match names `etag`, given without its quotes.
    pub fn check_not_modified(&self, etag: &str) -> Result<(), ApiError> {
        let known = self.text(&names::IF_NONE_MATCH)?;
        match known.is_some_and(|known| known == "*" || known.trim_matches('"') == etag) {
            true => Err(orrery_engine::Error::NotModified.into()),
            false => Ok(()),
        }
    }

    /// Results the page may hold: the client's wish within [`MAX_PAGE_ITEMS`], or [`DEFAULT_PAGE_ITEMS`].
    ///
    /// # Errors
    /// 400 unless the header is -1 or positive.
    pub fn page_items(&self) -> Result<usize, ApiError> {
        match self.integer(&names::MAX_ITEM_COUNT)? {
            None | Some(-1) => Ok(DEFAULT_PAGE_ITEMS),
            Some(count) if count > 0 => {
                Ok(usize::try_from(count).map_or(MAX_PAGE_ITEMS, |count| count.min(MAX_PAGE_ITEMS)))
            }
            Some(count) => Err(ApiError::bad_request(format!(
                "The value {count} of the header '{}' must be -1 or greater than 0",
                names::MAX_ITEM_COUNT
            ))),
        }
    }

    /// Where the page begins, as an earlier page told.
    ///
    /// # Errors
    /// 400 if the header is not UTF-8.
    pub fn continuation(&self) -> Result<Option<String>, ApiError> {
        Ok(self.text(&names::CONTINUATION)?.map(str::to_owned))
    }

    /// The longest continuation that the client wants; none if it does not say, or sends the 0 of no limit.
    ///
    /// # Errors
    /// 400 if the header is not a whole number.
    pub fn continuation_limit_bytes(&self) -> Result<Option<usize>, ApiError> {
        let limit_kb = self.integer(&names::CONTINUATION_LIMIT_KB)?.filter(|limit_kb| *limit_kb > 0);
        Ok(limit_kb.map(|limit_kb| usize::try_from(limit_kb).map_or(usize::MAX, |kb| kb.saturating_mul(1024))))
    }

    /// Checks the wanted consistency. One replica gives every reader the newest version, so that only a strict server
    /// refuses levels above the account's.
    ///
    /// # Errors
    /// 400 for an unknown level, and for one that the account does not offer.
    pub fn check_consistency(&self) -> Result<(), ApiError> {
        let Some(level) = self.text(&names::CONSISTENCY_LEVEL)? else { return Ok(()) };
        let is = |known: &&str| known.eq_ignore_ascii_case(level);
        if ["Session", "ConsistentPrefix", "Eventual"].iter().any(is) {
            return Ok(());
        }
        if !["Strong", "BoundedStaleness"].iter().any(is) {
            return Err(ApiError::bad_request(format!("The consistency level '{level}' does not exist")));
        }
        if self.is_strict() {
            return Err(ApiError::new(
                StatusCode::BAD_REQUEST,
                format!(
                    "ConsistencyLevel {level} specified in the request is invalid when the account is configured with consistency level Session. Ensure that the request consistency level is not stronger than the service consistency level."
                ),
            ));
        }
        Ok(())
    }
}
