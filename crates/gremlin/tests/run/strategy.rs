//! Strategies that show or write a part of a graph.

use orrery_gremlin::graph::MemoryGraph;

use super::ask::rows;
use crate::graph::toy::towns;

fn check(graph: &MemoryGraph, strategy: &str, text: &str, expected: &[&str]) {
    assert_eq!(rows(graph, &format!("g.withStrategies({strategy}).{text}")), expected, "{strategy} {text}");
}

#[test]
fn a_subgraph_has_edges_with_both_ends_in_it() {
    let graph = MemoryGraph::new();
    towns(&graph);
    let low = "SubgraphStrategy(vertices: has('height', lt(500)))";
    check(&graph, low, "V()", &["a"]);
    check(&graph, low, "V().out()", &["a"]);
    check(&graph, low, "E()", &["aa"]);
    check(&graph, low, "V().bothE()", &["aa", "aa"]);
    let open = "SubgraphStrategy(vertices: has('height', lt(500)), checkAdjacentVertices: false)";
    check(&graph, open, "E()", &["aa", "ab", "ba"]);
    check(&graph, open, "E().bothV()", &["a", "a", "a", "a"]);
    let rails = "SubgraphStrategy(edges: hasLabel('rail'))";
    check(&graph, rails, "V().out()", &["a"]);
    check(&graph, rails, "V('a').both()", &["b"]);
}

#[test]
fn a_partition_reads_and_writes_its_own() {
    let graph = MemoryGraph::new();
    let part = |name: &str| {
        format!("PartitionStrategy(partitionKey: 'p', writePartition: '{name}', readPartitions: ['{name}'])")
    };
    check(&graph, &part("one"), "addV().property(id, 'x')", &["x"]);
    check(&graph, &part("two"), "addV().property(id, 'y')", &["y"]);
    check(&graph, &part("two"), "mergeE([(OUT): 'y', (IN): 'x', (T.id): 'e'])", &["e"]);
    check(&graph, &part("one"), "V()", &["x"]);
    check(&graph, &part("two"), "V().out()", &[]);
    check(&graph, &part("two"), "V().outE()", &["e"]);
    check(&graph, &part("one"), "E()", &[]);
    assert_eq!(rows(&graph, "g.V().count()"), ["2L"]);
}
