//! Neighbours from memory and from the index against what the documents say, under any writes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{
    Adjacencies, EdgeRequest, ElementKey, ElementKind, EngineGraph, Graph, GraphError, Lookup, LookupCondition,
};
use orrery_gremlin::step::HasKey;
use orrery_gremlin::value::{Direction, Edge, P, T, Vertex, VertexProperty, VertexReference};
use proptest::prelude::*;
use serde_json::json;

use super::suite::{all, id_of, settled};
use super::toy::{edge, set, vertex};
use super::world::World;

const VERTICES: usize = 5;

#[derive(Clone, Debug)]
enum Write {
    Vertex(usize),
    Edge {
        id: usize,
        from: usize,
        to: usize,
        label: usize,
    },
    ChangeVertex(usize),
    ChangeEdge(usize),
    DropVertex(usize),
    DropEdge(usize),
    /// A document of any shape by SQL.
    Put {
        id: usize,
        from: usize,
        to: usize,
        label: usize,
        shape: usize,
        ttl: bool,
    },
    /// One deleted by SQL.
    Delete {
        id: usize,
        partition: usize,
        is_edge: bool,
    },
    Wait,
}

fn any_write() -> impl Strategy<Value = Write> {
    let n = || 0..VERTICES;
    prop_oneof![
        4 => n().prop_map(Write::Vertex),
        6 => (0..12_usize, n(), n(), 0..3_usize).prop_map(|(id, from, to, label)| Write::Edge { id, from, to, label }),
        1 => n().prop_map(Write::ChangeVertex),
        1 => (0..12_usize).prop_map(Write::ChangeEdge),
        1 => n().prop_map(Write::DropVertex),
        2 => (0..12_usize).prop_map(Write::DropEdge),
        4 => (0..12_usize, n(), n(), 0..3_usize, 0..5_usize, any::<bool>()).prop_map(|(id, from, to, label, shape, ttl)| {
            Write::Put { id, from, to, label, shape, ttl }
        }),
        2 => (0..12_usize, n(), any::<bool>()).prop_map(|(id, partition, is_edge)| Write::Delete { id, partition, is_edge }),
        1 => Just(Write::Wait),
    ]
}

fn vertex_name(n: usize) -> String {
    format!("v{n}")
}

/// The partition of a vertex, which follows from its id.
fn town(n: usize) -> String {
    format!("town {}", n % 3)
}

fn everything(graph: &EngineGraph, kind: ElementKind) -> Vec<GValue> {
    all(graph, &Lookup { kind, has: Vec::new(), order: Vec::new(), limit: None })
}

fn find(graph: &EngineGraph, kind: ElementKind, id: &str) -> Option<GValue> {
    everything(graph, kind).into_iter().find(|element| id_of(element) == id)
}

/// Errors are those of the graph's rules here: taken ids, missing ends.
fn apply(world: &World, graph: &EngineGraph, write: &Write) {
    match write {
        Write::Vertex(n) => {
            let new = vertex(&vertex_name(*n), "town", vec![set("name", town(*n).as_str())]);
            let _ = settled(graph, graph.add_vertex(new));
        }
        Write::Edge { id, from, to, label } => {
            let new = edge(&format!("e{id}"), &format!("l{label}"), &vertex_name(*from), &vertex_name(*to));
            let _ = settled(graph, graph.add_edge(new));
        }
        Write::ChangeVertex(n) => change(graph, ElementKind::Vertex, &vertex_name(*n)),
        Write::ChangeEdge(n) => change(graph, ElementKind::Edge, &format!("e{n}")),
        Write::DropVertex(n) => drop_element(graph, ElementKind::Vertex, &vertex_name(*n)),
        Write::DropEdge(n) => drop_element(graph, ElementKind::Edge, &format!("e{n}")),
        Write::Put { id, from, to, label, shape, ttl } => {
            let mut document = json!({
                "id": format!("e{id}"), "name": town(*from), "label": format!("l{label}"), "_isEdge": true,
                "_vertexId": vertex_name(*from), "_sink": vertex_name(*to), "_sinkPartition": town(*to),
            });
            if *ttl {
                document["ttl"] = json!(10);
            }
            match shape {
                0 => {
                    document.as_object_mut().unwrap().remove("_sinkPartition");
                }
                1 => document["_isEdge"] = json!(false),
                2 => document["_sink"] = json!(1),
                3 => {
                    document = json!({"id": vertex_name(*from), "name": town(*from), "more": [1, {"x": null}]});
                }
                _ => {}
            }
            world.put(&document);
        }
        Write::Delete { id, partition, is_edge } => {
            let id = if *is_edge { format!("e{id}") } else { vertex_name(id % VERTICES) };
            world.delete(&json!({"id": id, "name": town(*partition)}));
        }
        Write::Wait => world.clock.advance(6),
    }
}

