//! Decimals of any size: comparison and conversion.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use crate::value::{BigDecimal, MAX_DECIMAL_SCALE};

/// By value: `1.0` and `1.00` are equal.
pub(super) fn compare(one: &BigDecimal, two: &BigDecimal) -> Ordering {
    let signs = one.unscaled.sign().cmp(&two.unscaled.sign());
    if signs != Ordering::Equal || one.scale == two.scale {
        return signs.then_with(|| one.unscaled.cmp(&two.unscaled));
    }
    // Numbers of different size need no common scale, which may take thousands of digits.
    let (left, right) = (magnitude(one), magnitude(two));
    if (left - right).abs() > 2.0 {
        let by_size = left.total_cmp(&right);
        return if one.unscaled.sign() == Sign::Minus { by_size.reverse() } else { by_size };
    }
    let scale = one.scale.max(two.scale);
    with_scale(one, scale).cmp(&with_scale(two, scale))
}

/// The whole part.
pub(super) fn truncate(number: &BigDecimal) -> BigInt {
    if number.scale <= 0 {
        return with_scale(number, 0);
    }
    &number.unscaled / power_of_ten(number.scale.unsigned_abs())
}

/// The digits at a scale that is not below the number's own.
pub(super) fn with_scale(number: &BigDecimal, scale: i32) -> BigInt {
    &number.unscaled * power_of_ten(scale.saturating_sub(number.scale).max(0).unsigned_abs())
}

pub(super) fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

/// About the logarithm to base ten.
fn magnitude(number: &BigDecimal) -> f64 {
    number.unscaled.bits() as f64 * std::f64::consts::LOG10_2 - f64::from(number.scale)
}

/// The sum; `None` beyond the bounds of decimals, as in the other operations.
pub(super) fn add(one: &BigDecimal, two: &BigDecimal) -> Option<BigDecimal> {
    let scale = one.scale.max(two.scale);
    bounded(with_scale(one, scale) + with_scale(two, scale), scale.into())
}

pub(super) fn subtract(one: &BigDecimal, two: &BigDecimal) -> Option<BigDecimal> {
    let scale = one.scale.max(two.scale);
    bounded(with_scale(one, scale) - with_scale(two, scale), scale.into())
}

pub(super) fn multiply(one: &BigDecimal, two: &BigDecimal) -> Option<BigDecimal> {
    bounded(&one.unscaled * &two.unscaled, i64::from(one.scale) + i64::from(two.scale))
}

/// Exactly where that ends; else ten digits more than either has, and no more behind the point than the larger of ten and their scales.
pub(super) fn divide(one: &BigDecimal, two: &BigDecimal) -> Option<BigDecimal> {
    let scale = i64::from(one.scale) - i64::from(two.scale);
    let divisor = greatest_common_divisor(&one.unscaled, &two.unscaled);
    let (numerator, denominator) = (&one.unscaled / &divisor, &two.unscaled / &divisor);
    let (twos, rest) = factors(&denominator, 2);
    let (fives, rest) = factors(&rest, 5);
    if *rest.magnitude() == 1_u32.into() {
        let more = twos.max(fives);
        return bounded(numerator * power_of_ten(more) / denominator, scale + i64::from(more));
    }
    let precision = digits(&one.unscaled).max(digits(&two.unscaled)) + 10;
    let shift = precision - (digits(&numerator) - digits(&denominator));
    let (numerator, denominator) = match u32::try_from(shift) {
        Ok(shift) => (numerator * power_of_ten(shift), denominator),
        Err(_) => (numerator, denominator * power_of_ten(u32::try_from(-shift).ok()?)),
    };
    let quotient = &numerator / &denominator;
    let spare = (digits(&quotient) - precision).max(0);
    let most = i64::from(one.scale.max(two.scale).max(10));
    let spare = spare.max(scale + shift - most);
    let rounding = power_of_ten(u32::try_from(spare).ok()?);
    bounded(round_half_up(&numerator, &(denominator * rounding)), scale + shift - spare)
}

/// The nearest integer to a quotient; halves go away from zero.
fn round_half_up(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let half = denominator.magnitude();
    let magnitude = (numerator.magnitude() * 2_u32 + half) / (half * 2_u32);
    let sign = if numerator.sign() == denominator.sign() { Sign::Plus } else { Sign::Minus };
    BigInt::from_biguint(sign, magnitude)
}

fn bounded(unscaled: BigInt, scale: i64) -> Option<BigDecimal> {
    let scale = i32::try_from(scale).ok()?;
    let fits =
        (-MAX_DECIMAL_SCALE..=MAX_DECIMAL_SCALE).contains(&scale) && unscaled.bits() <= super::arithmetic::MAX_BITS;
    fits.then_some(BigDecimal { unscaled, scale })
}

/// How many digits an integer has.
fn digits(number: &BigInt) -> i64 {
    number.magnitude().to_string().len() as i64
}

/// How often a prime is in a number that is not zero, and what is left of it.
fn factors(number: &BigInt, prime: u32) -> (u32, BigInt) {
    let (mut count, mut rest) = (0, number.clone());
    while (&rest % prime).sign() == Sign::NoSign {
        rest /= prime;
        count += 1;
    }
    (count, rest)
}

fn greatest_common_divisor(one: &BigInt, two: &BigInt) -> BigInt {
    let (mut one, mut two) = (one.magnitude().clone(), two.magnitude().clone());
    while two != 0_u32.into() {
        (one, two) = (two.clone(), one % two);
    }
    one.into()
}
