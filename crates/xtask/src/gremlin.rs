//! Graphs for tests, and the Gremlin Console, which is driven by a script as its manual says.

use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::json;

use crate::command::shown;
use crate::http::Client;
use crate::server::Ready;
use crate::tally::Tally;

/// The database of all graphs here.
const DATABASE: &str = "graphs";
/// Enough for four physical partitions.
const THROUGHPUT_RU: &str = "40000";

/// Makes an empty graph through the SQL API, and returns the user's name that stands for it.
///
/// # Errors
/// If the server refuses.
pub fn new_graph(ready: &Ready, graph: &str, partition_key: &str) -> anyhow::Result<String> {
    let mut client = Client::new(&ready.sql, &ready.key)?;
    let database = client.call("POST", "dbs", "", "dbs", &[], Some(&json!({"id": DATABASE})))?;
    ensure!(
        matches!(database.status, 201 | 409),
        "the database was refused with {}: {}",
        database.status,
        database.body
    );
    let (link, path) = (format!("dbs/{DATABASE}"), format!("dbs/{DATABASE}/colls"));
    let definition = json!({"id": graph, "partitionKey": {"paths": [partition_key], "kind": "Hash", "version": 2}});
    let headers = [("x-ms-offer-throughput", THROUGHPUT_RU)];
    let container = client.call("POST", "colls", &link, &path, &headers, Some(&definition))?;
    ensure!(container.status == 201, "the container was refused with {}: {}", container.status, container.body);
    Ok(format!("/dbs/{DATABASE}/colls/{graph}"))
}

/// Serializers that the console connects with: its default, and the service's.
const SERIALIZERS: [(&str, &str); 2] = [
    ("graphbinary", "org.apache.tinkerpop.gremlin.util.ser.GraphBinaryMessageSerializerV1"),
    ("graphson2", "org.apache.tinkerpop.gremlin.util.ser.GraphSONMessageSerializerV2"),
];

/// Texts for the console, and what it must show for them.
const SUBMISSIONS: [(&str, &str); 5] = [
    ("g.addV('airport').property('id', 'SEA').property('country', 'US').property('city', 'Seattle').id()", "[SEA]"),
    ("g.addV('airport').property('id', 'LHR').property('country', 'GB').property('city', 'London').id()", "[LHR]"),
    ("g.V('SEA').addE('route').to(g.V('LHR')).property('days', 7).label()", "[route]"),
    ("g.V('SEA').out('route').values('city')", "[London]"),
    ("g.V().count()", "[2]"),
];

/// Connects the console to a running server with each serializer, and compares what it shows.
///
/// # Errors
/// If it cannot be run.
pub fn console(classes: &str, ready: &Ready) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let (host, port) = ready
        .gremlin
        .strip_prefix("ws://")
        .and_then(|rest| rest.strip_suffix("/gremlin"))
        .and_then(|authority| authority.rsplit_once(':'))
        .context("the server has no Gremlin API")?;
    for (name, serializer) in SERIALIZERS {
        let user = new_graph(ready, &format!("console-{name}"), "/country")?;
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("ext"))?;
        // The console is its plugins; this one knows how to connect.
        let plugin = "org.apache.tinkerpop.gremlin.console.jsr223.DriverGremlinPlugin\n";
        std::fs::write(folder.path().join("ext/plugins.txt"), plugin)?;
        let settings = format!(
            "hosts: [{host}]\nport: {port}\nusername: {user}\npassword: {}\nserializer: {{className: {serializer}, config: {{serializeResultToString: true}}}}\n",
            ready.key
        );
        std::fs::write(folder.path().join("conf.yaml"), settings)?;
        let submissions = SUBMISSIONS.iter().enumerate();
        let submissions =
            submissions.map(|(number, (text, _))| format!(":> {text}\nprintln 'shown {number} ' + result*.string\n"));
        let script = format!(":remote connect tinkerpop.server conf.yaml\n{}", submissions.collect::<String>());
        std::fs::write(folder.path().join("script.groovy"), script)?;
        let mut java = Command::new("java");
        let java = java
            .args(["-cp", classes, "org.apache.tinkerpop.gremlin.console.Console", "-e", "script.groovy"])
            .current_dir(folder.path());
        let (_, output) = shown(java)?;
        for (number, (text, expected)) in SUBMISSIONS.iter().enumerate() {
            let is_right = output.lines().any(|line| line.ends_with(&format!("shown {number} {expected}")));
            println!("{} console, {name}: {text}", if is_right { "ok" } else { "FAILED" });
            tally += Tally::single(is_right);
        }
    }
    Ok(tally)
}
