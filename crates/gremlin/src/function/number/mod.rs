//! Numbers of eight classes: the class two of them share, conversions, comparison, arithmetic.

mod arithmetic;
mod cast;
mod compare;
mod decimal;

use std::sync::Arc;

use num_bigint::BigInt;

pub use arithmetic::{add, divide, maximum, minimum, multiply, subtract};
pub(crate) use arithmetic::{divide_exactly, times};
pub use cast::as_number;
pub use compare::{compare, total_order};

use crate::value::{BigDecimal, GValue};

/// A class of numbers. Of two numbers, the result of an operation has the class that has the bits of the larger one, and is floating if
/// one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    Bits8,
    Bits16,
    Bits32,
    Bits64,
    Unbounded,
}

/// Width and kind of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub width: Width,
    pub is_floating: bool,
}

impl Class {
    /// Of a number; `None` for what is none.
    pub(crate) fn of(value: &GValue) -> Option<Class> {
        let (width, is_floating) = match value {
            GValue::Byte(_) => (Width::Bits8, false),
            GValue::Short(_) => (Width::Bits16, false),
            GValue::Int(_) => (Width::Bits32, false),
            GValue::Long(_) => (Width::Bits64, false),
            GValue::BigInteger(_) => (Width::Unbounded, false),
            GValue::Float(_) => (Width::Bits32, true),
            GValue::Double(_) => (Width::Bits64, true),
            GValue::BigDecimal(_) => (Width::Unbounded, true),
            _ => return None,
        };
        Some(Class { width, is_floating })
    }

    /// That of the result of an operation on both.
    pub(crate) fn common(self, other: Class) -> Class {
        Class { width: self.width.max(other.width), is_floating: self.is_floating || other.is_floating }
    }
}

/// Whether this is a float or double that is no number.
pub fn is_nan(value: &GValue) -> bool {
    match value {
        GValue::Float(number) => number.is_nan(),
        GValue::Double(number) => number.is_nan(),
        _ => false,
    }
}

/// The nearest double of a number.
pub fn to_f64(value: &GValue) -> Option<f64> {
    Some(match value {
        GValue::Byte(number) => f64::from(*number),
        GValue::Short(number) => f64::from(*number),
        GValue::Int(number) => f64::from(*number),
        GValue::Long(number) => *number as f64,
        GValue::BigInteger(number) => big_to_f64(number),
        GValue::Float(number) => f64::from(*number),
        GValue::Double(number) => *number,
        GValue::BigDecimal(number) => number.to_f64(),
        _ => return None,
    })
}

/// The nearest float of a number.
pub(crate) fn to_f32(value: &GValue) -> Option<f32> {
    match value {
        GValue::Long(number) => Some(*number as f32),
        GValue::Int(number) => Some(*number as f32),
        _ => to_f64(value).map(|number| number as f32),
    }
}

/// The whole part of a number; `None` as well for what is infinite or NaN.
pub(crate) fn to_big(value: &GValue) -> Option<BigInt> {
    match value {
        GValue::BigInteger(number) => Some((**number).clone()),
        GValue::Float(_) | GValue::Double(_) | GValue::BigDecimal(_) => Some(decimal::truncate(&*to_decimal(value)?)),
        _ => value.as_i64().map(BigInt::from),
    }
}

/// A number as a decimal: a float or double as the shortest one that reads back as it. `None` as well for what is infinite or NaN.
pub(crate) fn to_decimal(value: &GValue) -> Option<Arc<BigDecimal>> {
    match value {
        GValue::BigDecimal(number) => Some(number.clone()),
        GValue::BigInteger(number) => Some(Arc::new(BigDecimal { unscaled: (**number).clone(), scale: 0 })),
        GValue::Float(_) | GValue::Double(_) => {
            let number = to_f64(value).filter(|number| number.is_finite())?;
            BigDecimal::parse(&format!("{number:e}")).map(Arc::new)
        }
        _ => Some(Arc::new(BigDecimal { unscaled: value.as_i64()?.into(), scale: 0 })),
    }
}

fn big_to_f64(number: &BigInt) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}
