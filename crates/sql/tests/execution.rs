//! Whole queries over an engine that reads small scopes in several parts, page by page, against the same query in memory.

use std::sync::Arc;

use orrery_engine::query::Direction;
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, Error, FixedClock, JsonMap, NewItem, Operation, OperationKind,
    PageRequest, Query, QueryOptions, QueryPage, Scope,
};
use orrery_sql::{Context, compile};
use orrery_store::{MemoryStore, Store};
use orrery_value::{Epk, NewDocument, PartitionKey, Value, total_order};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

struct World {
    store: Arc<dyn Store>,
    engine: Engine,
    container: Arc<Container>,
    items: Vec<Value>,
}

impl World {
    async fn new(queries: QueryOptions, bodies: &[Json]) -> World {
        let clock = Arc::new(FixedClock::new(1_700_000_000));
        let options = EngineOptions { clock, queries, ..EngineOptions::default() };
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let engine = Engine::open(store.clone(), options).await.unwrap();
        let database = engine.create_database("db", None).await.unwrap();
        let definition = json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
        let definition: JsonMap = serde_json::from_value(definition).unwrap();
        let container = engine.create_container(&database, &definition, None).await.unwrap();
        let mut world = World { store, engine, container, items: Vec::new() };
        for body in bodies {
            world.insert(body).await;
        }
        world
    }

    async fn insert(&mut self, body: &Json) {
        let text = body.to_string();
        let item = NewItem::parse(&self.container, text.as_bytes(), None).unwrap();
        let document = NewDocument::from_json(text.as_bytes()).unwrap();
        let key: PartitionKey = self.container.settings().partition_key.extract(&document.document()).unwrap();
        let operation = Operation { kind: OperationKind::Create(item), key, condition: Condition::None };
        let (written, _) = self.engine.write_one(&self.container, operation).await.map_err(|(error, _)| error).unwrap();
        self.items.push(Value::parse(&written.item().unwrap().text()).unwrap());
    }

    /// The same data in an engine that was opened anew.
    async fn reopen(self, queries: QueryOptions) -> World {
        let World { store, engine, container, items } = self;
        drop((engine, container));
        let clock = Arc::new(FixedClock::new(1_700_000_000));
        let options = EngineOptions { clock, queries, ..EngineOptions::default() };
        let engine = Engine::open(store.clone(), options).await.unwrap();
        let container = engine.container("db", "c").unwrap();
        World { store, engine, container, items }
    }

    async fn page(&self, query: &Query, request: &PageRequest) -> Result<QueryPage, Error> {
        self.engine.query(&self.container, &Scope::Container, query, request).await
    }

    async fn try_rows(&self, query: &Query, max_items: usize) -> Result<Vec<Value>, Error> {
        let mut request = PageRequest::new(max_items, None);
        let mut rows = Vec::new();
        for _ in 0..10_000 {
            let page = self.page(query, &request).await?;
            assert!(page.rows.len() <= max_items);
            rows.extend(page.rows.iter().map(|row| Value::parse(row).unwrap()));
            request.continuation = page.continuation;
            if request.continuation.is_none() {
                return Ok(rows);
            }
        }
        panic!("the pages never end");
    }

