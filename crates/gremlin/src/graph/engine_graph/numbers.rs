//! Numbers of conditions, for comparisons with the plain form of stored ones.
//!
//! Gremlin compares numbers in the wider of their classes, where several may fall together: all 32-bit integers near to each other equal
//! the same `float`. The engine compares exactly. So a number of a condition is a small interval here.

use orrery_engine::query::{BinaryOperator, Expr};
use orrery_value::Value;

use super::condition::binary;
use crate::value::GValue;

/// Integers up to here are exact as `float`.
const MAX_EXACT_FLOAT: f64 = 16_777_216.0;
/// Integers up to here are exact as `double`.
const MAX_EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;
/// More than twice the relative distance of neighbouring `float`s.
const FLOAT_SLACK: f64 = 3e-7;
/// More than twice the relative distance of neighbouring `double`s.
const DOUBLE_SLACK: f64 = 5e-16;

/// Where numbers lie that may equal one of a condition.
pub(super) struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// Those of a number; `None` for what is none, or not finite.
    pub fn of(number: &GValue) -> Option<Self> {
        let (value, slack) = match number {
            GValue::Byte(number) => (f64::from(*number), 0.0),
            GValue::Short(number) => (f64::from(*number), 0.0),
            GValue::Int(number) => (f64::from(*number), FLOAT_SLACK),
            GValue::Float(number) => (f64::from(*number), FLOAT_SLACK),
            GValue::Long(number) => (*number as f64, DOUBLE_SLACK),
            GValue::Double(number) => (*number, DOUBLE_SLACK),
            GValue::BigInteger(number) => (number.to_string().parse().ok()?, DOUBLE_SLACK),
            GValue::BigDecimal(number) => (number.to_f64(), DOUBLE_SLACK),
            _ => return None,
        };
        let is_exact = match number {
            GValue::Int(_) | GValue::Float(_) => value.abs() <= MAX_EXACT_FLOAT,
            GValue::BigDecimal(_) => false,
            _ => value.abs() <= MAX_EXACT_DOUBLE,
        };
        let slack = if is_exact { 0.0 } else { (value * slack).abs() };
        let bounds = Bounds { low: value - slack, high: value + slack };
        (bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }

    /// A value is in them.
    pub fn are_around(&self, value: &Expr) -> Expr {
        if self.low == self.high {
            return binary(BinaryOperator::Equal, value.clone(), number(self.low));
        }
        let [low, high] = [self.low, self.high].map(|bound| Box::new(Expr::Constant(number(bound))));
        Expr::Between { value: Box::new(value.clone()), low, high }
    }

    /// A value is not above them.
    pub fn are_not_below(&self, value: &Expr) -> Expr {
        binary(BinaryOperator::LessOrEqual, value.clone(), number(self.high))
    }

    /// A value is not below them.
    pub fn are_not_above(&self, value: &Expr) -> Expr {
        binary(BinaryOperator::GreaterOrEqual, value.clone(), number(self.low))
    }
}

/// As the engine has numbers: integers where they are.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() <= MAX_EXACT_DOUBLE { Value::from(value as i64) } else { Value::from(value) }
}
