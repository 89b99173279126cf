//! The Gremlin API in the demonstration: airports as vertices, routes as edges, and a few traversals.

use std::collections::{BTreeSet, HashMap};
use std::io::{Write, stdout};
use std::time::Instant;

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::queries::SHOWN_CHARS;
use crate::remote::{Connection, ContainerLink};

/// Replies of the demonstration are far smaller.
const MAX_REPLY_BYTES: usize = 4 << 20;
/// Airports of the graph: all of the sample's would take a while to write one by one.
const MAX_AIRPORTS: usize = 40;
/// Enough for two physical partitions.
const THROUGHPUT_RU: u32 = 20_000;
const AIRPORTS: &str = include_str!("../../../../examples/data/airports.json");
const ROUTES: &str = include_str!("../../../../examples/data/routes.json");

/// What is asked, and what it shows.
const TRAVERSALS: [(&str, &str); 6] = [
    ("one vertex by partition and id", "g.V(['US', 'SEA']).valueMap('city', 'elevationFt')"),
    ("one logical partition", "g.V().has('country', 'US').count()"),
    ("edges that leave one vertex", "g.V(['US', 'SEA']).out('route').values('city').order()"),
    ("two steps away", "g.V(['US', 'SEA']).out('route').out('route').dedup().count()"),
    (
        "the shortest way",
        "g.V(['US', 'SEA']).repeat(out('route').simplePath()).until(hasId('SYD')).limit(1).path().by(id)",
    ),
    ("all partitions", "g.V().groupCount().by('country').order(local).by(values, desc).limit(local, 3)"),
];

/// Writes the graph over the Gremlin API at `endpoint`, and traverses it.
///
/// # Errors
/// If the server refuses, or its answers are not what they should be.
pub async fn show(endpoint: &str, key: &str, sql: &mut Connection) -> anyhow::Result<()> {
    let container = ContainerLink { database: "demo".into(), container: "routes".into() };
    let definition =
        json!({"id": container.container, "partitionKey": {"paths": ["/country"], "kind": "Hash", "version": 2}});
    let definition = definition.as_object().context("a definition is an object")?;
    sql.ensure_database(&container).await?;
    sql.create_container(&container, definition, Some(THROUGHPUT_RU)).await?;
    let mut graph = Graph::connect(endpoint, key, &container).await?;
    let started = Instant::now();
    let (vertices, edges) = load(&mut graph).await?;
    let seconds = started.elapsed().as_secs_f64();
    writeln!(
        stdout(),
        "\nGremlin API, graph demo/routes: {vertices} airports and {edges} routes, written one by one in {seconds:.2} s:"
    )?;
    for (what, text) in TRAVERSALS {
        let started = Instant::now();
        let Answer { rows, charge_ru, partitions } = graph.ask(text, json!({})).await?;
        let elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        let mut out = stdout().lock();
        writeln!(out, "\n  {text}")?;
        let plural = if partitions == 1 { "" } else { "s" };
        writeln!(out, "    -> {what}; {partitions} partition{plural} looked at; {charge_ru} RU; {elapsed_ms:.2} ms")?;
        let rows = Value::Array(rows).to_string();
        let cut: String = rows.chars().take(SHOWN_CHARS).collect();
        writeln!(out, "       {cut}{}", if cut.len() < rows.len() { " …" } else { "" })?;
    }
    Ok(())
}

/// Writes the airports with the most routes, and the routes between them. An earlier demonstration's graph stays as it is.
async fn load(graph: &mut Graph) -> anyhow::Result<(usize, usize)> {
    let airports: Vec<Value> = serde_json::from_str(AIRPORTS)?;
    let routes: Vec<Value> = serde_json::from_str(ROUTES)?;
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut departures = HashMap::<String, usize>::new();
    for route in &routes {
        *departures.entry(text(route, "from")).or_default() += 1;
    }
    let mut airports: Vec<&Value> = airports.iter().collect();
    airports.sort_by_key(|airport| {
        // The traversals go from one of these to the other.
        let is_asked_for = matches!(airport["id"].as_str(), Some("SEA" | "SYD"));
        (!is_asked_for, std::cmp::Reverse(departures.get(&text(airport, "id")).copied().unwrap_or_default()))
    });
    airports.truncate(MAX_AIRPORTS);
    let codes: BTreeSet<String> = airports.iter().map(|airport| text(airport, "id")).collect();
    let country: HashMap<String, String> =
        airports.iter().map(|airport| (text(airport, "id"), text(airport, "country"))).collect();
    let routes: Vec<&Value> = routes
        .iter()
        .filter(|route| codes.contains(&text(route, "from")) && codes.contains(&text(route, "to")))
        .collect();
    let present = graph.ask("g.V().limit(1).count()", json!({})).await?;
    if present.rows != [json!(0)] {
        return Ok((airports.len(), routes.len()));
    }
    for airport in &airports {
        let bindings = json!({"code": airport["id"], "country": airport["country"], "city": airport["city"], "feet": airport["elevationFt"]});
        let add = "g.addV('airport').property('id', code).property('country', country).property('city', city).property('elevationFt', feet)";
        graph.ask(add, bindings).await?;
    }
    for route in &routes {
        let place = |name: &str| json!([country.get(&text(route, name)), route[name]]);
        let bindings = json!({"origin": place("from"), "target": place("to"), "km": route["distanceKm"]});
        graph.ask("g.V(origin).addE('route').to(g.V(target)).property('distanceKm', km)", bindings).await?;
    }
    Ok((airports.len(), routes.len()))
}

/// One connection to the Gremlin API, over plain HTTP.
struct Graph {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
    authorization: String,
}

struct Answer {
    rows: Vec<Value>,
    charge_ru: f64,
    /// Physical partitions looked at, once for each look-up.
    partitions: u64,
}

impl Graph {
    async fn connect(endpoint: &str, key: &str, container: &ContainerLink) -> anyhow::Result<Graph> {
        let authority = endpoint.strip_prefix("ws://").and_then(|rest| rest.strip_suffix("/gremlin"));
        let authority = authority.context("the Gremlin API has a plain address")?.to_owned();
        let stream = TcpStream::connect(&authority).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends with the sender.
        tokio::spawn(connection);
        let credentials = format!("/dbs/{}/colls/{}:{key}", container.database, container.container);
        Ok(Graph { sender, authority, authorization: format!("Basic {}", STANDARD.encode(credentials)) })
    }

    async fn ask(&mut self, text: &str, bindings: Value) -> anyhow::Result<Answer> {
        let body = json!({"gremlin": text, "bindings": bindings}).to_string();
        let request = Request::builder()
            .method(Method::POST)
            .uri("/gremlin")
            .header(HOST, &self.authority)
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))?;
        self.sender.ready().await?;
        let (head, body) = self.sender.send_request(request).await?.into_parts();
        let body = Limited::new(body, MAX_REPLY_BYTES).collect().await.map_err(anyhow::Error::from_boxed)?.to_bytes();
        ensure!(head.status.is_success(), "{text} was answered {}: {}", head.status, String::from_utf8_lossy(&body));
        let mut body: Value = serde_json::from_slice(&body)?;
        let attributes = &body["status"]["attributes"];
        let charge_ru = attributes["x-ms-total-request-charge"].as_f64().unwrap_or_default();
        let partitions = attributes["x-orrery-partitions"].as_u64().unwrap_or_default();
        let rows = body["result"]["data"].as_array_mut().map(std::mem::take).unwrap_or_default();
        Ok(Answer { rows, charge_ru, partitions })
    }
}
