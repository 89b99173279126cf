//! Traversals that add several vertices and edges: after a crash all of one are there, each edge with both ends, or none is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::writer::{Model, Name};
use super::{Random, audit};
use crate::http::Client;
use crate::server::Server;

/// The graph's container.
pub const CONTAINER: &str = "graph";
/// The property that places its vertices.
pub const PARTITION_PROPERTY: &str = "pk";
/// Partitions that the vertices are spread over.
const PARTITIONS: u64 = 5;
/// Most vertices that one traversal adds.
const MAX_ADDED: u64 = 4;

/// A client of the graph over plain HTTP.
pub struct GraphClient {
    authority: String,
    credentials: String,
    client: Client,
}

impl GraphClient {
    /// A client of the server's graph.
    pub fn new(server: &Server) -> anyhow::Result<Self> {
        let address = server.ready.gremlin.strip_prefix("ws://").context("the server has no Gremlin API")?;
        let authority = address.trim_end_matches("/gremlin").to_owned();
        let credentials = BASE64_STANDARD.encode(format!("/dbs/crash/colls/{CONTAINER}:{}", server.ready.key));
        Ok(GraphClient { client: Client::new(&authority, &server.ready.key)?, authority, credentials })
    }

    /// The results of a text with variables.
    ///
    /// # Errors
    /// If the connection breaks: the outcome is unknown then. `Ok(Err)` says why the server refused.
    fn ask(&mut self, text: &str, variables: &Value) -> anyhow::Result<Result<Vec<Value>, Value>> {
        let body = json!({"gremlin": text, "bindings": variables}).to_string();
        let head = format!(
            "POST /gremlin HTTP/1.1\r\nhost: {}\r\nauthorization: Basic {}\r\naccept: application/vnd.gremlin-v2.0+json;types=false\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.authority,
            self.credentials,
            body.len()
        );
        let mut reply = self.client.send(&[head.as_bytes(), body.as_bytes()].concat())?;
        if reply.status != 200 {
            return Ok(Err(reply.body));
        }
        match reply.body["result"]["data"].take() {
            Value::Array(results) => Ok(Ok(results)),
            Value::Null => Ok(Ok(Vec::new())),
            _ => Ok(Err(reply.body)),
        }
    }

    fn results(&mut self, text: &str) -> anyhow::Result<Vec<Value>> {
        self.ask(text, &json!({}))?.map_err(|refusal| anyhow::anyhow!("{text}: {refusal}"))
    }
}

/// Compares the graph with what the clients know of it.
pub fn check(client: &mut GraphClient, model: &mut Model) -> anyhow::Result<()> {
    let vertices = client.results("g.V().project('id', 'pk', 'n').by(id).by('pk').by('n')")?;
    let edges = client.results(
        "g.E().project('id', 'pk', 'n', 'from', 'to').by(id).by(outV().values('pk')).by('n').by(outV().id()).by(inV().id())",
    )?;
    let mut elements = BTreeMap::new();
    for element in vertices.iter().chain(&edges) {
        let text = |name: &str| element[name].as_str().map(String::from).context("an element without id or pk");
        let version = element["n"].as_u64().context("an element without n")?;
        ensure!(elements.insert((text("pk")?, text("id")?), version).is_none(), "{element} is there twice");
    }
    let ids: BTreeSet<_> = vertices.iter().map(|vertex| vertex["id"].as_str()).collect();
    for edge in &edges {
        ensure!(ids.contains(&edge["from"].as_str()) && ids.contains(&edge["to"].as_str()), "{edge} lacks an end");
    }
    for text in ["g.V().out().count()", "g.V().in().count()"] {
        let steps = client.results(text)?;
        ensure!(steps == [json!(edges.len())], "{} edges, and {text} is {steps:?}", edges.len());
    }
    audit::compare(model, &elements).context("elements of the graph")?;
    Ok(())
}

/// A client that writes traversals.
pub struct GraphWriter {
    number: u64,
    client: GraphClient,
    random: Random,
}

/// A traversal, its variables, and what it makes of which elements.
type Change = (String, Value, Vec<(Name, Option<u64>)>);

impl GraphWriter {
    /// `number` tells its elements from those of others.
    pub fn new(number: u64, client: GraphClient, random: Random) -> Self {
        GraphWriter { number, client, random }
    }

    /// Writes until `stop`, or until the server is gone.
    pub fn write_until(mut self, model: &mut Model, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) && self.write(model) {}
    }

    /// One traversal; false once the server is gone.
    fn write(&mut self, model: &mut Model) -> bool {
        model.next += 1;
        let (text, variables, change) = match self.random.below(4) {
            0 => self.change(model).unwrap_or_else(|| self.addition(model.next)),
            _ => self.addition(model.next),
        };
        match self.client.ask(&text, &variables) {
            Ok(Ok(_)) => {
                model.known.extend(change);
                true
            }
            Ok(Err(refusal)) => {
                // Nothing in these traversals may be refused; the audit reports what it finds instead.
                println!("unexpected answer to {text}: {refusal}");
                true
            }
            Err(_) => {
                model.pending.push(change);
                false
            }
        }
    }

    /// Vertices in a row, each with an edge from the one before it.
    fn addition(&mut self, version: u64) -> Change {
        let (mut text, mut variables, mut change) = ("g".to_owned(), json!({"n": version}), Vec::new());
        let mut before = None;
        for at in 0..=self.random.below(MAX_ADDED) {
            let partition = format!("p{}", self.random.below(PARTITIONS));
            let (vertex, edge) =
                (format!("{}-v{version}-{at}", self.number), format!("{}-e{version}-{at}", self.number));
            text.push_str(&format!(
                ".addV('v').property(id, v{at}).property('pk', p{at}).property('n', n).as('v{at}')"
            ));
            variables[format!("v{at}")] = json!(vertex);
            variables[format!("p{at}")] = json!(partition);
            change.push(((partition.clone(), vertex), Some(version)));
            if let Some((last, its_partition)) = before {
                text.push_str(&format!(
                    ".addE('next').property(id, e{at}).property('n', n).from('v{last}').to('v{at}')"
                ));
                variables[format!("e{at}")] = json!(edge);
                change.push(((its_partition, edge), Some(version)));
            }
            before = Some((at, partition));
        }
        (text, variables, change)
    }

    /// Another version of an element that is there, or the end of an edge.
    fn change(&mut self, model: &Model) -> Option<Change> {
        let there: Vec<&Name> =
            model.known.iter().filter(|(_, version)| version.is_some()).map(|(name, _)| name).collect();
        let name = *there.get(usize::try_from(self.random.below(there.len().max(1) as u64)).ok()?)?;
        let is_edge = name.1.contains("-e");
        let is_dropped = is_edge && self.random.below(2) == 0;
        let (start, end) = (if is_edge { "E" } else { "V" }, if is_dropped { "drop()" } else { "property('n', n)" });
        let variables = json!({"p": name.0, "x": name.1, "n": model.next});
        Some((format!("g.{start}([p, x]).{end}"), variables, vec![(name.clone(), (!is_dropped).then_some(model.next))]))
    }
}
