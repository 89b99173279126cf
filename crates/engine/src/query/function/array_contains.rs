//! Looking values up in arrays.

use orrery_value::Value;

use super::{Function, at_least, between, flag};
use crate::query::evaluation::compare::equals;
use crate::query::{Datum, Effort, Kind};

pub(super) const FUNCTIONS: &[Function] = &[
    between("ARRAY_CONTAINS", 2, 3, |a, effort| contains(a, effort).into()),
    at_least("ARRAY_CONTAINS_ALL", 2, |a, effort| all(a.len(), |at| has(&a[0], &a[at], effort)).into()),
    at_least("ARRAY_CONTAINS_ANY", 2, |a, effort| any(a.len(), |at| has(&a[0], &a[at], effort)).into()),
];

/// Whether the test holds for each argument after the first: false as soon as it fails for one, else undefined if it is for one.
pub(super) fn all(arguments: usize, test: impl Fn(usize) -> Option<bool>) -> Option<bool> {
    any(arguments, |at| test(at).map(|held| !held)).map(|failed| !failed)
}

/// Whether the test holds for any argument after the first: true as soon as it does for one, else undefined if it is for one.
pub(super) fn any(arguments: usize, test: impl Fn(usize) -> Option<bool>) -> Option<bool> {
    let mut open = false;
    for at in 1..arguments {
        match test(at) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    (!open).then_some(false)
}

/// Whether an element equals the value; with the third argument, whether one has all that the value has.
fn contains(arguments: &[Datum<'_>], effort: &Effort) -> Option<bool> {
    let (array, wanted) = (&arguments[0], &arguments[1]);
    let partial = flag(arguments, 2)?;
    if partial && wanted.kind() >= Kind::Array {
        let (kind, wanted) = (wanted.kind(), wanted.as_value());
        return array.any_element(|element| {
            element.kind() == kind && effort.spend(element.weight()) && includes(&element.as_value(), &wanted)
        });
    }
    has(array, wanted, effort)
}

fn has(array: &Datum<'_>, wanted: &Datum<'_>, effort: &Effort) -> Option<bool> {
    if wanted.is_undefined() {
        return None;
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

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn one_value_is_looked_up() {
        check(&[
            ("ARRAY_CONTAINS", r#"[["oak", 2], "oak"]"#, "true"),
            ("ARRAY_CONTAINS", r#"[["oak", 2], 2.0]"#, "true"),
            ("ARRAY_CONTAINS", r#"[["oak", 2], "2"]"#, "false"),
            ("ARRAY_CONTAINS", "[[], null]", "false"),
            ("ARRAY_CONTAINS", "[[null], null]", "true"),
            ("ARRAY_CONTAINS", r#"[[{"a": 1, "b": 2}], {"b": 2, "a": 1}]"#, "true"),
            ("ARRAY_CONTAINS", r#"[[{"a": 1, "b": 2}], {"a": 1}]"#, "false"),
            ("ARRAY_CONTAINS", r#"[[{"a": 1, "b": 2}], {"a": 1}, true]"#, "true"),
            ("ARRAY_CONTAINS", r#"[[{"a": {"x": 1, "y": 2}}], {"a": {"x": 1}}, true]"#, "true"),
            ("ARRAY_CONTAINS", r#"[[{"a": 1}], {"a": 1}, "undefined"]"#, ""),
            ("ARRAY_CONTAINS", r#"["oak", "oak"]"#, ""),
        ]);
    }

    #[test]
    fn any_and_all_are_three_valued() {
        check(&[
            ("ARRAY_CONTAINS_ANY", r#"[[1, true, "x", [2]], 9, [2]]"#, "true"),
            ("ARRAY_CONTAINS_ANY", "[[1, 2], 3, 4]", "false"),
            ("ARRAY_CONTAINS_ANY", r#"[[1, 2], "undefined", 2]"#, "true"),
            ("ARRAY_CONTAINS_ANY", r#"[[1, 2], 3, "undefined"]"#, ""),
            ("ARRAY_CONTAINS_ALL", "[[1, 2, 3], 3, 1]", "true"),
            ("ARRAY_CONTAINS_ALL", "[[1, 2, 3], 3, 4]", "false"),
            ("ARRAY_CONTAINS_ALL", r#"[[1, 2, 3], 4, "undefined"]"#, "false"),
            ("ARRAY_CONTAINS_ALL", r#"[[1, 2, 3], 3, "undefined"]"#, ""),
            ("ARRAY_CONTAINS_ALL", "[[], 1]", "false"),
            ("ARRAY_CONTAINS_ALL", "[7, 7]", ""),
        ]);
    }
}
