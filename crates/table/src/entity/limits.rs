//! How large entities may be, and how their properties may be called.

use super::EdmValue;
use crate::{Dialect, EntityKey, Error, ErrorCode};

/// Properties of an entity besides the three of the system, in the Storage dialect.
pub const MAX_PROPERTIES: usize = 252;
/// Longest name of a property, in UTF-16 units.
pub const MAX_PROPERTY_NAME_CHARACTERS: usize = 255;
/// Largest value of a string (two bytes for each UTF-16 unit) or binary property.
pub const MAX_PROPERTY_VALUE_BYTES: usize = 64 * 1024;
/// Largest entity, by the service's formula, in the Storage dialect.
pub const MAX_ENTITY_BYTES: usize = 1024 * 1024;

/// A document has at least one byte for so many of the formula: a string of `n` units has `2n + 4` bytes by the formula and `n + 2` in
/// the document, a property without its value `2n + 8` and `n + 4`, and a double of eight bytes may be three characters.
const MAX_FORMULA_BYTES_PER_BYTE: usize = 4;

/// Whether a property may have this name: it would have to be an identifier of C#.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    if utf16_units(name) > MAX_PROPERTY_NAME_CHARACTERS {
        return Err(Error::new(ErrorCode::PropertyNameTooLong));
    }
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if begins && characters.all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(Error::with_detail(ErrorCode::PropertyNameInvalid, format_args!("It is '{name}'.")))
}

/// Whether a value is short enough.
pub(super) fn check_value<S: AsRef<str>>(name: &str, value: &EdmValue<S>) -> Result<(), Error> {
    let size_bytes = match value {
        EdmValue::String(text) => utf16_units(text.as_ref()) * 2,
        EdmValue::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    if size_bytes > MAX_PROPERTY_VALUE_BYTES {
        return Err(Error::with_detail(ErrorCode::PropertyValueTooLarge, format_args!("The property is '{name}'.")));
    }
    Ok(())
}

/// Whether an entity is small enough whose document has `document_bytes`. Its size by the formula is asked for only if that leaves it
/// open.
pub(super) fn check_size(
    dialect: Dialect,
    document_bytes: usize,
    size_bytes: impl FnOnce() -> usize,
) -> Result<(), Error> {
    let is_small = document_bytes * MAX_FORMULA_BYTES_PER_BYTE <= MAX_ENTITY_BYTES;
    if dialect == Dialect::Cosmos || is_small || size_bytes() <= MAX_ENTITY_BYTES {
        return Ok(());
    }
    Err(Error::new(ErrorCode::EntityTooLarge))
}

/// What the key adds to the size of an entity by the service's formula.
pub(super) fn key_size_bytes(key: &EntityKey) -> usize {
    4 + 2 * (utf16_units(&key.partition_key) + utf16_units(&key.row_key))
}

/// What a property adds.
pub(super) fn property_size_bytes(name: &str, value_size_bytes: usize) -> usize {
    8 + 2 * utf16_units(name) + value_size_bytes
}

/// What its value adds.
pub(super) fn value_size_bytes<S: AsRef<str>>(value: &EdmValue<S>) -> usize {
    match value {
        EdmValue::String(text) => 4 + 2 * utf16_units(text.as_ref()),
        EdmValue::Binary(bytes) => 4 + bytes.len(),
        EdmValue::Boolean(_) => 1,
        EdmValue::Int32(_) => 4,
        EdmValue::Int64(_) | EdmValue::Double(_) | EdmValue::DateTime(_) => 8,
        EdmValue::Guid(_) => 16,
    }
}

fn utf16_units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}
