//! Aggregates: one value from many rows.

use std::cmp::Ordering;

use orrery_value::{Number, Value};

use super::identity;
use super::keyed_table::{ENTRY_BYTES, KeyedTable};
use crate::Error;
use crate::query::evaluation::compare::sort_order;
use crate::query::evaluation::datum::weight_of;
use crate::query::evaluation::row::Row;
use crate::query::{Datum, Expr, Kind};

/// Bytes that one MAKELIST or MAKESET may gather.
pub const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;

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
    /// The number of rows where the argument is `true`.
    CountIf,
    /// An array of the arguments.
    MakeList,
    /// An array of the arguments, equal ones once.
    MakeSet,
}

impl AggregateFunction {
    /// The function that SQL calls by this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        const NAMES: [(&str, AggregateFunction); 8] = [
            ("COUNT", AggregateFunction::Count),
            ("SUM", AggregateFunction::Sum),
            ("AVG", AggregateFunction::Avg),
            ("MIN", AggregateFunction::Min),
            ("MAX", AggregateFunction::Max),
            ("COUNTIF", AggregateFunction::CountIf),
            ("MAKELIST", AggregateFunction::MakeList),
            ("MAKESET", AggregateFunction::MakeSet),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, function)| *function)
    }
}

/// An aggregate on its way through the rows.
#[derive(Debug)]
pub(in crate::query) enum Accumulator {
    Count(u64),
    CountIf(u64),
    Sum(Sum),
    Avg(Sum),
    /// The best so far, and how a better one compares with it.
    Extreme {
        best: Option<Value>,
        better: Ordering,
    },
    List(List),
    Set(KeyedSet),
    /// Something that the function is not defined for came by.
    Spoiled,
}

impl Accumulator {
    pub fn new(function: AggregateFunction) -> Self {
        match function {
            AggregateFunction::Count => Accumulator::Count(0),
            AggregateFunction::Sum => Accumulator::Sum(Sum::default()),
            AggregateFunction::Avg => Accumulator::Avg(Sum::default()),
            AggregateFunction::Min => Accumulator::Extreme { best: None, better: Ordering::Less },
            AggregateFunction::Max => Accumulator::Extreme { best: None, better: Ordering::Greater },
            AggregateFunction::CountIf => Accumulator::CountIf(0),
            AggregateFunction::MakeList => Accumulator::List(List::default()),
            AggregateFunction::MakeSet => Accumulator::Set(KeyedSet::default()),
        }
    }

    /// Adds a row's argument; returns by how many bytes what is kept grew.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if a list becomes larger than [`MAX_LIST_BYTES`].
    pub fn add(&mut self, value: &Datum<'_>) -> Result<usize, Error> {
        if value.is_undefined() {
            return Ok(0);
        }
        match self {
            Accumulator::Count(count) => *count += 1,
            Accumulator::CountIf(count) => *count += u64::from(value.as_bool() == Some(true)),
            Accumulator::Sum(sum) | Accumulator::Avg(sum) => match value.as_number() {
                Some(number) => sum.add(number),
                None => *self = Accumulator::Spoiled,
            },
            Accumulator::Extreme { .. } if value.kind() >= Kind::Array => *self = Accumulator::Spoiled,
            Accumulator::Extreme { best, better } => {
                if best.as_ref().is_none_or(|best| sort_order(value, best) == *better) {
                    let before = best.as_ref().map_or(0, weight_of);
                    *best = Some(value.to_value());
                    return Ok(value.weight().saturating_sub(before));
                }
            }
            Accumulator::List(list) => return list.add(value.weight(), || value.to_value()),
            Accumulator::Set(set) => return set.add(value),
            Accumulator::Spoiled => {}
        }
        Ok(0)
    }

    /// Adds what was gathered from rows that come after those of this one.
    ///
    /// # Errors
    /// [`Error::OverBudget`] as for [`Accumulator::add`].
    pub fn merge(&mut self, later: Accumulator) -> Result<usize, Error> {
        match (&mut *self, later) {
            (Accumulator::Count(count), Accumulator::Count(later))
            | (Accumulator::CountIf(count), Accumulator::CountIf(later)) => *count += later,
            (Accumulator::Sum(sum), Accumulator::Sum(later)) | (Accumulator::Avg(sum), Accumulator::Avg(later)) => {
                sum.merge(&later);
            }
            (Accumulator::Extreme { .. }, Accumulator::Extreme { best, .. }) => {
                return best.map_or(Ok(0), |best| self.add(&Datum::Borrowed(&best)));
            }
            (Accumulator::List(list), Accumulator::List(later)) => return list.merge(later),
            (Accumulator::Set(set), Accumulator::Set(later)) => return set.merge(later),
            _ => *self = Accumulator::Spoiled,
        }
        Ok(0)
    }

