//! How large entities may be, and how their properties may be called.

use super::{EdmValue, Property};
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
    if name.len() > MAX_PROPERTY_NAME_CHARACTERS && name.encode_utf16().count() > MAX_PROPERTY_NAME_CHARACTERS {
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
pub(super) fn check_value(name: &str, value: &EdmValue) -> Result<(), Error> {
    let size_bytes = match value {
        // No string has fewer bytes than units.
        EdmValue::String(text) if text.len() * 2 > MAX_PROPERTY_VALUE_BYTES => text.encode_utf16().count() * 2,
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

/// The size of an entity by the service's formula.
pub(super) fn size_bytes(key: &EntityKey, properties: &[Property]) -> usize {
    key_size_bytes(key)
        + properties
            .iter()
            .map(|property| property_size_bytes(&property.name, value_size_bytes(&property.value)))
            .sum::<usize>()
}

pub(super) fn key_size_bytes(key: &EntityKey) -> usize {
    4 + 2 * (key.partition_key.encode_utf16().count() + key.row_key.encode_utf16().count())
}

pub(super) fn property_size_bytes(name: &str, value_size_bytes: usize) -> usize {
    8 + 2 * name.encode_utf16().count() + value_size_bytes
}

pub(super) fn value_size_bytes(value: &EdmValue) -> usize {
    match value {
        EdmValue::String(text) => 4 + 2 * text.encode_utf16().count(),
        EdmValue::Binary(bytes) => 4 + bytes.len(),
        EdmValue::Boolean(_) => 1,
        EdmValue::Int32(_) => 4,
        EdmValue::Int64(_) | EdmValue::Double(_) | EdmValue::DateTime(_) => 8,
        EdmValue::Guid(_) => 16,
    }
}
