//! Arrays as sets: what is in them counts once.
//!
//! Results keep the order in which elements first appear: in the first array, and for the intersection in the second one, which is
//! how the service's documentation prints it.

use std::borrow::Cow;
use std::collections::HashSet;

use orrery_value::Value;

use super::{Function, exactly};
use crate::query::{Datum, Effort, Kind};

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("SETDIFFERENCE", 2, |a, effort| combine(a, effort, difference).into()),
    exactly("SETEQUAL", 2, |a, effort| combine(a, effort, equal).into()),
    exactly("SETINTERSECT", 2, |a, effort| combine(a, effort, intersect).into()),
    exactly("SETUNION", 2, |a, effort| combine(a, effort, union).into()),
];

fn combine(arguments: &[Datum<'_>], effort: &Effort, operate: fn(&[Value], &[Value]) -> Value) -> Option<Value> {
    let (a, b) = (values(&arguments[0], effort)?, values(&arguments[1], effort)?);
    Some(operate(a.as_array()?, b.as_array()?))
}

/// An array with all that is in it, paid for.
fn values<'d>(array: &'d Datum<'_>, effort: &Effort) -> Option<Cow<'d, Value>> {
    (array.kind() == Kind::Array && effort.spend(array.weight())).then(|| array.as_value())
}

fn difference(a: &[Value], b: &[Value]) -> Value {
    let mut seen: HashSet<&Value> = b.iter().collect();
    Value::Array(a.iter().filter(|element| seen.insert(element)).cloned().collect())
}

fn equal(a: &[Value], b: &[Value]) -> Value {
    Value::Bool(a.iter().collect::<HashSet<_>>() == b.iter().collect::<HashSet<_>>())
}

fn intersect(a: &[Value], b: &[Value]) -> Value {
    let mut wanted: HashSet<&Value> = a.iter().collect();
    Value::Array(b.iter().filter(|element| wanted.remove(element)).cloned().collect())
}

fn union(a: &[Value], b: &[Value]) -> Value {
    let mut seen = HashSet::new();
    Value::Array(a.iter().chain(b).filter(|element| seen.insert(*element)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn sets_hold_each_value_once() {
        check(&[
            ("SETUNION", r#"[[1, "a", 1.0], ["a", {"x": 1}]]"#, r#"[1,"a",{"x":1}]"#),
            ("SETUNION", "[[], []]", "[]"),
            ("SETINTERSECT", r#"[[1, 2, "A", "B"], ["B", "B", 1]]"#, r#"["B",1]"#),
            ("SETINTERSECT", "[[1, 2], [3]]", "[]"),
            ("SETDIFFERENCE", "[[1, 2, 2, 3], [3, 4]]", "[1,2]"),
            ("SETDIFFERENCE", "[[], [3, 4]]", "[]"),
            ("SETEQUAL", r#"[[1, {"a": 1, "b": 2}, 1], [{"b": 2, "a": 1}, 1.0]]"#, "true"),
            ("SETEQUAL", "[[1, 2], [1]]", "false"),
            ("SETEQUAL", "[[], []]", "true"),
            ("SETEQUAL", r#"[[1], "1"]"#, ""),
            ("SETUNION", "[[1], null]", ""),
        ]);
    }
}
