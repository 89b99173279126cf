//! The members of a JSON object, their values still as the client spelled them.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Error, ErrorCode};

/// Members that are looked at, whatever becomes of them. Each property may have an annotation.
const MAX_MEMBERS: usize = 4_096;
/// Of most entities no more, annotations included.
const USUAL_MEMBERS: usize = 16;
const TOO_MANY: &str = "too many members";

/// A member: its name and its value as it is spelled.
pub(super) type Member<'t> = (Cow<'t, str>, &'t RawValue);

/// The members in order, double ones included.
pub(super) struct Members<'t>(pub Vec<Member<'t>>);

impl<'t> Members<'t> {
    /// Reads an object.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`], [`ErrorCode::TooManyProperties`].
    pub fn read(body: &'t [u8]) -> Result<Self, Error> {
        let refused = |error: &dyn fmt::Display| {
            Error::invalid_input(format_args!("The body is not a JSON object of properties: {error}."))
        };
        // All at once, and not each name and value.
        let text = std::str::from_utf8(body).map_err(|error| refused(&error))?;
        serde_json::from_str(text).map_err(|error| {
            if error.to_string().starts_with(TOO_MANY) {
                return Error::new(ErrorCode::TooManyProperties);
            }
            refused(&error)
        })
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::with_capacity(USUAL_MEMBERS);
        while let Some((Name(name), value)) = map.next_entry()? {
            if members.len() == MAX_MEMBERS {
                return Err(A::Error::custom(TOO_MANY));
            }
            members.push((name, value));
        }
        Ok(Members(members))
    }
}

/// A name, in the text itself where it has no escapes.
#[derive(Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);