    async fn rows(&self, text: &str, max_items: usize) -> Vec<Value> {
        self.try_rows(&run(text), max_items).await.unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// What a query should give: rows that sort alike go by document number, backwards if the first key descends.
    fn model(&self, query: &Query) -> Result<Vec<Value>, Error> {
        let mut items = self.items.clone();
        if query.plan().order.first().is_some_and(|key| key.direction == Direction::Descending) {
            items.reverse();
        }
        query.run_in_memory(&items)
    }
}

fn run(text: &str) -> Query {
    compile(text, &[], &Context::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Reads scopes of a few items in several parts.
fn spread(parallelism: usize) -> QueryOptions {
    QueryOptions { parallelism, items_per_part: 3, ..QueryOptions::default() }
}

fn json(rows: Vec<Value>) -> String {
    String::from_utf8(Value::Array(rows).to_json()).unwrap()
}

fn numbered(count: usize) -> Vec<Json> {
    let tags = |i: usize| (0..i % 4).collect::<Vec<_>>();
    (0..count)
        .map(|i| json!({"id": format!("i{i:03}"), "pk": format!("p{}", i % 7), "n": i, "m": i % 5, "tags": tags(i)}))
        .collect()
}

#[tokio::test]
async fn clauses_combine() {
    let world = World::new(spread(2), &numbered(20)).await;
    for (text, expected) in [
        ("SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags", "[30]"),
        ("SELECT VALUE COUNT(1) FROM c JOIN a IN c.tags JOIN b IN c.tags WHERE a < b", "[20]"),
        (
            "SELECT t, c.n FROM c JOIN t IN c.tags WHERE c.n = 7 ORDER BY c.n",
            r#"[{"t":0,"n":7},{"t":1,"n":7},{"t":2,"n":7}]"#,
        ),
        (
            "SELECT c.m, COUNT(1) AS n, SUM(c.n) AS s FROM c WHERE c.m > 2 GROUP BY c.m ORDER BY c.m",
            r#"[{"m":3,"n":4,"s":42},{"m":4,"n":4,"s":46}]"#,
        ),
        ("SELECT DISTINCT VALUE c.m FROM c ORDER BY c.m DESC", "[4,3,2,1,0]"),
        ("SELECT VALUE (SELECT VALUE COUNT(1) FROM t IN c.tags) FROM c WHERE c.n < 4 ORDER BY c.n", "[0,1,2,3]"),
        (
            "SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 2) ORDER BY c.n",
            "[3,7,11,15,19]",
        ),
        ("SELECT VALUE ARRAY(SELECT VALUE t * 10 FROM t IN c.tags) FROM c WHERE c.n = 3", "[[0,10,20]]"),
        ("SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.m FROM c) m", "[5]"),
        ("SELECT VALUE MAX(g.n) FROM (SELECT c.m, COUNT(1) AS n FROM c GROUP BY c.m) g", "[4]"),
        ("SELECT COUNT(1) AS n, AVG(c.n) AS a, MIN(c.id) AS i FROM c", r#"[{"n":20,"a":9.5,"i":"i000"}]"#),
    ] {
        for size in [1, 3, 100] {
            assert_eq!(json(world.rows(text, size).await), expected, "{text}, {size} rows a page");
        }
    }
}

#[tokio::test]
async fn a_scalar_subquery_of_two_rows_fails_the_query() {
    let world = World::new(spread(1), &numbered(8)).await;
    for text in [
        "SELECT VALUE (SELECT VALUE t FROM t IN c.tags) FROM c",
        "SELECT VALUE c.n FROM c ORDER BY (SELECT VALUE t FROM t IN c.tags)",
        "SELECT VALUE COUNT(1) FROM c WHERE (SELECT VALUE t FROM t IN c.tags) = 1",
    ] {
        let Ok(query) = compile(text, &[], &Context::default()) else { continue };
        match world.try_rows(&query, 10).await {
            Err(Error::Invalid { message }) => assert_eq!(
                message, "The cardinality of a scalar subquery result set cannot be greater than one.",
                "{text}"
            ),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_join_that_multiplies_too_much_is_refused() {
    let tags: Vec<usize> = (0..1_000).collect();
    let world = World::new(spread(1), &[json!({"id": "a", "pk": 1, "tags": tags})]).await;
    let text = "SELECT VALUE COUNT(1) FROM c JOIN a IN c.tags JOIN b IN c.tags JOIN d IN c.tags";
    match world.try_rows(&run(text), 10).await {
        Err(Error::Invalid { message }) => assert!(message.contains("join fewer arrays"), "{message}"),
        other => panic!("{other:?}"),
    }
    // What is asked for ends the product early.
    let first = world.rows("SELECT TOP 3 VALUE d FROM c JOIN a IN c.tags JOIN b IN c.tags JOIN d IN c.tags", 2).await;
    assert_eq!(json(first), "[0,1,2]");
}

#[tokio::test]
async fn groups_come_by_first_appearance_if_they_fit_and_by_hash_if_not() {
    let mut world = World::new(spread(2), &numbered(60)).await;
    let text = "SELECT VALUE COUNT(1) FROM c GROUP BY c.n";
    assert_eq!(world.rows(text, 7).await.len(), 60);
    let in_key_order = world.rows("SELECT VALUE c.n FROM c", 100).await;
    let in_one_page = world.rows("SELECT VALUE c.n FROM c GROUP BY c.n", 100).await;
    assert_eq!(in_one_page, in_key_order);
    // A token stands for a place among hashes: groups that appear meanwhile neither repeat nor hide others.
    let query = run("SELECT DISTINCT VALUE c.n FROM c");
    let first = world.page(&query, &PageRequest::new(20, None)).await.unwrap();
    for i in 60..120 {
        world.insert(&json!({"id": format!("x{i}"), "pk": format!("q{i}"), "n": i})).await;
    }
    let mut rows: Vec<Value> = first.rows.iter().map(|row| Value::parse(row).unwrap()).collect();
    let mut request = PageRequest::new(20, first.continuation);
    while request.continuation.is_some() {
        let page = world.page(&query, &request).await.unwrap();
        rows.extend(page.rows.iter().map(|row| Value::parse(row).unwrap()));
        request.continuation = page.continuation;
    }
    let count = rows.len();
    rows.sort_by(total_order);
    rows.dedup();
    assert_eq!(rows.len(), count, "a row came twice");
    assert!((0..60).all(|n| rows.contains(&Value::from(n))), "a row of the first moment is missing");
}

#[tokio::test]
async fn a_limit_of_distinct_rows_ends_the_reading() {
    let world = World::new(QueryOptions { parallelism: 1, ..QueryOptions::default() }, &numbered(70)).await;
    let page = world.page(&run("SELECT DISTINCT TOP 3 VALUE c.n FROM c"), &PageRequest::new(10, None)).await.unwrap();
    assert_eq!((page.rows.len(), page.continuation, page.metrics.items_examined), (3, None, 3));
}

#[tokio::test]
async fn query_memory_is_shared_and_named_when_it_is_used_up() {
    let bodies: Vec<Json> =
        (0..200).map(|i| json!({"id": format!("i{i}"), "pk": i, "s": format!("{i}{}", "x".repeat(10_000))})).collect();
    let world = World::new(QueryOptions { memory_bytes: 1_500_000, ..spread(1) }, &bodies).await;
    for text in
        ["SELECT DISTINCT VALUE c.s FROM c", "SELECT MAKELIST(c.s) AS l FROM c", "SELECT c.id FROM c ORDER BY c.s"]
    {
        match world.try_rows(&run(text), 1_000).await {
            Err(Error::Unavailable { reason }) => {
                assert!(reason.contains("1500000 bytes") && reason.contains("repeat the request later"), "{reason}");
            }
            other => panic!("{text}: {:?}", other.map(|rows| rows.len())),
        }
    }
    // Pages that need less are given, whatever failed before.
    assert_eq!(world.rows("SELECT TOP 10 c.id FROM c ORDER BY c.s", 10).await.len(), 10);
    assert_eq!(world.rows("SELECT DISTINCT c.s FROM c", 10).await.len(), 200);
}

#[tokio::test]
async fn tokens_keep_to_the_clients_limit() {
    let bodies: Vec<Json> =
        (0..30).map(|i| json!({"id": format!("i{i}"), "pk": i, "s": "x".repeat(1_500), "n": i})).collect();
    let world = World::new(spread(1), &bodies).await;
    let query = run("SELECT VALUE c.n FROM c ORDER BY c.s, c.n");
    let mut request = PageRequest { token_limit_bytes: Some(1_024), ..PageRequest::new(7, None) };
    let mut rows = Vec::new();
    loop {
        let page = world.page(&query, &request).await.unwrap();
        rows.extend(page.rows);
        request.continuation = page.continuation;
        match &request.continuation {
            Some(token) => assert!(token.len() <= 1_024, "a token of {} bytes", token.len()),
            None => break,
        }
    }
    assert!(rows.iter().map(|row| std::str::from_utf8(row).unwrap().parse::<usize>().unwrap()).eq(0..30));
}

#[tokio::test]
async fn lists_and_alternatives_on_the_partition_key_read_only_these() {
    let world = World::new(spread(1), &numbered(70)).await;
    for (filter, partitions, examined) in [
        ("c.pk IN ('p1', 'p3', 'nowhere')", Some(3), 20),
        ("c.pk = 'p1' OR c.pk = 'p3'", Some(2), 20),
        ("(c.pk = 'p1' AND c.n > 3) OR (c.pk = 'p3' AND c.m = 1)", Some(2), 20),
        ("c.pk = 'p1' AND c.id IN ('i001', 'i008', 'i002')", Some(1), 2),
        ("c.pk = 'p1' OR c.n = 3", None, 70),
        ("c.pk = 'p1' AND c.pk = 'p2'", Some(0), 0),
        ("c.pk IN ('p1', 'p2') AND c.pk IN ('p2', 'p3')", Some(1), 10),
    ] {
        let query = run(&format!("SELECT VALUE c.n FROM c WHERE {filter}"));
        let request = PageRequest { explain: true, ..PageRequest::new(100, None) };
        let page = world.page(&query, &request).await.unwrap();
        let explain = page.explain.unwrap();
        assert_eq!((explain.logical_partitions, page.metrics.items_examined), (partitions, examined), "{filter}");
        assert_eq!(page.rows.len(), world.model(&query).unwrap().len(), "{filter}");
    }
}

#[tokio::test]
async fn a_page_explains_itself() {
    let world = World::new(spread(2), &numbered(40)).await;
    let request = PageRequest { explain: true, ..PageRequest::new(5, None) };
    let page = world.page(&run("SELECT * FROM c WHERE c.m = 1 ORDER BY c.n"), &request).await.unwrap();
    let explain = page.explain.unwrap();
    let rows: Vec<_> = explain.operators.iter().map(|report| (report.name, report.rows_in, report.rows_out)).collect();
    assert_eq!(rows, [("filter", 40, 8), ("sort", 8, 5), ("load", 5, 5)]);
    assert_eq!((explain.partitions_total, explain.partitions_touched, explain.points, explain.ranges), (1, 1, 0, 1));
    assert!(explain.parts > 1, "it was read in {} part", explain.parts);
    let charge = explain.charge;
    assert!((charge.base_ru + charge.items_ru + charge.bytes_ru - page.charge_ru).abs() < 0.01);
    assert_eq!(world.page(&run("SELECT * FROM c"), &PageRequest::new(5, None)).await.unwrap().explain, None);
}

#[tokio::test]
async fn pages_go_on_after_a_restart_and_a_split() {
    let texts = [
        "SELECT VALUE c.n FROM c",
        "SELECT VALUE [c.n, t] FROM c JOIN t IN c.tags",
        "SELECT VALUE c.n FROM c ORDER BY c.m DESC",
        "SELECT VALUE [c.n, t] FROM c JOIN t IN c.tags ORDER BY t",
        "SELECT DISTINCT VALUE c.n FROM c",
        "SELECT DISTINCT VALUE c.n FROM c ORDER BY c.m",
        "SELECT c.n, COUNT(1) AS k FROM c GROUP BY c.n",
        "SELECT c.n, COUNT(1) AS k FROM c GROUP BY c.n ORDER BY c.n DESC",
        "SELECT VALUE n FROM (SELECT DISTINCT VALUE c.n FROM c) n",
        "SELECT TOP 23 VALUE c.n FROM c ORDER BY RANK FullTextScore(c.id, 'i001')",
    ];
    let mut world = World::new(spread(3), &numbered(40)).await;
    let mut pages: Vec<(Query, Vec<Value>, Option<String>)> =
        texts.iter().map(|text| (run(text), Vec::new(), None)).collect();
    for round in 0..200 {
        for (query, rows, continuation) in &mut pages {
            if round > 0 && continuation.is_none() {
                continue;
            }
            let page = world.page(query, &PageRequest::new(4, continuation.take())).await.unwrap();
            rows.extend(page.rows.iter().map(|row| Value::parse(row).unwrap()));
            *continuation = page.continuation;
        }
        if round < 3 {
            let at = Epk::from_bytes([8 + 8 * round]);
            let range = world.container.partitions().owner(&at).id;
            world.engine.split_partition(&world.container, range, at).await.unwrap();
            world = world.reopen(spread(1 + usize::from(round) % 2)).await;
        }
    }
    for ((query, rows, continuation), text) in pages.into_iter().zip(texts) {
        assert_eq!(continuation, None, "{text} never ends");
        let model = world.model(&query).unwrap();
        match text.contains("ORDER BY") {
            true => assert_eq!(json(rows), json(model), "{text}"),
            false => assert_eq!(json(in_any_order(rows)), json(in_any_order(model)), "{text}"),
        }
    }
}

#[tokio::test]
async fn ranks_are_those_of_all_rows_however_they_are_read() {
    let words = ["red", "green", "blue", "the", "bicycle"];
    let bodies: Vec<Json> = (0..60)
        .map(|i| {
            let text: Vec<&str> = (0..i % 7).map(|j| words[(i * 3 + j * j) % words.len()]).collect();
            json!({"id": format!("i{i:02}"), "pk": i % 9, "n": i, "text": text.join(" "), "v": [i % 5, 1]})
        })
        .collect();
    let world = World::new(spread(3), &bodies).await;
    for text in [
        "SELECT VALUE c.id FROM c ORDER BY RANK FullTextScore(c.text, 'red')",
        "SELECT VALUE c.id FROM c WHERE c.n > 20 ORDER BY RANK FullTextScore(c.text, 'red', 'blue') OFFSET 3 LIMIT 20",
        "SELECT TOP 30 VALUE c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'green'), VectorDistance(c.v, [1, 2]))",
        "SELECT VALUE c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'red'), FullTextScore(c.text, 'bicycle'), [3, 1])",
        "SELECT VALUE c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'red'), VectorDistance(c.v, [1, 2]), [1, -0.5])",
    ] {
        let model = json(world.model(&run(text)).unwrap());
        for size in [1, 7, 100] {
            assert_eq!(json(world.rows(text, size).await), model, "{text}, {size} rows a page");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn pages_of_every_plan_add_up_to_what_the_model_gives(
        bodies in prop::collection::vec(body(), 0..40),
        text in query_text(),
        max_items in select(vec![1usize, 2, 3, 7, 100]),
        parallelism in 1usize..4,
    ) {
        let bodies: Vec<Json> = (0..).zip(bodies).map(|(i, mut body)| { body["id"] = json!(format!("i{i}")); body }).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let query = run(&text);
        let (rows, model) = runtime.block_on(async {
            let world = World::new(spread(parallelism), &bodies).await;
            (world.try_rows(&query, max_items).await, world.model(&query))
        });
        let (rows, model) = match (rows, model) {
            (Ok(rows), Ok(model)) => (rows, model),
            (rows, model) => {
                // A page may end before the row that fails.
                prop_assert_eq!(rows.is_ok(), model.is_ok(), "{}: {:?} {:?}", text, rows, model);
                return Ok(());
            }
        };
        // Rows of a query in FROM that sort alike have no order among them.
        if text.contains("ORDER BY") && !text.contains("FROM (") {
            prop_assert_eq!(rows, model, "{}", text);
        } else {
            prop_assert_eq!(rows.len(), model.len(), "{}", text);
            if !text.contains("LIMIT") && !text.contains("TOP") {
                prop_assert_eq!(in_any_order(rows), in_any_order(model), "{}", text);
            }
        }
    }
}

/// Rows, and the arrays in them, in one order: without ORDER BY any will do.
fn in_any_order(rows: Vec<Value>) -> Vec<Value> {
    fn sorted(value: Value) -> Value {
        match value {
            Value::Array(elements) => Value::Array(in_any_order(elements)),
            Value::Object(object) => {
                Value::Object(object.into_iter().map(|(name, value)| (name, sorted(value))).collect())
            }
            other => other,
        }
    }
    let mut rows: Vec<Value> = rows.into_iter().map(sorted).collect();
    rows.sort_by(total_order);
    rows
}

fn body() -> impl Strategy<Value = Json> {
    let scalar = || {
        select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-0.0),
            json!(1),
            json!(1.0),
            json!(2.5),
            json!("a"),
            json!("b"),
            json!([1]),
            json!([1.0]),
            json!({"k": 1, "l": 2}),
            json!({"l": 2, "k": 1}),
        ])
    };
    let tags = prop::collection::vec(select(vec![json!(1), json!(2), json!("t"), json!(null), json!([1, 2])]), 0..4);
    (
        select(vec![json!(1), json!("1"), json!(null), json!(2), json!(3), json!(0), json!(-0.0)]),
        prop::option::of(scalar()),
        prop::option::of(scalar()),
        prop::option::of(tags),
        0..100i64,
    )
        .prop_map(|(pk, x, y, tags, n)| {
            let mut body = json!({"pk": pk, "n": n});
            for (name, value) in [("x", x), ("y", y), ("tags", tags.map(Json::from))] {
                if let Some(value) = value {
                    body[name] = value;
                }
            }
            body
        })
}

fn query_text() -> impl Strategy<Value = String> {
    let plain = (
        select(vec!["VALUE c.id", "VALUE c.x", "c.x, c.y", "VALUE [c.x, c.y]"]),
        select(vec!["", "DISTINCT "]),
        select(vec![
            "c",
            "c JOIN t IN c.tags",
            "c JOIN (SELECT VALUE u FROM u IN c.tags WHERE u != 2) s",
            "(SELECT DISTINCT c.x, c.y FROM c) c",
        ]),
        filter(),
        select(vec!["", "", " ORDER BY c.x", " ORDER BY c.x DESC, c.y", " ORDER BY c.y DESC", " ORDER BY c.n"]),
    )
        .prop_map(|(list, distinct, from, filter, order)| {
            (format!("{distinct}{list}"), format!(" FROM {from}{filter}{order}"))
        });
    let joined = (
        select(vec![
            "VALUE t",
            "DISTINCT VALUE t",
            "t, c.n",
            "VALUE COUNT(1)",
            "VALUE {t: t, a: ARRAY(SELECT VALUE z FROM z IN c.tags WHERE z = t)}",
        ]),
        select(vec![
            " FROM c JOIN t IN c.tags",
            " FROM c JOIN u IN c.tags JOIN t IN c.tags",
            " FROM c JOIN t IN (SELECT VALUE c.tags)",
        ]),
        filter(),
    )
        .prop_map(|(list, from, filter)| (list.to_owned(), format!("{from}{filter}")));
    let grouped = (
        select(vec![
            "c.x, COUNT(1) AS n",
            "VALUE {k: c.x, s: SUM(c.n), l: MAKELIST(c.n), d: MAKESET(c.y)}",
            "MIN(c.y) AS a, MAX(c.y) AS b, AVG(c.n) AS m, COUNTIF(c.n > 50) AS i",
            "DISTINCT COUNT(1) AS n",
        ]),
        select(vec!["c", "c JOIN t IN c.tags"]),
        filter(),
        select(vec!["c.x", "c.x, c.y", "c.pk"]),
    )
        .prop_map(|(list, from, filter, keys)| {
            let keys = if list.contains("c.x") && !keys.contains("c.x") { "c.x" } else { keys };
            (list.to_owned(), format!(" FROM {from}{filter} GROUP BY {keys}"))
        });
    let aggregates = (
        select(vec!["VALUE COUNT(c.x)", "SUM(c.n) AS s, AVG(c.x) AS a", "VALUE MAKESET(c.x)", "VALUE MAX(c.x)"]),
        filter(),
    )
        .prop_map(|(list, filter)| (list.to_owned(), format!(" FROM c{filter}")));
    let over_query = select(vec![
        ("VALUE COUNT(1)", " FROM (SELECT DISTINCT VALUE c.x FROM c) x"),
        ("VALUE x", " FROM (SELECT DISTINCT VALUE c.y FROM c) x WHERE IS_PRIMITIVE(x)"),
        ("g.k, g.n", " FROM (SELECT c.x AS k, COUNT(1) AS n FROM c GROUP BY c.x) g WHERE g.n > 1"),
        ("VALUE g", " FROM (SELECT c.x AS k, MAX(c.n) AS n FROM c GROUP BY c.x) g"),
        ("g.n, COUNT(1) AS groups", " FROM (SELECT c.x AS k, COUNT(1) AS n FROM c GROUP BY c.x) g GROUP BY g.n"),
        ("VALUE COUNT(1)", " FROM (SELECT VALUE t FROM c JOIN t IN c.tags) x"),
    ])
    .prop_map(|(list, rest)| (list.to_owned(), rest.to_owned()));
    let subqueries = select(vec![
        ("VALUE (SELECT VALUE COUNT(1) FROM t IN c.tags)", " FROM c"),
        ("VALUE (SELECT VALUE t FROM t IN c.tags WHERE t = 2)", " FROM c WHERE ARRAY_LENGTH(c.tags) < 3"),
        ("VALUE ARRAY(SELECT DISTINCT VALUE t FROM t IN c.tags)", " FROM c"),
        ("VALUE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = c.x)", " FROM c"),
        ("VALUE (SELECT t AS k, COUNT(1) AS n FROM t IN c.tags WHERE t = 1 GROUP BY t)", " FROM c"),
        ("c.id", " FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE IS_NUMBER(t))"),
    ])
    .prop_map(|(list, rest)| (list.to_owned(), rest.to_owned()));
    let range = select(vec!["", "", "", " OFFSET 2 LIMIT 5", " OFFSET 0 LIMIT 100", " OFFSET 30 LIMIT 30", "TOP"]);
    (prop_oneof![plain, joined, grouped, aggregates, over_query, subqueries], range).prop_map(
        |((list, rest), range)| match (range, list.strip_prefix("DISTINCT ")) {
            ("TOP", Some(list)) => format!("SELECT DISTINCT TOP 4 {list}{rest}"),
            ("TOP", None) => format!("SELECT TOP 4 {list}{rest}"),
            (range, _) => format!("SELECT {list}{rest}{range}"),
        },
    )
}

fn filter() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        " WHERE c.x > 0",
        " WHERE c.pk = 1",
        " WHERE c.pk IN (0, 1, null)",
        " WHERE c.pk = 0 OR c.pk = 'q' OR (c.pk = 1 AND c.id IN ('i1', 'i2', 'i3'))",
        " WHERE NOT IS_DEFINED(c.y)",
        " WHERE c.n >= 50",
    ])
}
