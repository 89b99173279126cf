//! Functions of doubles. A result that is no finite number stays a number within the query, and is left out of rows.

use std::f64::consts::PI;
use std::hash::{BuildHasher, RandomState};

use orrery_value::{Number, Value};

use super::{Function, between, exactly};
use crate::query::Datum;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("ABS", 1, |a, _| abs(&a[0]).into()),
    exactly("ACOS", 1, |a, _| on_one(a, f64::acos).into()),
    exactly("ASIN", 1, |a, _| on_one(a, f64::asin).into()),
    exactly("ATAN", 1, |a, _| on_one(a, f64::atan).into()),
    exactly("ATN2", 2, |a, _| on_two(a, f64::atan2).into()),
    exactly("COS", 1, |a, _| on_one(a, f64::cos).into()),
    exactly("COT", 1, |a, _| on_one(a, |x| 1.0 / x.tan()).into()),
    exactly("DEGREES", 1, |a, _| on_one(a, f64::to_degrees).into()),
    exactly("EXP", 1, |a, _| on_one(a, f64::exp).into()),
    between("LOG", 1, 2, |a, _| if a.len() == 1 { on_one(a, f64::ln) } else { on_two(a, logarithm) }.into()),
    exactly("LOG10", 1, |a, _| on_one(a, f64::log10).into()),
    exactly("PI", 0, |_, _| PI.into()),
    exactly("POWER", 2, |a, _| on_two(a, f64::powf).into()),
    exactly("RADIANS", 1, |a, _| on_one(a, f64::to_radians).into()),
    exactly("RAND", 0, |_, _| random().into()).varying(),
    exactly("SIGN", 1, |a, _| sign(&a[0]).into()),
    exactly("SIN", 1, |a, _| on_one(a, f64::sin).into()),
    exactly("SQRT", 1, |a, _| on_one(a, f64::sqrt).into()),
    exactly("SQUARE", 1, |a, _| on_one(a, |x| x * x).into()),
    exactly("TAN", 1, |a, _| on_one(a, f64::tan).into()),
];

fn on_one(arguments: &[Datum<'_>], operate: fn(f64) -> f64) -> Option<f64> {
    Some(operate(arguments[0].as_number()?.as_f64()))
}

fn on_two(arguments: &[Datum<'_>], operate: fn(f64, f64) -> f64) -> Option<f64> {
    Some(operate(arguments[0].as_number()?.as_f64(), arguments[1].as_number()?.as_f64()))
}

/// An integer stays exact; the one that has no counterpart becomes a double.
fn abs(argument: &Datum<'_>) -> Option<Value> {
    Some(match argument.as_number()? {
        Number::Int(int) => int.checked_abs().map_or_else(|| Value::from((int as f64).abs()), Value::from),
        Number::Float(float) => Value::from(float.abs()),
    })
}

fn logarithm(x: f64, base: f64) -> f64 {
    // These two are exact where the quotient of logarithms is off in the last digit.
    if base == 10.0 {
        x.log10()
    } else if base == 2.0 {
        x.log2()
    } else {
        x.ln() / base.ln()
    }
}

fn sign(argument: &Datum<'_>) -> Option<f64> {
    let number = argument.as_number()?.as_f64();
    Some(if number == 0.0 || number.is_nan() { number } else { number.signum() })
}

/// From 0 up to but not with 1. The hasher's keys are random and differ each time; it is no source for secrets.
fn random() -> f64 {
    const BITS: u32 = f64::MANTISSA_DIGITS;
    let bits = RandomState::new().hash_one(()) >> (u64::BITS - BITS);
    bits as f64 / (1u64 << BITS) as f64
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called, check};

    #[test]
    fn numbers_are_computed() {
        check(&[
            ("ABS", "[-9007199254740993]", "9007199254740993"),
            ("ABS", "[-0.5]", "0.5"),
            ("ABS", "[-9223372036854775808]", "9223372036854776000"),
            ("ABS", "[null]", ""),
            ("ACOS", "[1]", "0"),
            ("ACOS", "[2]", ""),
            ("ASIN", "[0]", "0"),
            ("ATAN", "[-45.01]", "-1.5485826962062663"),
            ("ATN2", "[35.175643, 129.44]", "0.265344532064832"),
            ("COS", "[0]", "1"),
            ("COT", "[0]", ""),
            ("DEGREES", "[3.141592653589793]", "180"),
            ("EXP", "[0]", "1"),
            ("LOG", "[1]", "0"),
            ("LOG", "[0]", ""),
            ("LOG", "[1000, 10]", "3"),
            ("LOG", "[8, 2]", "3"),
            ("LOG", "[9, 3]", "2"),
            ("LOG", r#"[9, "3"]"#, ""),
            ("LOG10", "[100]", "2"),
            ("PI", "[]", "3.141592653589793"),
            ("POWER", "[2, 10]", "1024"),
            ("POWER", "[0, -1]", ""),
            ("RADIANS", "[180]", "3.141592653589793"),
            ("SIGN", "[-3]", "-1"),
            ("SIGN", "[0]", "0"),
            ("SIGN", "[0.1]", "1"),
            ("SIN", "[0]", "0"),
            ("SQRT", "[17]", "4.123105625617661"),
            ("SQRT", "[-1]", ""),
            ("SQUARE", "[1.5]", "2.25"),
            ("SQUARE", "[null]", ""),
            ("TAN", "[0]", "0"),
        ]);
    }

    #[test]
    fn random_numbers_differ_and_lie_below_one() {
        let numbers: Vec<f64> = (0..100).map(|_| called("RAND", "[]").parse().unwrap()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!(numbers.iter().any(|number| *number != numbers[0]));
    }
}
