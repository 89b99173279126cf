use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{
    EdgeRequest, ElementKey, ElementKind, Graph, GraphError, Lookup, LookupCondition, MemoryGraph,
};
use orrery_gremlin::step::HasKey;
use orrery_gremlin::value::{Cardinality, Direction, Order, P, T, Vertex, VertexReference};

use super::toy::{edge, set, towns, vertex};

fn graph() -> MemoryGraph {
    let graph = MemoryGraph::new();
    towns(&graph);
    graph
}

fn placed_graph() -> MemoryGraph {
    let graph = MemoryGraph::with_partition_property("name");
    towns(&graph);
    graph
}

fn id(element: &GValue) -> String {
    match element {
        GValue::Vertex(vertex) => vertex.id.as_str().unwrap().to_owned(),
        GValue::Edge(edge) => edge.id.as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn get(graph: &dyn Graph, kind: ElementKind, id: &str) -> Option<GValue> {
    graph.elements(kind, &[ElementKey { id: id.into(), partition: None }]).unwrap().remove(0)
}

fn vertex_of(graph: &dyn Graph, id: &str) -> Arc<Vertex> {
    match get(graph, ElementKind::Vertex, id) {
        Some(GValue::Vertex(vertex)) => vertex,
        other => panic!("{other:?}"),
    }
}

fn find(graph: &dyn Graph, kind: ElementKind, has: Vec<LookupCondition>) -> Vec<String> {
    let lookup = Lookup { kind, has, order: vec![("height".into(), Order::Desc)], limit: None };
    let mut stream = graph.find(&lookup).unwrap();
    let mut ids = Vec::new();
    loop {
        let batch = stream.next_batch(1).unwrap();
        if batch.is_empty() {
            assert_eq!(graph.count(&lookup).unwrap(), Some(ids.len() as u64));
            return ids;
        }
        ids.extend(batch.iter().map(id));
    }
}

fn edges(graph: &dyn Graph, id: &str, direction: Direction, labels: Option<&[Arc<str>]>) -> Vec<String> {
    let vertices = [VertexReference { id: id.into(), label: "".into(), partition: None }];
    let request = EdgeRequest { vertices: &vertices, direction, labels, with_properties: true };
    let lists = graph.edges(&request).unwrap();
    lists[0].iter().map(|edge| edge.id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn elements_are_found_by_id_condition_and_order() {
    for graph in [graph(), placed_graph()] {
        let has = |key: HasKey, predicate: P| vec![LookupCondition::Has(key, predicate)];
        let gt = P::from_name("gt", vec![400.into()]).unwrap();
        assert_eq!(find(&graph, ElementKind::Vertex, vec![]), ["b", "a"]);
        assert_eq!(find(&graph, ElementKind::Vertex, has(HasKey::Name("height".into()), gt)), ["b"]);
        assert_eq!(find(&graph, ElementKind::Edge, has(HasKey::Token(T::Label), P::equal("rail".into()))), ["ba"]);
        assert_eq!(find(&graph, ElementKind::Vertex, has(HasKey::Token(T::Id), P::equal("a".into()))), ["a"]);
        assert!(find(&graph, ElementKind::Vertex, vec![LookupCondition::HasNot("height".into())]).is_empty());
        assert!(get(&graph, ElementKind::Vertex, "ab").is_none());
        assert_eq!(id(&get(&graph, ElementKind::Edge, "ab").unwrap()), "ab");
    }
}

#[test]
fn a_partition_makes_ids_unique_by_themselves() {
    let graph = placed_graph();
    graph.add_vertex(vertex("a", "town", vec![set("name", "Basel")])).unwrap();
    let of_basel = ElementKey { id: "a".into(), partition: Some("Basel".into()) };
    let nowhere = ElementKey { id: "a".into(), partition: Some("Chur".into()) };
    let found = graph.elements(ElementKind::Vertex, &[of_basel, nowhere]).unwrap();
    assert!(matches!(&found[..], [Some(GValue::Vertex(vertex)), None] if vertex.partition == Some("Basel".into())));
    let taken = graph.add_vertex(vertex("ab", "town", vec![set("name", "Aarau")]));
    assert!(matches!(taken, Err(GraphError::Conflict { .. })), "an edge that leaves Aarau has the id");
}

#[test]
fn the_partition_property_is_there_once_and_stays() {
    let graph = placed_graph();
    let without = graph.add_vertex(vertex("c", "town", vec![]));
    let twice = graph.add_vertex(vertex("c", "town", vec![set("name", "Chur"), set("name", "Coira")]));
    let town = GValue::Vertex(vertex_of(&graph, "a"));
    for refused in [without.map(GValue::Vertex), twice.map(GValue::Vertex), graph.change(&town, vec![set("name", "X")])]
    {
        assert!(matches!(refused, Err(GraphError::Invalid { .. })), "{refused:?}");
    }
    graph.change(&town, vec![set("name", "Aarau")]).unwrap();
}

#[test]
fn both_gives_leaving_edges_first_and_a_loop_twice() {
    for graph in [graph(), placed_graph()] {
        assert_eq!(edges(&graph, "a", Direction::Out, None), ["ab", "aa"]);
        assert_eq!(edges(&graph, "a", Direction::In, None), ["ba", "aa"]);
        assert_eq!(edges(&graph, "a", Direction::Both, None), ["ab", "aa", "ba", "aa"]);
        assert_eq!(edges(&graph, "a", Direction::Both, Some(&["rail".into()])), ["ba"]);
        assert!(edges(&graph, "nobody", Direction::Both, None).is_empty());
    }
}

#[test]
fn properties_follow_their_cardinality() {
    let graph = graph();
    let change = |value: i32, cardinality| {
        let change = orrery_gremlin::graph::PropertyChange { cardinality, ..set("x", value) };
        graph.change(&GValue::Vertex(vertex_of(&graph, "a")), vec![change]).unwrap();
        let vertex = vertex_of(&graph, "a");
        let values = vertex.properties.iter().flatten().filter(|property| &*property.label == "x");
        values.map(|property| property.value.as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(change(1, None), [1]);
    assert_eq!(change(1, Some(Cardinality::Set)), [1]);
    assert_eq!(change(1, Some(Cardinality::List)), [1, 1]);
    assert_eq!(change(2, Some(Cardinality::Set)), [1, 1, 2]);
    assert_eq!(change(3, Some(Cardinality::Single)), [3]);
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let graph = graph();
    let town = GValue::Vertex(vertex_of(&graph, "a"));
    assert!(graph.change(&town, vec![set("height", 1), set("~id", 1)]).is_err());
    assert_eq!(find(&graph, ElementKind::Vertex, vec![]), ["b", "a"]);
    let gone = graph.remove(std::slice::from_ref(&town)).and_then(|()| graph.change(&town, vec![set("height", 1)]));
    assert!(matches!(gone, Err(GraphError::NotFound { .. })));
}

#[test]
fn a_vertex_goes_with_its_edges_and_a_property_alone() {
    let graph = graph();
    let bern = vertex_of(&graph, "b");
    let height = bern.properties.as_ref().unwrap()[1].clone();
    graph.remove(&[GValue::VertexProperty(height)]).unwrap();
    assert_eq!(vertex_of(&graph, "b").properties.as_ref().unwrap().len(), 1);
    let weight = match get(&graph, ElementKind::Edge, "aa") {
        Some(GValue::Edge(edge)) => edge.properties.as_ref().unwrap()[0].clone(),
        other => panic!("{other:?}"),
    };
    graph.remove(&[GValue::Property(weight)]).unwrap();
    graph.remove(&[GValue::Vertex(bern.clone()), GValue::Vertex(bern)]).unwrap();
    assert_eq!(find(&graph, ElementKind::Edge, vec![]), ["aa"]);
    assert!(matches!(graph.add_edge(edge("x", "road", "a", "b")), Err(GraphError::NotFound { .. })));
}
