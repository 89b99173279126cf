//! Continuation tokens: where a page ended, in a form that clients carry and cannot misuse.
//!
//! ```text
//! base64url( version u8 | kind u8 | checksum u64 | payload )
//! ```
//! The checksum covers the payload, the container's rid and the fingerprint of the request, so that a token of another container
//! or query, or a damaged one, is refused instead of giving wrong rows. Tokens hold no server state and survive restarts and splits.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::catalog::Container;

const VERSION: u8 = 1;
/// Longest token that is looked at.
pub const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// What a token continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A list of items.
    List = 1,
    /// A query.
    Query = 2,
}

/// Makes a token. `fingerprint` identifies the request whose next page it is.
pub(crate) fn encode(kind: Kind, container: &Container, fingerprint: u64, payload: &[u8]) -> String {
    let mut bytes = vec![VERSION, kind as u8];
    bytes.extend_from_slice(&checksum(container, fingerprint, payload).to_be_bytes());
    bytes.extend_from_slice(payload);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The payload of a token.
///
/// # Errors
/// [`Error::Invalid`] if it is damaged, of another kind, of another container or of another request.
pub(crate) fn decode(token: &str, kind: Kind, container: &Container, fingerprint: u64) -> Result<Vec<u8>, Error> {
    let wrong = || {
        Error::invalid(
            "the continuation token is malformed, or belongs to another request or container: repeat the request without it",
        )
    };
    if token.len() > MAX_TOKEN_BYTES {
        return Err(wrong());
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token.trim().trim_matches('"')).map_err(|_| wrong())?;
    let (head, payload) = bytes.split_at_checked(10).ok_or_else(wrong)?;
    let expected = checksum(container, fingerprint, payload);
    let genuine = head[0] == VERSION && head[1] == kind as u8 && head[2..] == expected.to_be_bytes();
    if genuine { Ok(payload.to_vec()) } else { Err(wrong()) }
}

fn checksum(container: &Container, fingerprint: u64, payload: &[u8]) -> u64 {
    let seed = u64::from_be_bytes(*container.rid_bytes()) ^ fingerprint;
    xxh3_64_with_seed(payload, seed)
}
