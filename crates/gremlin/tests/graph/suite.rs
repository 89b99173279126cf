//! What every graph does alike: each test runs on the graph in memory and on the engine's in both layouts, with neighbours from memory and
//! from the index.

use std::sync::Arc;

use orrery_gremlin::GValue;
use orrery_gremlin::graph::{
    EdgeRequest, ElementKey, ElementKind, Graph, GraphError, Lookup, LookupCondition, MemoryGraph, NewVertex,
};
use orrery_gremlin::step::HasKey;
use orrery_gremlin::value::{
    Cardinality, Comparison, Direction, Edge, Order, P, T, TextComparison, Vertex, VertexReference,
};

use super::toy::{edge, set, towns, vertex};
use super::world::{PLACING, World};

/// Runs a test on every graph.
pub fn on_every_graph(test: impl Fn(&dyn Graph)) {
    eprintln!("in memory");
    test(&MemoryGraph::new());
    test(&MemoryGraph::with_partition_property(PLACING));
    for (name, world) in [("by property", World::by_property as fn() -> World), ("by id", World::by_id)] {
        eprintln!("{name}, neighbours in memory");
        test(&world().graph());
        eprintln!("{name}, neighbours from the index");
        test(&world().indexed_graph());
    }
}

/// What a write gives, once it is durable.
pub fn settled<T>(graph: &dyn Graph, written: Result<T, GraphError>) -> Result<T, GraphError> {
    written.and_then(|written| graph.settle().map(|()| written))
}

pub fn get(graph: &dyn Graph, kind: ElementKind, id: &str) -> Option<GValue> {
    graph.elements(kind, &[ElementKey { id: id.into(), partition: None }]).unwrap().remove(0)
}

pub fn vertex_of(graph: &dyn Graph, id: &str) -> Arc<Vertex> {
    match get(graph, ElementKind::Vertex, id) {
        Some(GValue::Vertex(vertex)) => vertex,
        other => panic!("{other:?}"),
    }
}

pub fn edge_of(graph: &dyn Graph, id: &str) -> Arc<Edge> {
    match get(graph, ElementKind::Edge, id) {
        Some(GValue::Edge(edge)) => edge,
        other => panic!("{other:?}"),
    }
}

fn values(graph: &dyn Graph, id: &str, key: &str) -> Vec<GValue> {
    let vertex = vertex_of(graph, id);
    let properties = vertex.properties.iter().flatten().filter(|property| &*property.label == key);
    properties.map(|property| property.value.clone()).collect()
}

