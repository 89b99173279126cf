//! New elements are held back: nobody can tell, and a crash takes none that was told of.

use orrery_gremlin::graph::{EdgeRequest, ElementKind, Graph, GraphError, Lookup};
use orrery_gremlin::value::{Direction, VertexReference};

use super::suite::{all, get, id_of, settled};
use super::toy::{edge, set, towns, vertex};
use super::world::World;

fn reference(id: &str) -> VertexReference {
    VertexReference { id: id.into(), label: "v".into(), partition: None }
}

#[test]
fn they_are_written_before_they_are_told_of() {
    let world = World::by_id();
    let (graph, other) = (world.graph(), world.graph());
    let version = || world.container.head();
    graph.add_vertex(vertex("a", "v", Vec::new())).unwrap();
    graph.add_vertex(vertex("b", "v", Vec::new())).unwrap();
    graph.add_edge(edge("ab", "knows", "a", "b")).unwrap();
    assert_eq!(version(), 0);
    assert!(get(&other, ElementKind::Vertex, "a").is_none());
    graph.settle().unwrap();
    assert_eq!(version(), 3);
    assert!(get(&other, ElementKind::Edge, "ab").is_some());
    // Reading what has nothing to do with them leaves them; whatever else is read sees them.
    let request = |vertices: &[VertexReference]| {
        let request = EdgeRequest { vertices, direction: Direction::Out, labels: None, with_properties: true };
        graph.edges(&request).unwrap().concat().len()
    };
    let lookup = Lookup { kind: ElementKind::Vertex, has: Vec::new(), order: Vec::new(), limit: None };
    for (id, sees) in [
        ("c", &(|| get(&graph, ElementKind::Vertex, "c").is_some()) as &dyn Fn() -> bool),
        ("d", &|| all(&graph, &lookup).iter().any(|vertex| id_of(vertex) == "d")),
        ("e", &|| graph.count(&lookup).unwrap().is_none_or(|count| count == 5)),
    ] {
        graph.add_vertex(vertex(id, "v", Vec::new())).unwrap();
        let before = version();
        assert!(get(&graph, ElementKind::Vertex, "a").is_some());
        assert_eq!(version(), before);
        assert!(sees(), "{id}");
        assert!(version() > before, "{id}");
    }
    graph.add_edge(edge("ac", "knows", "a", "c")).unwrap();
    assert_eq!(request(&[reference("a")]), 2);
    graph.add_vertex(vertex("f", "v", Vec::new())).unwrap();
    let f = get(&graph, ElementKind::Vertex, "f").unwrap();
    graph.add_edge(edge("ff", "knows", "f", "f")).unwrap();
    graph.change(&f, vec![set("x", 1)]).unwrap();
    graph.add_edge(edge("fa", "knows", "f", "a")).unwrap();
    graph.remove(std::slice::from_ref(&f)).unwrap();
    assert_eq!(all(&graph, &Lookup { kind: ElementKind::Edge, ..lookup }).len(), 2);
}

#[test]
fn a_refused_one_ends_the_row() {
    for world in [World::by_id(), World::by_property()] {
        let graph = world.graph();
        towns(&graph);
        graph.settle().unwrap();
        let new = |id: &str| vertex(id, "town", vec![set("name", "Aarau")]);
        for id in ["x", "a", "y"] {
            graph.add_vertex(new(id)).unwrap();
        }
        let added = graph.add_edge(edge("xy", "road", "x", "y"));
        assert!(matches!(settled(&graph, added), Err(GraphError::Conflict { .. })));
        assert_eq!(graph.settle(), Ok(()));
        let exists = |kind, id| get(&world.graph(), kind, id).is_some();
        assert!(exists(ElementKind::Vertex, "x"));
        assert!(!exists(ElementKind::Vertex, "y") && !exists(ElementKind::Edge, "xy"));
    }
}

#[test]
fn many_are_written_meanwhile() {
    let world = World::by_id();
    let graph = world.graph();
    for n in 0..250 {
        graph.add_vertex(vertex(&format!("v{n}"), "v", Vec::new())).unwrap();
    }
    assert_eq!(world.container.head(), 200);
    let text = "x".repeat(600_000);
    for n in 0..2 {
        graph.add_vertex(vertex(&format!("w{n}"), "v", vec![set("text", text.as_str())])).unwrap();
    }
    assert_eq!(world.container.head(), 252);
}
