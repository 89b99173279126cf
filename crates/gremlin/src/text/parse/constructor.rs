//! Values that are written as calls: `datetime('2018-03-22')`, `UUID('…')`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::super::token::Symbol;
use super::argument::argument;
use super::input::{Parsed, Tokens, items, word};
use crate::value::{DateTime, Duration, GValue, Uuid, Vertex};

pub(super) fn is_constructor(name: &str) -> bool {
    matches!(name, "datetime" | "DateTime" | "UUID" | "Duration" | "Binary" | "Vertex" | "ReferenceVertex")
}

/// The call at hand; `new` may have stood before it.
pub(super) fn construct(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let (after, name) = word("a class")(input)?;
    if !is_constructor(name) && !matches!(name, "fromString" | "randomUUID") {
        return Err(input.unsupported(format!("new {name}() of Groovy is")));
    }
    if !after.is(Symbol::OpenParenthesis) {
        return Err(after.unexpected("'('"));
    }
    let (after, arguments) = items(argument, Symbol::CloseParenthesis)(after.advance().deeper()?)?;
    match value(name, &arguments) {
        Some(value) => Ok((after.at_level_of(input), value)),
        None => Err(input.wrong(format!("{name}() does not take these arguments"))),
    }
}

fn value(name: &str, arguments: &[GValue]) -> Option<GValue> {
    Some(match (name, arguments) {
        ("datetime" | "DateTime", []) => GValue::DateTime(now()?),
        ("datetime" | "DateTime", [GValue::String(text)]) => GValue::DateTime(DateTime::parse(text)?),
        ("UUID" | "randomUUID", []) => GValue::Uuid(Uuid::new_v4()),
        ("UUID" | "fromString", [GValue::String(text)]) => GValue::Uuid(Uuid::parse_str(text).ok()?),
        ("Duration", [GValue::String(text)]) => GValue::Duration(Duration::parse(text)?),
        ("Binary", [GValue::String(text)]) => GValue::Binary(Bytes::from(STANDARD.decode(&**text).ok()?)),
        ("Vertex" | "ReferenceVertex", [id]) => vertex(id, "vertex"),
        ("Vertex" | "ReferenceVertex", [id, GValue::String(label)]) => vertex(id, label),
        _ => return None,
    })
}

/// As one that is known by its id.
fn vertex(id: &GValue, label: &str) -> GValue {
    GValue::Vertex(Arc::new(Vertex { id: id.clone(), label: Arc::from(label), partition: None, properties: None }))
}

fn now() -> Option<DateTime> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(DateTime::from_ms(i64::try_from(since.as_millis()).ok()?))
}
