//! Traversals, run on graphs in memory.

mod ask;
mod bounds;
mod cases;
mod figures;
mod heads;
mod merge;
mod model;
mod naive;
mod pattern;
mod strategy;
mod writes;

use orrery_gremlin::graph::MemoryGraph;

use ask::results;

/// A ring of so many stations, each with its number, and a line across it.
fn ring(size: i32) -> MemoryGraph {
    let graph = MemoryGraph::new();
    for number in 0..size {
        let text = format!("g.addV('station').property(id, 's{number}').property('number', {number})");
        results(&graph, &text);
    }
    for number in 0..size {
        let next = (number + 1) % size;
        results(&graph, &format!("g.V('s{number}').addE('next').to(V('s{next}')).property('length', {number})"));
    }
    results(&graph, &format!("g.V('s0').addE('across').to(V('s{}'))", size / 2));
    graph
}
