//! A filter as an expression of the engine.
//!
//! The engine's logic has three values and keeps a document only if the filter is exactly true, which makes undefined as good as false
//! everywhere but under NOT. There, and only there, undefined is made false; all comparisons stay in sight of the engine's indexes.

use orrery_engine::query::{BinaryOperator, Expr, Function, InList, UnaryOperator, function};
use orrery_value::Value;

use super::evaluate::number;
use super::{Comparison, Condition, Operator};
use crate::entity::{ANNOTATION, binary_text, member_name};
use crate::{DateTime, EdmType, EdmValue};

/// What an expression may be that cannot be exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// True wherever the condition is.
    Upper,
    /// True only where the condition is.
    Lower,
}

/// An expression that is true wherever the condition is, and whether it is so nowhere else.
pub(super) fn compile(condition: &Condition) -> (Expr, bool) {
    let mut is_exact = true;
    let expr = bounded(condition, Bound::Upper, &mut is_exact);
    (expr, is_exact)
}

fn bounded(condition: &Condition, bound: Bound, is_exact: &mut bool) -> Expr {
    match condition {
        Condition::Or(conditions) => {
            Expr::Or(conditions.iter().map(|operand| bounded(operand, bound, is_exact)).collect())
        }
        Condition::And(conditions) => {
            let mut conjuncts = Vec::with_capacity(conditions.len());
            for operand in conditions {
                match bounded(operand, bound, is_exact) {
                    Expr::And(operands) => conjuncts.extend(operands),
                    operand => conjuncts.push(operand),
                }
            }
            Expr::And(conjuncts)
        }
        Condition::Not(operand) => {
            let bound = if bound == Bound::Upper { Bound::Lower } else { Bound::Upper };
            not(Expr::Coalesce(Box::new(bounded(operand, bound, is_exact)), Box::new(constant(false))))
        }
        Condition::Constant(value) => constant(*value),
        Condition::Comparison(comparison) => compared(comparison, bound, is_exact),
    }
}

fn compared(comparison: &Comparison, bound: Bound, is_exact: &mut bool) -> Expr {
    let Comparison { property, operator, constant: value } = comparison;
    match (&**property, value) {
        ("PartitionKey", EdmValue::String(text)) => of_type(*operator, partition_key(), text.as_str(), "IS_STRING"),
        ("RowKey", EdmValue::String(text)) => binary(*operator, row_key(), text.as_str()),
        ("Timestamp", EdmValue::DateTime(time)) => written_at(*operator, *time, bound, is_exact),
        ("PartitionKey" | "RowKey" | "Timestamp", _) => constant(false),
        (property, value) => Operand::of(property).compared(*operator, value, bound, is_exact),
    }
}

/// `_ts` is in seconds.
fn written_at(operator: Operator, time: DateTime, bound: Bound, is_exact: &mut bool) -> Expr {
    let (second, whole) = (time.unix_seconds(), time.is_whole_second());
    *is_exact &= whole && matches!(operator, Operator::GreaterOrEqual | Operator::Less);
    // The second that the time is in counts to the one side or to the other.
    let (from, until) = match bound {
        Bound::Upper => (second, if whole && operator == Operator::Less { second - 1 } else { second }),
        Bound::Lower => (if whole && operator == Operator::GreaterOrEqual { second } else { second + 1 }, second - 1),
    };
    match operator {
        Operator::Greater | Operator::GreaterOrEqual => binary(Operator::GreaterOrEqual, at("_ts"), from),
        Operator::Less | Operator::LessOrEqual => binary(Operator::LessOrEqual, at("_ts"), until),
        Operator::Equal if bound == Bound::Upper => binary(Operator::Equal, at("_ts"), second),
        Operator::NotEqual if bound == Bound::Lower => binary(Operator::NotEqual, at("_ts"), second),
        Operator::Equal | Operator::NotEqual => constant(bound == Bound::Upper),
    }
}

/// A property of a document, to be compared.
struct Operand {
    value: Expr,
    annotation: Expr,
}

impl Operand {
    fn of(property: &str) -> Self {
        let member = member_name(property);
        Operand { value: at(&member), annotation: at(&format!("{member}{ANNOTATION}")) }
    }

