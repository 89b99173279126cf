//! Where a page of a query ended: the payload of its continuation token.
//!
//! ```text
//! scan   1 | rows to skip u64 | rows to give u64 | key of the last item examined, without its container
//!        4 | rows to skip u64 | rows to give u64 | rows of the next item that are passed u64 | that item's key
//! sort   2 | rows to skip u64 | rows to give u64 | rows passed u64 | number u128 | ordinal u64 | sort keys
//! group  5 | rows to skip u64 | rows to give u64 | hash of the last group u128
//! any    3 | rows to skip u64 | rows to give u64 | rows passed u64
//! ```
//! Big-endian; all ones are given if there is no limit. The third form begins at the first row.

use orrery_value::Value;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::cursor_value::{self, read_u64};
use crate::Error;
use crate::catalog::Container;
use crate::continuation::{self, Kind};
use crate::item::Scope;
use crate::query::{Plan, Query};

/// Longest sort position that a token carries unless the client sets a lower limit: tokens travel in headers, which clients and
/// proxies keep short.
const MAX_POSITION_BYTES: usize = 3 * 1024;

/// Bytes of a token that are no position: what is in front of it, with a reserve.
const TOKEN_OVERHEAD_BYTES: usize = 64;

const NO_LIMIT: u64 = u64::MAX;

/// What is left of a query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct Cursor {
    /// Rows that are still to be skipped.
    pub skip: u64,
    /// Rows that may still be given out.
    pub limit: Option<u64>,
    /// Where to go on.
    pub place: Place,
}

/// A place between two rows.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) enum Place {
    /// Before the first row.
    Start,
    /// In the order of keys, after the item with this key.
    AfterKey(Vec<u8>),
    /// In the order of keys, inside of an item that gives several rows.
    Within {
        /// The item's key.
        rest: Vec<u8>,
        /// Its rows before this place.
        rows: u64,
    },
    /// In the order of the hashes of groups, after the group with this one.
    AfterHash(u128),
    /// In the order of sorting.
    Sorted {
        /// Rows before this place, so that it can be found again by counting.
        passed: u64,
        /// The row before it; without one, the place is before the first row.
        after: Option<Position>,
    },
}

/// The place of a row in the order of sorting. No two rows have the same.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct Position {
    pub keys: Vec<Value>,
    /// The document number, or the hash of a row that others were folded into.
    pub number: u128,
    /// The row's place among those of the same item.
    pub ordinal: u64,
}

impl Cursor {
    /// The beginning of a plan's rows.
    pub fn start(plan: &Plan) -> Self {
        Cursor { skip: plan.offset, limit: plan.limit, place: Place::Start }
    }

    /// Where the page begins that a token asks for.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the token is not one of this query on this container.
    pub fn resume(token: &str, query: &Query, container: &Container, scope: &Scope) -> Result<Self, Error> {
        let payload = continuation::decode(token, Kind::Query, container, fingerprint(query, scope))?;
        Cursor::read(&payload).ok_or_else(|| {
            Error::invalid("the continuation token's payload is malformed: repeat the request without it")
        })
    }

