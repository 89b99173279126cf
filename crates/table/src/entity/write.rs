//! Entities in replies, straight from stored documents: values are copied as they are spelled, as far as a reply spells them likewise.

use orrery_value::json::write_string;
use orrery_value::{Document, Node, NodeKind};

use super::Select;
use super::document::{write_annotation, write_quoted};
use super::stored::{Shown, StoredProperties, StoredProperty, StoredValue};
use super::value::EdmType;
use crate::DateTime;
use crate::address::{write_encoded, write_keys};
use crate::etag::write_opaque;
use crate::json_text::{write_known_name, write_member, write_name};

/// How much a reply says about its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataLevel {
    /// `odata=nometadata`
    None,
    /// `odata=minimalmetadata`
    Minimal,
    /// `odata=fullmetadata`
    Full,
}

/// What the members of metadata in a reply are made of.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a> {
    /// The address of the account, without a slash at its end.
    pub base: &'a str,
    /// The account's name.
    pub account: &'a str,
    /// The table's name as it was created.
    pub table: &'a str,
}

/// Writes entities of one table as JSON.
#[derive(Clone, Copy, Debug)]
pub struct EntityWriter<'a> {
    /// How much is said.
    pub level: MetadataLevel,
    /// Where the entities are.
    pub location: Location<'a>,
    /// What is shown of them; none for everything.
    pub select: Option<&'a Select>,
}

impl EntityWriter<'_> {
    /// Appends the body of a reply that is one entity.
    pub fn write_one(&self, document: Document<'_>, timestamp: DateTime, out: &mut Vec<u8>) {
        out.push(b'{');
        if self.level != MetadataLevel::None {
            let Location { base, table, .. } = self.location;
            write_member("odata.metadata", &format!("{base}/$metadata#{}/@Element", encoded(table)), out);
        }
        self.write_members(document, timestamp, &mut Vec::new(), out);
        out.push(b'}');
    }

    /// Appends the body of a reply that is a list.
    pub fn write_list<'d>(&self, entities: impl IntoIterator<Item = (Document<'d>, DateTime)>, out: &mut Vec<u8>) {
        out.push(b'{');
        if self.level != MetadataLevel::None {
            let Location { base, table, .. } = self.location;
            write_member("odata.metadata", &format!("{base}/$metadata#{}", encoded(table)), out);
        }
        write_name("value", out);
        out.push(b'[');
        let mut shown = Vec::new();
        for (nth, (document, timestamp)) in entities.into_iter().enumerate() {
            out.extend_from_slice(if nth > 0 { b",{" } else { b"{" });
            self.write_members(document, timestamp, &mut shown, out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }

    /// `shown` is scratch for the names of a selection.
    fn write_members(&self, document: Document<'_>, timestamp: DateTime, shown: &mut Vec<bool>, out: &mut Vec<u8>) {
        let timestamp = timestamp.to_text();
        self.write_metadata(document, &timestamp, out);
        shown.clear();
        shown.resize(self.select.map_or(0, |select| select.names().len()), false);
        if self.shows("PartitionKey", shown) {
            write_key(b"PartitionKey", document.get("PartitionKey"), out);
        }
        if self.shows("RowKey", shown) {
            write_key(b"RowKey", document.get("id"), out);
        }
        if self.shows("Timestamp", shown) {
            if self.level == MetadataLevel::Full {
                write_member("Timestamp@odata.type", EdmType::DateTime.name(), out);
            }
            write_known_name(b"Timestamp", out);
            write_quoted(&timestamp, out);
        }
        let mut properties = StoredProperties::of(document);
        let Some(select) = self.select else {
            while let Some(property) = properties.next_shown() {
                match property {
                    Shown::Verbatim(member) => write_verbatim(member, out),
                    Shown::Property(property) => self.write_property(&property, out),
                }
            }
            return;
        };
        while let Some(property) = properties.next_of(|name| self.shows(name, shown)) {
            self.write_property(&property, out);
        }
        let selected = select.names();
        for (name, _) in selected.iter().zip(&*shown).filter(|(_, shown)| !**shown) {
            write_name(name, out);
            out.extend_from_slice(b"null");
        }
    }

    fn shows(&self, name: &str, shown: &mut [bool]) -> bool {
        let Some(select) = self.select else { return true };
        let place = select.find(name);
        place.inspect(|place| shown[*place] = true).is_some()
    }

    fn write_metadata(&self, document: Document<'_>, timestamp: &[u8; DateTime::TEXT_LEN], out: &mut Vec<u8>) {
        if self.level == MetadataLevel::None {
            return;
        }
        let Location { base, account, table } = self.location;
        let mut address = String::new();
        if self.level == MetadataLevel::Full {
            let text = |name| document.get(name).and_then(|node| node.as_str()).unwrap_or_default();
            write_encoded(table, &mut address);
            write_keys(&text("PartitionKey"), &text("id"), &mut address);
            write_member("odata.type", &format!("{account}.{table}"), out);
            write_member("odata.id", &format!("{base}/{address}"), out);
        }
        write_known_name(b"odata.etag", out);
        // The quotes within the tag are the only characters to escape.
        out.extend_from_slice(b"\"W/\\\"");
        write_opaque(timestamp, out);
        out.extend_from_slice(b"\\\"\"");
        if self.level == MetadataLevel::Full {
            write_member("odata.editLink", &address, out);
        }
    }

    fn write_property(&self, property: &StoredProperty<'_>, out: &mut Vec<u8>) {
        let is_annotated = match &property.value {
            StoredValue::NotFinite(_) => true,
            value => matches!(value.edm_type(), EdmType::Int64 | EdmType::DateTime | EdmType::Guid | EdmType::Binary),
        };
        if is_annotated && self.level != MetadataLevel::None {
            write_annotation(&property.name, property.value.edm_type(), out);
        }
        write_name(&property.name, out);
        write_value(&property.value, out);
    }
}

/// Appends a member as it is spelled, with the comma before it.
fn write_verbatim(member: &[u8], out: &mut Vec<u8>) {
    out.push(b',');
    out.extend_from_slice(member);
}

fn write_value(value: &StoredValue<'_>, out: &mut Vec<u8>) {
    match value {
        StoredValue::Boolean(true) => out.extend_from_slice(b"true"),
        StoredValue::Boolean(false) => out.extend_from_slice(b"false"),
        StoredValue::DateTime(time) => write_time(*time, out),
        StoredValue::Guid(guid) => write_quoted(&guid.to_text(), out),
        StoredValue::Number(EdmType::Int64, spelling) => write_quoted(spelling.as_bytes(), out),
        StoredValue::Number(EdmType::Double, spelling) => {
            out.extend_from_slice(spelling.as_bytes());
            if !spelling.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
                out.extend_from_slice(b".0");
            }
        }
        StoredValue::Number(_, "-0") => out.push(b'0'),
        StoredValue::Number(_, spelling) => out.extend_from_slice(spelling.as_bytes()),
        StoredValue::NotFinite(text) => write_quoted(text.as_bytes(), out),
        StoredValue::Binary(node) | StoredValue::String(node) => out.extend_from_slice(node.text()),
        StoredValue::Json(node) => write_string(&String::from_utf8_lossy(node.text()), out),
    }
}

