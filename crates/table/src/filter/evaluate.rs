//! Testing an entity in memory.

use std::cmp::Ordering;

use orrery_value::Number;

use super::{Comparison, Operator};
use crate::{EdmValue, Entity};

impl Comparison {
    /// Whether it holds of an entity.
    pub(super) fn holds(&self, entity: &Entity) -> bool {
        match (&*self.property, &self.constant) {
            ("PartitionKey", _) => self.holds_of_text(&entity.key.partition_key),
            ("RowKey", _) => self.holds_of_text(&entity.key.row_key),
            ("Timestamp", EdmValue::DateTime(time)) => self.operator.accepts(entity.timestamp.cmp(time)),
            ("Timestamp", _) => false,
            (property, constant) => {
                entity.property(property).is_some_and(|value| compare(value, self.operator, constant))
            }
        }
    }

    /// Whether it holds of a property that is this text.
    pub(super) fn holds_of_text(&self, text: &str) -> bool {
        matches!(&self.constant, EdmValue::String(constant) if self.operator.accepts(text.cmp(constant)))
    }
}

impl Operator {
    pub(super) fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Operator::Equal => ordering.is_eq(),
            Operator::NotEqual => ordering.is_ne(),
            Operator::Greater => ordering.is_gt(),
            Operator::GreaterOrEqual => ordering.is_ge(),
            Operator::Less => ordering.is_lt(),
            Operator::LessOrEqual => ordering.is_le(),
        }
    }

    /// Whether it holds of two numbers: of a NaN nothing does but that it is unequal.
    pub(super) fn accepts_numbers(self, a: Number, b: Number) -> bool {
        if a.as_f64().is_nan() || b.as_f64().is_nan() {
            return self == Operator::NotEqual;
        }
        self.accepts(a.cmp(&b))
    }
}

/// The number of a value, if it is one: numbers compare with each other, of whatever width.
pub(super) fn number(value: &EdmValue) -> Option<Number> {
    match value {
        EdmValue::Int32(int) => Some(Number::Int(i64::from(*int))),
        EdmValue::Int64(int) => Some(Number::Int(*int)),
        EdmValue::Double(float) => Some(Number::Float(*float)),
        _ => None,
    }
}

fn compare(value: &EdmValue, operator: Operator, constant: &EdmValue) -> bool {
    if let (Some(a), Some(b)) = (number(value), number(constant)) {
        return operator.accepts_numbers(a, b);
    }
    let ordering = match (value, constant) {
        (EdmValue::String(a), EdmValue::String(b)) => a.cmp(b),
        (EdmValue::Boolean(a), EdmValue::Boolean(b)) => a.cmp(b),
        (EdmValue::DateTime(a), EdmValue::DateTime(b)) => a.cmp(b),
        (EdmValue::Guid(a), EdmValue::Guid(b)) => a.cmp(b),
        (EdmValue::Binary(a), EdmValue::Binary(b)) => a.cmp(b),
        _ => return false,
    };
    operator.accepts(ordering)
}
