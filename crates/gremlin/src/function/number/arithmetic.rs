//! Arithmetic: in the class that two numbers share, and in a wider one where the result does not fit.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;

use super::super::{class_name, order, refuse};
use super::{Class, Width, decimal, is_nan, to_big, to_decimal, to_f32, to_f64};
use crate::run::RunError;
use crate::value::{GValue, MAX_NUMBER_DIGITS};

/// Widest integer: about [`MAX_NUMBER_DIGITS`] digits.
pub(super) const MAX_BITS: u64 = (MAX_NUMBER_DIGITS as u64) * 10 / 3;

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// The sum. Null and anything is the first of them, as in the other operations.
///
/// # Errors
/// What is no number, and an overflow of longs, as in the other operations.
pub fn add(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    operate(Operation::Add, one, two, false)
}

/// The difference.
///
/// # Errors
/// See [`add`].
pub fn subtract(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    operate(Operation::Subtract, one, two, false)
}

/// The product.
///
/// # Errors
/// See [`add`].
pub fn multiply(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    operate(Operation::Multiply, one, two, false)
}

/// The quotient: of integers without its fraction.
///
/// # Errors
/// See [`add`]; division of integers and decimals by zero too.
pub fn divide(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    operate(Operation::Divide, one, two, false)
}

/// The quotient as a floating number even of integers.
///
/// # Errors
/// See [`divide`].
pub(crate) fn divide_exactly(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    operate(Operation::Divide, one, two, true)
}

/// So many times a number, in the class that adding it so often would give.
pub(crate) fn times(number: &GValue, count: i64) -> Result<GValue, RunError> {
    match Class::of(number) {
        _ if count == 1 => check(number).map(|()| number.clone()),
        Some(Class { width, is_floating: false }) if width != Width::Unbounded => {
            let product = i128::from(number.as_i64().unwrap_or(0)).checked_mul(i128::from(count));
            product.and_then(|product| narrowest(product, width)).ok_or_else(overflow)
        }
        Some(Class { width: Width::Bits32, .. }) => multiply(number, &GValue::Float(count as f32)),
        _ => multiply(number, &GValue::Long(count)),
    }
}

/// The smaller one of two numbers, in the class they share, or of two values of one family. Null and NaN give way.
///
/// # Errors
/// Values that do not compare.
pub fn minimum(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    extreme(one, two, Ordering::is_le)
}

/// The larger one; see [`minimum`].
///
/// # Errors
/// Values that do not compare.
pub fn maximum(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    extreme(one, two, Ordering::is_ge)
}

fn extreme(one: &GValue, two: &GValue, takes_first: fn(Ordering) -> bool) -> Result<GValue, RunError> {
    if matches!(one, GValue::Null) || is_nan(one) && !matches!(two, GValue::Null) {
        return Ok(two.clone());
    }
    if matches!(two, GValue::Null) || is_nan(two) {
        return Ok(one.clone());
    }
    let order = order::compare(one, two)
        .ok_or_else(|| refuse(format!("{} cannot be cast to {}", class_name::simple(two), class_name::simple(one))))?;
    let taken = if takes_first(order) { one } else { two };
    Ok(match (Class::of(one), Class::of(two)) {
        (Some(one), Some(two)) => widened(taken, one.common(two)).unwrap_or_else(|| taken.clone()),
        _ => taken.clone(),
    })
}

/// A number in a class that it fits.
fn widened(number: &GValue, class: Class) -> Option<GValue> {
    match (class.is_floating, class.width) {
        (false, Width::Unbounded) => Some(GValue::BigInteger(Arc::new(to_big(number)?))),
        (false, width) => narrowest(i128::from(number.as_i64()?), width),
        (true, Width::Unbounded) => to_decimal(number).map(GValue::BigDecimal),
        (true, Width::Bits64) => to_f64(number).map(GValue::Double),
        (true, _) => to_f32(number).map(GValue::Float),
    }
}