fn change(graph: &EngineGraph, kind: ElementKind, id: &str) {
    if let Some(element) = find(graph, kind, id) {
        graph.change(&element, vec![set("changed", "yes")]).unwrap();
    }
}

fn drop_element(graph: &EngineGraph, kind: ElementKind, id: &str) {
    if let Some(element) = find(graph, kind, id) {
        graph.remove(&[element]).unwrap();
    }
}

/// Partition and id of an end.
fn place(vertex: &VertexReference) -> (String, String) {
    (format!("{:?}", vertex.partition), vertex.id.as_str().unwrap().to_owned())
}

/// What the documents say, in the plainest way.
struct Naive {
    vertices: BTreeSet<(String, String)>,
    edges: Vec<Edge>,
}

impl Naive {
    fn of(graph: &EngineGraph) -> Self {
        let vertices = everything(graph, ElementKind::Vertex).into_iter().map(|element| match element {
            GValue::Vertex(vertex) => (format!("{:?}", vertex.partition), vertex.id.as_str().unwrap().to_owned()),
            other => panic!("{other:?}"),
        });
        let vertices = vertices.collect();
        let edges = everything(graph, ElementKind::Edge).into_iter().map(|element| match element {
            GValue::Edge(edge) => (*edge).clone(),
            other => panic!("{other:?}"),
        });
        Naive { vertices, edges: edges.collect() }
    }

    /// Edges of a vertex as (id, partition of the edge), and those neighbours that exist.
    fn around(&self, at: &VertexReference, direction: Direction, label: Option<&str>) -> (Vec<String>, Vec<String>) {
        let (mut edges, mut others) = (Vec::new(), Vec::new());
        for edge in self.edges.iter().filter(|edge| label.is_none_or(|label| &*edge.label == label)) {
            for (here, there, is_wanted) in [
                (&edge.out_vertex, &edge.in_vertex, direction != Direction::In),
                (&edge.in_vertex, &edge.out_vertex, direction != Direction::Out),
            ] {
                if is_wanted && place(here) == place(at) {
                    edges.push(format!("{:?} {:?}", edge.id, edge.out_vertex.partition));
                    others.extend(self.vertices.contains(&place(there)).then(|| format!("{:?}", place(there))));
                }
            }
        }
        edges.sort();
        others.sort();
        (edges, others)
    }
}