    /// Bytes of what is kept beside the accumulator itself.
    pub fn held_bytes(&self) -> usize {
        match self {
            Accumulator::Extreme { best, .. } => best.as_ref().map_or(0, weight_of),
            Accumulator::List(list) => list.bytes,
            Accumulator::Set(set) => set.list.bytes,
            Accumulator::Count(_)
            | Accumulator::CountIf(_)
            | Accumulator::Sum(_)
            | Accumulator::Avg(_)
            | Accumulator::Spoiled => 0,
        }
    }

    /// The result so far, copied.
    pub fn result(&self) -> Value {
        match self {
            Accumulator::Count(count) | Accumulator::CountIf(count) => {
                Value::from(i64::try_from(*count).unwrap_or(i64::MAX))
            }
            Accumulator::Sum(sum) => sum.total(),
            Accumulator::Avg(sum) => sum.mean(),
            Accumulator::Extreme { best, .. } => best.clone().unwrap_or_default(),
            Accumulator::List(list) => Value::Array(list.values.clone()),
            Accumulator::Set(set) => Value::Array(set.list.values.clone()),
            Accumulator::Spoiled => Value::Undefined,
        }
    }

    /// The result.
    pub fn finish(self) -> Value {
        match self {
            Accumulator::Extreme { best, .. } => best.unwrap_or_default(),
            Accumulator::List(list) => Value::Array(list.values),
            Accumulator::Set(set) => Value::Array(set.list.values),
            other => other.result(),
        }
    }
}

/// A sum of numbers, exact as long as all of them are integers that a double holds exactly, in whatever order they come.
#[derive(Debug, Default)]
pub(in crate::query) struct Sum {
    count: u64,
    float: f64,
    exact: i128,
    is_inexact: bool,
}

/// Up to here every integer is a double.
const MAX_EXACT: i64 = 1 << 53;

impl Sum {
    fn add(&mut self, number: Number) {
        self.count += 1;
        self.float += number.as_f64();
        match number.as_i64() {
            Some(int) if (-MAX_EXACT..=MAX_EXACT).contains(&int) => self.exact += i128::from(int),
            _ => self.is_inexact = true,
        }
    }

    fn merge(&mut self, later: &Sum) {
        self.count += later.count;
        self.float += later.float;
        self.exact += later.exact;
        self.is_inexact |= later.is_inexact;
    }

    fn as_f64(&self) -> f64 {
        if self.is_inexact { self.float } else { self.exact as f64 }
    }

    fn total(&self) -> Value {
        match i64::try_from(self.exact) {
            Ok(exact) if !self.is_inexact && (-MAX_EXACT..=MAX_EXACT).contains(&exact) => Value::from(exact),
            _ => Value::from(self.as_f64()),
        }
    }

    fn mean(&self) -> Value {
        if self.count == 0 { Value::Undefined } else { Value::from(self.as_f64() / self.count as f64) }
    }
}

/// The values of MAKELIST.
#[derive(Debug, Default)]
pub(in crate::query) struct List {
    values: Vec<Value>,
    bytes: usize,
}

impl List {
    fn add(&mut self, weight: usize, make: impl FnOnce() -> Value) -> Result<usize, Error> {
        let bytes = size_of::<Value>() + weight;
        self.bytes += bytes;
        if self.bytes > MAX_LIST_BYTES {
            return Err(Error::OverBudget { limit_bytes: MAX_LIST_BYTES });
        }
        self.values.push(make());
        Ok(bytes)
    }

    fn merge(&mut self, later: List) -> Result<usize, Error> {
        self.bytes += later.bytes;
        if self.bytes > MAX_LIST_BYTES {
            return Err(Error::OverBudget { limit_bytes: MAX_LIST_BYTES });
        }
        self.values.extend(later.values);
        Ok(later.bytes)
    }
}

