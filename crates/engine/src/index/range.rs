//! Ranges of encoded values: what a predicate asks of one path.

use std::ops::Bound;

use orrery_value::Value;

use super::value::{MAX_STRING_BYTES, ValueType, encode, encode_characters, invert, is_exact, order_class};

/// Longer than any posting behind a value in a key: a value followed by this is above all its keys and below the next value.
pub(super) const ABOVE: [u8; 11] = [0xFF; 11];

/// Encoded values from `low` on and below `high`.
///
/// A range holds all values that the predicate accepts, and possibly more: the caller applies the predicate to the items again.
/// If [`is_exact`](ValueRange::is_exact), it holds no others, so that counting needs no items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRange {
    pub(super) low: Vec<u8>,
    pub(super) high: Vec<u8>,
    exact: bool,
    /// It holds one value, `low`.
    is_one: bool,
}

/// One end of a range, before it is known whether its path descends.
#[derive(Clone, Debug)]
enum Edge {
    /// Up to and with the values of this class; none beyond.
    With(Vec<u8>),
    /// Without the value.
    Without(Vec<u8>),
    /// All of a type.
    Type(u8),
}

impl ValueRange {
    /// `= value`. Of an array or object, all arrays or objects; of undefined, nothing.
    pub fn equal(value: &Value) -> ValueRange {
        let mut low = Vec::new();
        encode(value, &mut low);
        let high = [&low[..], &ABOVE].concat();
        ValueRange { low, high, exact: is_exact(value), is_one: true }
    }

    /// `>`, `>=`, `<`, `<=` and BETWEEN: values of the bounds' type only, as the service compares. Without any bound nothing, and
    /// likewise for bounds of two types.
    pub fn between(low: Bound<&Value>, high: Bound<&Value>) -> ValueRange {
        match edges(low, high) {
            Some((low, high, exact)) => ValueRange { low: low.as_low(), high: high.as_high(), exact, is_one: false },
            None => ValueRange::nothing(),
        }
    }

    /// Strings that begin with `prefix`.
    pub fn prefix(prefix: &str) -> ValueRange {
        let mut low = vec![ValueType::String as u8];
        encode_characters(&prefix.as_bytes()[..prefix.len().min(MAX_STRING_BYTES)], &mut low);
        let mut high = low.clone();
        // A string's bytes are never FF, except behind an escaped zero: a prefix of the range keeps that.
        high.extend_from_slice(&ABOVE);
        ValueRange { low, high, exact: prefix.len() <= MAX_STRING_BYTES, is_one: false }
    }

    /// All values of a type.
    pub fn of_type(value_type: ValueType) -> ValueRange {
        ValueRange::of_types(value_type, value_type)
    }

    /// `true` and `false`.
    pub fn booleans() -> ValueRange {
        ValueRange::of_types(ValueType::False, ValueType::True)
    }

    /// Whatever is defined.
    pub fn defined() -> ValueRange {
        ValueRange::of_types(ValueType::Null, ValueType::Object)
    }

    /// All entries: in a composite index also those of undefined values.
    pub fn everything() -> ValueRange {
        ValueRange { low: Vec::new(), high: vec![0xFF; 12], exact: true, is_one: false }
    }

    /// No value.
    pub fn nothing() -> ValueRange {
        ValueRange { low: Vec::new(), high: Vec::new(), exact: true, is_one: false }
    }

    /// A range of a composite index: its first paths equal to `leading`, and the path after these between two bounds, or
    /// anything if both are unbounded. `descending` says of each path of the index whether it descends.
    pub fn composite(descending: &[bool], leading: &[Value], low: Bound<&Value>, high: Bound<&Value>) -> ValueRange {
        let mut prefix = Vec::new();
        for (value, descends) in leading.iter().zip(descending) {
            let start = prefix.len();
            encode(value, &mut prefix);
            if *descends {
                invert(&mut prefix[start..]);
            }
        }
        let leading_is_exact = leading.iter().all(is_exact);
        let (low, high, exact) = match (low, high) {
            (Bound::Unbounded, Bound::Unbounded) => (Vec::new(), vec![0xFF; 12], true),
            (low, high) => match edges(low, high) {
                None => return ValueRange::nothing(),
                Some((low, high, exact)) if descending.get(leading.len()) == Some(&true) => {
                    (high.as_inverted_low(), low.as_inverted_high(), exact)
                }
                Some((low, high, exact)) => (low.as_low(), high.as_high(), exact),
            },
        };
        ValueRange {
            low: [&prefix[..], &low].concat(),
            high: [&prefix[..], &high].concat(),
            exact: exact && leading_is_exact,
            is_one: false,
        }
    }

