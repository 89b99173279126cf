//! How what a traversal begins with is asked of the graph.

use orrery_gremlin::graph::{Graph, MemoryGraph};
use orrery_gremlin::run::explain;

use super::ask::{options, query, results, texts};
use super::ring;

/// The stages of a traversal with their questions.
fn stages(graph: &dyn Graph, text: &str) -> Vec<String> {
    let explained = explain(&query(text), graph, &options()).unwrap();
    let stages = explained.lines().filter_map(|line| line.strip_prefix("Stage "));
    stages.map(|stage| stage.split_once(' ').unwrap().1.trim().to_owned()).collect()
}

#[test]
fn conditions_order_and_limit_are_one_question() {
    let graph = ring(10);
    let text = "g.V().hasLabel('station').has('number', gt(3)).order().by('number', desc).limit(2).values('number')";
    assert!(
        stages(&graph, text)[0].ends_with("<- vertices, 3 conditions, sorted, 2 wanted"),
        "{:?}",
        stages(&graph, text)
    );
    let numbers: Vec<_> = results(&graph, text);
    assert_eq!(numbers, [9.into(), 8.into()]);
}

#[test]
fn counting_behind_conditions_is_left_to_the_graph() {
    let graph = ring(10);
    let text = "g.V().has('number', lt(4)).count()";
    assert_eq!(stages(&graph, text).len(), 1);
    let read = graph.usage().elements_read;
    assert_eq!(texts(&graph, text), ["4"]);
    assert_eq!(graph.usage().elements_read, read);
}

#[test]
fn known_ids_are_read_and_not_looked_for() {
    let graph = ring(10);
    for text in ["g.V('s1', 's2')", "g.V().hasId('s1', 's2')", "g.V().has(id, within('s1', 's2'))", "g.V(['s1', 's2'])"]
    {
        assert!(stages(&graph, text)[0].ends_with("<- vertices by 2 keys"), "{text}");
        assert_eq!(results(&graph, text).len(), 2, "{text}");
    }
}

#[test]
fn an_edge_that_nobody_looks_at_is_no_stage() {
    let graph = ring(10);
    assert_eq!(stages(&graph, "g.V('s1').outE('next').inV().values('number')").len(), 3);
    assert_eq!(stages(&graph, "g.V('s1').outE('next').as('e').inV().select('e')").len(), 4);
    assert_eq!(texts(&graph, "g.V('s1').bothE('next').otherV().values('number')"), ["0", "2"]);
    assert_eq!(texts(&graph, "g.V('s1').bothE('next').has('length', 1).otherV().values('number')"), ["2"]);
}

#[test]
fn two_ids_in_a_list_are_partition_and_id_where_a_property_places() {
    let graph = MemoryGraph::with_partition_property("land");
    for (id, land) in [("a", "x"), ("a", "y"), ("b", "x")] {
        results(&graph, &format!("g.addV('place').property('id', '{id}').property('land', '{land}')"));
    }
    assert_eq!(texts(&graph, "g.V(['x', 'a']).values('land')"), ["x"]);
    assert_eq!(texts(&graph, "g.V(['x', 'a'], ['y', 'a']).values('land')"), ["x", "y"]);
    assert_eq!(texts(&graph, "g.V('a').values('land')"), ["x", "y"]);
    assert_eq!(texts(&graph, "g.V('a').has('land', 'y').values('land')"), ["y"]);
    assert_eq!(texts(&graph, "g.V().has('land', 'x').id()"), ["a", "b"]);
}