fn check(world: &World, graph: &EngineGraph, how: &str) {
    let naive = Naive::of(&world.indexed_graph());
    let listed = everything(graph, ElementKind::Vertex);
    let mut ids: Vec<String> = listed.iter().map(id_of).collect();
    ids.sort();
    let mut expected: Vec<String> = naive.vertices.iter().map(|(_, id)| id.clone()).collect();
    expected.sort();
    assert_eq!(ids, expected, "{how}");
    let by_property = graph.partition_property().is_some();
    let references: Vec<VertexReference> = (0..VERTICES)
        .map(|n| VertexReference {
            id: vertex_name(n).as_str().into(),
            label: "".into(),
            partition: by_property.then(|| town(n).as_str().into()),
        })
        .collect();
    for direction in [Direction::Out, Direction::In, Direction::Both] {
        for label in [None, Some("l1")] {
            let labels = label.map(|label| vec![label.into()]);
            let request =
                EdgeRequest { vertices: &references, direction, labels: labels.as_deref(), with_properties: false };
            let edges = graph.edges(&request).unwrap();
            let full = graph.edges(&EdgeRequest { with_properties: true, ..request }).unwrap();
            let neighbors = graph.neighbors(&request).unwrap();
            check_reached(graph, &request, &neighbors);
            for (n, reference) in references.iter().enumerate() {
                let shown = |list: &[std::sync::Arc<Edge>]| {
                    let mut list: Vec<_> =
                        list.iter().map(|edge| format!("{:?} {:?}", edge.id, edge.out_vertex.partition)).collect();
                    list.sort();
                    list
                };
                let mut others: Vec<_> = neighbors[n]
                    .iter()
                    .map(|one| format!("{:?}", (format!("{:?}", one.partition), one.id.as_str().unwrap().to_owned())))
                    .collect();
                others.sort();
                let expected = naive.around(reference, direction, label);
                assert_eq!((shown(&edges[n]), others), expected, "{how} {direction:?} {label:?} {reference:?}");
                assert_eq!(shown(&full[n]), expected.0, "{how} with properties");
            }
        }
    }
    check_ids(graph, &world.indexed_graph(), &naive, how);
    check_texts(graph, &world.indexed_graph(), how);
    let lookup = |kind| Lookup { kind, has: Vec::new(), order: Vec::new(), limit: None };
    assert_eq!(graph.count(&lookup(ElementKind::Edge)).unwrap(), Some(naive.edges.len() as u64), "{how}");
    assert_eq!(graph.count(&lookup(ElementKind::Vertex)).unwrap(), Some(naive.vertices.len() as u64), "{how}");
}

/// All together are reached as often as one by one.
fn check_reached(graph: &EngineGraph, request: &EdgeRequest<'_>, neighbors: &[Vec<std::sync::Arc<Vertex>>]) {
    let counts: Vec<u64> = (1..).take(request.vertices.len()).collect();
    let mut expected: Vec<(GValue, u64)> = Vec::new();
    for (vertices, count) in neighbors.iter().zip(&counts) {
        for vertex in vertices {
            let vertex = GValue::Vertex(vertex.clone());
            match expected.iter_mut().find(|(known, _)| *known == vertex) {
                Some((_, times)) => *times += count,
                None => expected.push((vertex, *count)),
            }
        }
    }
    let reached = graph.reached(request, &counts).unwrap();
    let reached: Vec<_> = reached.into_iter().map(|(vertex, times)| (GValue::Vertex(vertex), times)).collect();
    assert_eq!(reached, expected);
}

/// An id finds the elements of all partitions that have it, and as a key one of them.
fn check_ids(graph: &EngineGraph, indexed: &EngineGraph, naive: &Naive, how: &str) {
    let vertices = (0..VERTICES).map(|n| (ElementKind::Vertex, vertex_name(n)));
    for (kind, id) in vertices.chain((0..12).map(|n| (ElementKind::Edge, format!("e{n}")))) {
        let expected = match kind {
            ElementKind::Vertex => naive.vertices.iter().filter(|(_, known)| *known == id).count(),
            ElementKind::Edge => naive.edges.iter().filter(|edge| edge.id.as_str() == Some(&id)).count(),
        };
        let is_id = LookupCondition::Has(HasKey::Token(T::Id), P::equal(id.as_str().into()));
        let lookup = Lookup { kind, has: vec![is_id], order: Vec::new(), limit: None };
        let shown = |graph| {
            let mut found: Vec<String> = all(graph, &lookup).iter().map(|element| format!("{element:?}")).collect();
            found.sort();
            found
        };
        // What was read stays in memory: the second time it must be the same.
        let (first, second) = (shown(graph), shown(graph));
        assert_eq!(first.len(), expected, "{how} {kind:?} {id}");
        assert_eq!((&first, &second), (&shown(indexed), &first), "{how} {kind:?} {id}");
        let key = ElementKey { id: id.as_str().into(), partition: None };
        let element = graph.elements(kind, &[key]).unwrap().remove(0);
        assert_eq!(element.as_ref().map(id_of), (expected > 0).then_some(id), "{how} {kind:?}");
    }
}

