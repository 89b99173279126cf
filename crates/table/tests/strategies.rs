//! Random entities and filters, from few names and values, so that they meet.

use orrery_table::filter::{Comparison, Condition, Operator};
use orrery_table::{DateTime, EdmValue, Entity, Guid, Property};
use proptest::prelude::*;

use crate::support::{SECOND, entity, key};

/// Names of properties, some of which the engine has members for.
const NAMES: [&str; 6] = ["A", "b", "_ts", "id", "_etag", "Größe"];

pub fn values() -> impl Strategy<Value = EdmValue> {
    let texts = prop_oneof![Just(""), Just("a"), Just("a'b\"\\\n"), Just("é😀"), Just("1"), Just("NaN"), Just("AAE=")];
    let small = prop_oneof![-2i64..3, Just(i64::from(i32::MAX)), Just(i64::MIN), Just(i64::MAX), Just((1 << 53) + 1)];
    let doubles = prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(1.5),
        Just(-2.0),
        Just(1e300),
        Just(9_007_199_254_740_992.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        any::<f64>()
    ];
    prop_oneof![
        texts.prop_map(|text| EdmValue::String(text.to_owned())),
        any::<bool>().prop_map(EdmValue::Boolean),
        (-2i32..3).prop_map(EdmValue::Int32),
        small.prop_map(EdmValue::Int64),
        // There is one NaN only in text.
        doubles.prop_map(|float| EdmValue::Double(if float.is_nan() { f64::NAN } else { float })),
        times().prop_map(EdmValue::DateTime),
        (0u8..3, 0u8..3).prop_map(|(first, last)| {
            let mut bytes = [0xAB; 16];
            (bytes[0], bytes[15]) = (first << 6, last);
            EdmValue::Guid(Guid::from_bytes(bytes))
        }),
        prop::collection::vec(prop_oneof![Just(0u8), Just(0x61), Just(0xF8), Just(0xFF)], 0..4)
            .prop_map(EdmValue::Binary),
    ]
}

/// Around the time at which entities are written, and far away.
fn times() -> impl Strategy<Value = DateTime> {
    let near = (-2i64..3, prop_oneof![Just(-1i64), Just(0), Just(1), Just(SECOND / 2)]);
    prop_oneof![
        near.prop_map(|(seconds, ticks)| DateTime::from_unix_ticks((1_600_000_000 + seconds) * SECOND + ticks)),
        Just(DateTime::MIN),
        Just(DateTime::MAX),
    ]
}

fn written() -> impl Strategy<Value = DateTime> {
    times().prop_filter("items are written after 2001", |time| {
        (1_000_000_000..9_999_999_999).contains(&time.unix_seconds())
    })
}

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof![Just(""), Just("a"), Just("b"), Just("é'")].prop_map(str::to_owned)
}

pub fn entities() -> impl Strategy<Value = Entity> {
    let properties = prop::collection::btree_map(names(), values(), 0..5);
    (keys(), keys(), properties, written()).prop_map(|(partition_key, row_key, properties, timestamp)| {
        let properties = properties.into_iter().map(|(name, value)| Property { name, value }).collect();
        Entity { timestamp, ..entity(key(&partition_key, &row_key), properties) }
    })
}

pub fn conditions() -> impl Strategy<Value = Condition> {
    let operators = prop::sample::select(&Operator::ALL[..]);
    let compared = prop_oneof![
        4 => (names(), values()),
        1 => (prop_oneof![Just("PartitionKey"), Just("RowKey")], keys()).prop_map(|(name, text)| (name.to_owned(), EdmValue::String(text))),
        1 => times().prop_map(|time| ("Timestamp".to_owned(), EdmValue::DateTime(time))),
        1 => (prop_oneof![Just("PartitionKey"), Just("RowKey"), Just("Timestamp")], values()).prop_map(|(name, value)| (name.to_owned(), value)),
    ];
    let leaf = prop_oneof![
        12 => (compared, operators).prop_map(|((property, constant), operator)| {
            Condition::Comparison(Comparison { property, operator, constant })
        }),
        1 => any::<bool>().prop_map(Condition::Constant),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            several.clone().prop_map(Condition::Or),
            several.prop_map(Condition::And),
            inner.prop_map(|condition| match condition {
                Condition::Not(_) | Condition::Constant(_) => condition,
                condition => Condition::Not(Box::new(condition)),
            }),
        ]
    })
}
