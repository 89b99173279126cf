//! The one order across all types, which ORDER BY and the index follow.

use std::cmp::Ordering;

use crate::value::{Object, Value};

/// Orders any two values: undefined < null < false < true < numbers < strings < arrays < objects.
///
/// Strings go by code point, arrays by their first differing element and then by length. Objects go by their members sorted
/// by name, each by name and then by value; the service leaves their order open, and this one is stable. Values compare
/// equal exactly if they are `==`.
pub fn total_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => order_arrays(a, b),
        (Value::Object(a), Value::Object(b)) => order_objects(a, b),
        _ => type_rank(a).cmp(&type_rank(b)),
    }
}

fn type_rank(value: &Value) -> u8 {
    match value {
        Value::Undefined => 0,
        Value::Null => 1,
        Value::Bool(_) => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    }
}

fn order_arrays(a: &[Value], b: &[Value]) -> Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| total_order(a, b)).find(|order| order.is_ne());
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn order_objects(a: &Object, b: &Object) -> Ordering {
    let order = |(a, b): (&(String, Value), &(String, Value))| a.0.cmp(&b.0).then_with(|| total_order(&a.1, &b.1));
    let (sorted_a, sorted_b) = (a.sorted(), b.sorted());
    let differing = sorted_a.into_iter().zip(sorted_b).map(order).find(|order| order.is_ne());
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_in_the_order_of_the_service() {
        let ascending: Vec<Value> = [
            "null",
            "false",
            "true",
            "-1e300",
            "-1",
            "0",
            "0.5",
            "1",
            "9007199254740993",
            "1e300",
            r#""""#,
            r#""a""#,
            r#""a\u0000""#,
            r#""ab""#,
            r#""￿""#,
            r#""😀""#,
            "[]",
            "[null]",
            "[1]",
            "[1,0]",
            "[2]",
            "{}",
            r#"{"a":1}"#,
            r#"{"a":1,"b":0}"#,
            r#"{"b":0,"a":2}"#,
            r#"{"b":0}"#,
        ]
        .iter()
        .map(|text| Value::parse(text.as_bytes()).unwrap())
        .collect();
        let ascending = [vec![Value::Undefined], ascending].concat();
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(total_order(a, b), i.cmp(&j), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn the_order_of_properties_does_not_count() {
        let a = Value::parse(br#"{"a":1,"b":[2]}"#).unwrap();
        let b = Value::parse(br#"{"b":[2.0],"a":1.0}"#).unwrap();
        assert_eq!(total_order(&a, &b), Ordering::Equal);
        assert_eq!(a, b);
    }
}
