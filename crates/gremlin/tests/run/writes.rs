//! What a traversal sees of its own writes.

use orrery_gremlin::graph::MemoryGraph;

use super::ask::{results, results_with, texts};
use super::ring;

#[test]
fn older_copies_of_an_element_show_what_was_written_since() {
    let graph = ring(4);
    let text =
        "g.V('s1').as('a').out('next').sideEffect(select('a').property('number', 99)).select('a').values('number')";
    assert_eq!(texts(&graph, text), ["99"]);
    assert_eq!(texts(&graph, "g.V('s1').values('number')"), ["99"]);
}

#[test]
fn a_dropped_property_is_gone_for_those_who_held_it() {
    let graph = ring(4);
    let text = "g.V('s1').as('a').sideEffect(properties('number').drop()).select('a').values('number')";
    assert_eq!(texts(&graph, text), Vec::<String>::new());
}

#[test]
fn a_traversal_that_adds_vertices_does_not_meet_them() {
    let graph = ring(5);
    assert_eq!(results(&graph, "g.V().addV('copy').property('number', 0)").len(), 5);
    assert_eq!(texts(&graph, "g.V().count()"), ["10"]);
}

#[test]
fn equal_traversers_write_once_each() {
    let graph = ring(3);
    results(&graph, "g.inject(1, 1, 1).barrier().addV('new')");
    assert_eq!(texts(&graph, "g.V().hasLabel('new').count()"), ["3"]);
}

#[test]
fn a_vertex_goes_with_its_edges() {
    let graph = ring(4);
    results(&graph, "g.V('s1').drop()");
    assert_eq!(texts(&graph, "g.V().count()"), ["3"]);
    assert_eq!(texts(&graph, "g.E().hasLabel('next').count()"), ["2"]);
}

#[test]
fn what_is_behind_a_limit_is_written_no_oftener_than_the_limit_says() {
    let graph = ring(20);
    results(&graph, "g.V().sideEffect(addV('seen')).limit(2)");
    assert_eq!(texts(&graph, "g.V().hasLabel('seen').count()"), ["2"]);
}

#[test]
fn fail_ends_the_traversal_with_its_message() {
    let failed = results_with(&MemoryGraph::new(), "g.inject(1).fail('no more')", &super::ask::options());
    assert_eq!(failed.unwrap_err().to_string(), "no more");
}