    /// The token for the page that begins here.
    pub fn to_token(&self, query: &Query, container: &Container, scope: &Scope) -> String {
        continuation::encode(Kind::Query, container, fingerprint(query, scope), &self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![match &self.place {
            Place::Start | Place::AfterKey(_) => 1,
            Place::Within { .. } => 4,
            Place::AfterHash(_) => 5,
            Place::Sorted { after: Some(_), .. } => 2,
            Place::Sorted { after: None, .. } => 3,
        }];
        out.extend_from_slice(&self.skip.to_be_bytes());
        out.extend_from_slice(&self.limit.unwrap_or(NO_LIMIT).to_be_bytes());
        match &self.place {
            Place::Start => {}
            Place::AfterKey(rest) => out.extend_from_slice(rest),
            Place::Within { rest, rows } => {
                out.extend_from_slice(&rows.to_be_bytes());
                out.extend_from_slice(rest);
            }
            Place::AfterHash(hash) => out.extend_from_slice(&hash.to_be_bytes()),
            Place::Sorted { passed, after } => {
                out.extend_from_slice(&passed.to_be_bytes());
                if let Some(position) = after {
                    position.write(&mut out);
                }
            }
        }
        out
    }

    fn read(payload: &[u8]) -> Option<Self> {
        let (form, mut rest) = payload.split_first()?;
        let skip = read_u64(&mut rest)?;
        let limit = Some(read_u64(&mut rest)?).filter(|limit| *limit != NO_LIMIT);
        let place = match form {
            1 => Place::AfterKey(rest.to_vec()),
            2 => Place::Sorted { passed: read_u64(&mut rest)?, after: Some(Position::read(rest)?) },
            3 => Place::Sorted { passed: read_u64(&mut rest)?, after: None },
            4 => Place::Within { rows: read_u64(&mut rest)?, rest: rest.to_vec() },
            5 => Place::AfterHash(u128::from_be_bytes(rest.try_into().ok()?)),
            _ => return None,
        };
        Some(Cursor { skip, limit, place })
    }
}

impl Position {
    /// Whether a token of at most `limit_bytes` can carry it.
    pub fn is_short(&self, limit_bytes: Option<usize>) -> bool {
        // Three bytes are four characters of a token.
        let limit = limit_bytes.map(|limit| (limit / 4 * 3).saturating_sub(TOKEN_OVERHEAD_BYTES));
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes.len() <= limit.map_or(MAX_POSITION_BYTES, |limit| limit.min(MAX_POSITION_BYTES))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&self.ordinal.to_be_bytes());
        self.keys.iter().for_each(|key| cursor_value::write(key, out));
    }

    fn read(mut bytes: &[u8]) -> Option<Self> {
        let number = u128::from(read_u64(&mut bytes)?) << 64 | u128::from(read_u64(&mut bytes)?);
        let ordinal = read_u64(&mut bytes)?;
        let mut keys = Vec::new();
        while !bytes.is_empty() {
            keys.push(cursor_value::read(&mut bytes)?);
        }
        Some(Position { keys, number, ordinal })
    }
}

/// Identifies a query in a scope. Ranges count as the whole container: a place is one in every range, and after a split clients
/// go on with the parent's token in both children.
fn fingerprint(query: &Query, scope: &Scope) -> u64 {
    match scope {
        Scope::Container | Scope::Range(_) => query.fingerprint,
        Scope::Partition(key) => xxh3_64_with_seed(key.to_json().as_bytes(), query.fingerprint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_want_shorter_tokens() {
        let position = Position { keys: vec![Value::from("x".repeat(1_000))], number: 7, ordinal: 0 };
        assert!(position.is_short(None) && position.is_short(Some(2_048)));
        assert!(!position.is_short(Some(1_024)));
        let long = Position { keys: vec![Value::from("x".repeat(4_000))], ..position };
        assert!(!long.is_short(None) && !long.is_short(Some(16_384)));
    }

    #[test]
    fn cursors_come_back() {
        let position = Position { keys: vec![Value::Undefined, Value::from("x")], number: 7 << 80, ordinal: 9 };
        for place in [
            Place::AfterKey(vec![1, 2, 3]),
            Place::Sorted { passed: 4, after: Some(position) },
            Place::Sorted { passed: 9, after: None },
            Place::Within { rest: vec![1, 2, 3], rows: 5 },
            Place::AfterHash(7 << 100),
        ] {
            for limit in [None, Some(5)] {
                let cursor = Cursor { skip: 3, limit, place: place.clone() };
                assert_eq!(Cursor::read(&cursor.to_bytes()), Some(cursor));
            }
        }
        assert_eq!(Cursor::read(&[]), None);
        assert_eq!(Cursor::read(&[9; 40]), None);
    }
}
