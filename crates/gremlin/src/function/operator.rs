//! Operators: functions of what is kept so far and what comes.

use std::sync::Arc;

use super::{class_name, number, refuse};
use crate::run::RunError;
use crate::value::{GMap, GSet, GValue, Operator};

/// What an operator makes of two values.
///
/// # Errors
/// Values that it is no function of, and overflows.
pub fn apply(operator: Operator, one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    match operator {
        Operator::Sum => number::add(one, two),
        Operator::Minus => number::subtract(one, two),
        Operator::Mult => number::multiply(one, two),
        Operator::Div => number::divide(one, two),
        Operator::Min => number::minimum(one, two),
        Operator::Max => number::maximum(one, two),
        Operator::Assign => Ok(two.clone()),
        Operator::And => connective(one, two, |one, two| one && two),
        Operator::Or => connective(one, two, |one, two| one || two),
        Operator::AddAll => add_all(one, two),
        Operator::SumLong => match (one, two) {
            (GValue::Long(_), GValue::Long(_)) => number::add(one, two),
            (GValue::Long(_), other) | (other, _) => {
                Err(refuse(format!("{} cannot be cast to Long", class_name::simple(other))))
            }
        },
    }
}

/// Null gives way.
fn connective(one: &GValue, two: &GValue, connect: fn(bool, bool) -> bool) -> Result<GValue, RunError> {
    match (one, two) {
        (GValue::Null, other) | (other, GValue::Null) => Ok(other.clone()),
        (GValue::Bool(one), GValue::Bool(two)) => Ok(connect(*one, *two).into()),
        (GValue::Bool(_), other) | (other, _) => {
            Err(refuse(format!("{} cannot be cast to Boolean", class_name::simple(other))))
        }
    }
}

/// The first collection with what is in the second; null gives way.
fn add_all(one: &GValue, two: &GValue) -> Result<GValue, RunError> {
    match (one, two) {
        (GValue::Null, other) | (other, GValue::Null) => Ok(other.clone()),
        (GValue::Map(one), GValue::Map(two)) => {
            let mut all: GMap = (**one).clone();
            all.extend(two.iter().map(|(key, value)| (key.clone(), value.clone())));
            Ok(GValue::Map(Arc::new(all)))
        }
        (GValue::List(one), GValue::List(two)) => Ok(GValue::list(one.iter().chain(two.iter()).cloned())),
        (GValue::List(one), GValue::Set(two)) => Ok(GValue::list(one.iter().chain(two.iter()).cloned())),
        (GValue::List(one), GValue::BulkSet(_)) => {
            Ok(GValue::list(one.iter().cloned().chain(super::collection::expanded(two)?)))
        }
        (GValue::Set(one), GValue::List(_) | GValue::Set(_) | GValue::BulkSet(_)) => {
            let mut all: GSet = (**one).clone();
            all.extend(super::collection::counted(two).into_iter().map(|(value, _)| value));
            Ok(GValue::Set(Arc::new(all)))
        }
        (GValue::BulkSet(one), GValue::List(_) | GValue::Set(_) | GValue::BulkSet(_)) => {
            let mut all = (**one).clone();
            all.items.extend(super::collection::counted(two));
            Ok(GValue::BulkSet(Arc::new(all)))
        }
        _ => Err(refuse(format!(
            "Objects must be both of Map or Collection: a={} b={}",
            class_name::simple(one),
            class_name::simple(two)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_gives_way_to_what_there_is() {
        assert_eq!(apply(Operator::And, &GValue::Null, &false.into()), Ok(false.into()));
        assert_eq!(apply(Operator::Or, &true.into(), &GValue::Null), Ok(true.into()));
        assert_eq!(apply(Operator::AddAll, &GValue::Null, &GValue::list([])), Ok(GValue::list([])));
        assert_eq!(apply(Operator::Min, &GValue::Null, &1.into()), Ok(1.into()));
        assert_eq!(apply(Operator::Assign, &1.into(), &GValue::Null), Ok(GValue::Null));
    }

    #[test]
    fn collections_are_put_together_in_the_kind_of_the_first() {
        let (list, set) = (GValue::list([1.into(), 1.into()]), GValue::set([1.into(), 2.into()]));
        assert_eq!(apply(Operator::AddAll, &list, &set), Ok(GValue::list([1.into(), 1.into(), 1.into(), 2.into()])));
        assert_eq!(apply(Operator::AddAll, &set, &list), Ok(set.clone()));
        let one = GValue::map([("a".into(), 1.into())]);
        let both = GValue::map([("a".into(), 2.into())]);
        assert_eq!(apply(Operator::AddAll, &one, &both), Ok(both));
        assert!(apply(Operator::AddAll, &one, &list).is_err());
    }

    #[test]
    fn long_sums_are_of_longs() {
        assert_eq!(apply(Operator::SumLong, &1_i64.into(), &2_i64.into()), Ok(3_i64.into()));
        assert!(apply(Operator::SumLong, &1.into(), &2_i64.into()).is_err());
        assert!(apply(Operator::And, &true.into(), &1.into()).is_err());
    }
}
