//! Engines on every store, and operations in one line.

use std::sync::Arc;
use std::time::Duration;

use orrery_engine::{
    Condition, Container, Engine, EngineOptions, Error, FeedStart, FixedClock, Item, JsonMap, NewItem, Operation,
    OperationKind, PageRequest, Patch, Scope, Target, WriteMode, Written,
};
use orrery_store::{
    Durability, FjallOptions, FjallStore, KeyRange, MemoryStore, Scan, Space, Store, Visit, Visitor, scan,
};
use orrery_value::{NewDocument, PartitionKey, Value};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Where every clock begins.
pub const START: u64 = 1_700_000_000;

/// The stores that tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Memory,
    Fjall,
}

/// Runs a test on each store; a failure's output ends with the store's name.
pub async fn on_every_store(test: impl AsyncFn(World)) {
    for kind in [StoreKind::Memory, StoreKind::Fjall] {
        eprintln!("on the {kind:?} store");
        test(World::new(kind).await).await;
    }
}

/// A runtime for tests that proptest drives.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// An engine with one database, "db".
pub struct World {
    pub engine: Engine,
    pub clock: Arc<FixedClock>,
    pub store: Arc<dyn Store>,
    folder: Option<TempDir>,
}

impl World {
    pub async fn new(kind: StoreKind) -> World {
        let folder = (kind == StoreKind::Fjall).then(|| tempfile::tempdir().expect("a temporary folder"));
        let store = open_store(folder.as_ref());
        let clock = Arc::new(FixedClock::new(START));
        let engine = open_engine(store.clone(), clock.clone()).await;
        engine.create_database("db", None).await.expect("the name is free");
        World { engine, clock, store, folder }
    }

    /// Closes the engine and opens the same data again; containers must be looked up anew.
    pub async fn reopen(self) -> World {
        let World { engine, clock, store, folder } = self;
        let store = if folder.is_some() {
            engine.close().await.expect("it closes");
            drop((engine, store));
            open_store(folder.as_ref())
        } else {
            drop(engine);
            store
        };
        World { engine: open_engine(store.clone(), clock.clone()).await, clock, store, folder }
    }

    /// A new container of "db".
    pub async fn create(&self, definition: Json) -> Items {
        self.try_create(definition).await.expect("the definition is good")
    }

    pub async fn try_create(&self, definition: Json) -> Result<Items, Error> {
        let database = self.engine.database("db")?;
        let container = self.engine.create_container(&database, &map(definition), None).await?;
        Ok(Items { engine: self.engine.clone(), container })
    }

    /// A container of "db" that exists.
    pub fn items(&self, id: &str) -> Items {
        let container = self.engine.container("db", id).expect("it was created");
        Items { engine: self.engine.clone(), container }
    }

    /// How many records of a container each space of the store holds: items, feed, side records.
    pub async fn records(&self, container: u32) -> [usize; 3] {
        let snapshot = self.store.snapshot();
        let mut counts = [0; 3];
        for (count, space) in counts.iter_mut().zip([Space::Items, Space::Feed, Space::Side]) {
            let all = Scan { space, range: KeyRange::prefix(&container.to_be_bytes()), reverse: false };
            *count = scan(&*snapshot, all, Count(0)).await.expect("the store reads").0;
        }
        counts
    }
}

struct Count(usize);

impl Visitor for Count {
    fn visit(&mut self, _key: &[u8], _value: &bytes::Bytes) -> Visit {
        self.0 += 1;
        Visit::Continue
    }
}

fn open_store(folder: Option<&TempDir>) -> Arc<dyn Store> {
    match folder {
        None => Arc::new(MemoryStore::new()),
        Some(folder) => {
            let options =
                FjallOptions { durability: Durability::Buffered, cache_size_bytes: 8 << 20, background_threads: 1 };
            Arc::new(FjallStore::open(folder.path(), options).expect("the store opens"))
        }
    }
}

/// An engine that purges only when told to.
pub async fn open_engine(store: Arc<dyn Store>, clock: Arc<FixedClock>) -> Engine {
    let options = EngineOptions { clock, purge_interval: Duration::from_secs(1 << 20), ..EngineOptions::default() };
    Engine::open(store, options).await.expect("the engine opens")
}

/// A container and the operations on it.
#[derive(Clone)]
pub struct Items {
    pub engine: Engine,
    pub container: Arc<Container>,
}

