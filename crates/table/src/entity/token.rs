//! Values of a request's JSON, whose type depends on how they are spelled.

use std::borrow::Cow;

use super::base64;
use super::document::NOT_FINITE;
use super::value::{EdmType, EdmValue};
use crate::{DateTime, Error, Guid};

pub(super) fn is_null(token: &str) -> bool {
    token == "null"
}

/// The characters of a string; none for other values. The token is JSON.
pub(super) fn string(token: &str) -> Option<Cow<'_, str>> {
    let inside = token.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains('\\') { serde_json::from_str(token).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inside)) }
}

/// The value of a property with this annotation; none for null.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if it is not one of the type.
pub(super) fn read_value<'t>(
    name: &str,
    token: &'t str,
    edm_type: Option<EdmType>,
) -> Result<Option<EdmValue<Cow<'t, str>>>, Error> {
    if is_null(token) {
        return Ok(None);
    }
    let value = match edm_type {
        None => untyped(token),
        Some(edm_type) => typed(token, edm_type),
    };
    let refused = || {
        let expected = edm_type.map_or("a string, number or Boolean", EdmType::name);
        Error::invalid_input(format_args!("The value of the property '{name}' is not {expected}."))
    };
    value.map(Some).ok_or_else(refused)
}

fn untyped(token: &str) -> Option<EdmValue<Cow<'_, str>>> {
    match token.as_bytes().first()? {
        b'"' => string(token).map(EdmValue::String),
        b't' | b'f' => boolean(token).map(EdmValue::Boolean),
        b'{' | b'[' => None,
        _ if token.contains(['.', 'e', 'E']) => double(token).map(EdmValue::Double),
        _ => token.parse().ok().map(EdmValue::Int32),
    }
}

fn typed(token: &str, edm_type: EdmType) -> Option<EdmValue<Cow<'_, str>>> {
    let text = string(token);
    // Numbers and Booleans may stand in quotes.
    let plain = text.as_deref().unwrap_or(token);
    match edm_type {
        EdmType::String => text.map(EdmValue::String),
        EdmType::Boolean => boolean(plain).map(EdmValue::Boolean),
        EdmType::Int32 => plain.parse().ok().map(EdmValue::Int32),
        EdmType::Int64 => plain.parse().ok().map(EdmValue::Int64),
        EdmType::Double if NOT_FINITE.contains(&plain) => plain.parse().ok().map(EdmValue::Double),
        EdmType::Double => double(plain).map(EdmValue::Double),
        EdmType::DateTime => DateTime::parse(text.as_deref()?).map(EdmValue::DateTime),
        EdmType::Guid => Guid::parse(text.as_deref()?).map(EdmValue::Guid),
        EdmType::Binary => base64::decode(text.as_deref()?).map(EdmValue::Binary),
    }
}

fn boolean(text: &str) -> Option<bool> {
    [true, false].into_iter().find(|value| text.eq_ignore_ascii_case(if *value { "true" } else { "false" }))
}

/// A finite double, in digits only: the words that stand for others are no numbers.
pub(crate) fn double(text: &str) -> Option<f64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|value: &f64| is_number && value.is_finite())
}
