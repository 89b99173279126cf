//! Random plans over the items of the tests.

use orrery_engine::query::{
    Aggregate, AggregateFunction, BinaryOperator, Body, Direction, Expr, From, Grouping, InList, Like, LikePattern,
    Plan, Predicate, SortKey, SourceStep, SubqueryKind, UnaryOperator, function,
};
use orrery_value::Value;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};
use std::sync::Arc;

use super::world::value_of;

/// Values of properties: all types, values that the index cuts or rounds, arrays and objects.
pub fn values() -> impl Strategy<Value = Json> {
    let long = |end: &str| json!("x".repeat(100) + end);
    select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1),
        json!(2),
        json!(-1),
        json!(2.5),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("abc"),
        json!("b\u{0}"),
        long(""),
        long("a"),
        long("b"),
        json!([]),
        json!([1, "a"]),
        json!({"x": 1}),
    ])
}

/// A body without id and key.
pub fn bodies() -> impl Strategy<Value = Json> {
    let elements = vec(values(), 0..4);
    let objects = vec((values(), option::of(values())), 0..3);
    let properties = (option::weighted(0.8, values()), option::of(values()), option::of(values()));
    (properties, option::of(elements), option::of(objects)).prop_map(|((a, b, x), tags, list)| {
        let mut body = json!({});
        let mut put = |name: &str, value: Option<Json>| value.into_iter().for_each(|value| body[name] = value);
        put("a", a);
        put("b", b);
        put("n", x.map(|x| json!({"x": x})));
        put("tags", tags.map(Json::from));
        let object = |(k, m): (Json, Option<Json>)| m.map_or(json!({"k": k}), |m| json!({"k": k, "m": m}));
        put("list", list.map(|list| list.into_iter().map(object).collect()));
        body
    })
}

fn path(text: &str) -> Expr {
    text.split('.').fold(Expr::Source(0), Expr::property)
}

fn constant(value: &Json) -> Expr {
    Expr::Constant(value_of(value))
}

fn paths() -> impl Strategy<Value = Expr> {
    select(vec!["a", "a", "a", "b", "n.x", "n", "tags", "id", "pk", "list", "none"]).prop_map(path)
}

fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Call(function(name).unwrap(), arguments)
}

/// Conditions on a place.
fn conditions_on(place: impl Strategy<Value = Expr> + 'static) -> BoxedStrategy<Expr> {
    use BinaryOperator as Op;
    let operators =
        vec![Op::Equal, Op::Equal, Op::Less, Op::LessOrEqual, Op::Greater, Op::GreaterOrEqual, Op::NotEqual];
    let checks =
        vec!["IS_DEFINED", "IS_NULL", "IS_NUMBER", "IS_STRING", "IS_BOOL", "IS_ARRAY", "IS_OBJECT", "IS_PRIMITIVE"];
    let patterns = vec!["a%", "abc", "%b", "a_", "", "%", "x%a"];
    (
        place,
        select(operators),
        values(),
        values(),
        vec(values(), 0..4),
        any::<bool>(),
        select(checks),
        select(patterns),
        0..11usize,
    )
        .prop_map(|(place, operator, value, other, list, turned, check, pattern, kind)| match kind {
            0..4 => {
                let (a, b) = if turned { (constant(&value), place) } else { (place, constant(&value)) };
                Expr::Binary(operator, Box::new(a), Box::new(b))
            }
            4 => Expr::In { needle: Box::new(place), list: InList::new(list.iter().map(constant).collect()) },
            5 => {
                let (low, high) = (Box::new(constant(&value)), Box::new(constant(&other)));
                Expr::Between { value: Box::new(place), low, high }
            }
            6 => call(check, vec![place]),
            7 => call(if turned { "STARTSWITH" } else { "STRINGEQUALS" }, vec![place, constant(&value)]),
            8 => {
                let pattern = LikePattern::Fixed(Like::new(pattern, None));
                Expr::Like { text: Box::new(place), pattern }
            }
            9 => Expr::Coalesce(Box::new(place), Box::new(constant(&json!(false)))),
            _ => place,
        })
        .boxed()
}

