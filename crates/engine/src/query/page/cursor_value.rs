//! Values inside continuation tokens, exact to the bit: JSON would round large doubles.
//!
//! ```text
//! undefined 0 | null 1 | false 2 | true 3 | integer 4 i64 | double 5 u64 bits | string 6 length u32, UTF-8
//! array 7 count u32, values | object 8 count u32, then a string (without its 6) and a value for each member
//! ```
//! Big-endian.

use orrery_value::{MAX_DEPTH, Number, Object, Value};

/// Appends a value.
pub(in crate::query) fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Undefined => out.push(0),
        Value::Null => out.push(1),
        Value::Bool(false) => out.push(2),
        Value::Bool(true) => out.push(3),
        Value::Number(Number::Int(int)) => {
            out.push(4);
            out.extend_from_slice(&int.to_be_bytes());
        }
        Value::Number(Number::Float(float)) => {
            out.push(5);
            out.extend_from_slice(&float.to_bits().to_be_bytes());
        }
        Value::String(string) => {
            out.push(6);
            write_string(string, out);
        }
        Value::Array(elements) => {
            out.push(7);
            write_count(elements.len(), out);
            elements.iter().for_each(|element| write(element, out));
        }
        Value::Object(object) => {
            out.push(8);
            write_count(object.len(), out);
            for (name, value) in object.iter() {
                write_string(name, out);
                write(value, out);
            }
        }
    }
}

/// Takes a value off the front; none if the bytes are not one.
pub(in crate::query) fn read(bytes: &mut &[u8]) -> Option<Value> {
    read_nested(bytes, MAX_DEPTH)
}

/// Takes a number off the front.
pub(in crate::query) fn read_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_be_bytes(*number))
}

fn read_nested(bytes: &mut &[u8], levels: usize) -> Option<Value> {
    let (tag, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(match tag {
        0 => Value::Undefined,
        1 => Value::Null,
        2 => Value::Bool(false),
        3 => Value::Bool(true),
        4 => Value::from(read_u64(bytes)? as i64),
        5 => Value::from(f64::from_bits(read_u64(bytes)?)),
        6 => Value::String(read_string(bytes)?),
        7 => {
            let levels = levels.checked_sub(1)?;
            let count = read_count(bytes)?;
            Value::Array((0..count).map(|_| read_nested(bytes, levels)).collect::<Option<_>>()?)
        }
        8 => {
            let levels = levels.checked_sub(1)?;
            let count = read_count(bytes)?;
            let members = (0..count).map(|_| Some((read_string(bytes)?, read_nested(bytes, levels)?)));
            Value::Object(members.collect::<Option<Object>>()?)
        }
        _ => return None,
    })
}

fn write_string(string: &str, out: &mut Vec<u8>) {
    write_count(string.len(), out);
    out.extend_from_slice(string.as_bytes());
}

fn write_count(count: usize, out: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("stored items are shorter than 4 GiB");
    out.extend_from_slice(&count.to_be_bytes());
}

fn read_string(bytes: &mut &[u8]) -> Option<String> {
    let length = read_count(bytes)?;
    let (text, rest) = bytes.split_at_checked(length as usize)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

fn read_count(bytes: &mut &[u8]) -> Option<u32> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_be_bytes(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_to_the_bit() {
        for text in
            ["null", "[true,false]", "9223372036854774784.0", "-0.0", "9007199254740993", r#"{"a":["é",{}],"b":1e300}"#]
        {
            let value = Value::parse(text.as_bytes()).unwrap();
            let mut bytes = Vec::new();
            write(&value, &mut bytes);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest), Some(value));
            assert!(rest.is_empty());
            for end in 0..bytes.len() {
                assert_eq!(read(&mut &bytes[..end]), None, "{text} cut at {end}");
            }
        }
        let mut bytes = Vec::new();
        write(&Value::Undefined, &mut bytes);
        assert_eq!(read(&mut &bytes[..]), Some(Value::Undefined));
    }

    #[test]
    fn forged_depth_and_counts_are_refused() {
        let nested = [7, 0, 0, 0, 1].repeat(100_000);
        assert_eq!(read(&mut &nested[..]), None);
        assert_eq!(read(&mut &[7, 0xFF, 0xFF, 0xFF, 0xFF][..]), None);
    }
}
