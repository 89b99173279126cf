//! `mergeV()` and `mergeE()`, on towns and roads.

use orrery_gremlin::graph::MemoryGraph;

use super::ask::rows;
use crate::graph::toy::towns;

fn graph() -> MemoryGraph {
    let graph = MemoryGraph::new();
    towns(&graph);
    graph
}

fn check(graph: &MemoryGraph, text: &str, expected: &[&str]) {
    assert_eq!(rows(graph, text), expected, "{text}");
}

#[test]
fn what_is_found_is_changed_and_what_is_not_is_created() {
    let graph = graph();
    check(&graph, "g.mergeV([(T.label): 'town', name: 'Bern']).option(onMatch, [seen: 1]).values('seen')", &["1"]);
    check(&graph, "g.V().has('seen')", &["b"]);
    check(&graph, "g.mergeV([(T.id): 'c', name: 'Chur']).option(onCreate, [height: 585]).values('height')", &["585"]);
    check(&graph, "g.V().count()", &["3L"]);
}

#[test]
fn each_of_equal_traversers_finds_what_the_one_before_created() {
    let graph = graph();
    let text =
        "g.inject(1, 1).mergeV([name: 'Olten']).option(onCreate, [new: 1]).option(onMatch, [new: 2]).values('new')";
    check(&graph, text, &["1", "2"]);
    check(&graph, "g.V().has('name', 'Olten').count()", &["1L"]);
}

#[test]
fn edges_are_found_at_their_ends() {
    let graph = graph();
    check(&graph, "g.mergeE([(T.label): 'road', (OUT): 'a', (IN): 'b'])", &["ab"]);
    check(&graph, "g.mergeE([(IN): 'a', (T.label): 'road'])", &["aa"]);
    check(&graph, "g.mergeE([(T.id): 'new', (T.label): 'road', (OUT): 'b', (IN): 'a'])", &["new"]);
    let stand_in = "g.mergeE([(T.label): 'rail', (OUT): Merge.outV, (IN): Merge.inV])";
    check(&graph, &format!("{stand_in}.option(outV, [name: 'Bern']).option(inV, V('a'))"), &["ba"]);
    check(&graph, "g.E().count()", &["4L"]);
}

#[test]
fn mistakes_are_told_in_the_words_of_tinkerpop() {
    let graph = graph();
    for (text, message) in [
        ("g.mergeV([name: 'x']).option(onCreate, [name: 'y'])", "option(onCreate) cannot override values from merge()"),
        ("g.mergeV([(T.label): null])", "mergeV() does not allow null Map values"),
        ("g.mergeV([(OUT): 'a'])", "mergeV() and option(onCreate) args expect keys in Map to be either String or"),
        ("g.mergeV([name: 'Bern']).option(onMatch, [(T.label): 'x'])", "option(onMatch) expects keys in Map"),
        ("g.mergeV(['~x': 1])", "Property key can not be a hidden key: ~x"),
        ("g.mergeE([(OUT): 'a'])", "In Vertex not specified in onCreate"),
        ("g.mergeE([(OUT): 'a', (IN): 'z'])", "Vertex id could not be resolved from mergeE: z"),
        ("g.mergeE([(OUT): Merge.inV])", "Only Merge.outV token may be used for Direction.OUT"),
        ("g.mergeE([(OUT): Merge.outV, (IN): 'a'])", "option(outV) must be specified"),
        ("g.inject(1).mergeV()", "a merge takes maps, and an int is none"),
    ] {
        // The edge that leaves a is found without its other end.
        let text = text.replace("g.mergeE([(OUT): 'a'])", "g.mergeE([(OUT): 'a', (T.label): 'new'])");
        let found = rows(&graph, &text);
        assert!(found.len() == 1 && found[0].contains(message), "{text}: {found:?}");
    }
}
