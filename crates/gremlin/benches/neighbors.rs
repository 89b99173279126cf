//! Steps along edges, by graphs of different sizes: `cargo bench -p orrery-gremlin --bench neighbors`.
//!
//! The smallest is 3,500 vertices and 50,000 edges; the others are larger with the same degree. Steps of one vertex must cost the same in all.

#![allow(clippy::unwrap_used, reason = "a measurement may panic as tests do")]

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use orrery_engine::{
    Condition, Container, Engine, EngineOptions, MAX_BATCH_OPERATIONS, NewItem, Operation, OperationKind, WriteMode,
};
use orrery_gremlin::GValue;
use orrery_gremlin::graph::document::{Layout, edge_document, vertex_document};
use orrery_gremlin::graph::{Adjacencies, EdgeRequest, ElementKind, EngineGraph, Graph, Lookup};
use orrery_gremlin::value::{Direction, Edge, Property, Vertex, VertexReference};
use orrery_store::MemoryStore;
use orrery_value::PartitionKey;
use serde_json::json;
use tokio::runtime::Runtime;

const VERTICES: usize = 3_500;
const EDGES: usize = 50_000;

fn main() {
    for scale in [1, 4] {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (engine, container) = runtime.block_on(filled(scale));
        measure(scale, &runtime, &engine, &container);
    }
}

fn reference(n: usize) -> VertexReference {
    VertexReference { id: format!("v{n}").as_str().into(), label: "person".into(), partition: Some(town(n)) }
}

fn town(n: usize) -> GValue {
    format!("town {}", n % 100).as_str().into()
}

async fn filled(scale: usize) -> (Engine, Arc<Container>) {
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).await.unwrap();
    let database = engine.create_database("db", None).await.unwrap();
    let definition = json!({"id": "g", "partitionKey": {"paths": ["/town"], "kind": "Hash"}});
    let container = engine.create_container(&database, definition.as_object().unwrap(), None).await.unwrap();
    let layout = Layout::by_property("town");
    let vertices = VERTICES * scale;
    let vertex_of = |n| {
        let vertex = Vertex { properties: None, ..reference(n).to_vertex() };
        (vertex_document(&layout, &vertex).unwrap(), n)
    };
    let edge_of = |n: usize| {
        // A fixed sequence that looks random.
        let (from, to) = (n * 7_919 % vertices, n.wrapping_mul(2_654_435_761) / 64 % vertices);
        let weight = Property { key: "weight".into(), value: 0.5.into(), element: None };
        let edge = Edge {
            id: format!("e{n}").as_str().into(),
            label: ["knows", "likes"][n % 2].into(),
            out_vertex: reference(from),
            in_vertex: reference(to),
            properties: Some(vec![Arc::new(weight)]),
        };
        (edge_document(&layout, &edge).unwrap(), from)
    };
    let documents: Vec<_> = (0..vertices).map(vertex_of).chain((0..EDGES * scale).map(edge_of)).collect();
    for batch in documents.chunks(MAX_BATCH_OPERATIONS) {
        let operation = |(json, n): &(Vec<u8>, usize)| {
            let key = PartitionKey(vec![town(*n).as_str().unwrap().into()]);
            let kind = OperationKind::Create(NewItem::parse(&container, json, Some(&key)).unwrap());
            Operation { kind, key, condition: Condition::None }
        };
        let operations = batch.iter().map(operation).collect();
        engine.write(&container, operations, WriteMode::Atomic).await.unwrap();
    }
    (engine, container)
}

fn measure(scale: usize, runtime: &Runtime, engine: &Engine, container: &Arc<Container>) {
    let adjacencies = Adjacencies::default();
    let graph = EngineGraph::new(engine.clone(), container.clone(), &adjacencies, runtime.handle().clone()).unwrap();
    let step = |graph: &EngineGraph, vertices: &[VertexReference], direction| {
        let request = EdgeRequest { vertices, direction, labels: None, with_properties: false };
        graph.neighbors(&request).unwrap()
    };
    let by_index = timed(|| step(&graph, &[reference(1)], Direction::Out).len());
    let reading = timed(|| {
        while adjacencies.size_bytes() == 0 {
            step(&graph, &[reference(1)], Direction::Out);
            std::thread::yield_now();
        }
    });
    println!(
        "{} vertices, {} edges: first step {by_index:?}, all in memory after {reading:?}, {} bytes per edge",
        VERTICES * scale,
        EDGES * scale,
        adjacencies.size_bytes() / (EDGES * scale)
    );
    for direction in [Direction::Out, Direction::In] {
        let one = timed(|| {
            for n in 0..1_000 {
                step(&graph, &[reference(n)], direction);
            }
        });
        println!("  one vertex, {direction:?}: {:?}", one / 1_000);
    }
    let references: Vec<_> = (0..VERTICES * scale).map(reference).collect();
    println!("  all vertices, one step: {:?}", timed(|| step(&graph, &references, Direction::Out).len()));
    let two = timed(|| {
        let mut seen = HashSet::new();
        for list in step(&graph, &references, Direction::Out) {
            let near: Vec<_> = list.iter().map(|vertex| to_reference(vertex)).collect();
            seen.extend(step(&graph, &near, Direction::Out).concat().iter().map(|vertex| vertex.id.clone()));
        }
        seen.len()
    });
    println!("  all vertices, two steps with each path of its own, distinct: {two:?}");
    let lookup = Lookup { kind: ElementKind::Vertex, has: Vec::new(), order: Vec::new(), limit: None };
    let read = timed(|| {
        let mut vertices = graph.find(&lookup).unwrap();
        while !vertices.next_batch(1_000).unwrap().is_empty() {}
    });
    println!("  all vertices read: {read:?}");
}

fn to_reference(vertex: &Vertex) -> VertexReference {
    VertexReference { id: vertex.id.clone(), label: vertex.label.clone(), partition: vertex.partition.clone() }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}
