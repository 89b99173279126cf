//! Which way to the items is chosen, as EXPLAIN tells it.

use orrery_engine::query::{
    Aggregate, AggregateFunction, BinaryOperator, Body, Direction, Expr, From, Grouping, IndexAccess, IndexUse, Plan,
    Predicate, SortKey,
};
use orrery_engine::{PageRequest, QueryPage, Scope};
use orrery_value::{PartitionKey, Value};
use serde_json::json;

use super::world::{World, definition, page, rows_from};

const ITEMS: usize = 1_000;

fn path(name: &str) -> Expr {
    Expr::property(Expr::Source(0), name)
}

fn compared(name: &str, operator: BinaryOperator, value: impl Into<Value>) -> Expr {
    Expr::Binary(operator, Box::new(path(name)), Box::new(Expr::Constant(value.into())))
}

fn is(name: &str, value: impl Into<Value>) -> Expr {
    compared(name, BinaryOperator::Equal, value)
}

fn all(filter: Option<Expr>) -> Plan {
    let body = Body { filter: filter.map(Predicate::new), ..Body::of(path("id")) };
    Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit: None }
}

fn ordered(filter: Option<Expr>, order: &[(&str, Direction)]) -> Plan {
    let key = |(name, direction): &(&str, Direction)| SortKey { expr: path(name), direction: *direction };
    Plan { order: order.iter().map(key).collect(), limit: Some(10), ..all(filter) }
}

fn aggregated(function: AggregateFunction, argument: Expr, filter: Option<Expr>) -> Plan {
    let grouping = Some(Grouping { keys: Vec::new(), aggregates: vec![Aggregate { function, argument }] });
    let plan = all(filter);
    Plan { body: Body { grouping, projection: Expr::Aggregate(0), ..plan.body }, ..plan }
}

/// A thousand items: `n` differs for each, `group` has ten values, `pk` twenty, `b` is excluded from the index.
async fn world() -> World {
    let world = World::with_use(definition(1, None), IndexUse::Auto).await;
    for n in 0..ITEMS {
        let body = json!({
            "id": format!("{n:04}"), "pk": format!("key-{}", n % 20), "n": {"x": n}, "a": n % 10, "b": n % 500, "u": n,
        });
        world.items.create(body).await.unwrap();
    }
    world.ready().await;
    world
}

async fn explained(world: &World, scope: &Scope, plan: &Plan) -> QueryPage {
    page(&world.items, scope, plan, &PageRequest { explain: true, ..PageRequest::new(100, None) }).await
}

#[tokio::test]
async fn a_selective_condition_is_looked_up_and_a_common_one_is_not() {
    let world = world().await;
    for (filter, access, examined) in [
        (is("u", 7), IndexAccess::Filter, 1),
        (Expr::And(vec![is("u", 7), is("a", 7)]), IndexAccess::Filter, 1),
        (Expr::Or(vec![is("u", 7), is("u", 9)]), IndexAccess::Filter, 2),
        (Expr::Or(vec![is("u", 7), is("b", 9)]), IndexAccess::Scan, ITEMS as u64),
        (is("b", 7), IndexAccess::Scan, ITEMS as u64),
        (compared("a", BinaryOperator::NotEqual, 100), IndexAccess::Scan, 100),
        (compared("u", BinaryOperator::GreaterOrEqual, 100), IndexAccess::Scan, 150),
        (Expr::And(vec![is("pk", "key-7"), is("u", 7)]), IndexAccess::Scan, 50),
    ] {
        let page = explained(&world, &Scope::Container, &all(Some(filter.clone()))).await;
        let index = page.explain.unwrap().index;
        assert_eq!(index.access, access, "{filter:?}: {}", index.reason);
        assert!(page.metrics.items_examined <= examined, "{filter:?}: {} items", page.metrics.items_examined);
        assert_eq!(index.found_items > 0, access == IndexAccess::Filter);
    }
}

