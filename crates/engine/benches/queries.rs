//! What a query costs for each item that it reads, beside the bare scan of the store and parsing each item into a tree.
//!
//! Run with `cargo bench -p orrery-engine`. Items have about 1 KB and 21 properties and lie in an embedded store in a temporary
//! folder, all in its cache. Queries read them in one part, so that the figures are those of one core; the last lines read them in as
//! many parts as there are cores. Figures are the fastest of several rounds.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on should fail")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use orrery_engine::query::{
    Aggregate, AggregateFunction, BinaryOperator, Body, Direction, Expr, From, Grouping, Member, Plan, Predicate,
    SortKey, SourceStep,
};
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, JsonMap, NewItem, Operation, OperationKind, PageRequest, Query,
    QueryOptions, Scope, WriteMode,
};
use orrery_store::{Durability, FjallOptions, FjallStore, KeyRange, Scan, Space, Store, Visit, Visitor, scan};
use orrery_value::{NewDocument, Value};
use serde_json::json;

const ITEMS: usize = 100_000;
const ROUNDS: usize = 7;
const BATCH: usize = 100;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let options = FjallOptions { durability: Durability::Buffered, cache_size_bytes: 512 << 20, background_threads: 1 };
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder.path(), options).unwrap());
    let queries = QueryOptions { parallelism: 1, ..QueryOptions::default() };
    let engine = Engine::open(store.clone(), EngineOptions { queries, ..EngineOptions::default() }).await.unwrap();
    let database = engine.create_database("db", None).await.unwrap();
    let definition = json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    let definition: JsonMap = serde_json::from_value(definition).unwrap();
    let container = engine.create_container(&database, &definition, None).await.unwrap();
    load(&engine, &container).await;

    println!("{:<44} {:>10} {:>8}", "query over 100,000 items", "ms", "ns/item");
    bare(&store, &container, false).await;
    bare(&store, &container, true).await;
    for (name, plan) in plans() {
        measure(&engine, &container, name, plan).await;
    }
    drop((engine, container));
    let engine = Engine::open(store, EngineOptions::default()).await.unwrap();
    let container = engine.container("db", "c").unwrap();
    println!("in {} parts at once", QueryOptions::default().parallelism);
    for (name, plan) in plans() {
        measure(&engine, &container, name, plan).await;
    }
}

async fn load(engine: &Engine, container: &Arc<Container>) {
    for batch in 0..ITEMS / BATCH {
        let operations = (0..BATCH).map(|i| {
            let body = body(batch * BATCH + i);
            let document = NewDocument::from_json(&body).unwrap();
            let key = container.settings().partition_key.extract(&document.document()).unwrap();
            let item = NewItem::parse(container, &body, None).unwrap();
            Operation { kind: OperationKind::Create(item), key, condition: Condition::None }
        });
        engine.write(container, operations.collect(), WriteMode::Independent).await.unwrap();
    }
}

fn body(i: usize) -> Vec<u8> {
    let (id, pk) = (format!("item-{i:08}"), format!("key-{}", i % 5_000));
    let mut body = json!({"id": id, "pk": pk, "n": i, "group": i % 50, "tags": ["a", "b", "c"]});
    for property in 0..16 {
        body[format!("property{property}")] = json!(format!("{:->40}", i * 31 + property));
    }
    body.to_string().into_bytes()
}

fn path(name: &str) -> Expr {
    Expr::property(Expr::Source(0), name)
}

fn is(operator: BinaryOperator, name: &str, value: Value) -> Expr {
    Expr::Binary(operator, Box::new(path(name)), Box::new(Expr::Constant(value)))
}

fn all(body: Body) -> Plan {
    Plan { from: From::Items, body, order: Vec::new(), ranking: None, offset: 0, limit: None }
}

fn filtered(expr: Expr) -> Plan {
    all(Body { filter: Some(Predicate::new(expr)), ..Body::of(Expr::Source(0)) })
}

fn counted(sources: Vec<SourceStep>) -> Plan {
    let one = Expr::Constant(Value::from(1));
    let aggregates = vec![Aggregate { function: AggregateFunction::Count, argument: one }];
    all(Body { sources, grouping: Some(Grouping { keys: Vec::new(), aggregates }), ..Body::of(Expr::Aggregate(0)) })
}

fn plans() -> Vec<(&'static str, Plan)> {
    let nothing = || Value::from("nothing");
    let both = Expr::And(vec![
        is(BinaryOperator::Greater, "n", Value::from(-1)),
        is(BinaryOperator::Equal, "property3", nothing()),
    ]);
    let sum = vec![Aggregate { function: AggregateFunction::Sum, argument: path("n") }];
    let sums = Body {
        grouping: Some(Grouping { keys: vec![path("group")], aggregates: sum }),
        ..Body::of(Expr::Object(vec![Member::new("k", Expr::GroupKey(0)), Member::new("s", Expr::Aggregate(0))]))
    };
    let newest = vec![SortKey { expr: path("n"), direction: Direction::Descending }];
    vec![
        ("COUNT(1)", counted(Vec::new())),
        ("c.n = -1", filtered(is(BinaryOperator::Equal, "n", Value::from(-1)))),
        ("c.property9 = 'nothing'", filtered(is(BinaryOperator::Equal, "property9", nothing()))),
        ("c.n > -1 AND c.property3 = 'nothing'", filtered(both)),
        ("SUM(c.n) GROUP BY c.group", all(sums)),
        ("DISTINCT VALUE c.group", all(Body { distinct: true, ..Body::of(path("group")) })),
        ("TOP 10 ORDER BY c.n DESC", Plan { order: newest, limit: Some(10), ..all(Body::of(Expr::Source(0))) }),
        ("COUNT(1) JOIN t IN c.tags", counted(vec![SourceStep::Each(path("tags"))])),
    ]
}

async fn measure(engine: &Engine, container: &Arc<Container>, name: &str, plan: Plan) {
    let query = Query::new(plan, 1);
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let mut request = PageRequest::new(100, None);
        loop {
            let page = engine.query(container, &Scope::Container, &query, &request).await.unwrap();
            request.continuation = page.continuation;
            if request.continuation.is_none() {
                break;
            }
        }
        best = best.min(started.elapsed());
    }
    print(name, best);
}

fn print(name: &str, time: Duration) {
    println!("{name:<44} {:>10.1} {:>8}", time.as_secs_f64() * 1000.0, time.as_nanos() / ITEMS as u128);
}

/// The store's own scan, alone and with each value parsed by serde_json.
async fn bare(store: &Arc<dyn Store>, container: &Container, parse: bool) {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let range = KeyRange::prefix(&container.number().to_be_bytes());
        let request = Scan { space: Space::Items, range, reverse: false };
        let done = scan(&*store.snapshot(), request, Bare { parse, items: 0 }).await.unwrap();
        assert_eq!(done.items, ITEMS);
        best = best.min(started.elapsed());
    }
    print(if parse { "scan of the store, parsing with serde_json" } else { "scan of the store" }, best);
}

struct Bare {
    parse: bool,
    items: usize,
}

impl Visitor for Bare {
    fn visit(&mut self, _key: &[u8], value: &Bytes) -> Visit {
        self.items += 1;
        if self.parse {
            let start = value.windows(6).position(|start| start == b"{\"id\":").unwrap();
            let mut values = serde_json::Deserializer::from_slice(&value[start..]).into_iter::<serde_json::Value>();
            std::hint::black_box(values.next().unwrap().unwrap());
        }
        Visit::Continue
    }
}
