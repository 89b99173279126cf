//! How large entities may be, and how their properties may be called.

use orrery_value::NewDocument;

use super::EdmValue;
use super::stored::{StoredProperties, StoredProperty};
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
    if name.len() > MAX_PROPERTY_NAME_CHARACTERS && utf16_units(name) > MAX_PROPERTY_NAME_CHARACTERS {
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
        // No string has fewer bytes than units.
        EdmValue::String(text) if text.as_ref().len() * 2 > MAX_PROPERTY_VALUE_BYTES => utf16_units(text.as_ref()) * 2,
        EdmValue::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    if size_bytes > MAX_PROPERTY_VALUE_BYTES {
        return Err(Error::with_detail(ErrorCode::PropertyValueTooLarge, format_args!("The property is '{name}'.")));
    }
    Ok(())
}

/// Whether the entity of a document is small enough. It is measured only if the document's length leaves that open.
pub(super) fn check_size(dialect: Dialect, key: &EntityKey, document: &[u8]) -> Result<(), Error> {
    let is_small = document.len() * MAX_FORMULA_BYTES_PER_BYTE <= MAX_ENTITY_BYTES;
    if dialect == Dialect::Cosmos || is_small || size_bytes(key, document) <= MAX_ENTITY_BYTES {
        return Ok(());
    }
    Err(Error::new(ErrorCode::EntityTooLarge))
}

/// The size of an entity by the service's formula; the largest number if it can be no document.
fn size_bytes(key: &EntityKey, document: &[u8]) -> usize {
    let Ok(document) = NewDocument::from_json(document) else { return usize::MAX };
    let of_key = 4 + 2 * (utf16_units(&key.partition_key) + utf16_units(&key.row_key));
    let of_property = |stored: StoredProperty<'_>| 8 + 2 * utf16_units(&stored.name) + stored.value.size_bytes();
    of_key + StoredProperties::of(document.document()).map(of_property).sum::<usize>()
}

pub(super) fn utf16_units(text: &str) -> usize {
    text.encode_utf16().count()
}
