//! The Gremlin API beside TinkerPop's Gremlin Server, under the same load on the same graph, and what a step along edges costs in a
//! large graph.
//!
//! Gremlin Server keeps everything in memory here, and the server under measurement everything durable.

mod air_routes;
pub mod bare;
mod degree;
mod gremlin_server;
mod peer;
mod socket;

use std::path::Path;

use serde_json::json;

use self::socket::Place;
use crate::http::Client;
use crate::server::Server;

/// Flags of the server in these measurements.
const FLAGS: [&str; 4] = ["--sql-port", "0", "--health-port", "off"];

/// Runs the parts whose name contains `only`.
pub fn run(binary: &Path, only: &str, seconds: u64) -> anyhow::Result<()> {
    let wanted = |name: &str| format!("gremlin-{name}").contains(only);
    if wanted("peer") {
        peer::run(binary, seconds)?;
    }
    // A part of the peer's, without the peer: only where it is asked for.
    if only == "gremlin-alone" {
        peer::alone(binary, seconds)?;
    }
    if wanted("degree") {
        degree::run(binary)?;
    }
    Ok(())
}

/// The graph that a container of the database `bench` is.
fn graph(server: &Server, container: &str) -> Place {
    let address = server.ready.gremlin.trim_start_matches("ws://");
    let authority = address.split('/').next().unwrap_or_default().to_owned();
    Place { authority, login: Some((format!("/dbs/bench/colls/{container}"), server.ready.key.clone())) }
}

/// Creates an empty graph with a partition property.
fn create_graph(server: &Server, container: &str, partition_property: &str) -> anyhow::Result<()> {
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    super::queries::data::create_database(&mut client)?;
    let paths = [format!("/{partition_property}")];
    let definition = json!({"id": container, "partitionKey": {"paths": paths, "kind": "Hash", "version": 2}});
    let made = client.call("POST", "colls", "dbs/bench", "dbs/bench/colls", &[], Some(&definition))?;
    anyhow::ensure!(made.status == 201, "{} {}", made.status, made.body);
    Ok(())
}