/// A text finds the vertices that have it, however often it is asked for.
fn check_texts(graph: &EngineGraph, indexed: &EngineGraph, how: &str) {
    let towns = (0..3).map(|n| ("name", town(n)));
    for (key, text) in towns.chain([("changed", "yes".to_owned()), ("name", "nobody".to_owned())]) {
        for label in [None, Some("town")] {
            let has_label = label.map(|label| LookupCondition::Has(HasKey::Token(T::Label), P::equal(label.into())));
            let has_text = LookupCondition::Has(HasKey::Name(key.into()), P::equal(text.as_str().into()));
            let has = has_label.into_iter().chain([has_text]).collect();
            let lookup = Lookup { kind: ElementKind::Vertex, has, order: Vec::new(), limit: None };
            let fits = |element: &GValue| match element {
                GValue::Vertex(vertex) => {
                    let is_text =
                        |property: &VertexProperty| *property.label == *key && property.value.as_str() == Some(&*text);
                    label.is_none_or(|label| *vertex.label == *label)
                        && vertex.properties.iter().flatten().any(|property| is_text(property))
                }
                _ => false,
            };
            let shown = |graph| {
                let found = all(graph, &lookup).into_iter().filter(fits);
                let mut found: Vec<String> = found.map(|element| format!("{element:?}")).collect();
                found.sort();
                found
            };
            let (first, second) = (shown(graph), shown(graph));
            assert_eq!((&first, &second), (&shown(indexed), &first), "{how} {key} {text} {label:?}");
        }
    }
}

fn run(world: &World, writes: &[(Write, bool)]) {
    let graph = world.graph();
    for (write, is_checked) in writes {
        apply(world, &graph, write);
        if *is_checked {
            check(world, &graph, "memory");
        }
    }
    check(world, &graph, "memory");
    check(world, &world.indexed_graph(), "index");
    // From nothing it comes to the same.
    check(world, &world.graph_with(&Adjacencies::default()), "anew");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn neighbours_are_those_of_the_documents_by_property(
        writes in prop::collection::vec((any_write(), prop::bool::weighted(0.3)), 1..50),
    ) {
        run(&World::by_property(), &writes);
    }

    #[test]
    fn neighbours_are_those_of_the_documents_where_nothing_expires(
        writes in prop::collection::vec((any_write(), prop::bool::weighted(0.3)), 1..50),
    ) {
        run(&World::lasting(), &writes);
    }

    #[test]
    fn neighbours_are_those_of_the_documents_by_id(
        writes in prop::collection::vec((any_write(), prop::bool::weighted(0.3)), 1..50),
    ) {
        run(&World::by_id(), &writes);
    }
}

