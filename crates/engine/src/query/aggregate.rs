//! Aggregates: one value from many rows.

use std::cmp::Ordering;

use orrery_value::Value;

use super::compare::sort_order;
use super::row::Row;
use super::{Datum, Effort, Expr, Kind};

/// An aggregate of a plan: a function of what an expression is on each row.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// What is computed.
    pub function: AggregateFunction,
    /// From what.
    pub argument: Expr,
}

/// What an aggregate computes. Undefined arguments are skipped by all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// The number of rows where the argument is defined.
    Count,
    /// The sum of numbers: 0 without any, undefined as soon as there is something else.
    Sum,
    /// The mean of numbers: undefined without any, or as soon as there is something else.
    Avg,
    /// The least primitive: undefined without any, or as soon as there is an array or object.
    Min,
    /// The greatest primitive, with the same rules.
    Max,
}

impl AggregateFunction {
    /// The function that SQL calls by this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        const NAMES: [(&str, AggregateFunction); 5] = [
            ("COUNT", AggregateFunction::Count),
            ("SUM", AggregateFunction::Sum),
            ("AVG", AggregateFunction::Avg),
            ("MIN", AggregateFunction::Min),
            ("MAX", AggregateFunction::Max),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, function)| *function)
    }
}

/// An aggregate on its way through the rows.
#[derive(Clone, Debug)]
pub(super) enum Accumulator {
    Count(u64),
    Sum {
        sum: f64,
    },
    Avg {
        sum: f64,
        count: u64,
    },
    /// The best so far, and how a better one compares with it.
    Extreme {
        best: Option<Value>,
        better: Ordering,
    },
    /// Something that the function is not defined for came by.
    Spoiled,
}

impl Accumulator {
    pub fn new(function: AggregateFunction) -> Self {
        match function {
            AggregateFunction::Count => Accumulator::Count(0),
            AggregateFunction::Sum => Accumulator::Sum { sum: 0.0 },
            AggregateFunction::Avg => Accumulator::Avg { sum: 0.0, count: 0 },
            AggregateFunction::Min => Accumulator::Extreme { best: None, better: Ordering::Less },
            AggregateFunction::Max => Accumulator::Extreme { best: None, better: Ordering::Greater },
        }
    }

    pub fn add(&mut self, value: &Datum<'_>) {
        if value.is_undefined() {
            return;
        }
        match self {
            Accumulator::Count(count) => *count += 1,
            Accumulator::Sum { sum } => match value.as_number() {
                Some(number) => *sum += number.as_f64(),
                None => *self = Accumulator::Spoiled,
            },
            Accumulator::Avg { sum, count } => match value.as_number() {
                Some(number) => {
                    *sum += number.as_f64();
                    *count += 1;
                }
                None => *self = Accumulator::Spoiled,
            },
            Accumulator::Extreme { .. } if value.kind() >= Kind::Array => *self = Accumulator::Spoiled,
            Accumulator::Extreme { best, better } => {
                if best.as_ref().is_none_or(|best| sort_order(value, best) == *better) {
                    *best = Some(value.to_value());
                }
            }
            Accumulator::Spoiled => {}
        }
    }

    pub fn finish(self) -> Value {
        match self {
            Accumulator::Count(count) => Value::from(i64::try_from(count).unwrap_or(i64::MAX)),
            Accumulator::Sum { sum } => Value::from(sum),
            Accumulator::Avg { count: 0, .. } | Accumulator::Spoiled => Value::Undefined,
            Accumulator::Avg { sum, count } => Value::from(sum / count as f64),
            Accumulator::Extreme { best, .. } => best.unwrap_or_default(),
        }
    }
}

/// Adds a row to the accumulators of a plan's aggregates.
pub(super) fn add_row(
    accumulators: &mut [Accumulator],
    aggregates: &[Aggregate],
    sources: &[Datum<'_>],
    effort: &Effort,
) {
    for (accumulator, aggregate) in accumulators.iter_mut().zip(aggregates) {
        accumulator.add(&aggregate.argument.evaluate(&Row::new(sources, effort)));
    }
}

pub(super) fn accumulators(aggregates: &[Aggregate]) -> Vec<Accumulator> {
    aggregates.iter().map(|aggregate| Accumulator::new(aggregate.function)).collect()
}

#[cfg(test)]
mod tests {
    use orrery_value::total_order;

    use super::*;

    fn fold(function: AggregateFunction, values: &str) -> String {
        let mut accumulator = Accumulator::new(function);
        for value in Value::parse(values.as_bytes()).unwrap().as_array().unwrap() {
            accumulator.add(&Datum::Borrowed(value));
        }
        accumulator.add(&Datum::UNDEFINED);
        String::from_utf8(accumulator.finish().to_json()).unwrap()
    }

    #[test]
    fn aggregates_treat_mixed_types_as_the_service_does() {
        use AggregateFunction::{Avg, Count, Max, Min, Sum};
        for (function, values, expected) in [
            (Count, "[]", "0"),
            (Count, r#"[null,[],{},1]"#, "4"),
            (Sum, "[]", "0"),
            (Sum, "[1,2.5]", "3.5"),
            (Sum, "[1,null]", ""),
            (Avg, "[]", ""),
            (Avg, "[1,2]", "1.5"),
            (Avg, r#"[1,"a"]"#, ""),
            (Min, r#"["a",3,true,null]"#, "null"),
            (Max, r#"["a",3,true,null,"b"]"#, r#""b""#),
            (Max, r#"["a",[]]"#, ""),
            (Min, r#"[{}]"#, ""),
            (Min, "[]", ""),
            (Min, "[3,-1,2]", "-1"),
        ] {
            assert_eq!(fold(function, values), expected, "{function:?} of {values}");
        }
    }

    #[test]
    fn the_total_order_and_the_order_of_extremes_agree() {
        let values: Vec<Value> =
            [r#""a""#, "1", "true", "null"].iter().map(|text| Value::parse(text.as_bytes()).unwrap()).collect();
        for a in &values {
            for b in &values {
                assert_eq!(sort_order(&Datum::Borrowed(a), b), total_order(a, b));
            }
        }
    }
}
