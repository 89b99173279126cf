//! The same requests to both servers, one after the other.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::load::{self, Outcome};
use super::super::{CONNECTIONS, processor_seconds, report, resident_mib, wait_until_calm};
use super::air_routes::{AirRoutes, PARTITION_PROPERTY};
use super::gremlin_server::GremlinServer;
use super::socket::{Client, Place, Request, Socket};
use super::{FLAGS, create_graph, graph};
use crate::command::root;
use crate::conformance::shared_folder;
use crate::server::Server;

/// Answers of each kind that both servers must agree on.
const COMPARED: usize = 20;
/// Numbers that lie next to each other are spread over the airports by this.
const STRIDE: usize = 7_919;

/// A traversal, and its variables in request `number`.
struct Kind {
    name: &'static str,
    text: &'static str,
    variables: fn(&AirRoutes, usize) -> Value,
    goal: &'static str,
}

const READS: [Kind; 5] = [
    Kind { name: "g.V(id)", text: "g.V(x)", variables: airport_id, goal: ">= 2.0" },
    Kind { name: "one hop", text: "g.V(x).out('route').values('code')", variables: airport_id, goal: ">= 1.0" },
    Kind {
        name: "two hops, different ones counted",
        text: "g.V(x).out('route').out('route').dedup().count()",
        variables: airport_id,
        goal: ">= 1.0",
    },
    Kind {
        name: "three hops repeated, the first 100",
        text: "g.V(x).repeat(out('route')).times(3).limit(100).count()",
        variables: airport_id,
        goal: ">= 1.0",
    },
    Kind {
        name: "look-up by an indexed property",
        text: "g.V().has('code', x)",
        variables: |routes, number| json!({"x": routes.airports[number * STRIDE % routes.airports.len()].code}),
        goal: ">= 1.0",
    },
];

/// A vertex and an edge to an airport; the last, for it changes the graph.
const WRITE: Kind = Kind {
    name: "a vertex and an edge added",
    text: "g.V(x).as('b').addV('visitor').property(id, y).property('country', z).as('a').addE('visits').from('a').to('b')",
    variables: |routes, number| {
        let airport = &routes.airports[number * STRIDE % routes.airports.len()];
        json!({"x": airport.id, "y": format!("visitor-{number}"), "z": format!("country-{}", number % 250)})
    },
    goal: ">= 2.0",
};

fn airport_id(routes: &AirRoutes, number: usize) -> Value {
    json!({"x": routes.airports[number * STRIDE % routes.airports.len()].id})
}

/// Measures both, if the graph is at hand.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let folder = shared_folder().unwrap_or_else(|| root().join("../shared")).join("data");
    if !AirRoutes::are_in(&folder) {
        println!(
            "skipped: Gremlin beside Gremlin Server, for the air routes are not here; ORRERY_SHARED_DIR names their folder"
        );
        return Ok(());
    }
    let routes = AirRoutes::read(&folder)?;
    let ours = ours(binary, &routes, seconds)?;
    let peer = GremlinServer::start()?;
    // TinkerGraph breaks now and then if many connections create elements at once.
    let theirs = measure(&peer.place, peer.pid(), &routes, 1, seconds)?;
    drop(peer);
    compare(&ours, &theirs)
}

/// Measures ours alone.
pub fn alone(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let folder = shared_folder().unwrap_or_else(|| root().join("../shared")).join("data");
    let figures = ours(binary, &AirRoutes::read(&folder)?, seconds)?;
    for (kind, figure) in READS.iter().chain([&WRITE]).zip(&figures.kinds) {
        let Figure { load: Outcome { per_second, p50, p99, .. }, processor_micros } = figure;
        report(kind.name, &format!("{per_second:.0}/s, {p50:.1?}, {p99:.1?}, {processor_micros:.0} µs"), "");
    }
    report("memory after the load, at the end", &format!("{:.0?} MiB", figures.memory_mib), "");
    Ok(())
}

fn ours(binary: &Path, routes: &AirRoutes, seconds: u64) -> anyhow::Result<Figures> {
    let server = Server::start(binary, &FLAGS)?;
    create_graph(&server, "routes", PARTITION_PROPERTY)?;
    measure(&graph(&server, "routes"), server.pid(), routes, CONNECTIONS, seconds)
}

/// What one server did.
struct Figures {
    loaded_per_second: f64,
    /// After the load, and at the end.
    memory_mib: [f64; 2],
    kinds: Vec<Figure>,
    /// Of each kind of reads, some answers.
    answers: Vec<Vec<Vec<String>>>,
}

struct Figure {
    load: Outcome,
    /// What a request cost the server.
    processor_micros: f64,
}