fn operate(operation: Operation, one: &GValue, two: &GValue, forces_floating: bool) -> Result<GValue, RunError> {
    if matches!(one, GValue::Null) || matches!(two, GValue::Null) {
        return Ok(one.clone());
    }
    check(one).and(check(two))?;
    let class = Class::of(one).zip(Class::of(two)).map(|(one, two)| one.common(two)).ok_or_else(overflow)?;
    match (class.is_floating || forces_floating, class.width) {
        (false, Width::Unbounded) => big_integers(operation, one, two),
        (false, width) => integers(operation, one, two, width),
        (true, Width::Unbounded) => big_decimals(operation, one, two),
        (true, Width::Bits64) => Ok(GValue::Double(doubles(operation, one, two))),
        (true, _) => {
            let (left, right) = (to_f32(one).unwrap_or(f32::NAN), to_f32(two).unwrap_or(f32::NAN));
            let result = match operation {
                Operation::Add => left + right,
                Operation::Subtract => left - right,
                Operation::Multiply => left * right,
                Operation::Divide => left / right,
            };
            if result.is_infinite() { Ok(GValue::Double(doubles(operation, one, two))) } else { Ok(result.into()) }
        }
    }
}

fn doubles(operation: Operation, one: &GValue, two: &GValue) -> f64 {
    let (left, right) = (to_f64(one).unwrap_or(f64::NAN), to_f64(two).unwrap_or(f64::NAN));
    match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide => left / right,
    }
}

fn integers(operation: Operation, one: &GValue, two: &GValue, width: Width) -> Result<GValue, RunError> {
    let (left, right) = (i128::from(one.as_i64().unwrap_or(0)), i128::from(two.as_i64().unwrap_or(0)));
    // Of 64 bits each, so that 128 hold the result.
    let result = match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide if right == 0 => return Err(refuse("/ by zero")),
        Operation::Divide => left / right,
    };
    narrowest(result, width).ok_or_else(overflow)
}

/// The narrowest class of at least this width that holds an integer.
fn narrowest(number: i128, width: Width) -> Option<GValue> {
    if width <= Width::Bits8
        && let Ok(number) = i8::try_from(number)
    {
        return Some(GValue::Byte(number));
    }
    if width <= Width::Bits16
        && let Ok(number) = i16::try_from(number)
    {
        return Some(GValue::Short(number));
    }
    if width <= Width::Bits32
        && let Ok(number) = i32::try_from(number)
    {
        return Some(GValue::Int(number));
    }
    i64::try_from(number).ok().map(GValue::Long)
}

fn big_integers(operation: Operation, one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    let (left, right) = (to_big(one).unwrap_or_default(), to_big(two).unwrap_or_default());
    let result = match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide if right == BigInt::ZERO => return Err(refuse("BigInteger divide by zero")),
        Operation::Divide => left / right,
    };
    if result.bits() > MAX_BITS {
        return Err(too_large());
    }
    Ok(GValue::BigInteger(Arc::new(result)))
}

fn big_decimals(operation: Operation, one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    let Some((left, right)) = to_decimal(one).zip(to_decimal(two)) else {
        return Ok(GValue::Double(doubles(operation, one, two)));
    };
    let result = match operation {
        Operation::Add => decimal::add(&left, &right),
        Operation::Subtract => decimal::subtract(&left, &right),
        Operation::Multiply => decimal::multiply(&left, &right),
        Operation::Divide if right.unscaled == BigInt::ZERO => return Err(refuse("Division by zero")),
        Operation::Divide => decimal::divide(&left, &right),
    };
    result.map(|number| GValue::BigDecimal(Arc::new(number))).ok_or_else(too_large)
}

fn check(number: &GValue) -> Result<(), RunError> {
    match Class::of(number) {
        Some(_) => Ok(()),
        None => Err(refuse(format!("{} cannot be cast to Number", class_name::simple(number)))),
    }
}

fn overflow() -> RunError {
    refuse("long overflow")
}

