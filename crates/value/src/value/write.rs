//! Writes a [`Value`] as compact JSON.

use super::Value;
use crate::json::string::write_string;
use crate::number::Number;

/// Appends a value; `number` spells the finite numbers in it.
pub(super) fn write_json(value: &Value, out: &mut Vec<u8>, number: fn(Number, &mut Vec<u8>)) {
    match value {
        Value::Undefined => {}
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(finite) if finite.is_finite() => number(*finite, out),
        Value::Number(_) => {}
        Value::String(string) => write_string(string, out),
        Value::Array(elements) => {
            out.push(b'[');
            write_separated(elements.iter().filter(|element| element.has_json()), out, |element, out| {
                write_json(element, out, number);
            });
            out.push(b']');
        }
        Value::Object(object) => {
            out.push(b'{');
            write_separated(object.iter().filter(|member| member.1.has_json()), out, |(name, value), out| {
                write_string(name, out);
                out.push(b':');
                write_json(value, out, number);
            });
            out.push(b'}');
        }
    }
}

fn write_separated<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, write: impl Fn(T, &mut Vec<u8>)) {
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(item, out);
    }
}
