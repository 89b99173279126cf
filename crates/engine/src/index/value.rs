//! Values as index keys: bytes whose order is the order of the values.
//!
//! ```text
//! undefined 1 | null 2 | false 3 | true 4 | array 7 | object 8     one byte: of arrays and objects only that there is one
//! number    5 | f64: bits with the sign flipped if positive, all bits flipped if negative, big-endian; -0 is 0
//! string    6 | UTF-8, a zero byte written 00 FF | 00 01
//! string    6 | the first 100 bytes likewise     | 00 FE | xxh3-64 of the whole, big-endian      if it is longer
//! ```
//! No value's bytes begin another's. Undefined occurs in composite indexes only. In these the values stand one after another, those
//! of a descending path with all bits flipped.

use orrery_value::{Node, NodeKind, Number, Value};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a string that are kept in order; of a longer one only equality can be told, by its hash.
pub const MAX_STRING_BYTES: usize = 100;

/// From here on neighbouring integers are one double.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

const ESCAPED: u8 = 0xFF;
const END: u8 = 0x01;
const CUT: u8 = 0xFE;
const HASH_LEN: usize = 8;

/// First byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ValueType {
    /// No value; composite indexes only.
    Undefined = 1,
    /// `null`
    Null = 2,
    /// `false`
    False = 3,
    /// `true`
    True = 4,
    /// A number.
    Number = 5,
    /// A string.
    String = 6,
    /// Any array.
    Array = 7,
    /// Any object.
    Object = 8,
}

/// Appends a value of a stored document; nothing if the document is damaged there.
pub(crate) fn encode_node(node: &Node<'_>, out: &mut Vec<u8>) {
    match node.kind() {
        NodeKind::Null => out.push(ValueType::Null as u8),
        NodeKind::Bool => encode_bool(node.as_bool() == Some(true), out),
        NodeKind::Number => {
            if let Some(number) = node.as_number() {
                encode_number(number, out);
            }
        }
        NodeKind::String => {
            if let Some(string) = node.as_str() {
                encode_string(&string, out);
            }
        }
        NodeKind::Array => out.push(ValueType::Array as u8),
        NodeKind::Object => out.push(ValueType::Object as u8),
    }
}

/// Appends a value.
pub fn encode(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Undefined => out.push(ValueType::Undefined as u8),
        Value::Null => out.push(ValueType::Null as u8),
        Value::Bool(value) => encode_bool(*value, out),
        Value::Number(number) => encode_number(*number, out),
        Value::String(string) => encode_string(string, out),
        Value::Array(_) => out.push(ValueType::Array as u8),
        Value::Object(_) => out.push(ValueType::Object as u8),
    }
}

fn encode_bool(value: bool, out: &mut Vec<u8>) {
    out.push(if value { ValueType::True } else { ValueType::False } as u8);
}

fn encode_number(number: Number, out: &mut Vec<u8>) {
    const SIGN: u64 = 1 << 63;
    // Adding zero makes -0 0.
    let bits = (number.as_f64() + 0.0).to_bits();
    let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    out.push(ValueType::Number as u8);
    out.extend_from_slice(&ordered.to_be_bytes());
}

fn encode_string(string: &str, out: &mut Vec<u8>) {
    out.push(ValueType::String as u8);
    encode_characters(&string.as_bytes()[..string.len().min(MAX_STRING_BYTES)], out);
    if string.len() <= MAX_STRING_BYTES {
        out.extend_from_slice(&[0, END]);
    } else {
        out.extend_from_slice(&[0, CUT]);
        out.extend_from_slice(&xxh3_64(string.as_bytes()).to_be_bytes());
    }
}

/// The bytes of a string with its zeros escaped.
pub(super) fn encode_characters(bytes: &[u8], out: &mut Vec<u8>) {
    if memchr::memchr(0, bytes).is_none() {
        out.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        out.push(*byte);
        if *byte == 0 {
            out.push(ESCAPED);
        }
    }
}

/// Whether the index holds all of this value, so that equal bytes mean equal values.
pub fn is_exact(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => true,
        Value::Number(number) => number.as_f64().abs() < EXACT_BELOW,
        // A hash may collide.
        Value::String(string) => string.len() <= MAX_STRING_BYTES,
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// The part of an encoded value up to which its order is decided. Values with the same class are in no order that the index
/// knows, unless the class is the whole value ([`is_decided`]).
pub fn order_class(encoded: &[u8]) -> &[u8] {
    match encoded.first() {
        Some(byte) if *byte == ValueType::String as u8 => match string_end(encoded) {
            Some((end, true)) => &encoded[..end],
            _ => encoded,
        },
        _ => encoded,
    }
}

/// Whether all items with this encoded value are equal there, so that their order by value needs no look at the items.
pub fn is_decided(encoded: &[u8]) -> bool {
    match encoded.first() {
        Some(byte) if *byte == ValueType::Number as u8 => decode_number(encoded).is_some_and(|n| n.abs() < EXACT_BELOW),
        Some(byte) if *byte == ValueType::String as u8 => !matches!(string_end(encoded), Some((_, true))),
        Some(byte) => *byte < ValueType::Array as u8,
        None => false,
    }
}

/// Of the values of a composite index one after another, the length of the part up to which their order is decided, and whether
/// that is all of them; see [`order_class`] and [`is_decided`].
pub(super) fn composite_class(encoded: &[u8], descending: &[bool]) -> (usize, bool) {
    let mut at = 0;
    for descends in descending {
        let mut rest = encoded.get(at..).unwrap_or_default().to_vec();
        if *descends {
            invert(&mut rest);
        }
        let Some(length) = length_of(&rest) else { return (encoded.len(), false) };
        let value = &rest[..length];
        if !is_decided(value) {
            return (at + order_class(value).len(), false);
        }
        at += length;
    }
    (encoded.len(), true)
}

/// Length of the value that the bytes begin with.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        5 => 9,
        6 => match string_end(bytes)? {
            (end, false) => end + 2,
            (end, true) => end + 2 + HASH_LEN,
        },
        1..=8 => 1,
        _ => return None,
    };
    (length <= bytes.len()).then_some(length)
}

