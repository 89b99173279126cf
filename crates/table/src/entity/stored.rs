//! The properties of a stored document, each read no further than its type needs.

use std::borrow::Cow;

use orrery_value::document::{Member, Members, is_system_property};
use orrery_value::{Document, Node, NodeKind};

use super::document::{ANNOTATION, property_name};
use super::limits::utf16_units;
use super::value::{EdmType, EdmValue};
use crate::{DateTime, Guid};

/// Walks the properties that a document has as an entity: neither keys nor what the server adds, nor nulls.
pub(super) struct StoredProperties<'d> {
    root: Node<'d>,
    members: Members<'d>,
    /// Whether an annotation may stand elsewhere than just before its property.
    has_strays: bool,
    /// The annotation that was read last: its member's name and value.
    pending: Option<(Cow<'d, str>, Node<'d>)>,
    /// Scratch for names of annotations.
    name: String,
}

/// What a reply shows of a stored document.
pub(super) enum Shown<'d> {
    /// A member that a reply spells as the document does.
    Verbatim(&'d [u8]),
    Property(StoredProperty<'d>),
}

/// A property of a stored document.
pub(super) struct StoredProperty<'d> {
    pub name: Cow<'d, str>,
    pub value: StoredValue<'d>,
}

/// A value of a stored document, as far as it has been read.
pub(super) enum StoredValue<'d> {
    Boolean(bool),
    DateTime(DateTime),
    Guid(Guid),
    /// The spelling of an Int32, Int64 or finite Double.
    Number(EdmType, &'d str),
    /// The text of a NaN or an infinity.
    NotFinite(&'static str),
    /// A string of proper base64.
    Binary(Node<'d>),
    /// A string.
    String(Node<'d>),
    /// An array or object, which an entity shows as its text.
    Json(Node<'d>),
}

impl<'d> StoredProperties<'d> {
    pub fn of(document: Document<'d>) -> Self {
        StoredProperties {
            root: document.root(),
            members: document.members(),
            has_strays: has_stray_annotations(document.text()),
            pending: None,
            name: String::new(),
        }
    }

    /// The annotation of the property whose member is called so. Ours stand just before it.
    fn annotation(&mut self, member: &str) -> Option<Cow<'d, str>> {
        if let Some((name, node)) = self.pending.take()
            && name.strip_suffix(ANNOTATION) == Some(member)
        {
            return node.as_str();
        }
        if !self.has_strays {
            return None;
        }
        self.name.clear();
        self.name.push_str(member);
        self.name.push_str(ANNOTATION);
        self.root.get(&self.name)?.as_str()
    }

    /// The property that a member is, if it is a wanted one. The outer `None`: the document is damaged.
    fn property(
        &mut self,
        member: Member<'d>,
        mut is_wanted: impl FnMut(&str) -> bool,
    ) -> Option<Option<StoredProperty<'d>>> {
        let (name, node) = (member.name()?, member.node()?);
        if name.ends_with(ANNOTATION) {
            self.pending = Some((name, node));
            return Some(None);
        }
        if node.is_null() || is_hidden(&name) || !is_wanted(property_name(&name)) {
            return Some(None);
        }
        let annotation = match node.kind() {
            NodeKind::String | NodeKind::Number => self.annotation(&name),
            _ => None,
        };
        let value = StoredValue::of(node, annotation.as_deref());
        let name = match name {
            Cow::Borrowed(name) => Cow::Borrowed(property_name(name)),
            Cow::Owned(name) => Cow::Owned(property_name(&name).to_owned()),
        };
        Some(Some(StoredProperty { name, value }))
    }

    /// The next property that is wanted by its name; the values of others are not looked at.
    pub fn next_of(&mut self, mut is_wanted: impl FnMut(&str) -> bool) -> Option<StoredProperty<'d>> {
        loop {
            let member = self.members.next()?;
            if let Some(property) = self.property(member, &mut is_wanted)? {
                return Some(property);
            }
        }
    }

    /// The next property, as it is spelled if a reply spells it likewise.
    pub fn next_shown(&mut self) -> Option<Shown<'d>> {
        loop {
            let member = self.members.next()?;
            if self.pending.is_none() && !self.has_strays && is_verbatim(&member) {
                return Some(Shown::Verbatim(member.text()));
            }
            if let Some(property) = self.property(member, |_| true)? {
                return Some(Shown::Property(property));
            }
        }
    }
}

impl<'d> Iterator for StoredProperties<'d> {
    type Item = StoredProperty<'d>;

    fn next(&mut self) -> Option<StoredProperty<'d>> {
        self.next_of(|_| true)
    }
}

/// Whether a member of a document is no property of the entity.
pub(super) fn is_hidden(member: &str) -> bool {
    match member.as_bytes().first() {
        Some(b'i' | b'P' | b'R' | b'T') => matches!(member, "id" | "PartitionKey" | "RowKey" | "Timestamp"),
        Some(b'o') => member.starts_with("odata."),
        Some(b'_') => is_system_property(member),
        _ => false,
    }
}

/// Whether a reply spells a member without an annotation as the document does.
fn is_verbatim(member: &Member<'_>) -> bool {
    /// Numbers of so many characters without a fraction are certainly of 32 bits.
    const SHORT: usize = 9;
    let Some(name) = member.plain_name().and_then(|name| std::str::from_utf8(name).ok()) else { return false };
    if name.starts_with('$') || name.ends_with(ANNOTATION) || is_hidden(name) {
        return false;
    }
    let value = member.value_text();
    match value.first() {
        Some(b'"' | b't' | b'f') => true,
        Some(b'-' | b'0'..=b'9') => {
            let is_double = value.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
            is_double || value.len() <= SHORT && value != b"-0"
        }
        _ => false,
    }
}