/// Writers change a ring of vertices while readers go along it. No edge is ever missing that stays, and what a reader wrote it sees.
#[test]
fn readers_see_what_was_acknowledged_while_others_write() {
    const RING: usize = 12;
    let world = World::by_id();
    let graph = world.graph();
    for n in 0..RING {
        graph.add_vertex(vertex(&vertex_name(n), "v", vec![])).unwrap();
    }
    for n in 0..RING {
        graph.add_edge(edge(&format!("ring{n}"), "ring", &vertex_name(n), &vertex_name((n + 1) % RING))).unwrap();
    }
    graph.settle().unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let world = &world;
                scope.spawn(move || {
                    let graph = world.graph();
                    for round in 0..60 {
                        let (id, from) = (format!("w{writer}-{round}"), vertex_name((writer + round) % RING));
                        let added = graph.add_edge(edge(&id, "other", &from, &vertex_name(round % RING))).unwrap();
                        let vertices = [added.out_vertex.clone()];
                        let request = EdgeRequest {
                            vertices: &vertices,
                            direction: Direction::Out,
                            labels: None,
                            with_properties: false,
                        };
                        graph.settle().unwrap();
                        let sees = || graph.edges(&request).unwrap().remove(0).iter().any(|edge| edge.id == added.id);
                        assert!(sees(), "{id} was acknowledged");
                        if round % 2 == 0 {
                            graph.remove(&[GValue::Edge(added.clone())]).unwrap();
                            assert!(!sees(), "{id} is gone");
                        }
                        let ring = find(&graph, ElementKind::Edge, &format!("ring{}", round % RING)).unwrap();
                        graph.change(&ring, vec![set(&format!("by{writer}"), round as i64)]).unwrap();
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                let graph = world.graph();
                let label = ["ring".into()];
                while !is_done.load(Ordering::Acquire) {
                    let mut at = VertexReference { id: "v0".into(), label: "v".into(), partition: None };
                    for _ in 0..RING {
                        let vertices = [at.clone()];
                        let request = EdgeRequest {
                            vertices: &vertices,
                            direction: Direction::Out,
                            labels: Some(&label),
                            with_properties: false,
                        };
                        let next = graph.edges(&request).unwrap().remove(0);
                        assert_eq!(next.len(), 1);
                        at = next[0].in_vertex.clone();
                    }
                    assert_eq!(at.id, "v0".into());
                }
            });
        }
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_done.store(true, Ordering::Release);
        results.into_iter().for_each(|result| result.unwrap());
    });
    let properties = |n: usize| match find(&graph, ElementKind::Edge, &format!("ring{n}")) {
        Some(GValue::Edge(edge)) => edge.properties.as_ref().unwrap().len(),
        other => panic!("{other:?}"),
    };
    // The weight, and one of each writer: nothing is lost.
    assert!((0..RING).all(|n| properties(n) == 4));
}

#[test]
fn what_may_not_wait_gives_what_is_at_hand_and_refuses_the_rest() {
    let world = World::by_id();
    let patient = world.graph();
    let ends = ["a", "b"].map(|id| {
        let made = patient.add_vertex(vertex(id, "v", Vec::new())).unwrap();
        VertexReference { id: made.id.clone(), label: made.label.clone(), partition: None }
    });
    settled(&patient, patient.add_edge(edge("e", "knows", "a", "b"))).unwrap();
    let request = EdgeRequest { vertices: &ends[..1], direction: Direction::Out, labels: None, with_properties: false };
    // On a thread that runs tasks, where blocking panics.
    world.put(&json!({"id": "z"}));
    world.delete(&json!({"id": "z"}));
    world.runtime.block_on(async {
        let hasty = world.hasty_graph();
        assert_eq!(hasty.edges(&request), Err(GraphError::MustWait), "not everything is in memory");
        hasty.add_vertex(vertex("c", "v", Vec::new())).unwrap();
        assert_eq!(hasty.settle(), Ok(()));
        let everything = Lookup { kind: ElementKind::Vertex, has: Vec::new(), order: Vec::new(), limit: None };
        assert!(matches!(hasty.find(&everything), Err(GraphError::MustWait)), "it would not see the new one");
    });
    assert!(find(&patient, ElementKind::Vertex, "c").is_none());
    assert_eq!(patient.edges(&request).unwrap()[0].len(), 1);
    world.runtime.block_on(async {
        let hasty = world.hasty_graph();
        assert_eq!(hasty.edges(&request).unwrap()[0].len(), 1);
        assert_eq!(hasty.neighbors(&request).unwrap()[0][0].id, "b".into());
        hasty.add_edge(edge("f", "knows", "a", "a")).unwrap();
        let done = hasty.take_unwritten().expect("an edge is new").write().await;
        assert_eq!((done.written, done.result), (1, Ok(())));
        assert!(done.charge_ru > 0.0);
        // It is in memory, though nothing was read.
        assert_eq!(hasty.edges(&request).unwrap()[0].len(), 2);
    });
}
