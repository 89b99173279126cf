//! A container whose queries use the index wherever it can answer, and the same data without.

use std::sync::Arc;
use std::time::Duration;

use orrery_engine::index::{Coverage, IndexOptions};
use orrery_engine::query::{Direction, IndexUse, Plan};
use orrery_engine::{Engine, EngineOptions, FixedClock, PageRequest, Query, QueryOptions, QueryPage, Scope};
use orrery_store::{MemoryStore, Store};
use orrery_value::Value;
use serde_json::{Value as Json, json};

use crate::support::{Items, START, json_of, map};

/// Limits so small that a few items make runs, and chunks in memory beside them.
fn tiny() -> IndexOptions {
    IndexOptions {
        batch_rows: 7,
        follow_rows: 5,
        max_lag_rows: 1_000,
        seal_bytes: 6_000,
        seal_min_rows: 8,
        tick: Duration::from_millis(3),
        ..IndexOptions::default()
    }
}

pub struct World {
    pub items: Items,
    pub clock: Arc<FixedClock>,
    store: Arc<dyn Store>,
}

impl World {
    /// An empty container whose queries use the index wherever it can answer.
    pub async fn new(definition: Json) -> World {
        World::with_use(definition, IndexUse::Always).await
    }

    /// An empty container.
    pub async fn with_use(definition: Json, index_use: IndexUse) -> World {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = Arc::new(FixedClock::new(START));
        let engine = open(&store, &clock, index_use).await;
        let database = engine.create_database("db", None).await.unwrap();
        let container = engine.create_container(&database, &map(definition), None).await.unwrap();
        World { items: Items { engine, container }, clock, store }
    }

    /// The same data through an engine that never looks at the index.
    pub async fn without_index(&self) -> Items {
        let engine = open(&self.store, &self.clock, IndexUse::Never).await;
        let container = engine.container("db", self.items.container.id()).unwrap();
        Items { engine, container }
    }

    /// Waits until the index can answer.
    pub async fn ready(&self) {
        let key = crate::index::naive::single("/id");
        for _ in 0..10_000 {
            let view = self.items.engine.index_view(&self.items.container).await.unwrap();
            if view.coverage(&key) != Coverage::Building {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the index is never made");
    }

    /// What a plan gives over all living items, found in memory.
    pub async fn model(&self, plan: &Plan) -> Vec<Value> {
        let mut request = PageRequest::new(10_000, None);
        let mut items = Vec::new();
        loop {
            let page = self.items.engine.list_items(&self.items.container, &Scope::Container, &request).await.unwrap();
            items.extend(page.items.iter().map(|item| (item.document_number(), json_of(item))));
            request.continuation = page.continuation;
            if request.continuation.is_none() {
                break;
            }
        }
        if let Some(first) = plan.order.first() {
            items.sort_by_key(|(number, _)| *number);
            if first.direction == Direction::Descending {
                items.reverse();
            }
        }
        let items: Vec<Value> = items.iter().map(|(_, item)| value_of(item)).collect();
        Query::new(plan.clone(), 1).run_in_memory(&items).unwrap()
    }
}

pub async fn open(store: &Arc<dyn Store>, clock: &Arc<FixedClock>, index_use: IndexUse) -> Engine {
    let queries = QueryOptions { parallelism: 2, items_per_part: 20, index_use, ..QueryOptions::default() };
    let options =
        EngineOptions { clock: clock.clone(), purge_interval: Duration::from_secs(1 << 20), queries, index: tiny() };
    Engine::open(store.clone(), options).await.unwrap()
}

pub fn value_of(json: &Json) -> Value {
    Value::parse(json.to_string().as_bytes()).unwrap()
}

/// One page of a plan.
pub async fn page(items: &Items, scope: &Scope, plan: &Plan, request: &PageRequest) -> QueryPage {
    let query = Query::new(plan.clone(), 1);
    items
        .engine
        .query(&items.container, scope, &query, request)
        .await
        .unwrap_or_else(|error| panic!("{plan:?}: {error}"))
}

/// The rows from a continuation on, in pages of so many.
pub async fn rows_from(
    items: &Items,
    scope: &Scope,
    plan: &Plan,
    max_items: usize,
    continuation: Option<String>,
) -> Vec<String> {
    let mut request = PageRequest::new(max_items, continuation);
    let mut rows = Vec::new();
    for _ in 0..10_000 {
        let page = page(items, scope, plan, &request).await;
        assert!(page.rows.len() <= max_items);
        rows.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
        request.continuation = page.continuation;
        if request.continuation.is_none() {
            return rows;
        }
    }
    panic!("the pages never end: {plan:?}");
}

/// A definition with a policy of this kind.
pub fn definition(policy: usize, default_ttl: Option<i64>) -> Json {
    let included = |paths: &[&str]| paths.iter().map(|path| json!({"path": path})).collect::<Vec<_>>();
    let composite = |a: &str, b: &str, first: &str, second: &str| json!([{"path": a, "order": first}, {"path": b, "order": second}]);
    let policy = match policy {
        0 => json!({"includedPaths": included(&["/*"]), "excludedPaths": []}),
        1 => json!({
            "includedPaths": included(&["/*"]),
            "excludedPaths": included(&["/b/*", "/list/[]/k/?"]),
            "compositeIndexes": [
                composite("/a", "/b", "ascending", "descending"), composite("/n/x", "/a", "descending", "descending"),
            ],
        }),
        _ => json!({"includedPaths": included(&["/a/?", "/tags/[]/?", "/n/*"]), "excludedPaths": included(&["/*"])}),
    };
    let mut definition =
        json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}, "indexingPolicy": policy});
    if let Some(seconds) = default_ttl {
        definition["defaultTtl"] = json!(seconds);
    }
    definition
}