    fn compared(self, operator: Operator, value: &EdmValue, bound: Bound, is_exact: &mut bool) -> Expr {
        match value {
            EdmValue::Boolean(value) => of_type(operator, self.value, *value, "IS_BOOL"),
            EdmValue::String(text) => {
                let unannotated = not(call("IS_DEFINED", self.annotation));
                and(of_type(operator, self.value, text.as_str(), "IS_STRING"), unannotated)
            }
            EdmValue::DateTime(time) => self.annotated(operator, &time.to_string(), EdmType::DateTime),
            EdmValue::Guid(guid) => self.annotated(operator, &guid.to_string(), EdmType::Guid),
            EdmValue::Binary(bytes) if matches!(operator, Operator::Equal | Operator::NotEqual) => {
                self.annotated(operator, &binary_text(bytes), EdmType::Binary)
            }
            // The order of base64 is not that of the bytes.
            EdmValue::Binary(_) => {
                *is_exact = false;
                match bound {
                    Bound::Upper => self.is_annotated(EdmType::Binary),
                    Bound::Lower => constant(false),
                }
            }
            EdmValue::Int32(_) | EdmValue::Int64(_) | EdmValue::Double(_) => self.compared_as_number(operator, value),
        }
    }

    /// Compares the texts of a type that has an annotation.
    fn annotated(self, operator: Operator, text: &str, edm_type: EdmType) -> Expr {
        let is_annotated = self.is_annotated(edm_type);
        and(binary(operator, self.value, text), is_annotated)
    }

    fn is_annotated(&self, edm_type: EdmType) -> Expr {
        binary(Operator::Equal, self.annotation.clone(), edm_type.name())
    }

    /// Numbers of all types compare with each other. Those that JSON has no numbers for are strings with an annotation.
    fn compared_as_number(self, operator: Operator, value: &EdmValue) -> Expr {
        let Some(constant_number) = number(value) else { return constant(false) };
        let accepted = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
            .into_iter()
            .filter(|stored| operator.accepts_numbers((*stored).into(), constant_number))
            .map(crate::entity::not_finite);
        let accepted: Vec<_> = accepted.map(|text| Expr::Constant(text.into())).collect();
        let mut alternatives = Vec::new();
        if constant_number.is_finite() {
            alternatives.push(of_type(operator, self.value.clone(), constant_number, "IS_NUMBER"));
        } else if operator.accepts_numbers(0.into(), constant_number) {
            alternatives.push(call("IS_NUMBER", self.value.clone()));
        }
        if !accepted.is_empty() {
            let is_annotated = self.is_annotated(EdmType::Double);
            let is_accepted = Expr::In { needle: Box::new(self.value), list: InList::new(accepted) };
            alternatives.push(and(is_accepted, is_annotated));
        }
        match alternatives.len() {
            0 => constant(false),
            1 => alternatives.remove(0),
            _ => Expr::Or(alternatives),
        }
    }
}

/// Compares with a constant of one type; values of others are unequal to it, but that must not count.
fn of_type(operator: Operator, value: Expr, constant: impl Into<Value>, is_of_type: &str) -> Expr {
    match operator {
        Operator::NotEqual => and(binary(operator, value.clone(), constant), call(is_of_type, value)),
        operator => binary(operator, value, constant),
    }
}

/// A property of the document.
fn at(member: &str) -> Expr {
    Expr::property(Expr::Source(0), member)
}

pub(super) fn partition_key() -> Expr {
    at("PartitionKey")
}

/// Whether the expression says no more than which partition a document lies in.
pub(super) fn is_partition_key(expr: &Expr, key: &str) -> bool {
    let Expr::Binary(BinaryOperator::Equal, property, constant) = expr else { return false };
    let path = property.as_item_path().map(|path| path.segments());
    matches!(path, Some([name]) if name.as_str() == "PartitionKey")
        && matches!(constant.as_constant(), Some(Value::String(text)) if text == key)
}

pub(super) fn row_key() -> Expr {
    at("id")
}

pub(super) fn binary(operator: Operator, value: Expr, constant: impl Into<Value>) -> Expr {
    let operator = match operator {
        Operator::Equal => BinaryOperator::Equal,
        Operator::NotEqual => BinaryOperator::NotEqual,
        Operator::Greater => BinaryOperator::Greater,
        Operator::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
        Operator::Less => BinaryOperator::Less,
        Operator::LessOrEqual => BinaryOperator::LessOrEqual,
    };
    Expr::Binary(operator, Box::new(value), Box::new(Expr::Constant(constant.into())))
}

fn and(first: Expr, second: Expr) -> Expr {
    match first {
        Expr::And(mut operands) => {
            operands.push(second);
            Expr::And(operands)
        }
        first => Expr::And(vec![first, second]),
    }
}

fn not(operand: Expr) -> Expr {
    Expr::Unary(UnaryOperator::Not, Box::new(operand))
}

fn constant(value: bool) -> Expr {
    Expr::Constant(value.into())
}

fn call(name: &str, argument: Expr) -> Expr {
    let function: &'static Function = function(name).expect("the engine has the functions that test types");
    Expr::Call(function, vec![argument])
}
