//! A value as evaluation sees it: a place in a stored document, borrowed, or computed.

use std::borrow::Cow;

use orrery_value::{Node, NodeKind, Number, PropertyName, Value};

/// A value that is read no further than it is asked. A property of a stored document stays in the document's text until its
/// number or characters are needed.
#[derive(Clone, Debug)]
pub enum Datum<'a> {
    /// In a stored document.
    Stored(Node<'a>),
    /// A constant of the query, or a row in memory.
    Borrowed(&'a Value),
    /// Computed.
    Owned(Value),
}

/// The type of a [`Datum`], in the order of sorting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// No value.
    Undefined,
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

impl<'a> Datum<'a> {
    /// No value.
    pub const UNDEFINED: Datum<'static> = Datum::Owned(Value::Undefined);

    /// Its type.
    #[inline]
    pub fn kind(&self) -> Kind {
        match self {
            Datum::Stored(node) => match node.kind() {
                NodeKind::Null => Kind::Null,
                NodeKind::Bool => Kind::Bool,
                NodeKind::Number => Kind::Number,
                NodeKind::String => Kind::String,
                NodeKind::Array => Kind::Array,
                NodeKind::Object => Kind::Object,
            },
            Datum::Borrowed(value) => kind_of(value),
            Datum::Owned(value) => kind_of(value),
        }
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_undefined(&self) -> bool {
        self.kind() == Kind::Undefined
    }

    /// The Boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Datum::Stored(node) => node.as_bool(),
            Datum::Borrowed(value) => value.as_bool(),
            Datum::Owned(value) => value.as_bool(),
        }
    }

    /// The number, if it is one.
    #[inline]
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Datum::Stored(node) => node.as_number(),
            Datum::Borrowed(value) => value.as_number(),
            Datum::Owned(value) => value.as_number(),
        }
    }

    /// The string, if it is one; copied only if the stored text has escapes.
    #[inline]
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        match self {
            Datum::Stored(node) => node.as_str(),
            Datum::Borrowed(value) => value.as_str().map(Cow::Borrowed),
            Datum::Owned(value) => value.as_str().map(Cow::Borrowed),
        }
    }

    /// The property of an object; undefined for other values.
    #[inline]
    pub fn property(self, name: &PropertyName) -> Datum<'a> {
        match self {
            Datum::Stored(node) => node.get_name(name).map_or(Datum::UNDEFINED, Datum::Stored),
            Datum::Borrowed(value) => value.get(name.as_str()).map_or(Datum::UNDEFINED, Datum::Borrowed),
            Datum::Owned(Value::Object(mut object)) => {
                object.remove(name.as_str()).map_or(Datum::UNDEFINED, Datum::Owned)
            }
            Datum::Owned(_) => Datum::UNDEFINED,
        }
    }

    /// The element of an array, counted from 0; undefined for other values.
    pub fn element(self, index: usize) -> Datum<'a> {
        match self {
            Datum::Stored(node) => node.at(index).map_or(Datum::UNDEFINED, Datum::Stored),
            Datum::Borrowed(value) => value.at(index).map_or(Datum::UNDEFINED, Datum::Borrowed),
            Datum::Owned(Value::Array(elements)) => {
                elements.into_iter().nth(index).map_or(Datum::UNDEFINED, Datum::Owned)
            }
            Datum::Owned(_) => Datum::UNDEFINED,
        }
    }

    /// The number of elements, if it is an array.
    pub fn element_count(&self) -> Option<usize> {
        match self {
            Datum::Stored(node) => node.element_count(),
            Datum::Borrowed(value) => value.as_array().map(<[Value]>::len),
            Datum::Owned(value) => value.as_array().map(<[Value]>::len),
        }
    }

    /// The first element that `wanted` accepts, if it is an array. Elements are not copied.
    pub fn any_element(&self, mut wanted: impl FnMut(&Datum<'_>) -> bool) -> Option<bool> {
        match self {
            Datum::Stored(node) if node.kind() == NodeKind::Array => {
                Some(node.elements().any(|element| wanted(&Datum::Stored(element))))
            }
            Datum::Stored(_) => None,
            Datum::Borrowed(value) => {
                value.as_array().map(|elements| elements.iter().any(|element| wanted(&Datum::Borrowed(element))))
            }
            Datum::Owned(value) => {
                value.as_array().map(|elements| elements.iter().any(|element| wanted(&Datum::Borrowed(element))))
            }
        }
    }

    /// The same value without copying it.
    #[inline]
    pub fn share(&'a self) -> Datum<'a> {
        match self {
            Datum::Stored(node) => Datum::Stored(*node),
            Datum::Borrowed(value) => Datum::Borrowed(value),
            Datum::Owned(value) => Datum::Borrowed(value),
        }
    }

    /// The value in memory with all that is in it. What a damaged document cannot give is undefined.
    pub fn to_value(&self) -> Value {
        match self {
            Datum::Stored(node) => node.to_value().unwrap_or_default(),
            Datum::Borrowed(value) => (*value).clone(),
            Datum::Owned(value) => value.clone(),
        }
    }

    /// [`Datum::to_value`] that copies nothing if it need not.
    pub fn into_value(self) -> Value {
        match self {
            Datum::Owned(value) => value,
            other => other.to_value(),
        }
    }

    /// The value in memory, borrowed if it is there already.
    pub(in crate::query) fn as_value(&self) -> Cow<'_, Value> {
        match self {
            Datum::Stored(node) => Cow::Owned(node.to_value().unwrap_or_default()),
            Datum::Borrowed(value) => Cow::Borrowed(value),
            Datum::Owned(value) => Cow::Borrowed(value),
        }
    }

    /// Appends the value as JSON: a stored one in its own spelling. Returns whether there is anything to write.
    pub(in crate::query) fn write_json(&self, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        match self {
            Datum::Stored(node) => out.extend_from_slice(node.text()),
            Datum::Borrowed(value) => value.write_json(out),
            Datum::Owned(value) => value.write_json(out),
        }
        out.len() > before
    }

    /// Whether [`write_json`](Datum::write_json) writes anything.
    pub(in crate::query) fn has_json(&self) -> bool {
        match self {
            Datum::Stored(_) => true,
            Datum::Borrowed(value) => value.has_json(),
            Datum::Owned(value) => value.has_json(),
        }
    }

    /// About how many bytes the value's JSON has: the effort of reading all of it.
    pub(in crate::query) fn weight(&self) -> usize {
        match self {
            Datum::Stored(node) => node.text().len(),
            Datum::Borrowed(value) => weight_of(value),
            Datum::Owned(value) => weight_of(value),
        }
    }
}

