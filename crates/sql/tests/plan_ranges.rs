//! The ranges of a plan hold every item that the query's filter keeps.

use orrery_sql::query_plan::{QueryRange, Work};
use orrery_sql::{Context, Features, MAX_NESTING, PlanTarget, compile, parse, query_plan};
use orrery_value::{NewDocument, PartitionKeyDefinition, PropertyPath, Value};
use proptest::prelude::*;

/// Values of properties: few, so that filters and items meet.
const VALUES: [&str; 9] = ["1", "2", "'x'", "null", "true", "false", "{}", "[1]", "undefined"];

/// A filter over the properties `a`, `b` and `o`, of which the first two are the partition key.
fn filter() -> impl Strategy<Value = String> {
    let property = prop_oneof![Just("c.a"), Just("c.b"), Just("c.o")];
    let value = prop::sample::select(&VALUES[..]);
    let subquery = "(SELECT VALUE c.o FROM c WHERE";
    let leaf = prop_oneof![
        (property.clone(), value.clone()).prop_map(|(p, v)| format!("{p} = {v}")),
        (value.clone(), property.clone()).prop_map(|(v, p)| format!("{v} != {p}")),
        (property.clone(), value.clone(), value.clone()).prop_map(|(p, v, w)| format!("{p} IN ({v}, {w})")),
        (property.clone(), value.clone()).prop_map(|(p, v)| format!("{p} NOT IN ({v})")),
        (property.clone(), value.clone()).prop_map(move |(p, v)| format!("{p} = {subquery} c.a = {v})")),
        (property.clone(), value.clone()).prop_map(|(p, v)| format!("EXISTS(SELECT 1 FROM c WHERE {p} = {v})")),
        (property.clone(), value.clone(), value).prop_map(|(p, v, w)| format!("ARRAY_CONTAINS([{v}, {w}], {p})")),
        property.clone().prop_map(|p| format!("IS_DEFINED({p})")),
        property.clone().prop_map(|p| format!("IS_NULL({p})")),
        property.clone().prop_map(|p| format!("IS_BOOL({p})")),
        property.clone().prop_map(|p| format!("{p} LIKE 'x'")),
        property.prop_map(str::to_owned),
        Just("1 = 1".to_owned()),
        Just("undefined".to_owned()),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" AND "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" OR "))),
            inner.prop_map(|part| format!("NOT ({part})")),
        ]
    })
}

/// Items with each combination of values.
fn items() -> Vec<String> {
    let json = |name: &str, value: &str| match value {
        "undefined" => String::new(),
        value => format!(",\"{name}\":{}", value.replace('\'', "\"")),
    };
    let pairs = VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| (a, b)));
    let triples = pairs.flat_map(|(a, b)| ["true", "1", "undefined"].map(|o| (a, b, o)));
    triples.map(|(a, b, o)| format!("{{\"id\":\"i\"{}{}{}}}", json("a", a), json("b", b), json("o", o))).collect()
}

fn definition(kind: &str, paths: &[&str]) -> PartitionKeyDefinition {
    let paths = paths.iter().map(|path| PropertyPath::parse(path).unwrap()).collect();
    PartitionKeyDefinition::try_new(kind, Some(2), paths).unwrap()
}

fn ranges(text: &str, key: &PartitionKeyDefinition) -> Vec<QueryRange> {
    let target = PlanTarget { partition_key: Some(key), names_key: false };
    query_plan(text, &[], target, &Features::all(), &Context::default()).unwrap().ranges
}

proptest! {
    #[test]
    fn no_item_that_the_filter_keeps_is_out_of_range(filter in filter()) {
        let text = format!("SELECT * FROM c WHERE {filter}");
        let query = compile(&text, &[], &Context::default()).unwrap();
        let kept: Vec<String> = items()
            .into_iter()
            .filter(|item| !query.run_in_memory(&[Value::parse(item.as_bytes()).unwrap()]).unwrap().is_empty())
            .collect();
        for key in [definition("Hash", &["/a"]), definition("MultiHash", &["/a", "/b"])] {
            let ranges = ranges(&text, &key);
            for item in &kept {
                let document = NewDocument::from_json(item.as_bytes()).unwrap();
                let epk = key.epk(&key.extract(&document.document()).unwrap());
                let holds = |range: &QueryRange| match range {
                    QueryRange::Point(point) => *point == epk,
                    QueryRange::Span(min, max) => *min <= epk && epk < *max,
                };
                prop_assert_eq!(ranges.iter().filter(|range| holds(range)).count(), 1, "{} {:?}", item, ranges);
            }
        }
    }
}

#[test]
fn long_lists_are_ranges_and_longer_products_are_not_multiplied_out() {
    let hierarchical = definition("MultiHash", &["/a", "/b"]);
    let list = |name: &str, count: usize| {
        let items: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        format!("c.{name} IN ({})", items.join(","))
    };
    let simple = definition("Hash", &["/a"]);
    let of = |filter: &str, key| ranges(&format!("SELECT * FROM c WHERE {filter}"), key).len();
    assert_eq!(of(&list("a", 16_000), &simple), 16_000);
    assert_eq!(of(&format!("{} AND {}", list("a", 100), list("b", 50)), &hierarchical), 5_000);
    // The shorter list by itself, as prefixes.
    assert_eq!(of(&format!("{} AND {}", list("a", 300), list("b", 400)), &hierarchical), 300);
}

#[test]
fn a_named_key_takes_the_merge_away() {
    let key = definition("Hash", &["/a"]);
    let target = PlanTarget { partition_key: Some(&key), names_key: true };
    let text = "SELECT VALUE SUM(c.x) / COUNT(1) FROM c";
    let plan = query_plan(text, &[], target, &Features::parse(""), &Context::default()).unwrap();
    let Work::Merge(info) = plan.work else { panic!("{text}") };
    assert!(info.rewritten_query.is_empty() && info.aggregates.is_empty() && info.has_select_value);
}

#[test]
fn nesting_up_to_the_limit_is_planned_on_a_small_stack() {
    let key = definition("Hash", &["/a"]);
    let negations = |n: usize| format!("SELECT * FROM c WHERE {}c.a = 1{}", "NOT (".repeat(n), ")".repeat(n));
    let exist = "EXISTS(SELECT 1 FROM c WHERE ";
    let subqueries = |n: usize| format!("SELECT * FROM c WHERE {}c.a = 1{}", exist.repeat(n), ")".repeat(n));
    let deepest = |nested: &dyn Fn(usize) -> String| {
        let text = (1..=MAX_NESTING).rev().map(nested).find(|text| parse(text).is_ok());
        ranges(&text.expect("one level is allowed"), &key)
    };
    std::thread::scope(|scope| {
        let small = || std::thread::Builder::new().stack_size(1536 * 1024);
        let negated = small().spawn_scoped(scope, || deepest(&negations)).unwrap();
        let existing = small().spawn_scoped(scope, || deepest(&subqueries)).unwrap();
        assert_eq!(negated.join().unwrap().len(), 1);
        assert!(matches!(existing.join().unwrap()[..], [QueryRange::Point(_)]));
    });
}
