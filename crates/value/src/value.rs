//! A JSON value in memory, and *undefined*, which is what reading an absent property gives.

mod build;
mod object;
mod write;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

pub use object::Object;

use crate::json::JsonError;
use crate::json::scan::{check_utf8, scan};
use crate::number::Number;

/// A value of the service's type system.
///
/// Equality is the service's: deep, `1 == 1.0`, and the order of an object's properties does not matter. [`Hash`] agrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// No value at all; it has no JSON form and is left out wherever JSON is written.
    #[default]
    Undefined,
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// Reads JSON text; see [`json`](crate::json) for what is refused.
    ///
    /// # Errors
    /// The first rule that the text breaks, with its offset.
    pub fn parse(text: &[u8]) -> Result<Value, JsonError> {
        let text = check_utf8(text)?;
        let mut builder = build::Builder::new(text);
        scan(text, &mut builder)?;
        Ok(builder.finish())
    }

    /// Appends the value as compact JSON. Undefined members and elements are left out, and so are numbers that are not
    /// finite; of such a value by itself nothing is written.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        write::write_json(self, out, Number::write_json);
    }

    /// The value as compact JSON text in which a zero keeps its sign: for what is stored and read again.
    pub(crate) fn to_signed_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write::write_json(self, &mut out, Number::write_signed_json);
        out
    }

    /// The value as compact JSON text; empty for [`Value::Undefined`].
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_json(&mut out);
        out
    }

    /// Whether this is [`Value::Undefined`].
    pub fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    /// Whether [`write_json`](Value::write_json) writes anything for it.
    pub fn has_json(&self) -> bool {
        match self {
            Value::Undefined => false,
            Value::Number(number) => number.is_finite(),
            _ => true,
        }
    }

    /// The Boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(string) => Some(string),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The property `name` of an object; none for other values.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The element `index` of an array, counted from 0; none for other values.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Undefined | Value::Null => {}
            Value::Bool(bool) => bool.hash(state),
            Value::Number(number) => number.hash(state),
            Value::String(string) => string.hash(state),
            Value::Array(elements) => elements.hash(state),
            Value::Object(object) => object.hash(state),
        }
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Value::Bool(bool)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Value::Number(Number::Int(int))
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Self {
        Value::Number(Number::Float(float))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(string: &str) -> Self {
        Value::String(string.to_owned())
    }
}

impl From<String> for Value {
    fn from(string: String) -> Self {
        Value::String(string)
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(string: Cow<'_, str>) -> Self {
        Value::String(string.into_owned())
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Self {
        Value::Array(elements)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}
