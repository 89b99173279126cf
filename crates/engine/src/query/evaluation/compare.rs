//! Comparing values: the operators' rules, and the order of ORDER BY.

use std::cmp::Ordering;

use orrery_value::{Value, total_order};

use crate::query::{Datum, Effort, Kind};

/// `a = b`: none if either is undefined; values of different types differ; arrays and objects compare deeply.
pub(in crate::query) fn equals(a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> Option<bool> {
    let (kind, other) = (a.kind(), b.kind());
    if kind == Kind::Undefined || other == Kind::Undefined {
        return None;
    }
    if kind != other {
        return Some(false);
    }
    match kind {
        Kind::Undefined => None,
        Kind::Null => Some(true),
        Kind::Bool => Some(a.as_bool() == b.as_bool()),
        Kind::Number => order_numbers(a, b).map(Ordering::is_eq).or(Some(false)),
        Kind::String => Some(equal_strings(a, b, effort)),
        Kind::Array | Kind::Object => Some(equal_containers(a, b, effort)),
    }
}

/// How `<`, `<=`, `>` and `>=` see two values: none unless both are primitives of one type.
pub(in crate::query) fn order(a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> Option<Comparison> {
    if a.kind() != b.kind() {
        return None;
    }
    match a.kind() {
        Kind::Undefined | Kind::Array | Kind::Object => None,
        Kind::Null => Some(Comparison::Ordered(Ordering::Equal)),
        Kind::Bool => Some(Comparison::Ordered(a.as_bool().cmp(&b.as_bool()))),
        Kind::Number => Some(order_numbers(a, b).map_or(Comparison::Unordered, Comparison::Ordered)),
        Kind::String => {
            let (a, b) = (a.as_str()?, b.as_str()?);
            effort.spend(a.len().min(b.len()));
            Some(Comparison::Ordered(a.cmp(&b)))
        }
    }
}

/// The result of comparing two primitives of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum Comparison {
    /// One is less, or they are equal.
    Ordered(Ordering),
    /// A number that is not one is neither less than, equal to nor greater than any.
    Unordered,
}

impl Comparison {
    /// Whether it is one that `accepts` says yes to.
    pub fn is(self, accepts: impl FnOnce(Ordering) -> bool) -> bool {
        match self {
            Comparison::Ordered(ordering) => accepts(ordering),
            Comparison::Unordered => false,
        }
    }
}

/// The order of ORDER BY, in which every value has its place.
pub(in crate::query) fn sort_order(a: &Datum<'_>, b: &Value) -> Ordering {
    let other = Datum::Borrowed(b);
    a.kind().cmp(&other.kind()).then_with(|| match b {
        Value::Undefined | Value::Null => Ordering::Equal,
        Value::Bool(b) => a.as_bool().cmp(&Some(*b)),
        Value::Number(b) => a.as_number().cmp(&Some(*b)),
        Value::String(b) => a.as_str().as_deref().cmp(&Some(b.as_str())),
        Value::Array(_) | Value::Object(_) => total_order(&a.as_value(), b),
    })
}

fn order_numbers(a: &Datum<'_>, b: &Datum<'_>) -> Option<Ordering> {
    let (a, b) = (a.as_number()?, b.as_number()?);
    (!a.as_f64().is_nan() && !b.as_f64().is_nan()).then(|| a.cmp(&b))
}

fn equal_strings(a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> bool {
    let equal = match (a, b) {
        (Datum::Stored(node), Datum::Borrowed(Value::String(string)))
        | (Datum::Borrowed(Value::String(string)), Datum::Stored(node)) => node.eq_str(string),
        _ => a.as_str() == b.as_str(),
    };
    // Unequal strings are told apart early, or by their lengths.
    if equal {
        effort.spend(a.as_str().map_or(0, |string| string.len()));
    }
    equal
}

fn equal_containers(a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> bool {
    if let (Datum::Stored(a), Datum::Stored(b)) = (a, b) {
        let (a, b) = (a.text(), b.text());
        if !effort.spend(a.len() + b.len()) || a == b {
            return a == b;
        }
    } else if !effort.spend(a.weight() + b.weight()) {
        return false;
    }
    a.as_value() == b.as_value()
}
