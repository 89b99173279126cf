//! An entity as a document of the engine, which SQL reads naturally:
//!
//! ```text
//! {"id": RowKey, "PartitionKey": PartitionKey, properties in order}
//!
//! String    "text"                        Boolean  true, false
//! Int32     1                             Double   1.0, 1e300; not finite: "NaN", "Infinity", "-Infinity" + Edm.Double
//! Int64     1 + Edm.Int64                 DateTime "2020-01-31T23:59:59.1234567Z" + Edm.DateTime
//! Guid      "lower case" + Edm.Guid       Binary   "base64" + Edm.Binary
//! ```
//!
//! `+` is a member `"X@odata.type": "Edm..."` just before the property. A property that is called like a member of the document itself or
//! like one that the engine adds (`id`, `_ts`, …) has a `$` in front. Timestamp is no part of the document: it is the time of the item.
//!
//! Any other document is an entity too: numbers are of the narrowest type that their spelling allows, objects and arrays are strings of
//! their JSON, nulls are absent, annotations that do not fit are ignored.

use std::borrow::Cow;
use std::io::Write as _;

use orrery_value::document::is_system_property;
use orrery_value::json::write_string;
use orrery_value::{Document, Node};

use super::stored::StoredProperties;
use super::value::{EdmType, EdmValue};
use super::{Entity, Property, base64};
use crate::json_text::{write_member, write_name};
use crate::{DateTime, EntityKey};

/// What the name of an annotation ends in.
pub(crate) const ANNOTATION: &str = "@odata.type";

/// The doubles that JSON has no numbers for, as strings.
pub(super) const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

impl Entity {
    /// Reads any document, also one that was not written as an entity; see the module for what becomes of its values.
    pub fn from_document(document: Document<'_>, timestamp: DateTime) -> Self {
        let partition_key = document.get("PartitionKey").map(key_text).unwrap_or_default();
        let row_key = document.get("id").map(key_text).unwrap_or_default();
        let properties = StoredProperties::of(document)
            .map(|stored| Property { name: stored.name.into_owned(), value: stored.value.to_value() });
        Entity { key: EntityKey { partition_key, row_key }, timestamp, properties: properties.collect() }
    }
}

/// A key, which in a document that was not written as an entity may be of any type.
fn key_text(node: Node<'_>) -> String {
    node.as_str().map_or_else(|| String::from_utf8_lossy(node.text()).into_owned(), Cow::into_owned)
}

/// The member that holds a property.
pub(crate) fn member_name(property: &str) -> Cow<'_, str> {
    if property == "id" || is_system_property(property) {
        Cow::Owned(format!("${property}"))
    } else {
        Cow::Borrowed(property)
    }
}

/// The property that a member holds.
pub(super) fn property_name(member: &str) -> &str {
    match member.strip_prefix('$') {
        Some(name) if name == "id" || is_system_property(name) => name,
        _ => member,
    }
}

/// Begins a document. The members of its properties follow, and a closing brace.
pub(super) fn open_document(key: &EntityKey, out: &mut Vec<u8>) {
    out.push(b'{');
    write_member("id", &key.row_key, out);
    write_member("PartitionKey", &key.partition_key, out);
}

/// Appends the members of a property to a document: its own, and its annotation before that.
pub(super) fn write_property<S: AsRef<str>>(member: &str, value: &EdmValue<S>, out: &mut Vec<u8>) {
    let annotate = |edm_type: EdmType, out: &mut Vec<u8>| {
        write_annotation(member, edm_type, out);
        write_name(member, out);
    };
    match value {
        EdmValue::String(text) => write_member(member, text.as_ref(), out),
        EdmValue::Boolean(value) => {
            write_name(member, out);
            out.extend_from_slice(if *value { b"true" } else { b"false" });
        }
        EdmValue::Int32(value) => {
            write_name(member, out);
            write_display(*value, out);
        }
        EdmValue::Double(value) if value.is_finite() => {
            write_name(member, out);
            // As Debug writes it, a double has a fraction or an exponent, and all digits that tell it from others.
            let _ = write!(out, "{value:?}");
        }
        EdmValue::Double(value) => {
            annotate(EdmType::Double, out);
            write_string(not_finite(*value), out);
        }
        EdmValue::Int64(value) => {
            annotate(EdmType::Int64, out);
            write_display(*value, out);
        }
        EdmValue::DateTime(value) => {
            annotate(EdmType::DateTime, out);
            write_quoted(&value.to_text(), out);
        }
        EdmValue::Guid(value) => {
            annotate(EdmType::Guid, out);
            write_quoted(&value.to_text(), out);
        }
        EdmValue::Binary(bytes) => {
            annotate(EdmType::Binary, out);
            out.push(b'"');
            base64::write(bytes, out);
            out.push(b'"');
        }
    }
}

/// Appends the annotation of a member.
pub(super) fn write_annotation(member: &str, edm_type: EdmType, out: &mut Vec<u8>) {
    write_name(member, out);
    // Behind the name, before its quote and colon.
    out.truncate(out.len() - 2);
    out.extend_from_slice(ANNOTATION.as_bytes());
    out.extend_from_slice(b"\":");
    write_quoted(edm_type.name().as_bytes(), out);
}

/// The text of a double that is not finite.
pub(crate) fn not_finite(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => NOT_FINITE[0],
        value if value > 0.0 => NOT_FINITE[1],
        _ => NOT_FINITE[2],
    }
}

/// The text of a binary value in documents.
pub(crate) fn binary_text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    base64::write(bytes, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn write_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a Vec does not fail.
    let _ = write!(out, "{value}");
}

/// Appends a text that has nothing to escape.
pub(super) fn write_quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}
