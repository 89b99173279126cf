//! A step along edges in a small graph and in a large one: it costs what it finds.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::queries::data;
use super::super::{median, report, resident_mib, wait_until_calm};
use super::socket::Client;
use super::{FLAGS, create_graph, graph};
use crate::server::Server;

/// Edges of the small graph.
const FEW: usize = 1_000;
/// Edges of the large one.
const MANY: usize = 1_000_000;
/// The graphs, by name and edges.
const GRAPHS: [(&str, usize); 2] = [("few", FEW), ("many", MANY)];
/// Edges that leave each vertex, and as many that come in.
const DEGREE: usize = 10;
/// Vertices of one logical partition.
const PER_PARTITION: usize = 100;
/// Steps of each kind and size; the median counts.
const SAMPLES: usize = 300;

/// Fills both graphs and compares.
pub fn run(binary: &Path) -> anyhow::Result<()> {
    let server = Server::start(binary, &FLAGS)?;
    for (name, edges) in GRAPHS {
        create_graph(&server, name, "pk")?;
        let (total, started) = (vertices(edges) + edges, Instant::now());
        data::fill_with(&server.ready.sql, &server.ready.key, name, total, |number| document(number, edges))?;
        let rate = total as f64 / started.elapsed().as_secs_f64();
        report(&format!("bulk load of a graph of {edges} edges, elements/s"), &format!("{rate:.0}"), "");
    }
    // One for both: another connection is another thread of the server, and whether that shares the client's processor makes 50 µs.
    let mut client = Client::open(&graph(&server, "few"))?;
    // The first step makes the server learn who is whose neighbour.
    for (name, edges) in GRAPHS {
        step(&mut client, name, "g.V(x).out()", edges, 0)?;
    }
    wait_until_calm(server.pid())?;
    report("memory with both graphs", &format!("{:.0} MiB", resident_mib(server.pid())?), "");
    for (direction, text) in [("out", "g.V(x).out()"), ("in", "g.V(x).in()")] {
        let [few, many] = medians(&mut client, text)?;
        let name = format!("{direction}() of {DEGREE} edges: 1 M to 1,000 edges");
        report(&name, &format!("{:.2}", many.as_secs_f64() / few.as_secs_f64()), "<= 1.50");
        let times = format!("{:.2}/{:.2}", few.as_secs_f64() * 1e3, many.as_secs_f64() * 1e3);
        report("  milliseconds, 1,000 and 1 M", &times, "");
    }
    Ok(())
}

/// Medians of each graph, which take turns, so that what else the machine does meets both. The same steps are made once before:
/// the size is compared, and not how much of it a cache holds.
fn medians(client: &mut Client, text: &str) -> anyhow::Result<[Duration; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for is_measured in [false, true] {
        for number in 0..SAMPLES {
            for ((name, edges), times) in GRAPHS.into_iter().zip(&mut times) {
                let started = Instant::now();
                step(client, name, text, edges, number)?;
                if is_measured {
                    times.push(started.elapsed());
                }
            }
        }
    }
    Ok(times.map(|times| median(&times)))
}

fn step(client: &mut Client, name: &str, text: &str, edges: usize, number: usize) -> anyhow::Result<()> {
    let path = format!("/dbs/bench/colls/{name}");
    let found = client.ask_graph(&path, text, &json!({"x": vertex_id(number * 7_919 % vertices(edges))}))?;
    anyhow::ensure!(found.len() == DEGREE, "{text}: {} vertices", found.len());
    Ok(())
}

fn vertices(edges: usize) -> usize {
    edges / DEGREE
}

fn vertex_id(vertex: usize) -> String {
    format!("v{vertex:07}")
}

fn partition(vertex: usize) -> String {
    format!("pk-{:05}", vertex / PER_PARTITION)
}

/// Element `number` as a document: the vertices, then their edges.
fn document(number: usize, edges: usize) -> Value {
    let vertices = vertices(edges);
    let Some(edge) = number.checked_sub(vertices) else {
        let name = json!([{"id": format!("{}-name", vertex_id(number)), "_value": format!("name {number}")}]);
        return json!({"id": vertex_id(number), "label": "node", "pk": partition(number), "name": name});
    };
    let (out, nth) = (edge / DEGREE, edge % DEGREE);
    // A different distance for each of a vertex's edges, so that as many come in at each vertex.
    let sink = (out + 1 + nth * (vertices / (DEGREE + 1))) % vertices;
    json!({"id": format!("e{edge:07}"), "label": "next", "pk": partition(out), "_isEdge": true,
        "_vertexId": vertex_id(out), "_vertexLabel": "node",
        "_sink": vertex_id(sink), "_sinkLabel": "node", "_sinkPartition": partition(sink), "weight": nth})
}
