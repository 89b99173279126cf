//! Operators on one and two values.

use std::cmp::Ordering;

use orrery_value::{Number, Value};

use crate::query::evaluation::compare::{equals, order};
use crate::query::{Datum, Effort};

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// Three-valued: undefined unless the operand is Boolean.
    Not,
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `~`
    BitNot,
}

/// An operator with two operands that are both evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`, which keeps the sign
    ShiftRight,
    /// `>>>`, which fills with zeros
    ShiftRightZero,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `||`
    Concat,
}

impl UnaryOperator {
    pub(in crate::query) fn apply(self, operand: &Datum<'_>) -> Datum<'static> {
        match self {
            UnaryOperator::Not => operand.as_bool().map(|bool| !bool).into(),
            UnaryOperator::Negate => operand.as_number().map(negate).into(),
            UnaryOperator::Plus => operand.as_number().map(Value::Number).into(),
            UnaryOperator::BitNot => bits(operand).map(|bits| i64::from(!bits)).into(),
        }
    }
}

impl BinaryOperator {
    pub(in crate::query) fn apply(self, a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> Datum<'static> {
        use BinaryOperator as Op;
        let floats = |operate: fn(f64, f64) -> f64| Datum::from(operate_on_floats(a, b, operate));
        let compared =
            |accepts: fn(Ordering) -> bool| Datum::from(order(a, b, effort).map(|comparison| comparison.is(accepts)));
        let on_bits = |operate: fn(i32, i32) -> i32| Datum::from(operate_on_bits(a, b, operate));
        match self {
            Op::Multiply => floats(|a, b| a * b),
            Op::Divide => floats(|a, b| a / b),
            Op::Modulo => floats(|a, b| a % b),
            Op::Add => floats(|a, b| a + b),
            Op::Subtract => floats(|a, b| a - b),
            Op::Less => compared(Ordering::is_lt),
            Op::LessOrEqual => compared(Ordering::is_le),
            Op::Greater => compared(Ordering::is_gt),
            Op::GreaterOrEqual => compared(Ordering::is_ge),
            Op::Equal => equals(a, b, effort).into(),
            Op::NotEqual => equals(a, b, effort).map(|equal| !equal).into(),
            // As in JavaScript, the distance counts modulo 32.
            Op::ShiftLeft => on_bits(|a, b| a.wrapping_shl(b as u32)),
            Op::ShiftRight => on_bits(|a, b| a.wrapping_shr(b as u32)),
            Op::ShiftRightZero => {
                bits(a).zip(bits(b)).map(|(a, b)| i64::from((a as u32).wrapping_shr(b as u32))).into()
            }
            Op::BitAnd => on_bits(|a, b| a & b),
            Op::BitXor => on_bits(|a, b| a ^ b),
            Op::BitOr => on_bits(|a, b| a | b),
            Op::Concat => concat(a, b, effort).into(),
        }
    }
}

/// Negation keeps an integer exact; the one that has no counterpart becomes a double.
fn negate(number: Number) -> Value {
    match number {
        Number::Int(int) if int != 0 => int.checked_neg().map_or_else(|| Value::from(-(int as f64)), Value::from),
        number => Value::from(-number.as_f64()),
    }
}

fn operate_on_floats(a: &Datum<'_>, b: &Datum<'_>, operate: fn(f64, f64) -> f64) -> Option<f64> {
    Some(operate(a.as_number()?.as_f64(), b.as_number()?.as_f64()))
}

fn operate_on_bits(a: &Datum<'_>, b: &Datum<'_>, operate: fn(i32, i32) -> i32) -> Option<i64> {
    Some(i64::from(operate(bits(a)?, bits(b)?)))
}

/// The low 32 bits of an integer; none for other values.
fn bits(datum: &Datum<'_>) -> Option<i32> {
    datum.as_number()?.as_i64().map(|int| int as i32)
}

fn concat(a: &Datum<'_>, b: &Datum<'_>, effort: &Effort) -> Option<String> {
    let (a, b) = (a.as_str()?, b.as_str()?);
    effort.spend(a.len() + b.len()).then(|| [&*a, &*b].concat())
}
