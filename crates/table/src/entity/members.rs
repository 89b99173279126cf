//! The members of a JSON object, their values still as the client spelled them.

use std::borrow::Cow;
use std::fmt;

use orrery_value::json::for_each_member;

use crate::{Error, ErrorCode};

/// Members that are looked at, whatever becomes of them. Each property may have an annotation.
const MAX_MEMBERS: usize = 4_096;
/// Of most entities no more, annotations included.
const USUAL_MEMBERS: usize = 32;

/// A member: its name and its value as it is spelled.
pub(super) type Member<'t> = (Cow<'t, str>, &'t str);

/// The members of an object in order, double ones included.
///
/// # Errors
/// [`ErrorCode::InvalidInput`], [`ErrorCode::TooManyProperties`].
pub(super) fn read_members(body: &[u8]) -> Result<Vec<Member<'_>>, Error> {
    let refused = |error: &dyn fmt::Display| {
        Error::invalid_input(format_args!("The body is not a JSON object of properties: {error}."))
    };
    let text = std::str::from_utf8(body).map_err(|error| refused(&error))?;
    let mut members = Vec::with_capacity(USUAL_MEMBERS);
    let mut are_too_many = false;
    let read = for_each_member(text, |name, value| {
        are_too_many = members.len() == MAX_MEMBERS;
        if !are_too_many {
            members.push((name, value));
        }
    });
    read.map_err(|error| refused(&error))?;
    if are_too_many { Err(Error::new(ErrorCode::TooManyProperties)) } else { Ok(members) }
}
