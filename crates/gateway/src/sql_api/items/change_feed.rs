//! The change feed: items in the order of their newest versions. Its continuation is the `etag` header.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, FeedStart};

use super::{envelope, scope, session};
use crate::auth::parse_rfc1123;
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// One page of changes; 304 when there is nothing new. `kind` is the value of `A-IM`.
pub(super) async fn read(cx: &RequestContext<'_>, container: &Arc<Container>, kind: &str) -> Result<Reply, ApiError> {
    check_kind(kind)?;
    let start = start(cx.text(&names::IF_NONE_MATCH)?, cx.text(&names::IF_MODIFIED_SINCE)?)?;
    let place = scope::feed_place(cx, container)?;
    session::await_token(cx, container, &place.reach).await?;
    let newest = container.head();
    let page = cx.engine().change_feed(container, &place.scope, start, cx.page_items()?).await?;
    let reply = match page.items.is_empty() {
        true => Reply::empty(StatusCode::NOT_MODIFIED),
        false => Reply::text(StatusCode::OK, envelope::items_with_lsn(container, &page.items)),
    };
    let reply = reply.charge(page.charge_ru).item_count(page.items.len()).etag(&page.position.to_string());
    Ok(session::stamp(reply, container, &place.reach, newest.max(page.position)))
}

fn check_kind(kind: &str) -> Result<(), ApiError> {
    if kind.eq_ignore_ascii_case("incremental feed") {
        Ok(())
    } else if kind.eq_ignore_ascii_case("full-fidelity feed") {
        Err(ApiError::bad_request(
            "The change feed mode 'Full-Fidelity Feed' (all versions and deletes) is not supported yet: use 'Incremental Feed', the latest version of each item",
        ))
    } else {
        Err(ApiError::bad_request(format!(
            "The value '{}' of the header '{}' is not a kind of change feed: use 'Incremental Feed'",
            kind.chars().take(80).collect::<String>(),
            names::A_IM
        )))
    }
}

/// Where to begin. A position wins over a time, as on the service.
fn start(position: Option<&str>, since: Option<&str>) -> Result<FeedStart, ApiError> {
    match (position, since) {
        (Some("*"), _) => Ok(FeedStart::Now),
        (Some(position), _) => {
            let number = position.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(position);
            number.parse().map(FeedStart::After).map_err(|_| {
                ApiError::bad_request(format!(
                    "The value '{}' of the header '{}' is not a position of this change feed: send the etag of the last page, or '*'",
                    position.chars().take(80).collect::<String>(),
                    names::IF_NONE_MATCH
                ))
            })
        }
        (None, Some(date)) => match parse_rfc1123(date).and_then(|seconds| u64::try_from(seconds).ok()) {
            Some(seconds) => Ok(FeedStart::Time(seconds)),
            None => Err(ApiError::bad_request(format!(
                "The value '{}' of the header '{}' is not a date such as 'Tue, 15 Nov 1994 08:12:31 GMT'",
                date.chars().take(80).collect::<String>(),
                names::IF_MODIFIED_SINCE
            ))),
        },
        (None, None) => Ok(FeedStart::Beginning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_read_from_either_header() {
        assert_eq!(start(None, None).unwrap(), FeedStart::Beginning);
        assert_eq!(start(Some("*"), None).unwrap(), FeedStart::Now);
        assert_eq!(start(Some("\"42\""), Some("Thu, 01 Jan 1970 00:00:09 GMT")).unwrap(), FeedStart::After(42));
        assert_eq!(start(Some("42"), None).unwrap(), FeedStart::After(42));
        assert_eq!(start(None, Some("Thu, 01 Jan 1970 00:00:09 GMT")).unwrap(), FeedStart::Time(9));
    }

    #[test]
    fn what_is_no_start_is_refused() {
        for (position, since) in
            [(Some("\"x\""), None), (Some("-1"), None), (Some(""), None), (None, Some("yesterday"))]
        {
            assert_eq!(start(position, since).unwrap_err().status.as_u16(), 400, "{position:?} {since:?}");
        }
    }

    #[test]
    fn only_the_incremental_feed_is_served() {
        assert!(check_kind("Incremental feed").is_ok() && check_kind("incremental FEED").is_ok());
        assert!(check_kind("Full-Fidelity Feed").unwrap_err().reason().contains("not supported yet"));
        assert!(check_kind("gzip").unwrap_err().reason().contains("'gzip'"));
    }
}
