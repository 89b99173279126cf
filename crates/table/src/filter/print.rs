//! Writing a filter as text.

use std::fmt;

use super::{Comparison, Condition, Filter};
use crate::EdmValue;

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Or(conditions) => write_joined(f, conditions, " or "),
            Condition::And(conditions) => write_joined(f, conditions, " and "),
            Condition::Not(condition) => {
                f.write_str("not ")?;
                write_operand(f, condition)
            }
            Condition::Comparison(Comparison { property, operator, constant }) => {
                write!(f, "{property} {} ", operator.as_str())?;
                write_constant(f, constant)
            }
            Condition::Constant(value) => write!(f, "{value}"),
        }
    }
}

/// With parentheses around what binds no tighter than what is around it.
fn write_operand(f: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    match condition {
        Condition::Or(_) | Condition::And(_) => write!(f, "({condition})"),
        condition => write!(f, "{condition}"),
    }
}

fn write_joined(f: &mut fmt::Formatter<'_>, conditions: &[Condition], word: &str) -> fmt::Result {
    for (nth, condition) in conditions.iter().enumerate() {
        if nth > 0 {
            f.write_str(word)?;
        }
        match (condition, word) {
            // Conjunctions bind tighter than what they stand in.
            (Condition::And(_), " or ") => write!(f, "{condition}")?,
            (condition, _) => write_operand(f, condition)?,
        }
    }
    Ok(())
}

fn write_constant(f: &mut fmt::Formatter<'_>, constant: &EdmValue) -> fmt::Result {
    match constant {
        EdmValue::String(text) => write!(f, "'{}'", text.replace('\'', "''")),
        EdmValue::Boolean(value) => write!(f, "{value}"),
        EdmValue::Int32(value) => write!(f, "{value}"),
        EdmValue::Int64(value) => write!(f, "{value}L"),
        EdmValue::Double(value) if value.is_finite() => write!(f, "{value:?}"),
        EdmValue::Double(value) => f.write_str(crate::entity::not_finite(*value)),
        EdmValue::DateTime(value) => write!(f, "datetime'{value}'"),
        EdmValue::Guid(value) => write!(f, "guid'{value}'"),
        EdmValue::Binary(bytes) => {
            f.write_str("X'")?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            f.write_str("'")
        }
    }
}
