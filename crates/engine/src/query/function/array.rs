//! Functions of arrays.

use orrery_value::Value;

use super::{Function, between, exactly, flag};
use crate::query::compare::equals;
use crate::query::{Datum, Effort, Kind};

pub(super) const FUNCTIONS: &[Function] = &[
    between("ARRAY_CONTAINS", 2, 3, |a, effort| contains(a, effort).into()),
    exactly("ARRAY_LENGTH", 1, |a, _| a[0].element_count().map(|count| count as i64).into()),
];

/// Whether an element equals the value; with the third argument, whether one has all that the value has.
fn contains(arguments: &[Datum<'_>], effort: &Effort) -> Option<bool> {
    let (array, wanted) = (&arguments[0], &arguments[1]);
    let partial = flag(arguments, 2)?;
    if wanted.is_undefined() {
        return None;
    }
    if partial && wanted.kind() >= Kind::Array {
        let (kind, wanted) = (wanted.kind(), wanted.as_value());
        return array.any_element(|element| {
            element.kind() == kind && effort.spend(element.weight()) && includes(&element.as_value(), &wanted)
        });
    }
    array.any_element(|element| effort.spend(1) && equals(element, wanted, effort) == Some(true))
}

/// Whether `value` has every member of `part`, and so on downwards; arrays match element by element. Recursion is bounded by the
/// nesting of stored values.
fn includes(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(object), Value::Object(part)) => {
            part.iter().all(|(name, part)| object.get(name).is_some_and(|value| includes(value, part)))
        }
        (Value::Array(elements), Value::Array(parts)) => {
            elements.len() == parts.len() && elements.iter().zip(parts).all(|(value, part)| includes(value, part))
        }
        _ => value == part,
    }
}
