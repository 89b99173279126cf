//! Functions that make one value of an array's elements. They follow the rules of the aggregates of rows.

use orrery_value::{Number, Value, total_order};

use super::elements::elements;
use super::{Function, exactly};
use crate::query::{Datum, Effort, Kind};

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("ARRAY_AVG", 1, |a, effort| average(&a[0], effort).into()),
    exactly("ARRAY_MAX", 1, |a, effort| {
        primitives(&a[0], effort).and_then(|all| all.into_iter().max_by(total_order)).into()
    }),
    exactly("ARRAY_MEDIAN", 1, |a, effort| median(&a[0], effort).into()),
    exactly("ARRAY_MIN", 1, |a, effort| {
        primitives(&a[0], effort).and_then(|all| all.into_iter().min_by(total_order)).into()
    }),
    exactly("ARRAY_SUM", 1, |a, effort| numbers(&a[0], effort).map(|all| sum(&all)).into()),
];

/// None without elements, like AVG over no row.
fn average(array: &Datum<'_>, effort: &Effort) -> Option<f64> {
    let numbers = numbers(array, effort)?;
    (!numbers.is_empty()).then(|| sum(&numbers) / numbers.len() as f64)
}

/// The middle one of the sorted elements, or the mean of the two there.
fn median(array: &Datum<'_>, effort: &Effort) -> Option<Value> {
    let mut numbers = numbers(array, effort)?;
    numbers.sort_unstable();
    let upper = *numbers.get(numbers.len() / 2)?;
    if numbers.len() % 2 == 1 {
        return Some(upper.into());
    }
    let lower = numbers[numbers.len() / 2 - 1];
    Some(Value::from((lower.as_f64() + upper.as_f64()) / 2.0))
}

fn sum(numbers: &[Number]) -> f64 {
    numbers.iter().fold(0.0, |sum, number| sum + number.as_f64())
}

/// The elements, if they are numbers, all of them.
fn numbers(array: &Datum<'_>, effort: &Effort) -> Option<Vec<Number>> {
    let mut numbers = Vec::new();
    for element in elements(array)? {
        numbers.push(element.as_number()?);
        if !effort.spend(element.weight()) {
            return None;
        }
    }
    Some(numbers)
}

/// The elements, if none of them is an array or object.
fn primitives(array: &Datum<'_>, effort: &Effort) -> Option<Vec<Value>> {
    let mut primitives = Vec::new();
    for element in elements(array)? {
        if element.kind() >= Kind::Array || !effort.spend(element.weight()) {
            return None;
        }
        primitives.push(element.into_value());
    }
    Some(primitives)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn elements_are_folded() {
        check(&[
            ("ARRAY_SUM", "[[1, 2.5, -4]]", "-0.5"),
            ("ARRAY_SUM", "[[]]", "0"),
            ("ARRAY_SUM", r#"[[1, "2"]]"#, ""),
            ("ARRAY_SUM", "[12]", ""),
            ("ARRAY_AVG", "[[1, 2, 6]]", "3"),
            ("ARRAY_AVG", "[[]]", ""),
            ("ARRAY_AVG", "[[1, null]]", ""),
            ("ARRAY_MEDIAN", "[[9, 1, 5]]", "5"),
            ("ARRAY_MEDIAN", "[[9, 1, 5, 2]]", "3.5"),
            ("ARRAY_MEDIAN", "[[]]", ""),
            ("ARRAY_MEDIAN", r#"[["a"]]"#, ""),
            ("ARRAY_MIN", r#"[[2, "a", true, null]]"#, "null"),
            ("ARRAY_MAX", r#"[[2, "a", "B", true, null]]"#, "\"a\""),
            ("ARRAY_MAX", "[[2, 10, false]]", "10"),
            ("ARRAY_MAX", "[[2, [3]]]", ""),
            ("ARRAY_MIN", "[[{}]]", ""),
            ("ARRAY_MIN", "[[]]", ""),
        ]);
    }
}
