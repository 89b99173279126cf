//! Documents that SQL wrote, as parts of a graph, and what Gremlin wrote, as documents.

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{EdgeRequest, ElementKind, Graph, Lookup, LookupCondition};
use orrery_gremlin::step::HasKey;
use orrery_gremlin::value::{Comparison, Direction, P, VertexReference};
use serde_json::json;

use super::suite::{all, edge_of, get, id_of, vertex_of};
use super::toy::{set, towns, vertex};
use super::world::World;

fn out(graph: &dyn Graph, id: &str, partition: &str) -> Vec<String> {
    let vertices = [VertexReference { id: id.into(), label: "".into(), partition: Some(partition.into()) }];
    let request = EdgeRequest { vertices: &vertices, direction: Direction::Out, labels: None, with_properties: false };
    let found = graph.neighbors(&request).unwrap().remove(0);
    found.iter().map(|vertex| id_of(&GValue::Vertex(vertex.clone()))).collect()
}

#[test]
fn vertices_and_edges_written_by_sql_are_linked() {
    let world = World::by_property();
    for graph in [world.graph(), world.indexed_graph()] {
        world.put(&json!({"id": "x", "name": "A", "age": 29}));
        world.put(&json!({"id": "y", "name": "B", "label": "person"}));
        let edge = json!({"id": "e", "name": "A", "_isEdge": true, "_vertexId": "x", "_sink": "y", "_sinkPartition": "B", "w": 1});
        world.put(&edge);
        assert_eq!(out(&graph, "x", "A"), ["y"]);
        assert_eq!(edge_of(&graph, "e").properties.as_ref().unwrap().len(), 1);
        // An end that does not exist is no neighbour.
        world.delete(&json!({"id": "y", "name": "B"}));
        assert_eq!(out(&graph, "x", "A"), [""; 0]);
        world.delete(&edge);
        assert!(get(&graph, ElementKind::Edge, "e").is_none());
    }
}

#[test]
fn look_ups_find_values_however_they_are_written() {
    let world = World::by_property();
    let graph = world.graph();
    graph.add_vertex(vertex("a", "v", vec![set("name", "A"), set("age", 29_i64)])).unwrap();
    graph.add_vertex(vertex("b", "v", vec![set("name", "A"), set("age", 29.0_f64)])).unwrap();
    graph.add_vertex(vertex("c", "v", vec![set("name", "A"), set("age", GValue::Float(29.0))])).unwrap();
    world.put(&json!({"id": "d", "name": "B", "age": 29}));
    world.put(&json!({"id": "e", "name": "B", "age": [28, 29]}));
    world.put(&json!({"id": "f", "name": "B", "age": "29"}));
    let find = |condition| {
        let has = vec![LookupCondition::Has(HasKey::Name("age".into()), condition)];
        let lookup = Lookup { kind: ElementKind::Vertex, has, order: Vec::new(), limit: None };
        let mut ids: Vec<_> = all(&graph, &lookup).iter().map(id_of).collect();
        ids.sort();
        ids
    };
    for number in [GValue::Int(29), GValue::Long(29), GValue::Double(29.0), GValue::Float(29.0), GValue::Byte(29)] {
        assert_eq!(find(P::equal(number.clone())), ["a", "b", "c", "d", "e"], "{number:?}");
        assert_eq!(find(P::Compare(Comparison::LessOrEqual, number)), ["a", "b", "c", "d", "e"]);
    }
    assert_eq!(find(P::equal("29".into())), ["f"]);
}

#[test]
fn a_split_meanwhile_changes_nothing() {
    let world = World::by_property();
    let graph = world.graph();
    towns(&graph);
    world.split("18");
    world.split("04");
    assert_eq!(out(&graph, "a", "Aarau").len(), 2);
    graph.change(&GValue::Vertex(vertex_of(&graph, "a")), vec![set("height", 1)]).unwrap();
    let lookup = Lookup { kind: ElementKind::Edge, has: Vec::new(), order: Vec::new(), limit: None };
    assert_eq!((all(&graph, &lookup).len(), graph.count(&lookup).unwrap()), (3, Some(3)));
    assert_eq!(out(&world.indexed_graph(), "a", "Aarau").len(), 2);
}

#[test]
fn what_a_request_costs_is_counted() {
    let world = World::by_property();
    let graph = world.graph();
    towns(&graph);
    graph.settle().unwrap();
    assert_eq!(graph.usage().elements_written, 5);
    let before = graph.usage();
    let _ = vertex_of(&graph, "a");
    let _ = out(&graph, "a", "Aarau");
    let usage = graph.usage();
    assert!(usage.charge_ru > before.charge_ru && usage.lookups > before.lookups, "{usage:?}");
    assert!(usage.elements_read > before.elements_read && usage.bytes_read > before.bytes_read, "{usage:?}");
}

#[test]
fn an_edge_expires_by_itself() {
    let world = World::by_property();
    let graph = world.graph();
    towns(&graph);
    graph.change(&GValue::Edge(edge_of(&graph, "ab")), vec![set("ttl", 10)]).unwrap();
    assert_eq!(out(&graph, "a", "Aarau").len(), 2);
    world.clock.advance(11);
    assert_eq!(out(&graph, "a", "Aarau"), ["a"]);
    assert_eq!(out(&world.indexed_graph(), "a", "Aarau"), ["a"]);
}