    /// The values in both ranges.
    #[must_use]
    pub fn intersect(&self, other: &ValueRange) -> ValueRange {
        let one = [self, other].into_iter().find(|range| range.is_one);
        match one {
            Some(one) if self.contains(&one.low) && other.contains(&one.low) => {
                ValueRange { exact: self.exact && other.exact, ..one.clone() }
            }
            Some(_) => ValueRange::nothing(),
            None => ValueRange {
                low: self.low.clone().max(other.low.clone()),
                high: self.high.clone().min(other.high.clone()),
                exact: self.exact && other.exact,
                is_one: false,
            },
        }
    }

    /// Whether the range holds nothing but what was asked for.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether it holds no value.
    pub fn is_empty(&self) -> bool {
        self.low >= self.high
    }

    /// Whether an encoded value is in the range.
    pub fn contains(&self, encoded: &[u8]) -> bool {
        &self.low[..] <= encoded && encoded < &self.high[..]
    }

    /// The one encoded value that is in the range.
    pub(super) fn one(&self) -> Option<&[u8]> {
        self.is_one.then_some(&self.low)
    }

    /// One encoded value.
    pub(super) fn of_value(low: Vec<u8>) -> ValueRange {
        let high = [&low[..], &ABOVE].concat();
        ValueRange { low, high, exact: true, is_one: true }
    }

    /// The values between two encoded ones, `high` not included.
    pub(super) fn of_bytes(low: Vec<u8>, high: Vec<u8>) -> ValueRange {
        ValueRange { low, high, exact: true, is_one: false }
    }

    fn of_types(first: ValueType, last: ValueType) -> ValueRange {
        ValueRange { low: vec![first as u8], high: vec![last as u8 + 1], exact: true, is_one: false }
    }
}

/// Both ends, and whether they are exact; none if nothing is between them whatever the values.
fn edges(low: Bound<&Value>, high: Bound<&Value>) -> Option<(Edge, Edge, bool)> {
    let low_edge = Edge::of(low);
    let high_edge = Edge::of(high);
    let (low_edge, high_edge) = match (low_edge, high_edge) {
        (None, None) => return None,
        (Some(low), None) => (low.clone(), Edge::Type(low.type_of().1)),
        (None, Some(high)) => (Edge::Type(high.type_of().0), high),
        (Some(low), Some(high)) if low.type_of() == high.type_of() => (low, high),
        (Some(_), Some(_)) => return None,
    };
    let exact = |bound: Bound<&Value>| match bound {
        Bound::Included(value) | Bound::Excluded(value) => is_exact(value),
        Bound::Unbounded => true,
    };
    Some((low_edge, high_edge, exact(low) && exact(high)))
}

impl Edge {
    fn of(bound: Bound<&Value>) -> Option<Edge> {
        let (Bound::Included(value) | Bound::Excluded(value)) = bound else { return None };
        let mut bytes = Vec::new();
        encode(value, &mut bytes);
        // Which side of an inexact bound a value of its class lies on, only the item tells.
        Some(if !is_exact(value) {
            Edge::With(order_class(&bytes).to_vec())
        } else if matches!(bound, Bound::Excluded(_)) {
            Edge::Without(bytes)
        } else {
            Edge::With(bytes)
        })
    }

    /// First and last type byte that the edge's value compares with.
    fn type_of(&self) -> (u8, u8) {
        let tag = match self {
            Edge::With(bytes) | Edge::Without(bytes) => bytes.first().copied().unwrap_or_default(),
            Edge::Type(tag) => *tag,
        };
        let (no, yes) = (ValueType::False as u8, ValueType::True as u8);
        if tag == no || tag == yes { (no, yes) } else { (tag, tag) }
    }

    fn as_low(&self) -> Vec<u8> {
        match self {
            Edge::With(bytes) => bytes.clone(),
            Edge::Without(bytes) => [&bytes[..], &ABOVE].concat(),
            Edge::Type(tag) => vec![*tag],
        }
    }

    fn as_high(&self) -> Vec<u8> {
        match self {
            Edge::With(bytes) => [&bytes[..], &ABOVE].concat(),
            Edge::Without(bytes) => bytes.clone(),
            Edge::Type(tag) => vec![*tag + 1],
        }
    }