/// The values of MAKESET, in the order of first appearance.
#[derive(Default)]
pub(in crate::query) struct KeyedSet {
    list: List,
    seen: KeyedTable<()>,
    scratch: Vec<u8>,
}

impl KeyedSet {
    fn add(&mut self, value: &Datum<'_>) -> Result<usize, Error> {
        self.scratch.clear();
        identity::encode(value, &mut self.scratch);
        match self.seen.find_or_insert(&self.scratch, || ()) {
            Some(slot) if slot.is_new => {
                self.list.add(value.weight() + ENTRY_BYTES + self.scratch.len(), || value.to_value())
            }
            _ => Ok(0),
        }
    }

    fn merge(&mut self, later: KeyedSet) -> Result<usize, Error> {
        later.list.values.iter().try_fold(0, |grown, value| Ok(grown + self.add(&Datum::Borrowed(value))?))
    }
}

impl std::fmt::Debug for KeyedSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.list.fmt(f)
    }
}

/// Adds a row to the accumulators of a plan's aggregates; returns by how many bytes they grew.
///
/// # Errors
/// [`Error::OverBudget`] if a list becomes too large.
pub(in crate::query) fn add_row(
    accumulators: &mut [Accumulator],
    aggregates: &[Aggregate],
    row: &Row<'_>,
) -> Result<usize, Error> {
    let mut growth = 0;
    for (accumulator, aggregate) in accumulators.iter_mut().zip(aggregates) {
        growth += accumulator.add(&aggregate.argument.evaluate(row))?;
    }
    Ok(growth)
}

pub(in crate::query) fn accumulators(aggregates: &[Aggregate]) -> Vec<Accumulator> {
    aggregates.iter().map(|aggregate| Accumulator::new(aggregate.function)).collect()
}

#[cfg(test)]
mod tests {
    use orrery_value::total_order;

    use super::*;

    fn fold(function: AggregateFunction, values: &str) -> String {
        let mut accumulator = Accumulator::new(function);
        for value in Value::parse(values.as_bytes()).unwrap().as_array().unwrap() {
            accumulator.add(&Datum::Borrowed(value)).unwrap();
        }
        accumulator.add(&Datum::UNDEFINED).unwrap();
        assert_eq!(accumulator.result(), merged(function, values), "{function:?} of {values} in two parts");
        String::from_utf8(accumulator.finish().to_json()).unwrap()
    }

    /// The same over two halves.
    fn merged(function: AggregateFunction, values: &str) -> Value {
        let values = Value::parse(values.as_bytes()).unwrap();
        let (first, second) = values.as_array().unwrap().split_at(values.as_array().unwrap().len() / 2);
        let [mut a, mut b] = [first, second].map(|half| {
            let mut accumulator = Accumulator::new(function);
            half.iter().for_each(|value| {
                accumulator.add(&Datum::Borrowed(value)).unwrap();
            });
            accumulator
        });
        a.merge(std::mem::replace(&mut b, Accumulator::Spoiled)).unwrap();
        a.finish()
    }

    #[test]
    fn aggregates_treat_mixed_types_as_the_service_does() {
        use AggregateFunction::{Avg, Count, CountIf, MakeList, MakeSet, Max, Min, Sum};
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
            (Sum, "[1,-0.5,2,0.25]", "2.75"),
            (Sum, "[4503599627370497,4503599627370495,-1]", "9007199254740991"),
            (CountIf, r#"[true,false,null,"true",1,true]"#, "2"),
            (MakeList, "[]", "[]"),
            (MakeList, r#"[1,"a",1.0,null]"#, r#"[1,"a",1,null]"#),
            (MakeSet, r#"[1,"a",1.0,{"a":1,"b":2},null,{"b":2,"a":1}]"#, r#"[1,"a",{"a":1,"b":2},null]"#),
        ] {
            assert_eq!(fold(function, values), expected, "{function:?} of {values}");
        }
    }

    #[test]
    fn a_list_that_is_too_large_is_refused() {
        let mut list = Accumulator::new(AggregateFunction::MakeList);
        let text = Value::String("x".repeat(MAX_LIST_BYTES / 4));
        let added: Vec<_> = (0..5).map(|_| list.add(&Datum::Borrowed(&text)).is_ok()).collect();
        assert_eq!(added, [true, true, true, false, false]);
        assert!(list.held_bytes() > MAX_LIST_BYTES / 2);
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