impl From<Value> for Datum<'_> {
    fn from(value: Value) -> Self {
        Datum::Owned(value)
    }
}

impl From<bool> for Datum<'_> {
    fn from(bool: bool) -> Self {
        Datum::Owned(Value::Bool(bool))
    }
}

impl From<f64> for Datum<'_> {
    fn from(number: f64) -> Self {
        Datum::Owned(Value::from(number))
    }
}

impl From<i64> for Datum<'_> {
    fn from(number: i64) -> Self {
        Datum::Owned(Value::from(number))
    }
}

impl From<String> for Datum<'_> {
    fn from(string: String) -> Self {
        Datum::Owned(Value::String(string))
    }
}

impl<'a, T: Into<Datum<'a>>> From<Option<T>> for Datum<'a> {
    /// `None` is undefined.
    fn from(value: Option<T>) -> Self {
        value.map_or(Datum::UNDEFINED, Into::into)
    }
}

fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Undefined => Kind::Undefined,
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

pub(in crate::query) fn weight_of(value: &Value) -> usize {
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(string) => string.len() + 2,
        Value::Array(elements) => elements.iter().fold(2, |sum, element| sum + 1 + weight_of(element)),
        Value::Object(object) => object.iter().fold(2, |sum, (name, value)| sum + name.len() + 4 + weight_of(value)),
    }
}
