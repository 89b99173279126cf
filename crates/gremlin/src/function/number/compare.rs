//! How numbers compare.

use std::cmp::Ordering;

use super::{Class, Width, decimal, is_nan, to_big, to_decimal, to_f32, to_f64};
use crate::value::GValue;

/// Doubles below this are as exact as integers.
const EXACT_DOUBLES: f64 = 9_007_199_254_740_992.0;

/// Compares two numbers in the class they share, as predicates do. `None` if one is NaN, or no number.
pub fn compare(one: &GValue, two: &GValue) -> Option<Ordering> {
    let class = Class::of(one)?.common(Class::of(two)?);
    if is_nan(one) || is_nan(two) {
        return None;
    }
    match (class.is_floating, class.width) {
        (false, Width::Unbounded) => Some(to_big(one)?.cmp(&to_big(two)?)),
        (false, _) => Some(one.as_i64()?.cmp(&two.as_i64()?)),
        (true, Width::Unbounded) => decimals(one, two),
        (true, Width::Bits64) => to_f64(one)?.partial_cmp(&to_f64(two)?),
        (true, _) => to_f32(one)?.partial_cmp(&to_f32(two)?),
    }
}

/// The place of numbers in the order of all values, NaN last.
///
/// It compares the numbers as they are. To compare each two in the class that they share, as [`compare`] does, is no order: of `2^53`,
/// `2^53 + 1` and `2^53` as a double the last equals both others, and a sort may not be given that.
pub fn total_order(one: &GValue, two: &GValue) -> Ordering {
    match (is_nan(one), is_nan(two)) {
        (false, false) => {}
        (one, two) => return one.cmp(&two),
    }
    let quick = match (one.as_i64(), two.as_i64()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => to_double(two).and_then(|right| integer_with_double(left, right)),
        (None, Some(right)) => to_double(one).and_then(|left| integer_with_double(right, left)).map(Ordering::reverse),
        (None, None) => to_double(one).zip(to_double(two)).and_then(|(left, right)| left.partial_cmp(&right)),
    };
    quick.or_else(|| decimals(one, two)).unwrap_or(Ordering::Equal)
}

fn to_double(value: &GValue) -> Option<f64> {
    match value {
        GValue::Float(number) => Some(f64::from(*number)),
        GValue::Double(number) => Some(*number),
        _ => None,
    }
}

/// `None` where the double may stand for several integers.
fn integer_with_double(integer: i64, double: f64) -> Option<Ordering> {
    if double.abs() >= EXACT_DOUBLES {
        return None;
    }
    let by_whole = integer.cmp(&(double.trunc() as i64));
    Some(by_whole.then_with(|| 0.0_f64.partial_cmp(&double.fract()).unwrap_or(Ordering::Equal)))
}

/// Exactly, infinities included.
fn decimals(one: &GValue, two: &GValue) -> Option<Ordering> {
    let infinity = |value: &GValue| match to_double(value) {
        Some(number) if number.is_infinite() => number.signum() as i32,
        _ => 0,
    };
    match (infinity(one), infinity(two)) {
        (0, 0) => Some(decimal::compare(&*to_decimal(one)?, &*to_decimal(two)?)),
        (one, two) => Some(one.cmp(&two)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::value::BigDecimal;

    fn big(text: &str) -> GValue {
        GValue::BigInteger(Arc::new(text.parse().unwrap()))
    }

    fn decimal(text: &str) -> GValue {
        GValue::BigDecimal(Arc::new(BigDecimal::parse(text).unwrap()))
    }

    #[test]
    fn one_is_one_in_every_class() {
        let ones = [
            GValue::Byte(1),
            GValue::Short(1),
            GValue::Int(1),
            GValue::Long(1),
            big("1"),
            GValue::Float(1.0),
            GValue::Double(1.0),
            decimal("1.00"),
        ];
        for one in &ones {
            for two in &ones {
                assert_eq!(compare(one, two), Some(Ordering::Equal), "{one:?} {two:?}");
                assert_eq!(total_order(one, two), Ordering::Equal, "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn numbers_compare_in_the_class_they_share() {
        for (one, two, result) in [
            (GValue::Float(0.1), GValue::Double(0.1), Ordering::Greater),
            (GValue::Int(16_777_217), GValue::Float(16_777_216.0), Ordering::Equal),
            (GValue::Long(16_777_217), GValue::Float(16_777_216.0), Ordering::Greater),
            (GValue::Double(0.1), decimal("0.1"), Ordering::Equal),
            (big("100000000000000000000"), GValue::Long(i64::MAX), Ordering::Greater),
            (GValue::Double(f64::NEG_INFINITY), decimal("-1e1000"), Ordering::Less),
            (GValue::Double(-0.0), GValue::Double(0.0), Ordering::Equal),
            (decimal("-12.5"), decimal("-1.25e3"), Ordering::Greater),
        ] {
            assert_eq!(compare(&one, &two), Some(result), "{one:?} {two:?}");
            assert_eq!(compare(&two, &one), Some(result.reverse()), "{two:?} {one:?}");
        }
        assert_eq!(compare(&GValue::Double(f64::NAN), &GValue::Int(1)), None);
    }

    #[test]
    fn the_total_order_is_one() {
        let numbers = [
            GValue::Double(f64::NEG_INFINITY),
            decimal("-1e400"),
            GValue::Float(-0.5),
            GValue::Int(0),
            decimal("0.1"),
            GValue::Float(0.1),
            GValue::Double(9_007_199_254_740_992.0),
            GValue::Long(9_007_199_254_740_993),
            big("9007199254740994"),
            GValue::Double(1e300),
            GValue::Float(f32::INFINITY),
            GValue::Double(f64::NAN),
        ];
        for (i, one) in numbers.iter().enumerate() {
            for (j, two) in numbers.iter().enumerate() {
                assert_eq!(total_order(one, two), i.cmp(&j), "{one:?} {two:?}");
            }
        }
    }
}
