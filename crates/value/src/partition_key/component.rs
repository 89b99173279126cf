//! One value of a partition key.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::document::{Node, NodeKind};
use crate::value::Value;

/// One value of a partition key. Numbers are doubles, so that `1` and `1.0` are one key; `-0.0` and `0.0` are two, as they
/// hash differently.
#[derive(Clone, Debug)]
pub enum KeyComponent {
    /// The item has no such property; written `{}`.
    Undefined,
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, never NaN.
    Number(f64),
    /// A string.
    String(String),
}

impl KeyComponent {
    /// The component that a value of an item stands for; none for arrays, objects and numbers that are not finite.
    pub fn from_value(value: &Value) -> Option<KeyComponent> {
        match value {
            Value::Undefined => Some(KeyComponent::Undefined),
            Value::Null => Some(KeyComponent::Null),
            Value::Bool(bool) => Some(KeyComponent::Bool(*bool)),
            Value::Number(number) => number.is_finite().then(|| KeyComponent::Number(number.as_f64())),
            Value::String(string) => Some(KeyComponent::String(string.clone())),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The component that a value of a stored document stands for; none for arrays and objects.
    pub fn from_node(node: &Node<'_>) -> Option<KeyComponent> {
        match node.kind() {
            NodeKind::Null => Some(KeyComponent::Null),
            NodeKind::Bool => node.as_bool().map(KeyComponent::Bool),
            NodeKind::Number => node.as_number().map(|number| KeyComponent::Number(number.as_f64())),
            NodeKind::String => node.as_str().map(|string| KeyComponent::String(string.into_owned())),
            NodeKind::Array | NodeKind::Object => None,
        }
    }

    /// The component as a value; an undefined one as [`Value::Undefined`].
    pub fn to_value(&self) -> Value {
        match self {
            KeyComponent::Undefined => Value::Undefined,
            KeyComponent::Null => Value::Null,
            KeyComponent::Bool(bool) => Value::Bool(*bool),
            KeyComponent::Number(number) => Value::from(*number),
            KeyComponent::String(string) => Value::from(string.as_str()),
        }
    }

    pub(super) fn size_bytes(&self) -> usize {
        match self {
            KeyComponent::Undefined | KeyComponent::Null => 0,
            KeyComponent::Bool(_) => 1,
            KeyComponent::Number(_) => 8,
            KeyComponent::String(string) => string.len(),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            KeyComponent::Undefined => 0,
            KeyComponent::Null => 1,
            KeyComponent::Bool(_) => 2,
            KeyComponent::Number(_) => 3,
            KeyComponent::String(_) => 4,
        }
    }
}

impl Ord for KeyComponent {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (KeyComponent::Bool(a), KeyComponent::Bool(b)) => a.cmp(b),
            (KeyComponent::Number(a), KeyComponent::Number(b)) => a.total_cmp(b),
            (KeyComponent::String(a), KeyComponent::String(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for KeyComponent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for KeyComponent {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for KeyComponent {}

impl Hash for KeyComponent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            KeyComponent::Undefined | KeyComponent::Null => {}
            KeyComponent::Bool(bool) => bool.hash(state),
            KeyComponent::Number(number) => number.to_bits().hash(state),
            KeyComponent::String(string) => string.hash(state),
        }
    }
}

impl From<&str> for KeyComponent {
    fn from(string: &str) -> Self {
        KeyComponent::String(string.to_owned())
    }
}

impl From<String> for KeyComponent {
    fn from(string: String) -> Self {
        KeyComponent::String(string)
    }
}

impl From<f64> for KeyComponent {
    fn from(number: f64) -> Self {
        KeyComponent::Number(number)
    }
}

impl From<bool> for KeyComponent {
    fn from(bool: bool) -> Self {
        KeyComponent::Bool(bool)
    }
}
