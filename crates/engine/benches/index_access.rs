//! Whether the cost of a query through the index follows its rows, not the size of the container.
//!
//! Run with `cargo bench -p orrery-engine --bench index_access`. The same queries run on a small and on a large container in an
//! embedded store in a temporary folder. Figures are medians; the last column is how much longer the large container takes.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on should fail")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use orrery_engine::query::{
    Aggregate, AggregateFunction, BinaryOperator, Body, Direction, Expr, From, Grouping, Plan, Predicate, SortKey,
};
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, JsonMap, NewItem, Operation, OperationKind, PageRequest, Query, Scope,
    WriteMode,
};
use orrery_store::{Durability, FjallOptions, FjallStore};
use orrery_value::{NewDocument, Value};
use serde_json::json;

const SMALL: usize = 10_000;
const LARGE: usize = 1_000_000;
const ROUNDS: usize = 101;
const BATCH: usize = 100;
const WRITERS: usize = 8;
const ITEMS_PER_PARTITION: usize = 100;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let options = FjallOptions { durability: Durability::Buffered, cache_size_bytes: 512 << 20, background_threads: 2 };
    let store = Arc::new(FjallStore::open(folder.path(), options).unwrap());
    let engine = Engine::open(store, EngineOptions::default()).await.unwrap();
    engine.create_database("db", None).await.unwrap();
    let small = container(&engine, "small", SMALL).await;
    let large = container(&engine, "large", LARGE).await;
    println!("{:<44} {:>10} {:>10} {:>6}", "query", "10 k, us", "1 M, us", "ratio");
    for (name, plan) in plans() {
        let (few, many) = (median(&engine, &small, SMALL, &plan).await, median(&engine, &large, LARGE, &plan).await);
        let ratio = many.as_secs_f64() / few.as_secs_f64();
        println!("{name:<44} {:>10} {:>10} {ratio:>6.2}", few.as_micros(), many.as_micros());
    }
    engine.close().await.unwrap();
}

/// A container of so many items, and its index up to date.
async fn container(engine: &Engine, name: &str, items: usize) -> Arc<Container> {
    let definition = json!({"id": name, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    let definition: JsonMap = serde_json::from_value(definition).unwrap();
    let database = engine.database("db").unwrap();
    let container = engine.create_container(&database, &definition, None).await.unwrap();
    let started = Instant::now();
    let writers = (0..WRITERS).map(|writer| {
        let (engine, container) = (engine.clone(), container.clone());
        tokio::spawn(async move {
            for batch in (writer..items / BATCH).step_by(WRITERS) {
                let operations = (0..BATCH).map(|i| create(&container, batch * BATCH + i, items));
                engine.write(&container, operations.collect(), WriteMode::Independent).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    println!("{name}: {items} items in {:.1?}", started.elapsed());
    while container.index_progress() < 100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Runs that are still being written would share the cores.
    tokio::time::sleep(Duration::from_secs(3)).await;
    container
}

fn create(container: &Container, n: usize, items: usize) -> Operation {
    let mixed = n.wrapping_mul(2_654_435_761) % items;
    let body = json!({
        "id": format!("{n:08}"), "pk": format!("key-{:06}", n % (items / ITEMS_PER_PARTITION)), "n": mixed,
        "ten": n % (items / 10), "hundredth": n % 100, "text": format!("{:->120}", n),
    });
    let body = body.to_string();
    let document = NewDocument::from_json(body.as_bytes()).unwrap();
    let key = container.settings().partition_key.extract(&document.document()).unwrap();
    let item = NewItem::parse(container, body.as_bytes(), None).unwrap();
    Operation { kind: OperationKind::Create(item), key, condition: Condition::None }
}

fn path(name: &str) -> Expr {
    Expr::property(Expr::Source(0), name)
}

fn compared(name: &str, operator: BinaryOperator, value: impl Into<Value>) -> Expr {
    Expr::Binary(operator, Box::new(path(name)), Box::new(Expr::Constant(value.into())))
}

fn filtered(filter: Option<Expr>) -> Plan {
    let body = Body { filter: filter.map(Predicate::new), ..Body::of(Expr::Source(0)) };
    Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit: None }
}

fn top_10(names: &[&str], direction: Direction, filter: Option<Expr>) -> Plan {
    let order = names.iter().map(|name| SortKey { expr: path(name), direction }).collect();
    Plan { order, limit: Some(10), ..filtered(filter) }
}

fn aggregated(function: AggregateFunction, argument: Expr, filter: Option<Expr>) -> Plan {
    let grouping = Some(Grouping { keys: Vec::new(), aggregates: vec![Aggregate { function, argument }] });
    let plan = filtered(filter);
    Plan { body: Body { grouping, projection: Expr::Aggregate(0), ..plan.body }, ..plan }
}

fn plans() -> Vec<(&'static str, Plan)> {
    use BinaryOperator::{Equal, GreaterOrEqual, Less};
    let in_partition = |filter: Expr| Some(Expr::And(vec![compared("pk", Equal, "key-000007"), filter]));
    let range = Expr::And(vec![compared("n", GreaterOrEqual, 5_000), compared("n", Less, 5_010)]);
    let one = || Expr::Constant(Value::from(1));
    vec![
        ("10 hits by equality", filtered(Some(compared("ten", Equal, 7)))),
        ("10 hits by a range", filtered(Some(range))),
        ("a page of 100 of 1 in 100 items", filtered(Some(compared("hundredth", Equal, 7)))),
        ("a partition of 100 items", filtered(in_partition(compared("n", GreaterOrEqual, 0)))),
        ("TOP 10 ORDER BY n", top_10(&["n"], Direction::Ascending, None)),
        ("TOP 10 ORDER BY n DESC", top_10(&["n"], Direction::Descending, None)),
        (
            "TOP 10 WHERE n >= 5000 ORDER BY n",
            top_10(&["n"], Direction::Ascending, Some(compared("n", GreaterOrEqual, 5_000))),
        ),
        ("TOP 10 ORDER BY pk, id", top_10(&["pk", "id"], Direction::Ascending, None)),
        ("MAX(n)", aggregated(AggregateFunction::Max, path("n"), None)),
        ("COUNT(1)", aggregated(AggregateFunction::Count, one(), None)),
        ("COUNT(1) of 10 hits", aggregated(AggregateFunction::Count, one(), Some(compared("ten", Equal, 7)))),
    ]
}

/// The median time of the first page.
async fn median(engine: &Engine, container: &Arc<Container>, items: usize, plan: &Plan) -> Duration {
    let query = Query::new(plan.clone(), 1);
    let request = PageRequest { explain: std::env::var_os("EXPLAIN").is_some(), ..PageRequest::new(100, None) };
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let started = Instant::now();
        let page = engine.query(container, &Scope::Container, &query, &request).await.unwrap();
        times.push(started.elapsed());
        if let Some(explain) = page.explain.filter(|_| round == 0) {
            println!("{items}: {:?} {} {}", explain.index.access, page.metrics.items_examined, explain.index.reason);
        }
    }
    times.sort_unstable();
    times[ROUNDS / 2]
}
