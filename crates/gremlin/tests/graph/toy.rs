//! Small graphs to ask.

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{Graph, NewEdge, NewVertex, PropertyChange};
use orrery_gremlin::value::VertexReference;

/// A change without cardinality and properties of its own.
pub fn set(key: &str, value: impl Into<GValue>) -> PropertyChange {
    PropertyChange { key: key.into(), value: value.into(), cardinality: None, meta: Vec::new() }
}

/// A vertex with its properties.
pub fn vertex(id: &str, label: &str, properties: Vec<PropertyChange>) -> NewVertex {
    NewVertex { id: Some(id.into()), label: label.into(), properties }
}

/// An edge between vertices that are known by their ids.
pub fn edge(id: &str, label: &str, from: &str, to: &str) -> NewEdge {
    let end = |id: &str| VertexReference { id: id.into(), label: "vertex".into(), partition: None };
    NewEdge {
        id: Some(id.into()),
        label: label.into(),
        out_vertex: end(from),
        in_vertex: end(to),
        properties: vec![("weight".into(), 0.5.into())],
    }
}

/// Two towns and three roads, one of them a loop. The town's name places it where the graph wants that.
pub fn towns(graph: &dyn Graph) {
    for (id, name, height) in [("a", "Aarau", 381), ("b", "Bern", 542)] {
        graph.add_vertex(vertex(id, "town", vec![set("name", name), set("height", height)])).unwrap();
    }
    for (id, label, from, to) in [("ab", "road", "a", "b"), ("ba", "rail", "b", "a"), ("aa", "road", "a", "a")] {
        graph.add_edge(edge(id, label, from, to)).unwrap();
    }
}
