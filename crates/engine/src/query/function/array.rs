//! Functions that make arrays of arrays, and their length.

use orrery_value::Value;

use super::elements::{copy, elements};
use super::{Function, at_least, between, exactly, whole};
use crate::query::{Datum, Effort};

pub(super) const FUNCTIONS: &[Function] = &[
    at_least("ARRAY_CONCAT", 2, |a, effort| concat(a, effort).into()),
    exactly("ARRAY_LENGTH", 1, |a, _| a[0].element_count().map(|count| count as i64).into()),
    between("ARRAY_SLICE", 2, 3, |a, effort| slice(a, effort).into()),
];

fn concat(arguments: &[Datum<'_>], effort: &Effort) -> Option<Value> {
    let mut joined = Vec::new();
    for argument in arguments {
        if !copy(elements(argument)?, &mut joined, effort) {
            return None;
        }
    }
    Some(Value::Array(joined))
}

/// A negative start counts from the end, but not beyond the beginning; a length below 1 gives no element.
fn slice(arguments: &[Datum<'_>], effort: &Effort) -> Option<Value> {
    let count = arguments[0].element_count()?;
    let start = whole(&arguments[1])?;
    let start = if start < 0.0 { start + count as f64 } else { start };
    let length = arguments.get(2).map_or(Some(f64::INFINITY), whole)?;
    let mut part = Vec::new();
    // Floats below 0 become 0, those beyond the range its end, which is beyond the array too.
    let elements = elements(&arguments[0])?.skip(start as usize).take(length as usize);
    (effort.spend(start.clamp(0.0, count as f64) as usize) && copy(elements, &mut part, effort))
        .then_some(Value::Array(part))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn arrays_are_joined_and_cut() {
        check(&[
            ("ARRAY_CONCAT", r#"[["oak"], [], ["elm", 1]]"#, r#"["oak","elm",1]"#),
            ("ARRAY_CONCAT", r#"[["oak"], "elm"]"#, ""),
            ("ARRAY_LENGTH", "[[1, [2, 3]]]", "2"),
            ("ARRAY_LENGTH", "[null]", ""),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 1]", "[2,3,4]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 1, 2]", "[2,3]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], -3, 2]", "[2,3]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], -9]", "[1,2,3,4]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 9]", "[]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 0, 99]", "[1,2,3,4]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 1.9, 1.9]", "[2]"),
            ("ARRAY_SLICE", "[[1, 2, 3, 4], 0, -1]", "[]"),
            ("ARRAY_SLICE", r#"[[1, 2, 3, 4], "0"]"#, ""),
            ("ARRAY_SLICE", r#"[[1, 2, 3, 4], "NaN"]"#, ""),
            ("ARRAY_SLICE", r#"[[1, 2], 0, "undefined"]"#, ""),
            ("ARRAY_SLICE", r#"["abc", 0]"#, ""),
        ]);
    }
}
