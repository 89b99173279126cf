//! Values at random, of all kinds that a format keeps.

use std::sync::Arc;

use indexmap::IndexMap;
use orrery_gremlin::GValue;
use orrery_gremlin::value::{
    BigDecimal, BigInt, Binding, BulkSet, Bytecode, Comparison, Constant, DateTime, Duration, Instruction, Interval,
    Lambda, P, Path, Strategy as GremlinStrategy, TextComparison, Traverser, Tree, Uuid,
};
use proptest::prelude::*;

use super::values::{edge, property, vertex, vertex_property};

fn scalar() -> impl Strategy<Value = GValue> {
    let constants: Vec<_> = Constant::all().map(GValue::Constant).collect();
    prop_oneof![
        Just(GValue::Null),
        any::<bool>().prop_map(GValue::Bool),
        any::<i8>().prop_map(GValue::Byte),
        any::<i16>().prop_map(GValue::Short),
        any::<i32>().prop_map(GValue::Int),
        any::<i64>().prop_map(GValue::Long),
        any::<f32>().prop_map(GValue::Float),
        any::<f64>().prop_map(GValue::Double),
        any::<Vec<u8>>().prop_map(|bytes| GValue::BigInteger(Arc::new(BigInt::from_signed_bytes_be(&bytes)))),
        (any::<i128>(), -50_i32..50).prop_map(|(unscaled, scale)| {
            GValue::BigDecimal(Arc::new(BigDecimal { unscaled: unscaled.into(), scale }))
        }),
        ".{0,8}".prop_map(GValue::string),
        any::<char>().prop_map(GValue::Char),
        any::<u128>().prop_map(|bits| GValue::Uuid(Uuid::from_u128(bits))),
        any::<i64>().prop_map(GValue::Date),
        (-60_000_000_000_i64..200_000_000_000, 0_u32..1_000_000_000, -64_800_i32..=64_800)
            .prop_map(|(seconds, nanos, offset_seconds)| GValue::DateTime(DateTime { seconds, nanos, offset_seconds })),
        (any::<i32>(), 0_u32..1_000_000_000)
            .prop_map(|(seconds, nanos)| GValue::Duration(Duration { seconds: seconds.into(), nanos })),
        any::<Vec<u8>>().prop_map(|bytes| GValue::Binary(bytes.into())),
        "[a-z.]{1,8}".prop_map(|name| GValue::Class(name.into())),
        proptest::sample::select(constants),
    ]
}

fn predicates(operand: BoxedStrategy<GValue>) -> impl Strategy<Value = P> {
    let leaf = prop_oneof![
        operand.clone().prop_map(|value| P::Compare(Comparison::Less, value)),
        (operand.clone(), operand.clone()).prop_map(|(low, high)| P::Interval(Interval::Inside, low, high)),
        prop::collection::vec(operand.clone(), 0..4).prop_map(P::Within),
        prop::collection::vec(operand, 0..4).prop_map(P::Without),
        ".{0,4}".prop_map(|text| P::Text(TextComparison::NotRegex, GValue::string(text))),
        Just(P::TypeOf(orrery_gremlin::value::GType::Map)),
    ];
    let leaf = leaf.boxed();
    // A connective within its like is no level of its own.
    let or = prop::collection::vec(leaf.clone(), 2..4).prop_map(P::Or);
    let either = prop_oneof![leaf, or].boxed();
    let and = prop::collection::vec(either.clone(), 2..4).prop_map(P::And);
    prop_oneof![either, and.clone(), and.prop_map(|and| P::Not(Box::new(and)))]
}

fn instructions(argument: BoxedStrategy<GValue>) -> impl Strategy<Value = Vec<Instruction>> {
    let one = ("[a-zA-Z]{1,6}", prop::collection::vec(argument, 0..3));
    prop::collection::vec(one.prop_map(|(name, arguments)| Instruction::new(name, arguments)), 0..3)
}

fn trees(key: BoxedStrategy<GValue>) -> impl Strategy<Value = Tree> {
    let leaf = Just(Tree::default());
    leaf.prop_recursive(3, 8, 3, move |inner| {
        prop::collection::vec((key.clone(), inner), 0..3).prop_map(|branches| Tree { branches })
    })
}

fn containers(inner: BoxedStrategy<GValue>) -> BoxedStrategy<GValue> {
    let items = || prop::collection::vec(inner.clone(), 0..4);
    let pairs = || prop::collection::vec((inner.clone(), inner.clone()), 0..4);
    let named = || prop::collection::vec(("[a-z]{1,4}".prop_map(Arc::<str>::from), inner.clone()), 0..3);
    let properties = || named().prop_map(|all| all.iter().map(|(key, value)| property(key, value.clone())).collect());
    let names = || {
        let name = (any::<i64>(), ".{0,4}", prop::option::of(properties()));
        prop::collection::vec(name.prop_map(|(id, value, all): (_, String, _)| vertex_property(id, &value, all)), 1..3)
    };
    prop_oneof![
        items().prop_map(GValue::list),
        items().prop_map(GValue::set),
        pairs().prop_map(GValue::map),
        prop::collection::vec((inner.clone(), 0_i64..3), 0..4).prop_map(|items| {
            // Equal values are counted together.
            let items = items.into_iter().collect::<IndexMap<_, _>>().into_iter().collect();
            GValue::BulkSet(Arc::new(BulkSet { items }))
        }),
        (inner.clone(), any::<u32>())
            .prop_map(|(value, bulk)| { GValue::Traverser(Arc::new(Traverser { bulk: bulk.into(), value })) }),
        trees(inner.clone()).prop_map(|tree| GValue::Tree(Arc::new(tree))),
        (inner.clone(), prop::option::of(names())).prop_map(|(id, all)| vertex(id, all)),
        (inner.clone(), prop::option::of(properties())).prop_map(|(id, all)| edge(id, all)),
        items().prop_map(|objects| {
            let labels = objects.iter().enumerate().map(|(index, _)| vec![format!("l{index}").into(); index % 2]);
            GValue::Path(Arc::new(Path { labels: labels.collect(), objects }))
        }),
        predicates(inner.clone()).prop_map(|predicate| GValue::Predicate(Arc::new(predicate))),
        (instructions(inner.clone()), instructions(inner.clone()))
            .prop_map(|(source, steps)| GValue::Bytecode(Arc::new(Bytecode { source, steps }))),
        ("[a-z]{1,4}", inner.clone())
            .prop_map(|(key, value)| GValue::Binding(Arc::new(Binding { key: key.into(), value }))),
        ("[A-Z][a-z]{1,4}Strategy", named()).prop_map(|(name, configuration)| {
            let mut seen = std::collections::HashSet::new();
            let configuration = configuration.into_iter().filter(|(key, _)| seen.insert(key.clone())).collect();
            GValue::Strategy(Arc::new(GremlinStrategy { name: name.into(), configuration }))
        }),
        (".{0,8}", -1_i32..3).prop_map(|(script, arguments)| {
            GValue::Lambda(Arc::new(Lambda { language: "x".into(), script: script.into(), arguments }))
        }),
    ]
    .boxed()
}

pub fn value() -> impl Strategy<Value = GValue> {
    scalar().prop_recursive(4, 24, 4, |inner| containers(inner.boxed()))
}