pub fn id_of(element: &GValue) -> String {
    match element {
        GValue::Vertex(vertex) => vertex.id.as_str().unwrap().to_owned(),
        GValue::Edge(edge) => edge.id.as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

pub fn all(graph: &dyn Graph, lookup: &Lookup) -> Vec<GValue> {
    let mut stream = graph.find(lookup).unwrap();
    let mut found = Vec::new();
    loop {
        let batch = stream.next_batch(2).unwrap();
        if batch.is_empty() {
            return found;
        }
        found.extend(batch);
    }
}

fn found(graph: &dyn Graph, kind: ElementKind, has: Vec<LookupCondition>) -> Vec<String> {
    let lookup = Lookup { kind, has, order: Vec::new(), limit: None };
    let mut ids: Vec<_> = all(graph, &lookup).iter().map(id_of).collect();
    ids.sort();
    let count = graph.count(&lookup).unwrap();
    assert!(count.is_none_or(|count| count == ids.len() as u64), "{count:?} of {ids:?}");
    ids
}

fn has(key: &str, condition: P) -> LookupCondition {
    LookupCondition::Has(HasKey::Name(key.into()), condition)
}

fn edges(graph: &dyn Graph, id: &str, direction: Direction, labels: Option<&[&str]>) -> Vec<String> {
    let labels: Option<Vec<Arc<str>>> = labels.map(|labels| labels.iter().map(|label| (*label).into()).collect());
    let vertices = [VertexReference { id: id.into(), label: "".into(), partition: None }];
    let mut shown = Vec::new();
    for with_properties in [false, true] {
        let request = EdgeRequest { vertices: &vertices, direction, labels: labels.as_deref(), with_properties };
        let list = graph.edges(&request).unwrap().remove(0);
        assert!(!with_properties || list.iter().all(|edge| edge.properties.as_ref().unwrap().len() == 1));
        let mut ids: Vec<_> = list.iter().map(|edge| id_of(&GValue::Edge(edge.clone()))).collect();
        ids.sort();
        shown.push(ids);
    }
    let request = EdgeRequest { vertices: &vertices, direction, labels: labels.as_deref(), with_properties: false };
    assert_eq!(graph.neighbors(&request).unwrap().remove(0).len(), shown[0].len());
    assert_eq!(shown[0], shown[1]);
    shown.remove(0)
}

#[test]
fn edges_are_followed_in_both_directions() {
    on_every_graph(|graph| {
        towns(graph);
        assert_eq!(edges(graph, "a", Direction::Out, None), ["aa", "ab"]);
        assert_eq!(edges(graph, "a", Direction::In, None), ["aa", "ba"]);
        assert_eq!(edges(graph, "a", Direction::Both, None), ["aa", "aa", "ab", "ba"]);
        assert_eq!(edges(graph, "a", Direction::Both, Some(&["rail"])), ["ba"]);
        assert_eq!(edges(graph, "b", Direction::In, Some(&["road", "rail", "road"])), ["ab"]);
        assert_eq!(edges(graph, "b", Direction::In, Some(&[])), [""; 0]);
        assert_eq!(edges(graph, "nobody", Direction::Both, None), [""; 0]);
        let far = edge_of(graph, "ab");
        assert_eq!((&far.in_vertex.id, &*far.in_vertex.label), (&"b".into(), "town"));
    });
}

#[test]
fn elements_come_in_the_order_of_their_keys() {
    on_every_graph(|graph| {
        towns(graph);
        let keys = ["b", "nobody", "a", "b"].map(|id| ElementKey { id: id.into(), partition: None });
        let found = graph.elements(ElementKind::Vertex, &keys).unwrap();
        let ids: Vec<_> = found.iter().map(|element| element.as_ref().map(id_of)).collect();
        assert_eq!(ids, [Some("b".to_owned()), None, Some("a".to_owned()), Some("b".to_owned())]);
        assert!(get(graph, ElementKind::Edge, "a").is_none());
        assert!(get(graph, ElementKind::Vertex, "ab").is_none());
    });
}

#[test]
fn look_ups_find_all_that_fits() {
    on_every_graph(|graph| {
        towns(graph);
        let vertices = |has| found(graph, ElementKind::Vertex, has);
        let token = |token, condition| LookupCondition::Has(HasKey::Token(token), condition);
        assert_eq!(vertices(vec![]), ["a", "b"]);
        assert_eq!(found(graph, ElementKind::Edge, vec![]), ["aa", "ab", "ba"]);
        assert_eq!(vertices(vec![has("name", P::equal("Bern".into()))]), ["b"]);
        assert_eq!(vertices(vec![has("height", P::Compare(Comparison::Greater, 400.into()))]), ["b"]);
        assert_eq!(vertices(vec![has("height", P::Within(vec![381_i64.into(), 7.into()]))]), ["a"]);
        assert_eq!(vertices(vec![has("height", P::Within(vec![]))]), [""; 0]);
        assert_eq!(vertices(vec![has("name", P::Text(TextComparison::StartingWith, "Aa".into()))]), ["a"]);
        assert_eq!(vertices(vec![token(T::Label, P::equal("town".into()))]), ["a", "b"]);
        assert_eq!(vertices(vec![token(T::Label, P::equal("vertex".into()))]), [""; 0]);
        assert_eq!(vertices(vec![token(T::Id, P::Within(vec!["b".into(), 3.into()]))]), ["b"]);
        assert_eq!(vertices(vec![LookupCondition::HasProperty("height".into())]), ["a", "b"]);
        assert_eq!(vertices(vec![LookupCondition::HasProperty("depth".into())]), [""; 0]);
        let heavy = has("weight", P::Compare(Comparison::GreaterOrEqual, 0.5.into()));
        assert_eq!(found(graph, ElementKind::Edge, vec![heavy, token(T::Label, P::equal("rail".into()))]), ["ba"]);
    });
}

#[test]
fn look_ups_come_in_the_order_asked_for() {
    on_every_graph(|graph| {
        towns(graph);
        let ids = |order| {
            let order = vec![("height".into(), order)];
            let lookup = Lookup { kind: ElementKind::Vertex, has: Vec::new(), order, limit: None };
            all(graph, &lookup).iter().map(id_of).collect::<Vec<_>>()
        };
        assert_eq!(
            (ids(Order::Asc), ids(Order::Desc)),
            (vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned(), "a".to_owned()])
        );
    });
}

#[test]
fn any_value_of_a_multi_property_fits() {
    on_every_graph(|graph| {
        towns(graph);
        let more = ["x", "y"].map(|value| {
            let change = set("tag", value);
            orrery_gremlin::graph::PropertyChange { cardinality: Some(Cardinality::List), ..change }
        });
        let a = GValue::Vertex(vertex_of(graph, "a"));
        graph.change(&a, more.to_vec()).unwrap();
        for tag in ["x", "y"] {
            assert_eq!(found(graph, ElementKind::Vertex, vec![has("tag", P::equal(tag.into()))]), ["a"]);
        }
        assert_eq!(values(graph, "a", "tag"), ["x".into(), "y".into()]);
    });
}

#[test]
fn properties_are_changed_and_removed() {
    on_every_graph(|graph| {
        towns(graph);
        let a = GValue::Vertex(vertex_of(graph, "a"));
        let changed = graph.change(&a, vec![set("height", 400_i64), set("since", 1241)]).unwrap();
        assert_eq!(id_of(&changed), "a");
        assert_eq!(values(graph, "a", "height"), [GValue::Long(400)]);
        graph.change(&a, vec![set("since", GValue::Null)]).unwrap();
        assert!(values(graph, "a", "since").is_empty());
        let height =
            vertex_of(graph, "a").properties.iter().flatten().find(|one| &*one.label == "height").cloned().unwrap();
        let height = GValue::VertexProperty(height);
        graph.change(&height, vec![set("source", "map")]).unwrap();
        let meta = |graph: &dyn Graph| {
            let vertex = vertex_of(graph, "a");
            let height = vertex.properties.iter().flatten().find(|one| &*one.label == "height").cloned().unwrap();
            height.properties.clone().unwrap()
        };
        assert_eq!((&*meta(graph)[0].key, &meta(graph)[0].value), ("source", &"map".into()));
        graph.remove(&[GValue::Property(meta(graph)[0].clone())]).unwrap();
        assert!(meta(graph).is_empty());
        graph.remove(std::slice::from_ref(&height)).unwrap();
        graph.remove(&[height]).unwrap();
        assert!(values(graph, "a", "height").is_empty());
    });
}

#[test]
fn properties_of_edges_are_changed_and_removed() {
    on_every_graph(|graph| {
        towns(graph);
        let ab = GValue::Edge(edge_of(graph, "ab"));
        graph.change(&ab, vec![set("weight", 2.0), set("lanes", 4)]).unwrap();
        let properties = |graph: &dyn Graph| edge_of(graph, "ab").properties.clone().unwrap();
        let facts: Vec<_> = properties(graph).iter().map(|one| (one.key.to_string(), one.value.clone())).collect();
        assert_eq!(facts, [("weight".to_owned(), 2.0.into()), ("lanes".to_owned(), 4.into())]);
        graph.remove(&[GValue::Property(properties(graph)[0].clone())]).unwrap();
        assert_eq!(properties(graph).len(), 1);
    });
}

#[test]
fn a_vertex_goes_with_its_edges() {
    on_every_graph(|graph| {
        towns(graph);
        let a = GValue::Vertex(vertex_of(graph, "a"));
        graph.remove(std::slice::from_ref(&a)).unwrap();
        assert_eq!(found(graph, ElementKind::Edge, vec![]), [""; 0]);
        assert_eq!(found(graph, ElementKind::Vertex, vec![]), ["b"]);
        assert_eq!(edges(graph, "b", Direction::Both, None), [""; 0]);
        graph.remove(std::slice::from_ref(&a)).unwrap();
        let error = graph.change(&a, vec![set("x", 1)]).unwrap_err();
        assert!(matches!(error, GraphError::NotFound { .. }), "{error}");
        let error = graph.add_edge(edge("z", "road", "b", "a")).unwrap_err();
        assert!(matches!(error, GraphError::NotFound { .. }), "{error}");
    });
}

#[test]
fn an_edge_goes_alone() {
    on_every_graph(|graph| {
        towns(graph);
        let ab = GValue::Edge(edge_of(graph, "ab"));
        graph.remove(&[ab.clone(), ab]).unwrap();
        assert_eq!(edges(graph, "a", Direction::Both, None), ["aa", "aa", "ba"]);
        assert_eq!(found(graph, ElementKind::Vertex, vec![]), ["a", "b"]);
    });
}

#[test]
fn an_id_is_taken_by_vertices_and_edges_alike() {
    on_every_graph(|graph| {
        towns(graph);
        for id in ["a", "aa"] {
            let again = vertex(id, "town", vec![set("name", "Aarau")]);
            let error = settled(graph, graph.add_vertex(again)).unwrap_err();
            assert!(matches!(error, GraphError::Conflict { .. }), "{error}");
        }
        let error = settled(graph, graph.add_edge(edge("a", "road", "a", "b"))).unwrap_err();
        assert!(matches!(error, GraphError::Conflict { .. }), "{error}");
    });
}

#[test]
fn ids_are_made_up_where_none_is_given() {
    on_every_graph(|graph| {
        let new = || NewVertex { id: None, label: "town".into(), properties: vec![set("name", "Chur")] };
        let (one, two) = (graph.add_vertex(new()).unwrap(), graph.add_vertex(new()).unwrap());
        assert_ne!(one.id, two.id);
        let number = graph.add_vertex(NewVertex { id: Some(7.into()), ..new() }).unwrap();
        assert_eq!(number.id, "7".into());
    });
}

#[test]
fn the_same_id_may_be_used_in_another_partition() {
    let worlds = [World::by_property()];
    let graphs: [&dyn Graph; 2] = [&MemoryGraph::with_partition_property(PLACING), &worlds[0].graph()];
    for graph in graphs {
        for name in ["Aarau", "Bern"] {
            graph.add_vertex(vertex("x", "town", vec![set("name", name)])).unwrap();
        }
        let key = |name: &str| ElementKey { id: "x".into(), partition: Some(name.into()) };
        let found = graph.elements(ElementKind::Vertex, &[key("Bern"), key("Chur"), key("Aarau")]).unwrap();
        let places: Vec<_> = found
            .iter()
            .map(|one| match one {
                Some(GValue::Vertex(vertex)) => vertex.partition.clone(),
                _ => None,
            })
            .collect();
        assert_eq!(places, [Some("Bern".into()), None, Some("Aarau".into())]);
        let bern = GValue::Vertex(Arc::new(Vertex {
            properties: None,
            ..match &found[0] {
                Some(GValue::Vertex(vertex)) => (**vertex).clone(),
                other => panic!("{other:?}"),
            }
        }));
        graph.remove(&[bern]).unwrap();
        assert!(graph.elements(ElementKind::Vertex, &[key("Aarau")]).unwrap()[0].is_some());
    }
}

#[test]
fn the_partition_property_is_needed_and_stays() {
    let world = World::by_property();
    let graphs: [&dyn Graph; 2] = [&MemoryGraph::with_partition_property(PLACING), &world.graph().strict()];
    for graph in graphs {
        let refused = |new: NewVertex| match graph.add_vertex(new) {
            Err(GraphError::Invalid { message }) => message,
            other => panic!("{other:?}"),
        };
        let missing = "Cannot add a vertex where the partition key property has value 'null'";
        assert_eq!(refused(vertex("a", "town", vec![])), missing);
        assert_eq!(refused(vertex("a", "town", vec![set("name", GValue::Null)])), missing);
        towns(graph);
        let a = GValue::Vertex(vertex_of(graph, "a"));
        assert!(matches!(graph.change(&a, vec![set("name", "Basel")]), Err(GraphError::Invalid { .. })));
        assert!(matches!(graph.change(&a, vec![set("name", GValue::Null)]), Err(GraphError::Invalid { .. })));
        graph.change(&a, vec![set("name", "Aarau")]).unwrap();
        let ab = GValue::Edge(edge_of(graph, "ab"));
        assert!(matches!(graph.change(&ab, vec![set("name", "Bern")]), Err(GraphError::Invalid { .. })));
        graph.change(&ab, vec![set("name", "Aarau")]).unwrap();
        assert_eq!(edge_of(graph, "ab").properties.as_ref().unwrap().len(), 2);
    }
}

#[test]
fn a_vertex_without_the_partition_property_lies_where_its_id_says() {
    let world = World::by_property();
    let graph = world.graph();
    let made = graph.add_vertex(vertex("a", "town", vec![])).unwrap();
    assert_eq!(made.partition, Some("a".into()));
    assert_eq!(vertex_of(&graph, "a").partition, Some("a".into()));
    let null = graph.add_vertex(vertex("b", "town", vec![set("name", GValue::Null)]));
    assert!(matches!(null, Err(GraphError::Invalid { .. })), "{null:?}");
}
