//! Session tokens: which version of which partition key range a client has seen.
//!
//! ```text
//! 0:-1#42,3:-1#42          range id ':' version '#' LSN, one entry for each range
//! 0:1#42#1=41#2=40         from a server with regions: what follows the second '#' is each region's progress
//! 0:42                     from old clients
//! ```
//! All ranges of a container count their versions together, so that every entry of a reply has the same LSN.

use std::fmt::Write;
use std::time::Duration;

use http::HeaderValue;
use orrery_engine::{Container, Error, PartitionMap};

use super::scope::Reach;
use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::reply::Reply;
use crate::sql_api::request::RequestContext;

/// How long a request waits for a version that its token names. There is one replica, so that only a token of another
/// container or server is still ahead when the time is over.
const MAX_WAIT: Duration = Duration::from_millis(250);
/// How often it looks.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Entries in a reply's token at the most. A client needs none of them to see its own writes here, and a header of
/// thousands would be refused on its way.
const MAX_TOKEN_ENTRIES: usize = 64;

/// Makes sure that what the client has seen is here.
///
/// # Errors
/// 400 for a malformed token, 404/1002 if the container's newest version stays below the token's.
pub(super) async fn await_token(cx: &RequestContext<'_>, container: &Container, reach: &Reach) -> Result<(), ApiError> {
    let Some(token) = cx.text(&names::SESSION_TOKEN)? else { return Ok(()) };
    let malformed = || {
        ApiError::bad_request(format!(
            "The session token provided '{}' is invalid.",
            token.chars().take(200).collect::<String>()
        ))
    };
    let wanted = wanted(token, &container.partitions(), reach).ok_or_else(malformed)?;
    if wanted <= container.head() {
        return Ok(());
    }
    let reached = async {
        while container.head() < wanted {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let waited = tokio::time::timeout(MAX_WAIT, reached).await;
    waited.map_err(|_| Error::SessionNotAvailable { wanted, newest: container.head() }.into())
}

/// Puts on a reply what every reply about items has: the session token, the newest version and the owner's paths.
pub(super) fn stamp(reply: Reply, container: &Container, reach: &Reach, newest: u64) -> Reply {
    let newest = HeaderValue::from(newest);
    let token = token(reach, newest.to_str().unwrap_or_default());
    reply.shared(names::SESSION_TOKEN, token).container_paths(container).lsn(newest)
}

/// `newest` is the number in digits, as a reply has it in other headers as well.
fn token(reach: &Reach, newest: &str) -> String {
    let mut token = String::with_capacity(32);
    for (index, range) in reach.ranges().iter().take(MAX_TOKEN_ENTRIES).enumerate() {
        if index > 0 {
            token.push(',');
        }
        // Writing to a `String` cannot fail.
        let _ = write!(token, "{range}");
        token.push_str(":-1#");
        token.push_str(newest);
    }
    token
}

/// The highest LSN that `token` names for the ranges reached or for one they came from; 0 if it names none of them. `None` for
/// a malformed token.
fn wanted(token: &str, partitions: &PartitionMap, reach: &Reach) -> Option<u64> {
    let mut highest = 0;
    for entry in token.split(',') {
        let (range, progress) = entry.trim().split_once(':')?;
        let range: u32 = range.parse().ok()?;
        let lsn = lsn(progress)?;
        if lsn > highest && concerns(range, partitions, reach) {
            highest = lsn;
        }
    }
    Some(highest)
}

fn concerns(range: u32, partitions: &PartitionMap, reach: &Reach) -> bool {
    let is_parent =
        |id: &u32| partitions.ranges().iter().any(|known| known.id == *id && known.parents.contains(&range));
    reach.ranges().contains(&range) || reach.ranges().iter().any(is_parent)
}

/// The LSN in `-1#42`, `1#42#1=41` or `42`.
fn lsn(progress: &str) -> Option<u64> {
    let mut parts = progress.split('#');
    let first = parts.next()?;
    let Some(lsn) = parts.next() else { return first.parse().ok() };
    first.parse::<i64>().ok()?;
    let is_region = |part: &str| {
        part.split_once('=').is_some_and(|(region, lsn)| region.parse::<u64>().is_ok() && lsn.parse::<i64>().is_ok())
    };
    parts.all(is_region).then(|| lsn.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use orrery_value::{Epk, PartitionKeyDefinition, PropertyPath};
    use proptest::prelude::*;

    use super::*;

    fn two_ranges() -> PartitionMap {
        let definition =
            PartitionKeyDefinition::try_new("Hash", Some(2), vec![PropertyPath::parse("/pk").unwrap()]).unwrap();
        PartitionMap::even(&definition, 1).split(0, Epk::parse("20").unwrap()).unwrap()
    }

    #[test]
    fn each_form_of_a_token_is_read() {
        let map = two_ranges();
        let reached = Reach::One(1);
        for (token, expected) in [
            ("1:-1#42", Some(42)),
            ("1:1#42#1=41", Some(42)),
            ("1:0#7#1=41#2=-1", Some(7)),
            ("1:9", Some(9)),
            ("2:-1#50, 1:-1#8", Some(8)),
            ("2:-1#50", Some(0)),
            ("0:-1#11,1:-1#8", Some(11)),
        ] {
            assert_eq!(wanted(token, &map, &reached), expected, "{token}");
        }
    }

    #[test]
    fn malformed_tokens_are_told_apart() {
        let map = two_ranges();
        for token in [
            "42",
            "x:-1#4",
            "0:",
            "0:-1#",
            "0:-1#x",
            "0:x#4",
            "0:-1#4#1",
            "0:-1#4#a=1",
            "0:-1#4,",
            ",",
            "0:-1#-4",
            "d1f0:77",
        ] {
            assert_eq!(wanted(token, &map, &Reach::One(1)), None, "{token}");
        }
    }

    #[test]
    fn replies_name_the_ranges_reached() {
        assert_eq!(token(&Reach::One(3), "42"), "3:-1#42");
        assert_eq!(token(&Reach::Many(vec![1, 2]), "7"), "1:-1#7,2:-1#7");
        let many = token(&Reach::Many((0..1000).collect()), "7");
        assert_eq!(many.split(',').count(), MAX_TOKEN_ENTRIES);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9:#=,x -]{0,30}") {
            let _ = wanted(&text, &two_ranges(), &Reach::Many(vec![1, 2]));
        }

        #[test]
        fn what_is_sent_is_understood(lsn: u64) {
            let reach = Reach::Many(vec![1, 2]);
            prop_assert_eq!(wanted(&token(&reach, &lsn.to_string()), &two_ranges(), &reach), Some(lsn));
        }
    }
}
