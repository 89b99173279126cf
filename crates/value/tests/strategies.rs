//! Random values, texts and keys.

use orrery_value::{KeyComponent, Number, Object, PartitionKey, Value};
use proptest::prelude::*;

/// Names that collide often, need escapes, or are the server's.
pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{1,2}",
        2 => "[a-z ]{3,12}",
        1 => any::<String>(),
        1 => prop::sample::select(vec!["", "a\"b", "a\\", "é", "\u{1}", "_rid", "_x", "😀"]).prop_map(str::to_owned),
    ]
}

pub fn string() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z \"\\\\\n]{0,80}", "[ -~]{0,12}"]
}

pub fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::Int),
        (-5i64..5).prop_map(Number::Int),
        prop::num::f64::NORMAL.prop_map(as_read_back),
        (-20i32..20).prop_map(|quarters| Number::Float(f64::from(quarters) / 4.0)),
    ]
}

/// A double as it is after being printed and read: those beyond 2^53 that print without exponent become integers, whose exact
/// value may be another one.
fn as_read_back(float: f64) -> Number {
    Number::parse(&Number::Float(float).to_string()).unwrap()
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        string().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            members(inner).prop_map(Value::Object),
        ]
    })
}

/// An object that may be an item.
pub fn item() -> impl Strategy<Value = Object> {
    members(value())
}

fn members(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Object> {
    prop::collection::vec((name(), inner), 0..10).prop_map(|members| {
        let mut object = Object::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    })
}

pub fn partition_key() -> impl Strategy<Value = PartitionKey> {
    let component = prop_oneof![
        Just(KeyComponent::Undefined),
        Just(KeyComponent::Null),
        any::<bool>().prop_map(KeyComponent::Bool),
        (prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL).prop_map(KeyComponent::Number),
        (-3i32..3).prop_map(|i| KeyComponent::Number(f64::from(i))),
        any::<String>().prop_map(KeyComponent::String),
        "[\\x00\\x01ab]{0,4}".prop_map(KeyComponent::String),
    ];
    prop::collection::vec(component, 0..4).prop_map(PartitionKey)
}
