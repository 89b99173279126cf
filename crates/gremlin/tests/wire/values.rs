//! Values by the names that the golden files and the client's tests know them by.

use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::value::{
    Barrier, BigDecimal, BigInt, Binding, BulkSet, Bytecode, Cardinality, Column, Comparison, DateUnit, Direction,
    Duration, Edge, Instruction, Interval, Lambda, Merge, Metrics, Operator, Order, P, Path, Pick, Pop, Property,
    Scope, Strategy, T, TextComparison, TraversalMetrics, Traverser, Uuid, Vertex, VertexProperty, VertexReference,
};

pub const REQUEST_ID: &str = "41d2e28a-20a4-4ab0-b379-d810dede3786";

fn big(text: &str) -> GValue {
    GValue::BigInteger(Arc::new(text.parse::<BigInt>().unwrap()))
}

pub fn property(key: &str, value: impl Into<GValue>) -> Arc<Property> {
    Arc::new(Property { key: key.into(), value: value.into(), element: None })
}

pub fn vertex_property(id: i64, value: &str, properties: Option<Vec<Arc<Property>>>) -> Arc<VertexProperty> {
    let (label, value) = ("name".into(), value.into());
    Arc::new(VertexProperty { id: id.into(), label, value, vertex: None, properties })
}

pub fn vertex(id: impl Into<GValue>, properties: Option<Vec<Arc<VertexProperty>>>) -> GValue {
    GValue::Vertex(Arc::new(Vertex { id: id.into(), label: "person".into(), partition: None, properties }))
}

pub fn edge(id: impl Into<GValue>, properties: Option<Vec<Arc<Property>>>) -> GValue {
    GValue::Edge(Arc::new(Edge {
        id: id.into(),
        label: "knows".into(),
        out_vertex: VertexReference { id: 1.into(), label: "person".into(), partition: None },
        in_vertex: VertexReference { id: 2.into(), label: "dog".into(), partition: None },
        properties,
    }))
}

fn metrics(id: &str, name: &str, duration_ns: i64) -> Metrics {
    Metrics { id: id.into(), name: name.into(), duration_ns, ..Metrics::default() }
}

pub fn traversal_metrics() -> GValue {
    let outer = Metrics {
        counts: vec![("elementCount".into(), 4)],
        annotations: vec![("percentDur".into(), 25.0.into())],
        nested: vec![metrics("7.1", "out()", 500_000)],
        ..metrics("7.0", "V()", 1_500_000)
    };
    GValue::TraversalMetrics(Arc::new(TraversalMetrics { duration_ns: 1_500_000, metrics: vec![outer] }))
}

fn predicate(predicate: P) -> GValue {
    GValue::Predicate(Arc::new(predicate))
}

fn steps<const N: usize>(steps: [(&str, Vec<GValue>); N]) -> Bytecode {
    let steps = steps.into_iter().map(|(name, arguments)| Instruction::new(name, arguments)).collect();
    Bytecode { source: Vec::new(), steps }
}

fn traversal(bytecode: Bytecode) -> GValue {
    GValue::Bytecode(Arc::new(bytecode))
}

fn strategy(name: &str, configuration: Vec<(Arc<str>, GValue)>) -> GValue {
    GValue::Strategy(Arc::new(Strategy { name: name.into(), configuration }))
}

/// What the client writes and reads.
pub fn both() -> Vec<(&'static str, GValue)> {
    let traverser = Traverser { bulk: 3, value: "x".into() };
    vec![
        ("null", GValue::Null),
        ("true", true.into()),
        ("int", 1.into()),
        ("negative int", i32::MIN.into()),
        ("long", (1_i64 << 40).into()),
        ("short", GValue::Short(-2)),
        ("byte", GValue::Byte(-3)),
        ("big integer", big("1180591620717411303424")),
        ("negative big integer", big("-1180591620717411303425")),
        ("double", 0.1.into()),
        ("nan", f64::NAN.into()),
        ("infinity", f64::NEG_INFINITY.into()),
        ("string", "tête-à-tête \"😀\"\n\0".into()),
        ("char", GValue::Char('€')),
        ("uuid", GValue::Uuid(Uuid::parse_str(REQUEST_ID).unwrap())),
        ("date", GValue::Date(1_481_750_076_295)),
        ("duration", GValue::Duration(Duration { seconds: 18_003, nanos: 250_000_000 })),
        ("list", GValue::list([1.into(), "a".into(), GValue::Null, GValue::list([2.5.into()])])),
        ("set", GValue::set(["a".into()])),
        ("map", GValue::map([("a".into(), 1.into()), ("b".into(), GValue::list([true.into()]))])),
        ("traverser", GValue::Traverser(Arc::new(traverser))),
        ("vertex reference", vertex("v1", None)),
        ("edge reference", edge(7_i64, None)),
        ("T.id", T::Id.into()),
        ("Direction.OUT", Direction::Out.into()),
    ]
}