/// The value behind its bytes, if the index holds all of it.
pub fn decode(encoded: &[u8]) -> Option<Value> {
    let (tag, rest) = encoded.split_first()?;
    match tag {
        1 => Some(Value::Undefined),
        2 => Some(Value::Null),
        3 => Some(Value::Bool(false)),
        4 => Some(Value::Bool(true)),
        5 => {
            let number = decode_number(encoded).filter(|number| number.abs() < EXACT_BELOW)?;
            let whole = number.trunc() == number;
            Some(Value::Number(if whole { Number::Int(number as i64) } else { Number::Float(number) }))
        }
        6 => {
            let (end, cut) = string_end(encoded)?;
            if cut {
                return None;
            }
            let mut bytes = Vec::with_capacity(end);
            let mut escape = false;
            for byte in &rest[..end - 1] {
                if !std::mem::take(&mut escape) {
                    bytes.push(*byte);
                    escape = *byte == 0;
                }
            }
            String::from_utf8(bytes).ok().map(Value::String)
        }
        _ => None,
    }
}

fn decode_number(encoded: &[u8]) -> Option<f64> {
    const SIGN: u64 = 1 << 63;
    let ordered = u64::from_be_bytes(encoded.get(1..9)?.try_into().ok()?);
    Some(f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered & !SIGN }))
}

/// Where the characters of an encoded string end, and whether it was cut there.
fn string_end(encoded: &[u8]) -> Option<(usize, bool)> {
    let mut at = 1;
    loop {
        at += memchr::memchr(0, encoded.get(at..)?)?;
        match *encoded.get(at + 1)? {
            ESCAPED => at += 2,
            END => return Some((at, false)),
            CUT if encoded.len() >= at + 2 + HASH_LEN => return Some((at, true)),
            _ => return None,
        }
    }
}

/// Flips all bits from `start` on, which turns the order around.
pub(super) fn invert(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

#[cfg(test)]
mod tests {
    use orrery_value::total_order;
    use proptest::prelude::*;

    use super::*;

    fn encoded(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(value, &mut bytes);
        bytes
    }

    fn scalar() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[\u{0}a-c\u{1}é\u{ffff}😀]{0,6}",
            // Around the length at which strings are cut.
            ("[ab\u{0}]{0,2}", 96usize..103, "[ab\u{0}]{0,2}").prop_map(|(a, n, b)| format!("{a}{}{b}", "x".repeat(n))),
        ];
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::from),
            (-5i64..5).prop_map(Value::from),
            any::<f64>().prop_filter("JSON numbers", |float| float.is_finite()).prop_map(Value::from),
            text.prop_map(Value::String),
        ]
    }

    proptest! {
        #[test]
        fn bytes_are_ordered_as_values_are_where_the_order_is_decided(a in scalar(), b in scalar()) {
            let (left, right) = (encoded(&a), encoded(&b));
            if order_class(&left) != order_class(&right) {
                prop_assert_eq!(left.cmp(&right), total_order(&a, &b));
            } else if is_decided(&left) {
                prop_assert_eq!(&a, &b);
            }
            if a == b {
                prop_assert_eq!(&left, &right);
            } else {
                prop_assert!(!left.starts_with(&right) || (left == right && !is_exact(&a)));
            }
            if is_exact(&a) {
                prop_assert!(is_decided(&left));
                prop_assert_eq!(decode(&left), Some(a));
            } else {
                prop_assert!(!is_decided(&left));
                prop_assert_eq!(decode(&left), None);
            }
        }
    }

    #[test]
    fn forged_bytes_are_no_values() {
        for bytes in
            [&[][..], &[0], &[5, 1], &[6], &[6, b'a'], &[6, 0], &[6, 0, 7], &[6, 0, 0xFE, 1], &[6, 0x80, 0, 1], &[9]]
        {
            assert_eq!(decode(bytes), None, "{bytes:?}");
            assert!(order_class(bytes) == bytes);
        }
    }

    #[test]
    fn zeros_are_one_and_signs_order() {
        let numbers = [f64::MIN, -1.0, -f64::MIN_POSITIVE, 0.0, f64::MIN_POSITIVE, 1.0, f64::MAX];
        assert!(numbers.windows(2).all(|pair| encoded(&pair[0].into()) < encoded(&pair[1].into())));
        assert_eq!(encoded(&(-0.0).into()), encoded(&0i64.into()));
    }
}