/// Whether an annotation stands elsewhere than just before its property, where ours are. A document in which that cannot be told is
/// only slower to read.
fn has_stray_annotations(text: &[u8]) -> bool {
    memchr::memchr_iter(b'@', text).any(|at| is_stray(text, at) == Some(true))
}

/// Of an `@` in a document: `None` if it is no annotation's.
fn is_stray(text: &[u8], at: usize) -> Option<bool> {
    let rest = text.get(at..)?.strip_prefix(ANNOTATION.as_bytes())?.strip_prefix(b"\"")?;
    let is_adjacent = || {
        let name = &text[memchr::memrchr(b'"', &text[..at])? + 1..at];
        let value = rest.strip_prefix(b":\"")?;
        let behind = &value[memchr::memchr(b'"', value)? + 1..];
        behind.strip_prefix(b",\"")?.strip_prefix(name)?.strip_prefix(b"\":")
    };
    Some(is_adjacent().is_none())
}

impl<'d> StoredValue<'d> {
    fn of(node: Node<'d>, annotation: Option<&str>) -> Self {
        match node.kind() {
            NodeKind::Bool => StoredValue::Boolean(node.as_bool().unwrap_or_default()),
            NodeKind::Number => {
                let spelling = std::str::from_utf8(node.text()).unwrap_or("0");
                StoredValue::Number(number_type(spelling, annotation), spelling)
            }
            NodeKind::String => annotation.and_then(|name| annotated(node, name)).unwrap_or(StoredValue::String(node)),
            NodeKind::Null | NodeKind::Array | NodeKind::Object => StoredValue::Json(node),
        }
    }

    pub fn edm_type(&self) -> EdmType {
        match self {
            StoredValue::Boolean(_) => EdmType::Boolean,
            StoredValue::DateTime(_) => EdmType::DateTime,
            StoredValue::Guid(_) => EdmType::Guid,
            StoredValue::Number(edm_type, _) => *edm_type,
            StoredValue::NotFinite(_) => EdmType::Double,
            StoredValue::Binary(_) => EdmType::Binary,
            StoredValue::String(_) | StoredValue::Json(_) => EdmType::String,
        }
    }

    pub fn to_value(&self) -> EdmValue {
        match self {
            StoredValue::Boolean(value) => EdmValue::Boolean(*value),
            StoredValue::DateTime(value) => EdmValue::DateTime(*value),
            StoredValue::Guid(value) => EdmValue::Guid(*value),
            StoredValue::Number(EdmType::Int32, spelling) => EdmValue::Int32(spelling.parse().unwrap_or_default()),
            StoredValue::Number(EdmType::Int64, spelling) => EdmValue::Int64(spelling.parse().unwrap_or_default()),
            StoredValue::Number(_, spelling) => EdmValue::Double(spelling.parse().unwrap_or_default()),
            StoredValue::NotFinite(text) => EdmValue::Double(text.parse().unwrap_or(f64::NAN)),
            StoredValue::Binary(node) => {
                EdmValue::Binary(super::base64::decode(&node.as_str().unwrap_or_default()).unwrap_or_default())
            }
            StoredValue::String(node) => EdmValue::String(node.as_str().unwrap_or_default().into_owned()),
            StoredValue::Json(node) => EdmValue::String(String::from_utf8_lossy(node.text()).into_owned()),
        }
    }

    /// Bytes by the service's formula, without those of the name.
    pub fn size_bytes(&self) -> usize {
        match self {
            StoredValue::Boolean(_) => 1,
            StoredValue::Number(EdmType::Int32, _) => 4,
            StoredValue::DateTime(_) | StoredValue::Number(..) | StoredValue::NotFinite(_) => 8,
            StoredValue::Guid(_) => 16,
            StoredValue::Binary(node) => {
                let padding = node.text().iter().filter(|byte| **byte == b'=').count();
                4 + node.text().len() / 4 * 3 - padding
            }
            StoredValue::String(node) => 4 + 2 * utf16_units(&node.as_str().unwrap_or_default()),
            StoredValue::Json(node) => 4 + 2 * node.text().len(),
        }
    }
}

/// The type of a number: its spelling decides, and the annotation where that leaves a choice.
fn number_type(spelling: &str, annotation: Option<&str>) -> EdmType {
    let is_double =
        annotation == Some(EdmType::Double.name()) || spelling.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if is_double || spelling.parse::<i64>().is_err() {
        EdmType::Double
    } else if annotation == Some(EdmType::Int64.name()) || spelling.parse::<i32>().is_err() {
        EdmType::Int64
    } else {
        EdmType::Int32
    }
}

/// The value of an annotated string; none if it is not one of that type.
fn annotated<'d>(node: Node<'d>, annotation: &str) -> Option<StoredValue<'d>> {
    let text = node.as_str()?;
    match EdmType::from_name(annotation)? {
        EdmType::DateTime => DateTime::parse(&text).map(StoredValue::DateTime),
        EdmType::Guid => Guid::parse(&text).map(StoredValue::Guid),
        EdmType::Binary => super::base64::is_valid(&text).then_some(StoredValue::Binary(node)),
        EdmType::Double => {
            super::document::NOT_FINITE.iter().find(|known| **known == text).map(|text| StoredValue::NotFinite(text))
        }
        EdmType::Boolean | EdmType::Int32 | EdmType::Int64 | EdmType::String => None,
    }
}
