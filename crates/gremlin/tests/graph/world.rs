//! An engine with a container that is a graph.

use std::sync::Arc;
use std::time::Duration;

use orrery_engine::{
    Condition, Container, Engine, EngineOptions, FixedClock, NewItem, Operation, OperationKind, Target, WriteMode,
};
use orrery_gremlin::graph::{Adjacencies, EngineGraph, Waiting};
use orrery_store::MemoryStore;
use orrery_value::{Epk, KeyComponent, PartitionKey};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

/// Where the clock begins.
const START: u64 = 1_700_000_000;

/// Which property places vertices where one does.
pub const PLACING: &str = "name";

/// A container and what graphs on it share.
pub struct World {
    pub runtime: Runtime,
    pub engine: Engine,
    pub container: Arc<Container>,
    pub clock: Arc<FixedClock>,
    pub adjacencies: Adjacencies,
}

impl World {
    /// A container keyed by a property, with four ranges.
    pub fn by_property() -> Self {
        let world = World::of(
            json!({"id": "c", "partitionKey": {"paths": [format!("/{PLACING}")], "kind": "Hash"}, "defaultTtl": -1}),
        );
        for at in ["10", "20", "30"] {
            world.split(at);
        }
        world
    }

    /// A container keyed by the ids of elements.
    pub fn by_id() -> Self {
        World::of(json!({"id": "c", "partitionKey": {"paths": ["/id"], "kind": "Hash"}, "defaultTtl": -1}))
    }

    /// One in which nothing expires.
    pub fn lasting() -> Self {
        World::of(json!({"id": "c", "partitionKey": {"paths": ["/name"], "kind": "Hash"}}))
    }

    fn of(definition: Json) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let clock = Arc::new(FixedClock::new(START));
        let options = EngineOptions {
            clock: clock.clone(),
            purge_interval: Duration::from_secs(1 << 20),
            ..EngineOptions::default()
        };
        let (engine, container) = runtime.block_on(async {
            let engine = Engine::open(Arc::new(MemoryStore::new()), options).await.unwrap();
            let database = engine.create_database("db", None).await.unwrap();
            let definition = definition.as_object().unwrap().clone();
            let container = engine.create_container(&database, &definition, None).await.unwrap();
            (engine, container)
        });
        World { runtime, engine, container, clock, adjacencies: Adjacencies::default() }
    }

    /// A request's view of the graph.
    pub fn graph(&self) -> EngineGraph {
        self.graph_with(&self.adjacencies)
    }

    /// One that finds neighbours through the property index.
    pub fn indexed_graph(&self) -> EngineGraph {
        self.graph_with(&Adjacencies::new(0))
    }

    pub fn graph_with(&self, adjacencies: &Adjacencies) -> EngineGraph {
        let runtime = self.runtime.handle().clone();
        EngineGraph::new(self.engine.clone(), self.container.clone(), adjacencies, runtime).unwrap()
    }

    /// One that waits for nothing.
    pub fn hasty_graph(&self) -> EngineGraph {
        EngineGraph::new(self.engine.clone(), self.container.clone(), &self.adjacencies, Waiting::Never).unwrap()
    }

    pub fn split(&self, at: &str) {
        let at = Epk::parse(at).unwrap();
        let range = self.container.partitions().owner(&at).id;
        self.runtime.block_on(self.engine.split_partition(&self.container, range, at)).unwrap();
    }

    /// Writes a document as SQL does.
    pub fn put(&self, document: &Json) {
        let body = document.to_string();
        let item = NewItem::parse(&self.container, body.as_bytes(), None).unwrap();
        let operation =
            Operation { kind: OperationKind::Upsert(item), key: self.key(document), condition: Condition::None };
        self.runtime.block_on(self.engine.write_one(&self.container, operation)).unwrap();
    }

    /// Deletes a document as SQL does, if it is there.
    pub fn delete(&self, document: &Json) {
        let target = Target::Id(document["id"].as_str().unwrap().to_owned());
        let kind = OperationKind::Delete { target };
        let operation = Operation { kind, key: self.key(document), condition: Condition::None };
        self.runtime.block_on(self.engine.write(&self.container, vec![operation], WriteMode::Independent)).unwrap();
    }

    fn key(&self, document: &Json) -> PartitionKey {
        let name = self.container.settings().partition_key.paths[0].segments()[0].as_str().to_owned();
        let component = match &document[&name] {
            Json::String(text) => KeyComponent::from(text.as_str()),
            Json::Number(number) => KeyComponent::from(number.as_f64().unwrap()),
            _ => KeyComponent::Undefined,
        };
        PartitionKey(vec![component])
    }
}
