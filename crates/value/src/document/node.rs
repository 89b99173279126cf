//! One value inside a stored document, read only as far as it is asked.

use std::borrow::Cow;

use super::index::Table;
use super::members::{Elements, Entries};
use super::system::SystemProperty;
use super::walk::{string_at, value_end};
use super::{Document, walk};
use crate::json::string::{RawString, unescape};
use crate::names::hash_name;
use crate::number::Number;
use crate::path::{PropertyName, PropertyPath};
use crate::value::Value;

/// A value of a stored document: a place in its text. Copying it copies no text.
///
/// What a damaged document cannot answer is answered with none or with nothing.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    document: Document<'a>,
    at: usize,
    kind: NodeKind,
}

/// The type of a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'a> Node<'a> {
    pub(super) fn root(document: Document<'a>) -> Node<'a> {
        Node { document, at: 0, kind: NodeKind::Object }
    }

    /// The value at an offset of the text; none if no value can begin there.
    #[inline]
    pub(super) fn at_offset(document: Document<'a>, at: usize) -> Option<Node<'a>> {
        let kind = match document.text.get(at)? {
            b'"' => NodeKind::String,
            b'-' | b'0'..=b'9' => NodeKind::Number,
            b'{' => NodeKind::Object,
            b'[' => NodeKind::Array,
            b't' | b'f' => NodeKind::Bool,
            b'n' => NodeKind::Null,
            _ => return None,
        };
        Some(Node { document, at, kind })
    }

    /// The value's type.
    #[inline]
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// The value as it stands in the document: compact JSON in the client's spelling. Empty if the document is damaged.
    pub fn text(&self) -> &'a [u8] {
        let end = value_end(&self.document, self.at);
        end.and_then(|end| self.document.text.get(self.at..end)).unwrap_or_default()
    }

    /// The property `name` of an object.
    #[inline]
    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        self.property(name, || hash_name(name.as_bytes()))
    }

    /// The property `name` of an object; its hash is at hand.
    #[inline]
    pub fn get_name(&self, name: &PropertyName) -> Option<Node<'a>> {
        self.property(name.as_str(), || name.hash())
    }

    /// What the path leads to from here, through objects only.
    #[inline]
    pub fn at_path(&self, path: &PropertyPath) -> Option<Node<'a>> {
        path.segments().iter().try_fold(*self, |node, name| node.get_name(name))
    }

    /// The element `index` of an array, counted from 0.
    pub fn at(&self, index: usize) -> Option<Node<'a>> {
        if self.kind != NodeKind::Array {
            return None;
        }
        let Some(table) = self.table() else {
            return self.elements().nth(index);
        };
        if index >= table.count()? {
            return None;
        }
        let (nearest, offset) = table.element_before(index)?;
        Elements::new(self.document, offset.checked_sub(1)).nth(index - nearest)
    }

    /// The elements of an array in order; nothing for other values.
    pub fn elements(&self) -> Elements<'a> {
        Elements::new(self.document, self.inside(NodeKind::Array))
    }

    /// The members of an object in order, system properties of the root included; nothing for other values.
    pub fn entries(&self) -> Entries<'a> {
        Entries::new(self.document, self.inside(NodeKind::Object))
    }

    /// The number of elements of an array; none for other values.
    pub fn element_count(&self) -> Option<usize> {
        if self.kind != NodeKind::Array {
            return None;
        }
        self.table().and_then(|table| table.count()).or_else(|| Some(self.elements().count()))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.kind == NodeKind::Null
    }

    /// The Boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        (self.kind == NodeKind::Bool).then(|| self.document.text[self.at] == b't')
    }

    /// The number, if it is one.
    #[inline]
    pub fn as_number(&self) -> Option<Number> {
        if self.kind != NodeKind::Number {
            return None;
        }
        Number::parse(std::str::from_utf8(self.text()).ok()?)
    }

    /// The string, if it is one; borrowed unless its text has escapes.
    #[inline]
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        if self.kind != NodeKind::String {
            return None;
        }
        decode(self.document.text, string_at(self.document.text, self.at)?)
    }

    /// Whether this is the string `other`.
    #[inline]
    pub fn eq_str(&self, other: &str) -> bool {
        self.kind == NodeKind::String
            && string_at(self.document.text, self.at).is_some_and(|raw| raw_equals(self.document.text, raw, other))
    }

    /// The value and all that is in it, in memory. None if the document is damaged.
    pub fn to_value(&self) -> Option<Value> {
        match self.kind {
            NodeKind::Null => Some(Value::Null),
            NodeKind::Bool => self.as_bool().map(Value::Bool),
            NodeKind::Number => self.as_number().map(Value::Number),
            NodeKind::String => self.as_str().map(Value::from),
            NodeKind::Array | NodeKind::Object => Value::parse(self.text()).ok(),
        }
    }

    #[inline]
    fn property(&self, name: &str, hash: impl FnOnce() -> u32) -> Option<Node<'a>> {
        if self.kind != NodeKind::Object {
            return None;
        }
        if self.at == 0
            && let Some(system) = SystemProperty::from_name(name.as_bytes())
        {
            return Node::at_offset(self.document, system.value_at(self.document.text.len())?);
        }
        let value_at = match self.table() {
            Some(table) => self.find_indexed(table, name, hash())?,
            None => self.find_walking(name)?,
        };
        Node::at_offset(self.document, value_at)
    }

    #[inline]
    fn find_indexed(&self, table: Table<'a>, name: &str, hash: u32) -> Option<usize> {
        let text = self.document.text;
        table.candidates(hash)?.find_map(|offset| {
            let raw = walk::string_at(text, offset)?;
            (raw_equals(text, raw, name) && text.get(raw.end + 1) == Some(&b':')).then_some(raw.end + 2)
        })
    }

    #[inline]
    fn find_walking(&self, name: &str) -> Option<usize> {
        let text = self.document.text;
        let mut entries = self.entries();
        while let Some((raw, value_at)) = entries.next_raw() {
            if raw_equals(text, raw, name) {
                return Some(value_at);
            }
        }
        None
    }

    #[inline]
    fn table(&self) -> Option<Table<'a>> {
        self.document.index.table(self.at)
    }

    /// The offset of the opening bracket, if the value is of this kind and not empty.
    fn inside(&self, kind: NodeKind) -> Option<usize> {
        let closed = matches!(self.document.text.get(self.at + 1), Some(b'}' | b']'));
        (self.kind == kind && !closed).then_some(self.at)
    }
}

/// The characters of a string; none if they are not UTF-8 or its escapes not valid.
pub(super) fn decode(text: &[u8], raw: RawString) -> Option<Cow<'_, str>> {
    let characters = std::str::from_utf8(text.get(raw.start..raw.end)?).ok()?;
    if raw.escaped { unescape(characters).map(Cow::Owned) } else { Some(Cow::Borrowed(characters)) }
}

#[inline]
fn raw_equals(text: &[u8], raw: RawString, other: &str) -> bool {
    if raw.escaped {
        return decode(text, raw).is_some_and(|characters| characters == other);
    }
    text.get(raw.start..raw.end) == Some(other.as_bytes())
}