#[tokio::test]
async fn an_ordered_page_reads_little_more_than_it_gives() {
    use Direction::{Ascending as Up, Descending as Down};
    let world = world().await;
    let partition = Scope::Partition(PartitionKey::parse_header(r#"["key-3"]"#).unwrap());
    for (scope, plan, most) in [
        (&Scope::Container, ordered(None, &[("u", Up)]), 20),
        (&Scope::Container, ordered(None, &[("u", Down)]), 20),
        (&Scope::Container, ordered(Some(compared("u", BinaryOperator::Greater, 500)), &[("u", Up)]), 20),
        (&Scope::Container, ordered(None, &[("pk", Up), ("id", Up)]), 20),
        (&partition, ordered(None, &[("id", Up)]), 20),
        (&Scope::Container, ordered(Some(is("u", 7)), &[("n", Down)]), 1),
    ] {
        let page = explained(&world, scope, &plan).await;
        assert!(page.metrics.items_examined <= most, "{plan:?}: {} items", page.metrics.items_examined);
    }
}

#[tokio::test]
async fn pages_of_many_hits_read_a_window_at_a_time() {
    let world = World::new(definition(0, None)).await;
    for n in 0..5_000 {
        world.items.create(json!({"id": format!("{n:04}"), "pk": n % 700, "a": 1, "b": n})).await.unwrap();
    }
    world.ready().await;
    let plan = all(Some(is("a", 1)));
    let page = explained(&world, &Scope::Container, &plan).await;
    let index = page.explain.unwrap().index;
    assert_eq!((index.access, page.rows.len()), (IndexAccess::Filter, 100));
    assert!(index.postings < 2_500, "{index:?}");
    let scan = world.without_index().await;
    for filter in [is("a", 1), Expr::And(vec![is("a", 1), compared("b", BinaryOperator::Less, 4_900)])] {
        let plan = all(Some(filter));
        let expected = rows_from(&scan, &Scope::Container, &plan, 10_000, None).await;
        assert_eq!(rows_from(&world.items, &Scope::Container, &plan, 999, None).await, expected);
    }
}

#[tokio::test]
async fn aggregates_are_known_without_reading_items() {
    let world = world().await;
    let one = || Expr::Constant(Value::from(1));
    for (plan, expected) in [
        (aggregated(AggregateFunction::Count, one(), None), "1000"),
        (aggregated(AggregateFunction::Count, one(), Some(is("a", 3))), "100"),
        (aggregated(AggregateFunction::Count, path("u"), None), "1000"),
        (aggregated(AggregateFunction::Min, path("u"), None), "0"),
        (aggregated(AggregateFunction::Max, path("u"), None), "999"),
        (aggregated(AggregateFunction::Max, path("u"), Some(compared("u", BinaryOperator::Less, 500))), "499"),
    ] {
        let page = explained(&world, &Scope::Container, &plan).await;
        assert_eq!(page.rows, [expected], "{plan:?}");
        let is_cheap = page.metrics.items_examined == 0;
        // Where most items count, reading them is sooner done.
        let is_scan = page.explain.unwrap().index.access == IndexAccess::Scan;
        assert!(is_cheap || is_scan && expected == "1000", "{plan:?}");
    }
}

#[tokio::test]
async fn advice_names_what_the_policy_leaves_out() {
    let world = world().await;
    let page = explained(&world, &Scope::Container, &all(Some(is("b", 7)))).await;
    let advice = page.explain.unwrap().advice;
    assert!(advice.iter().any(|advice| advice.contains("leaves /b out")), "{advice:?}");
    assert!(advice.iter().any(|advice| advice.contains("partition key (/pk)")), "{advice:?}");
}

#[tokio::test]
async fn a_small_container_opens_no_index() {
    let world = World::with_use(definition(0, None), IndexUse::Auto).await;
    world.items.create(json!({"id": "a", "pk": "x", "a": 1})).await.unwrap();
    let memory = world.items.engine.index_memory_bytes();
    let index = explained(&world, &Scope::Container, &all(Some(is("a", 1)))).await.explain.unwrap().index;
    assert_eq!((index.access, index.postings), (IndexAccess::Scan, 0));
    assert!(index.reason.contains("small"), "{}", index.reason);
    assert_eq!(world.items.engine.index_memory_bytes(), memory);
}