    /// The low end of the turned range that this is the high end of.
    fn as_inverted_low(&self) -> Vec<u8> {
        match self {
            Edge::With(bytes) => inverted(bytes),
            Edge::Without(bytes) => [&inverted(bytes)[..], &ABOVE].concat(),
            Edge::Type(tag) => vec![!*tag],
        }
    }

    fn as_inverted_high(&self) -> Vec<u8> {
        match self {
            Edge::With(bytes) => [&inverted(bytes)[..], &ABOVE].concat(),
            Edge::Without(bytes) => inverted(bytes),
            Edge::Type(tag) => vec![!*tag + 1],
        }
    }
}

fn inverted(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    invert(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use orrery_value::total_order;
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-3i64..3).prop_map(Value::from),
            prop::sample::select(vec![1i64 << 53, (1 << 53) + 1, (1 << 53) + 2]).prop_map(Value::from),
            "[\u{0}ab\u{ff}]{0,3}".prop_map(Value::String),
            "[ab]{0,2}".prop_map(|end| Value::String("x".repeat(99) + &end)),
        ]
    }

    fn bound() -> impl Strategy<Value = Bound<Value>> {
        prop_oneof![Just(Bound::Unbounded), value().prop_map(Bound::Included), value().prop_map(Bound::Excluded)]
    }

    fn comparable(a: &Value, b: &Value) -> bool {
        std::mem::discriminant(a) == std::mem::discriminant(b)
    }

    fn accepts(low: &Bound<Value>, high: &Bound<Value>, value: &Value) -> bool {
        let compare = |bound: &Bound<Value>, wanted: Ordering| match bound {
            Bound::Unbounded => true,
            Bound::Included(at) => comparable(at, value) && total_order(value, at) != wanted.reverse(),
            Bound::Excluded(at) => comparable(at, value) && total_order(value, at) == wanted,
        };
        let bounded = !matches!((low, high), (Bound::Unbounded, Bound::Unbounded));
        bounded && compare(low, Ordering::Greater) && compare(high, Ordering::Less)
    }

    proptest! {
        #[test]
        fn a_range_holds_what_the_comparison_accepts_and_only_that_if_exact(
            low in bound(), high in bound(), value in value(), leading in value(), other in value(), descends in any::<[bool; 2]>(),
        ) {
            let range = ValueRange::between(low.as_ref(), high.as_ref());
            let mut bytes = Vec::new();
            encode(&value, &mut bytes);
            let accepted = accepts(&low, &high, &value);
            prop_assert!(!accepted || range.contains(&bytes));
            prop_assert!(accepted || !range.is_exact() || !range.contains(&bytes));
            let bounded = !matches!((&low, &high), (Bound::Unbounded, Bound::Unbounded));

            let range = ValueRange::composite(&descends, std::slice::from_ref(&leading), low.as_ref(), high.as_ref());
            let mut key = Vec::new();
            for (value, descends) in [&other, &value].into_iter().zip(descends) {
                let start = key.len();
                encode(value, &mut key);
                if descends {
                    invert(&mut key[start..]);
                }
            }
            let accepted = other == leading && (accepted || !bounded);
            prop_assert!(!accepted || range.contains(&key));
            prop_assert!(accepted || !range.is_exact() || !range.contains(&key));
        }

        #[test]
        fn a_prefix_range_holds_the_strings_that_begin_so(prefix in "[\u{0}ab\u{ff}]{0,3}", text in "[\u{0}ab\u{ff}]{0,5}") {
            let range = ValueRange::prefix(&prefix);
            let mut bytes = Vec::new();
            encode(&Value::String(text.clone()), &mut bytes);
            prop_assert_eq!(range.contains(&bytes), text.starts_with(&prefix));
            let long = "x".repeat(99) + &prefix;
            let range = ValueRange::prefix(&long);
            bytes.clear();
            encode(&Value::String("x".repeat(99) + &text), &mut bytes);
            prop_assert!(!text.starts_with(&prefix) || range.contains(&bytes));
        }
    }

    #[test]
    fn equality_meets_its_value_alone() {
        let range = ValueRange::equal(&Value::from("a"));
        let contains = |value: Value| {
            let mut bytes = Vec::new();
            encode(&value, &mut bytes);
            range.contains(&bytes)
        };
        assert!(contains("a".into()));
        assert!(!contains("".into()) && !contains("a\0".into()) && !contains("ab".into()) && !contains(1i64.into()));
        assert!(ValueRange::between(Bound::Unbounded, Bound::Unbounded).is_empty());
        assert!(ValueRange::between(Bound::Included(&1i64.into()), Bound::Included(&"a".into())).is_empty());
    }
}
