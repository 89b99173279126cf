//! Which values are the same for GROUP BY and DISTINCT, as bytes: two values have equal bytes exactly if they are equal.
//!
//! ```text
//! undefined 0 | null 1 | false 2 | true 3 | integer 4 i64 | other number 5 f64 bits | string 6 length u32, UTF-8
//! array 7 count u32, elements | object 8 count u32, then name (length u32, UTF-8) and value of each member, sorted by name
//! ```
//! A number that is an integer of 64 bits is written as one however it is spelled, so that 1 and 1.0 are the same. What JSON cannot
//! express is undefined, and an undefined member or element is left out, as it is when JSON is written. Big-endian; continuation
//! tokens hold hashes of these bytes, so they must not change.

use orrery_value::{Node, NodeKind, Number, Value};
use xxhash_rust::xxh3::xxh3_128;

use crate::query::evaluation::row::Row;
use crate::query::{Datum, Expr};

/// The hash that groups are ordered by where they do not fit in one page.
pub(in crate::query) fn hash(identity: &[u8]) -> u128 {
    xxh3_128(identity)
}

/// Appends the identity of a value.
pub(in crate::query) fn encode(datum: &Datum<'_>, out: &mut Vec<u8>) {
    match datum {
        Datum::Stored(node) => encode_node(node, out),
        Datum::Borrowed(value) => encode_value(value, out),
        Datum::Owned(value) => encode_value(value, out),
    }
}

/// Appends the identity of what a projection gives, building no object for it; false if it gives nothing.
pub(in crate::query) fn encode_projection<'a>(expr: &'a Expr, row: &Row<'a>, out: &mut Vec<u8>) -> bool {
    match expr {
        Expr::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.name.cmp(&b.name));
            let count_at = begin(8, out);
            let mut count = 0;
            for member in sorted {
                let before = out.len();
                write_text(&member.name, out);
                if encode_projection(&member.value, row, out) {
                    count += 1;
                } else {
                    out.truncate(before);
                }
            }
            end(count_at, count, out);
            true
        }
        other => {
            let datum = other.evaluate(row);
            let defined = datum.has_json();
            if defined {
                encode(&datum, out);
            }
            defined
        }
    }
}

fn encode_node(node: &Node<'_>, out: &mut Vec<u8>) {
    match node.kind() {
        NodeKind::Null => out.push(1),
        NodeKind::Bool => out.push(2 + u8::from(node.as_bool() == Some(true))),
        NodeKind::Number => encode_number(node.as_number().unwrap_or(Number::Float(f64::NAN)), out),
        NodeKind::String => {
            out.push(6);
            write_text(&node.as_str().unwrap_or_default(), out);
        }
        NodeKind::Array => {
            let count_at = begin(7, out);
            let count = node.elements().map(|element| encode_node(&element, out)).count();
            end(count_at, count, out);
        }
        NodeKind::Object => {
            let mut members: Vec<_> = node.entries().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            let count_at = begin(8, out);
            for (name, value) in &members {
                write_text(name, out);
                encode_node(value, out);
            }
            end(count_at, members.len(), out);
        }
    }
}

fn encode_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Undefined => out.push(0),
        Value::Null => out.push(1),
        Value::Bool(bool) => out.push(2 + u8::from(*bool)),
        Value::Number(number) => encode_number(*number, out),
        Value::String(string) => {
            out.push(6);
            write_text(string, out);
        }
        Value::Array(elements) => {
            let count_at = begin(7, out);
            let count =
                elements.iter().filter(|value| value.has_json()).map(|element| encode_value(element, out)).count();
            end(count_at, count, out);
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().filter(|(_, value)| value.has_json()).collect();
            members.sort_by(|a, b| a.0.cmp(b.0));
            let count_at = begin(8, out);
            for (name, value) in &members {
                write_text(name, out);
                encode_value(value, out);
            }
            end(count_at, members.len(), out);
        }
    }
}

fn encode_number(number: Number, out: &mut Vec<u8>) {
    match number.as_i64() {
        Some(int) => {
            out.push(4);
            out.extend_from_slice(&int.to_be_bytes());
        }
        None if number.is_finite() => {
            out.push(5);
            out.extend_from_slice(&number.as_f64().to_bits().to_be_bytes());
        }
        None => out.push(0),
    }
}

fn begin(tag: u8, out: &mut Vec<u8>) -> usize {
    out.push(tag);
    out.extend_from_slice(&[0; 4]);
    out.len() - 4
}

fn end(count_at: usize, count: usize, out: &mut [u8]) {
    out[count_at..count_at + 4].copy_from_slice(&length(count));
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&length(text.len()));
    out.extend_from_slice(text.as_bytes());
}

/// What is computed on an item takes at most as many bytes as the item has steps, far below 4 GiB.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&Datum::Owned(Value::parse(text.as_bytes()).unwrap()), &mut out);
        out
    }

    #[test]
    fn equal_values_have_equal_bytes_and_others_do_not() {
        for (a, b) in [
            ("1", "1.0"),
            ("0", "-0.0"),
            ("1e2", "100"),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#),
            (r#""\u0061""#, r#""a""#),
        ] {
            assert_eq!(of(a), of(b), "{a} and {b}");
        }
        let different = ["null", "false", "true", "1", "1.5", r#""1""#, "[]", "[1]", "[[1]]", "{}", r#"{"a":1}"#];
        for (i, a) in different.iter().enumerate() {
            for (j, b) in different.iter().enumerate() {
                assert_eq!(of(a) == of(b), i == j, "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_stored_value_has_the_bytes_of_the_same_value_in_memory() {
        let body = br#"{"id":"x","v":{"b":[1.0,"\u00e9",null,{"z":-0.0,"a":true}],"a":1e300}}"#;
        let document = orrery_value::NewDocument::from_json(body).unwrap();
        let node = document.document().get("v").unwrap();
        let mut stored = Vec::new();
        encode(&Datum::Stored(node), &mut stored);
        assert_eq!(stored, of(std::str::from_utf8(node.text()).unwrap()));
    }
}