/// `loaders`: connections that load the graph.
fn measure(place: &Place, pid: u32, routes: &AirRoutes, loaders: usize, seconds: u64) -> anyhow::Result<Figures> {
    let started = Instant::now();
    routes.load(place, loaders)?;
    let loaded_per_second = routes.len() as f64 / started.elapsed().as_secs_f64();
    let mut client = Client::open(place)?;
    let answers = READS.iter().map(|kind| answers(&mut client, kind, routes)).collect::<Result<_, _>>()?;
    wait_until_calm(pid)?;
    let after_load = resident_mib(pid)?;
    let mut kinds = Vec::new();
    for kind in &READS {
        let requests: Vec<_> = (0..routes.airports.len())
            .map(|number| Request::new(kind.text, &(kind.variables)(routes, number)))
            .collect();
        kinds.push(warmed_up(pid, || in_turn(place, &requests, seconds))?);
    }
    let variables = |number| (WRITE.variables)(routes, number);
    let mut written = 0;
    kinds.push(warmed_up(pid, || {
        let most = PREPARED_PER_SECOND * seconds as usize;
        let requests: Vec<_> =
            (written..written + most).map(|number| Request::new(WRITE.text, &variables(number))).collect();
        written += most;
        let mut requests = requests.into_iter();
        drive(place, seconds, move || requests.next())
    })?);
    Ok(Figures { loaded_per_second, memory_mib: [after_load, resident_mib(pid)?], kinds, answers })
}

/// Writes prepared for each second of load, more than are sent.
const PREPARED_PER_SECOND: usize = 20_000;

/// The second of two loads: compilers and caches have done their work by then.
fn warmed_up(pid: u32, mut load: impl FnMut() -> anyhow::Result<Outcome>) -> anyhow::Result<Figure> {
    load()?;
    let before = processor_seconds(pid)?;
    let started = Instant::now();
    let load = load()?;
    let requests = load.per_second * started.elapsed().as_secs_f64();
    Ok(Figure { processor_micros: (processor_seconds(pid)? - before) * 1e6 / requests, load })
}

fn in_turn(place: &Place, requests: &[Request], seconds: u64) -> anyhow::Result<Outcome> {
    let (requests, mut at) = (requests.to_vec(), 0);
    drive(place, seconds, move || {
        at = (at + 1) % requests.len();
        Some(requests[at].clone())
    })
}

fn drive(place: &Place, seconds: u64, next: impl FnMut() -> Option<Request> + 'static) -> anyhow::Result<Outcome> {
    load::drive(CONNECTIONS, Some(Duration::from_secs(seconds)), async || Socket::open(place).await, next)
}

/// What some requests are answered with, in an order that does not depend on the server.
fn answers(client: &mut Client, kind: &Kind, routes: &AirRoutes) -> anyhow::Result<Vec<Vec<String>>> {
    (0..COMPARED)
        .map(|number| {
            let results = client.ask(kind.text, &(kind.variables)(routes, number))?;
            let mut shown: Vec<String> = results.iter().map(shown).collect();
            shown.sort_unstable();
            Ok(shown)
        })
        .collect()
}

/// A result without what servers choose themselves, as the ids of properties.
fn shown(result: &Value) -> String {
    match result["@type"].as_str() {
        Some("g:Vertex") => result["@value"]["id"].to_string(),
        _ => result.to_string(),
    }
}

fn compare(ours: &Figures, theirs: &Figures) -> anyhow::Result<()> {
    for (kind, (ours, theirs)) in READS.iter().zip(ours.answers.iter().zip(&theirs.answers)) {
        anyhow::ensure!(ours == theirs, "{}: {ours:?} from the one, {theirs:?} from the other", kind.text);
    }
    let loaded = format!("{:.0}/{:.0}", ours.loaded_per_second, theirs.loaded_per_second);
    report("elements loaded per second, Gremlin Server's", &loaded, "");
    for (kind, (ours, theirs)) in READS.iter().chain([&WRITE]).zip(ours.kinds.iter().zip(&theirs.kinds)) {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        report(&format!("{}, per second", kind.name), &format!("{:.0}", ours.load.per_second), "");
        report("  Gremlin Server's, in memory", &format!("{:.0}", theirs.load.per_second), "");
        report("  ratio", &format!("{:.2}", ours.load.per_second / theirs.load.per_second), kind.goal);
        for (name, time) in [("p50", (|load: &Outcome| load.p50) as fn(&Outcome) -> Duration), ("p99", |load| load.p99)]
        {
            let times = format!("{:.2}/{:.2} ms", milliseconds(time(&ours.load)), milliseconds(time(&theirs.load)));
            report(&format!("  {name}, Gremlin Server's"), &times, "");
        }
        let micros = format!("{:.0}/{:.0} µs", ours.processor_micros, theirs.processor_micros);
        report("  processor time of a request, Gremlin Server's", &micros, "");
    }
    for (at, name) in ["after the load", "at the end"].into_iter().enumerate() {
        let memory = format!("{:.0}/{:.0} MiB", ours.memory_mib[at], theirs.memory_mib[at]);
        report(&format!("memory {name}, Gremlin Server's"), &memory, "");
    }
    Ok(())
}
