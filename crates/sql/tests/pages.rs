//! Queries over an engine, page by page, against the same query over all rows in memory at once.

use std::sync::Arc;

use bytes::Bytes;
use orrery_engine::query::{Direction, ScopeTaken};
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, Error, FixedClock, JsonMap, NewItem, Operation, OperationKind,
    PageRequest, Query, QueryPage, Scope,
};
use orrery_sql::{Context, compile};
use orrery_store::MemoryStore;
use orrery_value::{NewDocument, PartitionKey, Value};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

/// A container with items in it.
struct World {
    engine: Engine,
    container: Arc<Container>,
    /// The stored items in the order of their document numbers, with their partition keys.
    items: Vec<(PartitionKey, Value)>,
}

impl World {
    async fn new(definition: Json, bodies: &[Json]) -> World {
        let options = EngineOptions { clock: Arc::new(FixedClock::new(1_700_000_000)), ..EngineOptions::default() };
        let engine = Engine::open(Arc::new(MemoryStore::new()), options).await.unwrap();
        let database = engine.create_database("db", None).await.unwrap();
        let definition: JsonMap = serde_json::from_value(definition).unwrap();
        let container = engine.create_container(&database, &definition, None).await.unwrap();
        let mut items = Vec::new();
        for body in bodies {
            let item = NewItem::parse(&container, body.to_string().as_bytes(), None).unwrap();
            let key = key_in(&container, body.to_string().as_bytes());
            let operation =
                Operation { kind: OperationKind::Create(item), key: key.clone(), condition: Condition::None };
            let (written, _) = engine.write_one(&container, operation).await.map_err(|(error, _)| error).unwrap();
            items.push((key, Value::parse(&written.item().unwrap().text()).unwrap()));
        }
        World { engine, container, items }
    }

    /// Items of partition `pk`, which is a Hash key of version 2.
    async fn by_pk(bodies: &[Json]) -> World {
        World::new(json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}), bodies).await
    }

    async fn page(
        &self,
        query: &Query,
        scope: &Scope,
        max_items: usize,
        continuation: Option<String>,
    ) -> Result<QueryPage, Error> {
        self.engine.query(&self.container, scope, query, &PageRequest::new(max_items, continuation)).await
    }

    /// All pages, and how many there were.
    async fn pages(&self, query: &Query, scope: &Scope, max_items: usize) -> Vec<QueryPage> {
        let mut pages = Vec::new();
        let mut continuation = None;
        loop {
            let page = self.page(query, scope, max_items, continuation).await.unwrap();
            assert!(page.rows.len() <= max_items);
            assert!(pages.len() < 10_000, "the pages never end");
            continuation = page.continuation.clone();
            pages.push(page);
            if continuation.is_none() {
                return pages;
            }
        }
    }

    async fn rows(&self, query: &Query, scope: &Scope, max_items: usize) -> Vec<Value> {
        let pages = self.pages(query, scope, max_items).await;
        pages.iter().flat_map(|page| &page.rows).map(|row| Value::parse(row).unwrap()).collect()
    }

    /// What a query should give: rows that sort alike go by document number, backwards if the first key descends.
    fn model(&self, query: &Query, in_scope: impl Fn(&PartitionKey) -> bool) -> Vec<Value> {
        let mut rows: Vec<Value> =
            self.items.iter().filter(|(key, _)| in_scope(key)).map(|(_, item)| item.clone()).collect();
        if query.plan().order.first().is_some_and(|key| key.direction == Direction::Descending) {
            rows.reverse();
        }
        query.run_in_memory(&rows).unwrap()
    }
}

/// The partition key of an item's body.
fn key_in(container: &Container, body: &[u8]) -> PartitionKey {
    let document = NewDocument::from_json(body).unwrap();
    container.settings().partition_key.extract(&document.document()).unwrap()
}

