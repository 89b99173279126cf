//! Functions that make numbers rounder. Integers stay exact.

use orrery_value::{Number, Value};

use super::{Function, between, exactly, whole};
use crate::query::Datum;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("CEILING", 1, |a, _| cut(&a[0], f64::ceil).into()),
    exactly("FLOOR", 1, |a, _| cut(&a[0], f64::floor).into()),
    between("NUMBERBIN", 1, 2, |a, _| bin(a).into()),
    // Halves go away from zero.
    between("ROUND", 1, 2, |a, _| if a.len() == 1 { cut(&a[0], f64::round) } else { round(a) }.into()),
    exactly("TRUNC", 1, |a, _| cut(&a[0], f64::trunc).into()),
];

fn cut(argument: &Datum<'_>, round: fn(f64) -> f64) -> Option<Value> {
    Some(match argument.as_number()? {
        int @ Number::Int(_) => Value::Number(int),
        Number::Float(float) => Value::from(round(float)),
    })
}

/// To so many digits after the point, or before it if the number of digits is negative.
fn round(arguments: &[Datum<'_>]) -> Option<Value> {
    let number = arguments[0].as_number()?;
    let digits = whole(&arguments[1])?;
    if digits >= 0.0 && matches!(number, Number::Int(_)) {
        return Some(number.into());
    }
    let number = number.as_f64();
    let scale = 10f64.powf(digits.abs());
    let rounded = if digits < 0.0 { (number / scale).round() * scale } else { (number * scale).round() / scale };
    // The scale is beyond the range of numbers: nothing is left before that digit, or nothing stands behind it.
    Some(Value::from(if rounded.is_finite() {
        rounded
    } else if digits < 0.0 {
        0.0
    } else {
        number
    }))
}

/// The number's multiple of the bin's size towards minus infinity; towards plus infinity for a negative size.
fn bin(arguments: &[Datum<'_>]) -> Option<f64> {
    let number = arguments[0].as_number()?.as_f64();
    let size = arguments.get(1).map_or(Some(1.0), |size| Some(size.as_number()?.as_f64()))?;
    (size != 0.0).then(|| (number / size).floor() * size)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn numbers_are_rounded() {
        check(&[
            ("CEILING", "[-45.72]", "-45"),
            ("CEILING", "[9007199254740993]", "9007199254740993"),
            ("FLOOR", "[-0.5]", "-1"),
            ("FLOOR", "[null]", ""),
            ("TRUNC", "[-2.78]", "-2"),
            ("TRUNC", r#"["2"]"#, ""),
            ("ROUND", "[2.5]", "3"),
            ("ROUND", "[-2.5]", "-3"),
            ("ROUND", "[2.4]", "2"),
            ("ROUND", "[3.14159, 2]", "3.14"),
            ("ROUND", "[1250, -2]", "1300"),
            ("ROUND", "[9007199254740993, 2]", "9007199254740993"),
            ("ROUND", "[1.5, 400]", "1.5"),
            ("ROUND", "[1.5, -400]", "0"),
            ("ROUND", "[1.5, null]", ""),
        ]);
    }

    #[test]
    fn bins_begin_at_multiples_of_their_size() {
        check(&[
            ("NUMBERBIN", "[37.752]", "37"),
            ("NUMBERBIN", "[37.752, 10]", "30"),
            ("NUMBERBIN", "[37.752, 0.01]", "37.75"),
            ("NUMBERBIN", "[37.752, -100]", "100"),
            ("NUMBERBIN", "[-1, 10]", "-10"),
            ("NUMBERBIN", "[37.752, 0]", ""),
            ("NUMBERBIN", r#"[37.752, "1"]"#, ""),
        ]);
    }
}
