//! Functions of numbers. Integers stay exact.

use orrery_value::{Number, Value};

use super::{Function, exactly};
use crate::query::Datum;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("ABS", 1, |a, _| abs(a).into()),
    exactly("CEILING", 1, |a, _| whole(a, f64::ceil).into()),
    exactly("FLOOR", 1, |a, _| whole(a, f64::floor).into()),
    // Halves go away from zero.
    exactly("ROUND", 1, |a, _| whole(a, f64::round).into()),
];

fn abs(arguments: &[Datum<'_>]) -> Option<Value> {
    Some(match arguments[0].as_number()? {
        Number::Int(int) => int.checked_abs().map_or_else(|| Value::from((int as f64).abs()), Value::from),
        Number::Float(float) => Value::from(float.abs()),
    })
}

fn whole(arguments: &[Datum<'_>], round: fn(f64) -> f64) -> Option<Value> {
    Some(match arguments[0].as_number()? {
        int @ Number::Int(_) => Value::Number(int),
        Number::Float(float) => Value::from(round(float)),
    })
}