/// Conditions on arrays of the item.
fn conditions_on_arrays() -> BoxedStrategy<Expr> {
    let exists = |array: &str, filter: Option<Expr>| {
        let sources = vec![SourceStep::Each(path(array))];
        let body = Body { sources, filter: filter.map(Predicate::new), ..Body::of(Expr::Source(1)) };
        Expr::Subquery(SubqueryKind::Exists, Arc::new(body))
    };
    let element = || conditions_on(Just(Expr::Source(1)));
    let member = |name: &'static str| conditions_on(Just(Expr::property(Expr::Source(1), name)));
    prop_oneof![
        (values(), values(), select(vec!["ARRAY_CONTAINS", "ARRAY_CONTAINS_ANY", "ARRAY_CONTAINS_ALL"])).prop_map(
            |(a, b, name)| {
                let one = name == "ARRAY_CONTAINS";
                call(name, [vec![path("tags"), constant(&a)], if one { vec![] } else { vec![constant(&b)] }].concat())
            }
        ),
        values().prop_map(|k| call(
            "ARRAY_CONTAINS",
            vec![path("list"), constant(&json!({"k": k})), constant(&json!(true))]
        )),
        (element(), element()).prop_map(move |(a, b)| exists("tags", Some(Expr::And(vec![a, b])))),
        (member("k"), member("m")).prop_map(move |(k, m)| exists("list", Some(Expr::And(vec![k, m])))),
        element().prop_map(move |condition| exists("tags", Some(condition))),
        Just(exists("tags", None)),
        values().prop_map(|value| {
            let first = Expr::Element { base: Box::new(path("tags")), index: Box::new(constant(&json!(0))) };
            Expr::Binary(BinaryOperator::Equal, Box::new(first), Box::new(constant(&value)))
        }),
    ]
    .boxed()
}

/// Filters over rows with the item and, if joined, another source.
fn filters(joined: Option<&'static str>) -> BoxedStrategy<Expr> {
    let simple = match joined {
        None => prop_oneof![4 => conditions_on(paths()), 1 => conditions_on_arrays()].boxed(),
        Some("list") => {
            let member = select(vec!["k", "m"]).prop_map(|name| Expr::property(Expr::Source(1), name));
            prop_oneof![conditions_on(member), conditions_on(paths())].boxed()
        }
        Some(_) => prop_oneof![conditions_on(Just(Expr::Source(1))), conditions_on(paths())].boxed(),
    };
    simple
        .prop_recursive(3, 8, 3, |inner| {
            prop_oneof![
                3 => vec(inner.clone(), 1..4).prop_map(Expr::And),
                2 => vec(inner.clone(), 1..4).prop_map(Expr::Or),
                1 => inner.prop_map(|inner| Expr::Unary(UnaryOperator::Not, Box::new(inner))),
            ]
        })
        .boxed()
}

fn orders() -> impl Strategy<Value = Vec<SortKey>> {
    let direction = prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)];
    let key = (select(vec!["a", "a", "b", "n.x", "id", "pk"]), direction)
        .prop_map(|(name, direction)| SortKey { expr: path(name), direction });
    let by_key = |names: &[&str]| {
        let key = |name: &&str| SortKey { expr: path(name), direction: Direction::Ascending };
        names.iter().map(key).collect::<Vec<_>>()
    };
    prop_oneof![4 => vec(key, 1..3), 1 => Just(by_key(&["pk", "id"])), 1 => Just(by_key(&["id"]))]
}

fn all(body: Body) -> Plan {
    Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit: None }
}

/// `SELECT VALUE [c.id, t]`, so that rows are told apart.
fn row(joined: bool) -> Expr {
    if joined { Expr::Array(vec![path("id"), Expr::Source(1)]) } else { path("id") }
}

fn aggregates() -> impl Strategy<Value = Vec<Aggregate>> {
    let one = || Expr::Constant(Value::from(1));
    vec((select(vec!["a", "b", "n.x", "id"]), 0..4usize), 1..3).prop_map(move |aggregates| {
        let aggregate = |(name, kind): (&str, usize)| match kind {
            0 => Aggregate { function: AggregateFunction::Min, argument: path(name) },
            1 => Aggregate { function: AggregateFunction::Max, argument: path(name) },
            2 => Aggregate { function: AggregateFunction::Count, argument: path(name) },
            _ => Aggregate { function: AggregateFunction::Count, argument: one() },
        };
        aggregates.into_iter().map(aggregate).collect()
    })
}

/// Plans whose rows have an order that does not depend on pages.
pub fn plans() -> BoxedStrategy<Plan> {
    let joins = select(vec![None, None, None, Some("tags"), Some("list")]);
    let filtered = joins.prop_flat_map(|joined| (Just(joined), option::weighted(0.85, filters(joined))));
    let range = (prop_oneof![3 => Just(0u64), 1 => 0..6u64], option::of(0..30u64));
    (filtered, range, orders(), aggregates(), 0..8usize)
        .prop_map(|((joined, filter), (offset, limit), order, aggregates, kind)| {
            let sources: Vec<_> = joined.into_iter().map(|name| SourceStep::Each(path(name))).collect();
            let filter = filter.map(Predicate::new);
            let body = Body { sources, filter, ..Body::of(row(joined.is_some())) };
            match kind {
                0..3 => Plan { offset, limit, ..all(body) },
                3..6 => Plan { offset, limit, order, ..all(body) },
                6 => {
                    let projection = Expr::Array((0..aggregates.len()).map(Expr::Aggregate).collect());
                    let grouping = Some(Grouping { keys: Vec::new(), aggregates });
                    all(Body { grouping, projection, ..body })
                }
                _ => all(Body { distinct: true, projection: path("a"), ..body }),
            }
        })
        .boxed()
}
