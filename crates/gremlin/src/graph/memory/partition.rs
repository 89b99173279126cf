//! The value that places a vertex.

use super::super::GraphError;
use crate::function::number;
use crate::value::GValue;

/// A value of the partition property by which elements are kept: a number counts whatever its class.
pub(super) fn normal(value: &GValue) -> GValue {
    number::to_f64(value).map_or_else(|| value.clone(), GValue::Double)
}

/// Whether two values place in the same partition.
pub(super) fn is_same(one: &GValue, two: &GValue) -> bool {
    normal(one) == normal(two)
}

/// Refuses what cannot place a vertex.
pub(super) fn check(value: &GValue) -> Result<(), GraphError> {
    match value {
        GValue::Null => Err(GraphError::Invalid {
            message: "Cannot add a vertex where the partition key property has value 'null'".to_owned(),
        }),
        GValue::String(_) | GValue::Bool(_) => Ok(()),
        number if number.is_number() => Ok(()),
        other => Err(GraphError::Invalid {
            message: format!("the partition key property is a string, a number or a boolean, not {}", other.kind()),
        }),
    }
}