/// What only the client writes, to us.
pub fn from_client() -> Vec<(&'static str, GValue)> {
    let lambda = Lambda { language: "gremlin-groovy".into(), script: "it.get()".into(), arguments: -1 };
    let binding = Binding { key: "x".into(), value: 1.into() };
    let greater = |number: i32| P::Compare(Comparison::Greater, number.into());
    vec![
        ("bytes", GValue::Binary(vec![0, 0xff].into())),
        ("timestamp", GValue::Date(1_481_750_076_295)),
        ("big decimal", GValue::BigDecimal(Arc::new(BigDecimal::parse("123.45").unwrap()))),
        (
            "map with keys of all kinds",
            GValue::map([
                (1.into(), "int".into()),
                (T::Label.into(), "constant".into()),
                (2.5.into(), "double".into()),
            ]),
        ),
        ("vertex property reference", GValue::VertexProperty(vertex_property(3, "marko", None))),
        ("property", GValue::Property(property("since", 2009))),
        ("Order.desc", Order::Desc.into()),
        ("Scope.local", Scope::Local.into()),
        ("Pop.last", Pop::Last.into()),
        ("Column.keys", Column::Keys.into()),
        ("Cardinality.set", Cardinality::Set.into()),
        ("Merge.onCreate", Merge::OnCreate.into()),
        ("Barrier.normSack", Barrier::NormSack.into()),
        ("Pick.any", Pick::Any.into()),
        ("Operator.sumLong", Operator::SumLong.into()),
        ("DT.hour", DateUnit::Hour.into()),
        ("eq", predicate(P::equal(1.into()))),
        ("eq null", predicate(P::equal(GValue::Null))),
        ("within", predicate(P::Within(vec![1.into(), "a".into()]))),
        ("within nothing", predicate(P::Within(Vec::new()))),
        ("between", predicate(P::Interval(Interval::Between, 1.into(), 5.into()))),
        ("and", predicate(P::And(vec![greater(1), P::Compare(Comparison::Less, 9.into())]))),
        ("not", predicate(P::Not(Box::new(greater(1))))),
        ("containing", predicate(P::Text(TextComparison::Containing, "ark".into()))),
        ("binding", GValue::Binding(Arc::new(binding))),
        ("set value", GValue::CardinalityValue(Cardinality::Set, Arc::new("x".into()))),
        ("lambda", GValue::Lambda(Arc::new(lambda))),
        ("steps", traversal(steps_of_all_kinds())),
        ("strategies", traversal(with_strategies())),
    ]
}

fn steps_of_all_kinds() -> Bytecode {
    let at_least_one = predicate(P::Compare(Comparison::GreaterOrEqual, 1_i64.into()));
    let popular = steps([("in", vec![]), ("count", vec![]), ("is", vec![at_least_one])]);
    steps([
        ("V", vec![1.into()]),
        ("hasLabel", vec!["person".into()]),
        ("repeat", vec![traversal(steps([("out", vec!["knows".into()])]))]),
        ("times", vec![2.into()]),
        ("where", vec![traversal(popular)]),
    ])
}

fn with_strategies() -> Bytecode {
    let people = traversal(steps([("hasLabel", vec!["person".into()])]));
    let with = |strategies| Instruction::new("withStrategies", strategies);
    Bytecode {
        source: vec![
            with(vec![
                strategy("ReadOnlyStrategy", vec![]),
                strategy("SubgraphStrategy", vec![("vertices".into(), people)]),
            ]),
            with(vec![strategy("OptionsStrategy", vec![("evaluationTimeout".into(), 500.into())])]),
        ],
        ..steps([("V", vec![])])
    }
}

/// What only we write, to the client.
pub fn to_client() -> Vec<(&'static str, GValue)> {
    let meta = Some(vec![property("since", 2009)]);
    let path = Path { labels: vec![vec!["a".into()], vec![]], objects: vec![vertex("v1", None), "x".into()] };
    let names = vec![vertex_property(0, "marko", meta.clone()), vertex_property(1, "mark", Some(vec![]))];
    vec![
        ("float", GValue::Float(0.5)),
        ("bulk set", GValue::BulkSet(Arc::new(BulkSet { items: vec![("a".into(), 2), ("b".into(), 1)] }))),
        ("vertex", vertex(1, Some(names))),
        ("edge", edge(7, Some(vec![property("weight", 0.5)]))),
        ("vertex property", GValue::VertexProperty(vertex_property(0, "marko", meta))),
        ("property", GValue::Property(property("since", 2009))),
        ("path", GValue::Path(Arc::new(path))),
        ("bytes", GValue::Binary(b"abc"[..].into())),
        ("big decimal", GValue::BigDecimal(Arc::new(BigDecimal::parse("123.45").unwrap()))),
        (
            "map with keys of all kinds",
            GValue::map([
                (1.into(), "int".into()),
                (T::Label.into(), "constant".into()),
                (GValue::list([1.into(), 2.into()]), "list".into()),
            ]),
        ),
        ("metrics", traversal_metrics()),
    ]
}
