//! What is JSON and what is not, with serde_json as the judge where it agrees with the service.

use orrery_value::{JsonErrorKind, MAX_DEPTH, Value, total_order};
use proptest::prelude::*;

use crate::strategies;

fn parse(text: &str) -> Result<Value, orrery_value::JsonError> {
    Value::parse(text.as_bytes())
}

fn check_error(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    check_error("", "the JSON text ends too early at offset 0");
    check_error(" [1", "the JSON text ends too early at offset 3");
    check_error("[1 2]", "found '2' where ',' or ']' should be at offset 3");
    check_error("{\"a\":1,}", "found '}' where a property name should be at offset 7");
    check_error("{a:1}", "found 'a' where a property name or '}' should be at offset 1");
    check_error("{\"a\" 1}", "found '1' where ':' should be at offset 5");
    check_error("[é]", "found 'é' where a value should be at offset 1");
    check_error("nul", "found 'n' where a value should be at offset 0");
    check_error("1 1", "text follows the end of the JSON value at offset 2");
    check_error("[01]", "the number is malformed: a leading zero at offset 1");
    check_error("-", "the number is malformed: a digit is missing at offset 1");
    check_error("1.", "the number is malformed: a digit is missing after the point at offset 2");
    check_error("1e+", "the number is malformed: a digit is missing in the exponent at offset 3");
    check_error("[1e400]", "the number is out of the range of a double at offset 1");
    check_error("\"a\nb\"", "the control character 0x0a must be escaped inside a string at offset 2");
    check_error("\"\\x\"", "the escape sequence is not one that JSON has at offset 1");
    check_error("\"\\ud800\"", "the escape is half of a surrogate pair, which is no Unicode character at offset 1");
    check_error("{\"a\":1,\"\\u0061\":2}", "the property \"a\" occurs twice in one object at offset 17");
    let error = Value::parse(b"[\"\xff\"]").unwrap_err();
    assert_eq!((error.at, error.kind), (2, JsonErrorKind::InvalidUtf8));
}

#[test]
fn a_number_of_many_digits_is_checked_against_the_range() {
    assert!(parse(&"9".repeat(308)).is_ok());
    assert!(matches!(parse(&"9".repeat(310)).unwrap_err().kind, JsonErrorKind::NumberOutOfRange));
    assert!(parse(&format!("0.{}", "9".repeat(1000))).is_ok());
    assert_eq!(parse("1e-400").unwrap(), Value::from(0.0));
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    let error = parse(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!((error.at, error.kind), (MAX_DEPTH, JsonErrorKind::TooDeep));
    assert!(matches!(parse(&"[".repeat(1_000_000)).unwrap_err().kind, JsonErrorKind::TooDeep));
    assert!(matches!(parse(&"{\"a\":".repeat(1_000_000)).unwrap_err().kind, JsonErrorKind::TooDeep));
}

#[test]
fn a_repeated_name_is_found_among_many() {
    let members: Vec<String> = (0..1000).map(|i| format!("\"p{i}\":{i}")).collect();
    assert!(parse(&format!("{{{}}}", members.join(","))).is_ok());
    let error = parse(&format!("{{{},\"p500\":0}}", members.join(","))).unwrap_err();
    assert_eq!(error.kind, JsonErrorKind::DuplicateProperty { name: "p500".to_owned() });
}

#[test]
fn undefined_and_non_finite_members_are_not_written() {
    let mut object = orrery_value::Object::new();
    object.insert("a", Value::Undefined);
    object.insert("b", vec![Value::Undefined, Value::from(1), Value::from(f64::NAN)]);
    object.insert("c", f64::INFINITY);
    object.insert("d", Value::Null);
    assert_eq!(Value::from(object).to_json(), br#"{"b":[1],"d":null}"#);
    assert_eq!(Value::Undefined.to_json(), b"");
}

fn to_value(reference: &serde_json::Value) -> Value {
    match reference {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(bool) => Value::Bool(*bool),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Value::from(number.as_f64().unwrap()), Value::from)
        }
        serde_json::Value::String(string) => Value::from(string.as_str()),
        serde_json::Value::Array(elements) => Value::Array(elements.iter().map(to_value).collect()),
        serde_json::Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), to_value(value))).collect())
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_as_the_same_value(value in strategies::value()) {
        let text = value.to_json();
        prop_assert_eq!(&Value::parse(&text).unwrap(), &value);
        let reference: serde_json::Value = serde_json::from_slice(&text).unwrap();
        prop_assert_eq!(&to_value(&reference), &value);
        let pretty = serde_json::to_vec_pretty(&reference).unwrap();
        prop_assert_eq!(&Value::parse(&pretty).unwrap(), &value);
    }

    #[test]
    fn any_text_is_accepted_or_refused_as_by_the_reference(text in "[\\[\\]{}:,\"a0-2.eE+\\\\u -]{0,24}") {
        match (serde_json::from_str::<serde_json::Value>(&text), parse(&text)) {
            (Ok(reference), Ok(value)) => prop_assert_eq!(to_value(&reference), value),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) => {
                prop_assert!(matches!(error.kind, JsonErrorKind::DuplicateProperty { .. }), "{}", error);
            }
            (Err(error), Ok(value)) => prop_assert!(false, "{error}, but read as {value:?}"),
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert_eq!(Value::parse(&bytes).is_ok(), serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
    }

    #[test]
    fn the_order_agrees_with_equality_and_hash(a in strategies::value(), b in strategies::value()) {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        let build = BuildHasherDefault::<DefaultHasher>::default();
        prop_assert_eq!(total_order(&a, &b).is_eq(), a == b);
        prop_assert_eq!(total_order(&a, &b), total_order(&b, &a).reverse());
        let again = Value::parse(&a.to_json()).unwrap();
        prop_assert!(total_order(&a, &again).is_eq());
        prop_assert_eq!(build.hash_one(&a), build.hash_one(&again));
    }
}
