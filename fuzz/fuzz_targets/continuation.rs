//! Continuation tokens: whatever a client sends is refused, or continues the list or query within its scope.
//!
//! The input is sent as a token, and as the payload of tokens with the right checksum, so that it reaches the readers of payloads.
#![no_main]

use std::cell::OnceCell;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use libfuzzer_sys::fuzz_target;
use orrery_engine::{
    Condition, Container, Engine, EngineOptions, Error, NewItem, Operation, OperationKind, PageRequest, Query, Scope,
    rid,
};
use orrery_sql::Context;
use orrery_store::MemoryStore;
use orrery_value::PartitionKey;
use tokio::runtime::{Builder, Runtime};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const ITEMS: usize = 20;
const PAGE_ITEMS: usize = 3;
/// Of these, the first streams in key order and the others sort, fold and limit.
const QUERIES: [&str; 5] = [
    "SELECT * FROM c WHERE c.n > 2",
    "SELECT c.n FROM c ORDER BY c.n",
    "SELECT VALUE c.s FROM c ORDER BY c.s DESC OFFSET 1 LIMIT 9",
    "SELECT VALUE COUNT(1) FROM c",
    "SELECT TOP 4 * FROM c",
];

struct World {
    runtime: Runtime,
    engine: Engine,
    container: Arc<Container>,
    queries: Vec<Query>,
}

thread_local! {
    static WORLD: OnceCell<World> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| {
    WORLD.with(|world| world.get_or_init(World::new).try_token(input));
});

impl World {
    fn new() -> World {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (engine, container) = runtime.block_on(fill());
        let compile = |text: &&str| orrery_sql::compile(text, &[], &Context::default()).expect("it is a query");
        let queries = QUERIES.iter().map(compile).collect();
        World { runtime, engine, container, queries }
    }

    fn try_token(&self, input: &[u8]) {
        if let Ok(token) = std::str::from_utf8(input) {
            self.list(token.to_owned());
            self.queries.iter().for_each(|query| self.query(query, token.to_owned()));
        }
        self.list(self.token(1, 0, input));
        self.queries.iter().for_each(|query| self.query(query, self.token(2, query.fingerprint(), input)));
    }

    fn list(&self, token: String) {
        let page = page(token);
        match self.runtime.block_on(self.engine.list_items(&self.container, &Scope::Container, &page)) {
            Ok(page) => assert!(page.items.len() <= PAGE_ITEMS),
            Err(error) => assert!(matches!(error, Error::Invalid { .. }), "{error}"),
        }
    }

    fn query(&self, query: &Query, token: String) {
        let page = page(token);
        match self.runtime.block_on(self.engine.query(&self.container, &Scope::Container, query, &page)) {
            Ok(page) => assert!(page.rows.len() <= PAGE_ITEMS),
            Err(error) => assert!(matches!(error, Error::Invalid { .. }), "{error}"),
        }
    }

    /// A token as the server makes them. The format is that of the engine's `continuation.rs`.
    fn token(&self, kind: u8, fingerprint: u64, payload: &[u8]) -> String {
        let rid = rid::decode(self.container.rid()).expect("it is the server's");
        let seed = u64::from_be_bytes(rid.try_into().expect("containers have eight bytes")) ^ fingerprint;
        let checksum = xxh3_64_with_seed(payload, seed).to_be_bytes();
        BASE64_URL_SAFE_NO_PAD.encode([&[1, kind][..], &checksum, payload].concat())
    }
}

fn page(token: String) -> PageRequest {
    PageRequest::new(PAGE_ITEMS, Some(token))
}

async fn fill() -> (Engine, Arc<Container>) {
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.expect("a new store opens");
    let database = engine.create_database("db", None).await.expect("the name is free");
    let definition = serde_json::from_str(r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#);
    let definition = definition.expect("it is JSON");
    let container = engine.create_container(&database, &definition, None).await.expect("the definition is good");
    for n in 0..ITEMS {
        let body = format!(r#"{{"id":"{n}","pk":"{}","n":{n},"s":"{}"}}"#, n % 4, "x".repeat(n));
        let key = PartitionKey::from_iter([(n % 4).to_string()]);
        let item = NewItem::parse(&container, body.as_bytes(), Some(&key)).expect("it is an item");
        let operation = Operation { kind: OperationKind::Create(item), key, condition: Condition::None };
        engine.write_one(&container, operation).await.map_err(|(error, _)| error).expect("the id is free");
    }
    (engine, container)
}