impl Items {
    pub async fn create(&self, body: Json) -> Result<Item, Error> {
        self.create_if(body, Condition::None).await
    }

    pub async fn create_if(&self, body: Json, condition: Condition) -> Result<Item, Error> {
        let (key, item) = self.new_item(&body)?;
        self.write(OperationKind::Create(item), key, condition).await
    }

    pub async fn upsert(&self, body: Json) -> Result<Item, Error> {
        self.upsert_if(body, Condition::None).await
    }

    pub async fn upsert_if(&self, body: Json, condition: Condition) -> Result<Item, Error> {
        let (key, item) = self.new_item(&body)?;
        self.write(OperationKind::Upsert(item), key, condition).await
    }

    /// Replaces the item that the body names.
    pub async fn replace(&self, body: Json) -> Result<Item, Error> {
        self.replace_if(body, Condition::None).await
    }

    pub async fn replace_if(&self, body: Json, condition: Condition) -> Result<Item, Error> {
        let (key, item) = self.new_item(&body)?;
        let target = Target::Id(item.id().to_owned());
        self.write(OperationKind::Replace { target, item }, key, condition).await
    }

    pub async fn patch(&self, key: Json, id: &str, operations: Json) -> Result<Item, Error> {
        self.patch_if(key, id, operations, Condition::None).await
    }

    pub async fn patch_if(&self, key: Json, id: &str, operations: Json, condition: Condition) -> Result<Item, Error> {
        let patch = parse_patch(&operations)?;
        self.write(OperationKind::Patch { target: Target::Id(id.into()), patch }, partition(&key), condition).await
    }

    pub async fn delete(&self, key: Json, id: &str) -> Result<(), Error> {
        self.delete_if(key, id, Condition::None).await
    }

    pub async fn delete_if(&self, key: Json, id: &str, condition: Condition) -> Result<(), Error> {
        let operation = Operation {
            kind: OperationKind::Delete { target: Target::Id(id.into()) },
            key: partition(&key),
            condition,
        };
        self.engine.write_one(&self.container, operation).await.map(drop).map_err(|(error, _)| error)
    }

    pub async fn read(&self, key: Json, id: &str) -> Option<Item> {
        self.read_target(&partition(&key), &Target::Id(id.into())).await
    }

    pub async fn read_target(&self, key: &PartitionKey, target: &Target) -> Option<Item> {
        self.engine.read_item(&self.container, key, target).await.expect("the key is whole")
    }

    /// Runs one operation that leaves an item.
    pub async fn write(&self, kind: OperationKind, key: PartitionKey, condition: Condition) -> Result<Item, Error> {
        let written = self.engine.write_one(&self.container, Operation { kind, key, condition }).await;
        written.map(|(written, _)| written.item().expect("it is no delete").clone()).map_err(|(error, _)| error)
    }

    /// Runs a batch; a result for each operation.
    pub async fn batch(&self, operations: Vec<Operation>, mode: WriteMode) -> Vec<Result<Written, Error>> {
        let outcomes = self.engine.write(&self.container, operations, mode).await.expect("the store writes");
        outcomes.into_iter().map(|outcome| outcome.result).collect()
    }

    /// A body as a new item, and the partition key that is in it.
    pub fn new_item(&self, body: &Json) -> Result<(PartitionKey, NewItem), Error> {
        let key = key_in(&self.container, body);
        let item = NewItem::parse(&self.container, body.to_string().as_bytes(), Some(&key))?;
        Ok((key, item))
    }

    /// All items of a scope, in pages of `page_items`, each of which but the last must be full.
    pub async fn list(&self, scope: &Scope, page_items: usize) -> Vec<Item> {
        let mut items = Vec::new();
        let mut page = PageRequest::new(page_items, None);
        loop {
            let found = self.engine.list_items(&self.container, scope, &page).await.expect("the scope is good");
            assert!(found.items.len() <= page_items);
            assert!(
                found.continuation.is_none() || found.items.len() == page_items,
                "a page that is not full ends the list"
            );
            items.extend(found.items);
            match found.continuation {
                None => return items,
                some => page.continuation = some,
            }
        }
    }

    pub async fn list_ids(&self, scope: &Scope) -> Vec<String> {
        self.list(scope, 100).await.iter().map(id_of).collect()
    }