fn too_large() -> RunError {
    refuse(format!("a number has at most {MAX_NUMBER_DIGITS} digits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BigDecimal;

    fn decimal(text: &str) -> GValue {
        GValue::BigDecimal(Arc::new(BigDecimal::parse(text).unwrap()))
    }

    #[test]
    fn results_that_do_not_fit_are_of_a_wider_class() {
        for (result, expected) in [
            (add(&GValue::Byte(127), &GValue::Byte(1)), GValue::Short(128)),
            (add(&GValue::Byte(1), &GValue::Short(1)), GValue::Short(2)),
            (subtract(&i32::MIN.into(), &1.into()), (-2_147_483_649_i64).into()),
            (multiply(&GValue::Short(i16::MAX), &GValue::Short(2)), GValue::Int(65_534)),
            (divide(&i32::MIN.into(), &(-1).into()), 2_147_483_648_i64.into()),
            (divide(&7.into(), &2.into()), 3.into()),
            (divide(&GValue::Byte(127), &GValue::Float(0.5)), GValue::Float(254.0)),
            (add(&GValue::Float(f32::MAX), &GValue::Float(f32::MAX)), GValue::Double(f64::from(f32::MAX) * 2.0)),
            (add(&f64::MAX.into(), &f64::MAX.into()), f64::INFINITY.into()),
            (add(&1_i64.into(), &GValue::Float(0.5)), 1.5.into()),
            (divide_exactly(&3.into(), &2_i64.into()), 1.5.into()),
            (add(&GValue::Null, &1.into()), GValue::Null),
            (times(&GValue::Byte(100), 2), GValue::Short(200)),
            (times(&GValue::Float(0.5), 4), GValue::Float(2.0)),
            (times(&3.into(), 4), 12.into()),
        ] {
            assert_eq!(result, Ok(expected));
        }
    }

    #[test]
    fn what_cannot_be_computed_is_an_error() {
        for result in [
            add(&i64::MAX.into(), &1.into()),
            divide(&1.into(), &0.into()),
            divide(&decimal("1"), &0.into()),
            add(&"a".into(), &1.into()),
            maximum(&"a".into(), &1.into()),
            times(&"a".into(), 1),
        ] {
            assert!(matches!(result, Err(RunError::Evaluation { .. })), "{result:?}");
        }
        let mut large = GValue::BigInteger(Arc::new(BigInt::from(i64::MAX)));
        let grown = (0..20).try_for_each(|_| multiply(&large, &large).map(|square| large = square));
        assert_eq!(grown, Err(too_large()));
    }

    #[test]
    fn decimals_keep_their_digits() {
        for (result, expected) in [
            (add(&decimal("1.50"), &1.into()), "2.50"),
            (multiply(&decimal("1.5"), &decimal("0.05")), "0.075"),
            (divide(&decimal("1"), &decimal("8")), "0.125"),
            (divide(&decimal("1.00"), &decimal("2")), "0.50"),
            (divide(&decimal("1"), &decimal("3")), "0.3333333333"),
            (divide(&decimal("-2"), &decimal("3")), "-0.6666666667"),
            (divide(&decimal("200"), &decimal("3")), "66.6666666667"),
            (divide(&decimal("1e3"), &decimal("1e-3")), "1E+6"),
        ] {
            assert_eq!(crate::io::text::of(&result.unwrap()), expected);
        }
    }

    #[test]
    fn extremes_are_of_the_class_both_share_and_pass_over_null_and_nan() {
        assert_eq!(minimum(&1.into(), &2.0.into()), Ok(1.0.into()));
        assert_eq!(maximum(&GValue::Null, &f64::NAN.into()), Ok(f64::NAN.into()));
        assert_eq!(minimum(&f64::NAN.into(), &3.into()), Ok(3.into()));
        assert_eq!(minimum(&3.into(), &GValue::Null), Ok(3.into()));
        assert_eq!(maximum(&"a".into(), &"b".into()), Ok("b".into()));
    }
}