fn run(text: &str) -> Query {
    compile(text, &[], &Context::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn key(json: &str) -> PartitionKey {
    PartitionKey::parse_header(json).unwrap()
}

fn texts(rows: &[Bytes]) -> Vec<&str> {
    rows.iter().map(|row| std::str::from_utf8(row).unwrap()).collect()
}

fn numbered(count: usize) -> Vec<Json> {
    (0..count).map(|i| json!({"id": format!("i{i}"), "pk": format!("p{}", i % 3), "n": i, "m": i % 4})).collect()
}

#[tokio::test]
async fn whole_items_are_handed_on_in_their_own_spelling() {
    let world = World::by_pk(&[]).await;
    let body = br#"{"id":"a", "pk":"x", "n": 1.50, "s":"\u00e9"}"#;
    let item = NewItem::parse(&world.container, body, None).unwrap();
    let operation = Operation {
        key: key_in(&world.container, body),
        kind: OperationKind::Create(item),
        condition: Condition::None,
    };
    let (written, _) = world.engine.write_one(&world.container, operation).await.map_err(|(error, _)| error).unwrap();
    let stored = written.item().unwrap().text();
    for text in ["SELECT * FROM c", "SELECT VALUE c FROM c", "SELECT * FROM c ORDER BY c.n"] {
        let page = world.page(&run(text), &Scope::Container, 10, None).await.unwrap();
        assert_eq!(page.rows, std::slice::from_ref(&stored), "{text}");
    }
    let page =
        world.page(&run("SELECT c.n, {s: c.s, no: c.no} AS o FROM c"), &Scope::Container, 10, None).await.unwrap();
    assert_eq!(texts(&page.rows), [r#"{"n":1.50,"o":{"s":"\u00e9"}}"#]);
}

#[tokio::test]
async fn the_filter_narrows_the_scope() {
    let world = World::by_pk(&numbered(30)).await;
    let p1 = Scope::Partition(key(r#"["p1"]"#));
    for (text, scope, taken, examined, rows) in [
        ("SELECT * FROM c", &Scope::Container, ScopeTaken::Ranges, 30, 30),
        ("SELECT * FROM c WHERE c.pk = 'p1'", &Scope::Container, ScopeTaken::Partition, 10, 10),
        ("SELECT * FROM c WHERE 'p1' = c['pk'] AND c.n > 5", &Scope::Container, ScopeTaken::Partition, 10, 8),
        ("SELECT * FROM c WHERE c.pk = 'p1' AND c.id = 'i4'", &Scope::Container, ScopeTaken::Point, 1, 1),
        ("SELECT * FROM c WHERE (c.id = 'i4' AND c.n = 4) AND c.pk = 'p1'", &Scope::Container, ScopeTaken::Point, 1, 1),
        ("SELECT * FROM c WHERE c.pk = 'p1' AND c.id = 'i5'", &Scope::Container, ScopeTaken::Point, 0, 0),
        ("SELECT * FROM c WHERE c.id = 'i4'", &p1, ScopeTaken::Point, 1, 1),
        ("SELECT * FROM c WHERE c.id = 'i5'", &p1, ScopeTaken::Point, 0, 0),
        ("SELECT * FROM c WHERE c.pk = 'p2'", &p1, ScopeTaken::Nothing, 0, 0),
        ("SELECT * FROM c WHERE c.pk = 'p2' AND c.id = 'i5'", &p1, ScopeTaken::Nothing, 0, 0),
        ("SELECT * FROM c WHERE c.pk = 'p1' OR c.id = 'i5'", &Scope::Container, ScopeTaken::Ranges, 30, 11),
        ("SELECT * FROM c WHERE NOT (c.pk = 'p1')", &Scope::Container, ScopeTaken::Ranges, 30, 20),
        ("SELECT * FROM c WHERE c.pk = 'p1'", &p1, ScopeTaken::Partition, 10, 10),
        ("SELECT * FROM c WHERE c.id = 'i4'", &Scope::Container, ScopeTaken::Ranges, 30, 1),
        ("SELECT * FROM c WHERE 1 = 2", &Scope::Container, ScopeTaken::Nothing, 0, 0),
        ("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'p1'", &Scope::Container, ScopeTaken::Partition, 10, 1),
        ("SELECT * FROM c WHERE c.pk = 'p1' ORDER BY c.n DESC", &Scope::Container, ScopeTaken::Partition, 10, 10),
    ] {
        let page = world.page(&run(text), scope, 100, None).await.unwrap();
        let figures = (page.metrics.scope, page.metrics.items_examined, page.rows.len());
        assert_eq!(figures, (taken, examined, rows), "{text}");
        assert_eq!(page.metrics.rows_output, rows as u64);
        assert_eq!(page.metrics.output_bytes, page.rows.iter().map(|row| row.len() as u64).sum::<u64>());
    }
}

#[tokio::test]
async fn zero_and_minus_zero_are_two_keys_but_one_number() {
    let world =
        World::by_pk(&[json!({"id": "a", "pk": 0}), json!({"id": "b", "pk": -0.0}), json!({"id": "c", "pk": 1})]).await;
    assert_eq!(world.rows(&run("SELECT VALUE c.id FROM c WHERE c.pk = 0"), &Scope::Container, 10).await.len(), 2);
    assert_eq!(world.rows(&run("SELECT VALUE c.id FROM c WHERE c.pk = 1.0"), &Scope::Container, 10).await.len(), 1);
}

#[tokio::test]
async fn prefixes_of_hierarchical_keys_narrow_too() {
    let definition =
        json!({"id": "c", "partitionKey": {"paths": ["/t", "/u", "/s"], "kind": "MultiHash", "version": 2}});
    let bodies: Vec<Json> = (0..27)
        .map(|i| json!({"id": format!("{i}"), "t": i % 3, "u": i / 3 % 3, "s": format!("s{}", i / 9)}))
        .collect();
    let world = World::new(definition, &bodies).await;
    for (text, taken, examined) in [
        ("SELECT * FROM c WHERE c.t = 1", ScopeTaken::Prefix, 9),
        ("SELECT * FROM c WHERE c.u = 2 AND c.t = 1", ScopeTaken::Prefix, 3),
        ("SELECT * FROM c WHERE c.s = 's1' AND c.u = 2 AND c.t = 1", ScopeTaken::Partition, 1),
        ("SELECT * FROM c WHERE c.s = 's1' AND c.t = 1", ScopeTaken::Prefix, 9),
        ("SELECT * FROM c WHERE c.u = 2", ScopeTaken::Ranges, 27),
    ] {
        let query = run(text);
        let page = world.page(&query, &Scope::Container, 100, None).await.unwrap();
        assert_eq!((page.metrics.scope, page.metrics.items_examined), (taken, examined), "{text}");
        assert_eq!(page.rows.len(), world.model(&query, |_| true).len());
    }
    let below = Scope::Partition(key("[1]"));
    let page = world.page(&run("SELECT * FROM c WHERE c.u = 2"), &below, 100, None).await.unwrap();
    assert_eq!((page.metrics.scope, page.metrics.items_examined, page.rows.len()), (ScopeTaken::Prefix, 3, 3));
    let page = world.page(&run("SELECT * FROM c WHERE c.t = 1 AND c.u = 2"), &below, 100, None).await.unwrap();
    assert_eq!((page.metrics.scope, page.metrics.items_examined), (ScopeTaken::Prefix, 3));
}

#[tokio::test]
async fn a_limit_ends_the_scan_across_pages() {
    let world = World::by_pk(&numbered(50)).await;
    let pages = world.pages(&run("SELECT TOP 7 VALUE c.n FROM c"), &Scope::Container, 3).await;
    assert_eq!(pages.iter().map(|page| page.rows.len()).collect::<Vec<_>>(), [3, 3, 1]);
    assert_eq!(pages.iter().map(|page| page.metrics.items_examined).sum::<u64>(), 7);
    let all = world.rows(&run("SELECT VALUE c.n FROM c"), &Scope::Container, 100).await;
    let some = world.rows(&run("SELECT VALUE c.n FROM c OFFSET 5 LIMIT 6"), &Scope::Container, 4).await;
    assert_eq!(some, all[5..11]);
    assert!(world.rows(&run("SELECT TOP 0 * FROM c"), &Scope::Container, 4).await.is_empty());
}

#[tokio::test]
async fn tokens_belong_to_one_query_and_partition() {
    let world = World::by_pk(&numbered(20)).await;
    let query = run("SELECT * FROM c");
    let token = world.page(&query, &Scope::Container, 3, None).await.unwrap().continuation;
    assert!(token.is_some());
    assert!(world.page(&query, &Scope::Container, 3, token.clone()).await.is_ok());
    for other in ["SELECT VALUE c FROM c", "SELECT * FROM c ORDER BY c.n", "SELECT VALUE COUNT(1) FROM c"] {
        assert!(
            matches!(world.page(&run(other), &Scope::Container, 3, token.clone()).await, Err(Error::Invalid { .. })),
            "{other}"
        );
    }
    let partition = Scope::Partition(key(r#"["p1"]"#));
    assert!(matches!(world.page(&query, &partition, 3, token.clone()).await, Err(Error::Invalid { .. })));
    for garbage in ["", "x", "AAAA"] {
        assert!(matches!(
            world.page(&query, &Scope::Container, 3, Some(garbage.to_owned())).await,
            Err(Error::Invalid { .. })
        ));
    }
}

#[tokio::test]
async fn a_token_goes_on_in_the_children_of_a_range() {
    let world = World::by_pk(&numbered(60)).await;
    let halves = orrery_value::even_ranges(orrery_value::PartitionKeyKind::HashV2, 2);
    for text in [
        "SELECT VALUE c.n FROM c",
        "SELECT VALUE c.n FROM c ORDER BY c.n",
        "SELECT DISTINCT VALUE c.n FROM c",
        "SELECT VALUE c.n + t FROM c JOIN t IN (SELECT VALUE [0, 0.25, 0.5]) WHERE t = 0",
    ] {
        let query = run(text);
        let first = world.page(&query, &Scope::Container, 7, None).await.unwrap();
        let mut rows: Vec<Value> = first.rows.iter().map(|row| Value::parse(row).unwrap()).collect();
        for half in &halves {
            let scope = Scope::Range(half.clone());
            let mut continuation = first.continuation.clone();
            while continuation.is_some() {
                let page = world.page(&query, &scope, 7, continuation).await.unwrap();
                rows.extend(page.rows.iter().map(|row| Value::parse(row).unwrap()));
                continuation = page.continuation;
            }
        }
        rows.sort_by(orrery_value::total_order);
        assert_eq!(rows, (0..60).map(Value::from).collect::<Vec<_>>(), "{text}");
    }
}

#[tokio::test]
async fn sorted_pages_go_on_after_sort_keys_of_any_length() {
    let long =
        |i: usize| json!({"id": format!("i{i}"), "pk": i % 2, "n": i, "s": format!("{}{}", "x".repeat(9_000), i % 5)});
    let bodies: Vec<Json> = (0..40).map(long).collect();
    let world = World::by_pk(&bodies).await;
    for text in ["SELECT VALUE c.n FROM c ORDER BY c.s", "SELECT VALUE c.n FROM c ORDER BY c.s DESC OFFSET 3 LIMIT 30"]
    {
        let query = run(text);
        let pages = world.pages(&query, &Scope::Container, 7).await;
        let longest = pages.iter().filter_map(|page| page.continuation.as_ref()).map(String::len).max().unwrap();
        assert!(longest < 4_500, "a token of {longest} bytes");
        assert_eq!(world.rows(&query, &Scope::Container, 7).await, world.model(&query, |_| true), "{text}");
    }
}

#[tokio::test]
async fn rows_without_sort_keys_come_first() {
    let world = World::by_pk(&[
        json!({"id": "a", "pk": 1, "x": "s"}),
        json!({"id": "b", "pk": 2}),
        json!({"id": "c", "pk": 3, "x": null}),
        json!({"id": "d", "pk": 4, "x": [1]}),
        json!({"id": "e", "pk": 5}),
        json!({"id": "f", "pk": 6, "x": 9223372036854774784.0}),
        json!({"id": "g", "pk": 7, "x": false}),
    ])
    .await;
    for size in [1, 2, 100] {
        let rows = world.rows(&run("SELECT VALUE c.id FROM c ORDER BY c.x"), &Scope::Container, size).await;
        assert_eq!(rows, ["b", "e", "c", "g", "f", "a", "d"].map(Value::from));
        let rows = world.rows(&run("SELECT VALUE c.id FROM c ORDER BY c.x DESC"), &Scope::Container, size).await;
        assert_eq!(rows, ["d", "a", "f", "g", "c", "e", "b"].map(Value::from));
    }
}

#[tokio::test]
async fn a_query_without_from_gives_one_row() {
    let world = World::by_pk(&numbered(3)).await;
    for (text, expected) in [
        ("SELECT VALUE 1 + 1", "[2]"),
        ("SELECT 1 AS a WHERE false", "[]"),
        ("SELECT VALUE COUNT(1)", "[1]"),
        ("SELECT VALUE undefined", "[]"),
    ] {
        let rows = world.rows(&run(text), &Scope::Container, 10).await;
        assert_eq!(Value::Array(rows).to_json(), expected.as_bytes(), "{text}");
    }
}

#[tokio::test]
async fn a_page_ends_when_it_is_large() {
    let bodies: Vec<Json> =
        (0..12).map(|i| json!({"id": format!("i{i}"), "pk": 1, "s": "x".repeat(1_000_000)})).collect();
    let world = World::by_pk(&bodies).await;
    for text in ["SELECT * FROM c", "SELECT * FROM c ORDER BY c.id"] {
        let pages = world.pages(&run(text), &Scope::Container, 100).await;
        assert_eq!(pages.iter().map(|page| page.rows.len()).collect::<Vec<_>>(), [5, 5, 2], "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn pages_add_up_to_what_the_model_gives(bodies in prop::collection::vec(body(), 0..40), text in query_text(), max_items in 1usize..9, scope in 0usize..4) {
        let bodies: Vec<Json> = bodies.into_iter().enumerate().map(|(i, mut body)| { body["id"] = json!(format!("i{i}")); body }).collect();
        let (scope, scope_key) = match scope {
            0 => (Scope::Partition(key("[1]")), Some(key("[1]"))),
            _ => (Scope::Container, None),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (rows, expected) = runtime.block_on(async {
            let world = World::by_pk(&bodies).await;
            let query = run(&text);
            let rows = world.rows(&query, &scope, max_items).await;
            (rows, world.model(&query, |key| scope_key.as_ref().is_none_or(|wanted| wanted == key)))
        });
        if text.contains("ORDER BY") {
            prop_assert_eq!(rows, expected, "{}", text);
        } else {
            // Without an order any order will do, and OFFSET and LIMIT may choose any rows.
            prop_assert_eq!(rows.len(), expected.len(), "{}", text);
            if !text.contains("LIMIT") && !text.contains("TOP") {
                let sorted = |mut rows: Vec<Value>| { rows.sort_by(orrery_value::total_order); rows };
                prop_assert_eq!(sorted(rows), sorted(expected), "{}", text);
            }
        }
    }
}

fn body() -> impl Strategy<Value = Json> {
    let scalar = || {
        select(vec![
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(1),
            json!(2.5),
            json!(-3),
            json!("a"),
            json!("b"),
            json!([1]),
            json!({"k": 1}),
        ])
    };
    (
        select(vec![json!(1), json!("1"), json!(null), json!(2), json!(3)]),
        prop::option::of(scalar()),
        prop::option::of(scalar()),
    )
        .prop_map(|(pk, x, y)| {
            let mut body = json!({"pk": pk});
            for (name, value) in [("x", x), ("y", y)] {
                if let Some(value) = value {
                    body[name] = value;
                }
            }
            body
        })
}

fn query_text() -> impl Strategy<Value = String> {
    let list = select(vec!["VALUE c.id", "VALUE c.x", "c.id, c.x", "VALUE [c.x, c.y]", "*"]);
    let filter = select(vec![
        "",
        " WHERE c.x > 0",
        " WHERE c.pk = 1",
        " WHERE c.pk = 1 AND c.id = 'i3'",
        " WHERE NOT IS_DEFINED(c.y)",
        " WHERE c.x IN (1, 'a', null)",
    ]);
    let order = select(vec![
        "",
        " ORDER BY c.x",
        " ORDER BY c.x DESC",
        " ORDER BY c.x, c.y DESC",
        " ORDER BY c.x DESC, c.y DESC, c.id",
        " ORDER BY c.y",
    ]);
    let range = select(vec!["", " OFFSET 2 LIMIT 5", " OFFSET 0 LIMIT 100", " OFFSET 30 LIMIT 30", " TOP"]);
    (list, filter, order, range).prop_map(|(list, filter, order, range)| match range {
        " TOP" => format!("SELECT TOP 4 {list} FROM c{filter}{order}"),
        range => format!("SELECT {list} FROM c{filter}{order}{range}"),
    })
}