    /// All changes of a scope, in pages of `page_items`, and the position behind them.
    pub async fn feed(&self, scope: &Scope, start: FeedStart, page_items: usize) -> (Vec<Item>, u64) {
        let mut items = Vec::new();
        let mut start = start;
        loop {
            let page =
                self.engine.change_feed(&self.container, scope, start, page_items).await.expect("the scope is good");
            assert!(page.items.len() <= page_items);
            let last = page.items.is_empty();
            items.extend(page.items);
            if last {
                return (items, page.position);
            }
            start = FeedStart::After(page.position);
        }
    }

    pub async fn feed_ids(&self, scope: &Scope, start: FeedStart) -> Vec<String> {
        self.feed(scope, start, 100).await.0.iter().map(id_of).collect()
    }

    /// Changes the container's definition by what `patch` says of each property; null removes one.
    pub async fn change_settings(&self, patch: Json) -> Result<(), Error> {
        let mut definition = self.container.settings().body.clone();
        for (name, value) in map(patch) {
            match value {
                Json::Null => drop(definition.remove(&name)),
                value => drop(definition.insert(name, value)),
            }
        }
        self.engine.replace_container(&self.container, &definition, &Condition::None).await
    }
}

/// The properties of a JSON object.
pub fn map(object: Json) -> JsonMap {
    match object {
        Json::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

/// The definition of a container with the partition key `/pk`, hashed by version 2.
pub fn by_pk(id: &str) -> Json {
    json!({"id": id, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
}

/// [`by_pk`] with more properties.
pub fn by_pk_with(id: &str, more: Json) -> Json {
    let mut definition = map(by_pk(id));
    definition.extend(map(more));
    Json::Object(definition)
}

/// A partition key in its wire form, such as `["x"]`.
pub fn partition(header: &Json) -> PartitionKey {
    PartitionKey::parse_header(&header.to_string()).expect("a partition key")
}

/// The partition key in a body.
pub fn key_in(container: &Container, body: &Json) -> PartitionKey {
    let document = NewDocument::from_json(body.to_string().as_bytes()).expect("an object");
    container.settings().partition_key.extract(&document.document()).expect("a key of scalars")
}

pub fn parse_patch(operations: &Json) -> Result<Patch, Error> {
    Patch::parse(&Value::parse(operations.to_string().as_bytes()).expect("JSON"))
}

/// An item as JSON, system properties included.
pub fn json_of(item: &Item) -> Json {
    serde_json::from_slice(&item.text()).expect("items are JSON")
}

/// An item as JSON without system properties.
pub fn body_of(item: &Item) -> Json {
    let mut body = map(json_of(item));
    body.retain(|name, _| !matches!(name.as_str(), "_rid" | "_self" | "_etag" | "_attachments" | "_ts"));
    Json::Object(body)
}

pub fn id_of(item: &Item) -> String {
    json_of(item)["id"].as_str().expect("every item has an id").to_owned()
}

pub fn rid_of(item: &Item) -> String {
    json_of(item)["_rid"].as_str().expect("every item has a rid").to_owned()
}

/// The entity tag as clients send it back: in quotes.
pub fn quoted(item: &Item) -> String {
    format!("\"{}\"", item.etag())
}

pub fn if_match(item: &Item) -> Condition {
    Condition::IfMatch(quoted(item))
}

/// The name of an error's variant.
pub fn variant(error: &Error) -> String {
    format!("{error:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// What became of an operation, in one word: the error's variant, or "ok".
pub fn word<T>(result: &Result<T, Error>) -> String {
    result.as_ref().map_or_else(variant, |_| "ok".into())
}

/// Asserts the variant of an error.
#[track_caller]
pub fn check_refused<T>(result: Result<T, Error>, expected: &str) {
    assert_eq!(word(&result), expected, "{:?}", result.err());
}

/// Asserts that a request was refused as wrong, for a reason that contains `reason`.
#[track_caller]
pub fn check_invalid<T>(result: Result<T, Error>, reason: &str) {
    match result {
        Err(Error::Invalid { message }) => assert!(message.contains(reason), "{message:?} does not name {reason:?}"),
        Err(other) => panic!("refused with {other:?}, not as invalid because of {reason:?}"),
        Ok(_) => panic!("it should be refused because of {reason:?}"),
    }
}