/// A time of a property, without zeros at the end of its fraction.
fn write_time(time: DateTime, out: &mut Vec<u8>) {
    let text = time.to_text();
    let digits = text.strip_suffix(b"Z").unwrap_or(&text);
    let zeros = digits.iter().rev().take(7).take_while(|digit| **digit == b'0').count();
    let shown = if zeros == 7 { &digits[..digits.len() - 8] } else { &digits[..digits.len() - zeros] };
    out.push(b'"');
    out.extend_from_slice(shown);
    out.extend_from_slice(b"Z\"");
}

/// A key: the string as it stands, or the text of what a document that was not written as an entity has there.
fn write_key(name: &[u8], node: Option<Node<'_>>, out: &mut Vec<u8>) {
    write_known_name(name, out);
    match node {
        Some(node) if node.kind() == NodeKind::String => out.extend_from_slice(node.text()),
        Some(node) => write_string(&String::from_utf8_lossy(node.text()), out),
        None => out.extend_from_slice(b"\"\""),
    }
}

fn encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    write_encoded(name, &mut encoded);
    encoded
}

impl MetadataLevel {
    /// The word in media types: `nometadata`.
    pub fn as_str(self) -> &'static str {
        match self {
            MetadataLevel::None => "nometadata",
            MetadataLevel::Minimal => "minimalmetadata",
            MetadataLevel::Full => "fullmetadata",
        }
    }

    /// The level of that word, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let levels = [MetadataLevel::None, MetadataLevel::Minimal, MetadataLevel::Full];
        levels.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(name))
    }
}
