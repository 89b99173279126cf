//! The same requests to both servers, a second of one and a second of the other.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::super::load::{self, Outcome};
use super::super::rounds::{Pair, Round, round};
use super::super::{CONNECTIONS, report, resident_mib, wait_until_calm};
use super::air_routes::{AirRoutes, PARTITION_PROPERTY};
use super::bare::{self, Work};
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
    /// Whether it changes the graph, so that no request may be sent twice.
    writes: bool,
}

const KINDS: [Kind; 6] = [
    Kind { name: "g.V(id)", text: "g.V(x)", variables: airport_id, goal: ">= 2.0", writes: false },
    Kind {
        name: "one hop",
        text: "g.V(x).out('route').values('code')",
        variables: airport_id,
        goal: ">= 1.0",
        writes: false,
    },
    Kind {
        name: "two hops, different ones counted",
        text: "g.V(x).out('route').out('route').dedup().count()",
        variables: airport_id,
        goal: ">= 1.0",
        writes: false,
    },
    Kind {
        name: "three hops repeated, the first 100",
        text: "g.V(x).repeat(out('route')).times(3).limit(100).count()",
        variables: airport_id,
        goal: ">= 1.0",
        writes: false,
    },
    Kind {
        name: "look-up by an indexed property",
        text: "g.V().has('code', x)",
        variables: |routes, number| json!({"x": routes.airports[number * STRIDE % routes.airports.len()].code}),
        goal: ">= 1.0",
        writes: false,
    },
    Kind {
        name: "a vertex and an edge added",
        text: ADD,
        variables: |routes, number| {
            let airport = &routes.airports[number * STRIDE % routes.airports.len()];
            json!({"x": airport.id, "y": format!("visitor-{number}"), "z": format!("country-{}", number % 250)})
        },
        goal: ">= 2.0",
        writes: true,
    },
];

/// A vertex and an edge to an airport.
const ADD: &str =
    "g.V(x).as('b').addV('visitor').property(id, y).property('country', z).as('a').addE('visits').from('a').to('b')";

/// Adds for one of the peer's.
const ADD_GOAL: f64 = 2.0;

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
    let server = Server::start(binary, &FLAGS)?;
    let mut ours = Side::of_server(&server, &routes)?;
    let peer = GremlinServer::start()?;
    // TinkerGraph breaks now and then if many connections create elements at once.
    let mut theirs = Side::fill(peer.place.clone(), peer.pid(), &routes, 1)?;
    let loaded = format!("{:.0}/{:.0}", ours.loaded_per_second, theirs.loaded_per_second);
    report("elements loaded per second, Gremlin Server's", &loaded, "");
    report_memory("after the load", &ours, &theirs)?;
    for kind in KINDS.iter().filter(|kind| !kind.writes) {
        compare_answers(kind, &ours, &theirs)?;
    }
    let mut pairs = Vec::new();
    for kind in &KINDS {
        for _ in 0..WARM_UP {
            ours.round(kind)?;
            theirs.round(kind)?;
        }
        for _ in WARM_UP..theirs_warm_up(kind) {
            theirs.round(kind)?;
        }
        let pair = Pair::in_turn(seconds, || ours.round(kind), || theirs.round(kind))?;
        compare(kind, &pair);
        pairs.push(pair);
    }
    report_memory("at the end", &ours, &theirs)?;
    drop((server, peer));
    match &pairs[..] {
        [read, .., write] => compare_bare(read, write, &routes, seconds),
        _ => Ok(()),
    }
}

/// What an add takes at the least, of which a read is a part: the read, and writing its rows into the bare store.
fn compare_bare(read: &Pair, write: &Pair, routes: &AirRoutes, seconds: u64) -> anyhow::Result<()> {
    let bare = [bare::start(Work::Adds)?, bare::start(Work::Nothing)?];
    let [mut adds, mut nothing] = bare.each_ref().map(|bare| {
        let (place, pid) = (Place { authority: bare.authority.clone(), login: None }, bare.pid());
        Side { place, pid, routes, loaded_per_second: 0.0, written: 0 }
    });
    let kind = KINDS.iter().find(|kind| kind.writes).context("there is a load that writes")?;
    let pair = Pair::in_turn(seconds, || adds.round(kind), || nothing.round(kind))?;
    let (per_second, _) = pair.figure(|round| round.load.per_second);
    let theirs = write.figure(|round| round.load.per_second).1;
    report("such rows by bare fjall behind a WebSocket, per second", &format!("{per_second:.0}"), "");
    report("  for one of Gremlin Server's", &format!("{:.2}", per_second / theirs), "");
    let micros = |pair: &Pair| pair.figure(|round| round.server_micros + round.load_micros);
    let ((with, without), of_read) = (micros(&pair), micros(read).0);
    let processors = std::thread::available_parallelism()?.get();
    let all = processors as f64 * 1e6 / (ADD_GOAL * theirs);
    report("  processor time, and without writing", &format!("{with:.1}/{without:.1} µs"), "");
    report("  of the writing and g.V(id) with its load", &format!("{:.1} µs", with - without + of_read), "");
    report(&format!("  all that there is at {ADD_GOAL} times the peer's pace"), &format!("{all:.1} µs"), "");
    Ok(())
}

/// Measures ours alone.
pub fn alone(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let folder = shared_folder().unwrap_or_else(|| root().join("../shared")).join("data");
    let routes = AirRoutes::read(&folder)?;
    let server = Server::start(binary, &FLAGS)?;
    let mut ours = Side::of_server(&server, &routes)?;
    for kind in &KINDS {
        for _ in 0..=seconds {
            let Round { load, server_micros, load_micros, idle_micros } = ours.round(kind)?;
            let Outcome { per_second, p50, p99 } = load;
            let processors = format!("{server_micros:.0} + {load_micros:.0} + {idle_micros:.0} µs");
            report(kind.name, &format!("{per_second:.0}/s, {p50:.1?}, {p99:.1?}, {processors}"), "");
        }
    }
    report("memory at the end", &format!("{:.0} MiB", resident_mib(server.pid())?), "");
    Ok(())
}

/// Seconds of load before those that count: compilers and caches have done their work by then.
const WARM_UP: usize = 5;
/// The peer's where it creates elements: 2,000 requests in the first second, 9,000 in the fifth, 18,000 from the twelfth on.
const WARM_UP_OF_WRITES: usize = 15;
/// Writes prepared for a second of load, more than are sent.
const PREPARED: usize = 60_000;

fn theirs_warm_up(kind: &Kind) -> usize {
    if kind.writes { WARM_UP_OF_WRITES } else { WARM_UP }
}

/// One of the servers, with the graph.
struct Side<'a> {
    place: Place,
    pid: u32,
    routes: &'a AirRoutes,
    loaded_per_second: f64,
    /// How many writes were prepared.
    written: usize,
}

impl<'a> Side<'a> {
    fn of_server(server: &Server, routes: &'a AirRoutes) -> anyhow::Result<Self> {
        create_graph(server, "routes", PARTITION_PROPERTY)?;
        Self::fill(graph(server, "routes"), server.pid(), routes, CONNECTIONS)
    }

    /// `loaders`: connections that load the graph.
    fn fill(place: Place, pid: u32, routes: &'a AirRoutes, loaders: usize) -> anyhow::Result<Self> {
        let started = Instant::now();
        routes.load(&place, loaders)?;
        let loaded_per_second = routes.len() as f64 / started.elapsed().as_secs_f64();
        wait_until_calm(pid)?;
        Ok(Side { place, pid, routes, loaded_per_second, written: 0 })
    }

    /// A second of requests; and what writes leave to be done, for the next round is the other server's.
    fn round(&mut self, kind: &Kind) -> anyhow::Result<Round> {
        let request = |number| Request::new(kind.text, &(kind.variables)(self.routes, number));
        if kind.writes {
            let numbers = self.written..self.written + PREPARED;
            self.written = numbers.end;
            let mut requests = numbers.map(request).collect::<Vec<_>>().into_iter();
            let round = round(self.pid, || drive(&self.place, move || requests.next()))?;
            wait_until_calm(self.pid)?;
            return Ok(round);
        }
        let mut next = load::in_turn((0..self.routes.airports.len()).map(request).collect());
        round(self.pid, || drive(&self.place, move || Some(next())))
    }
}

fn drive(place: &Place, next: impl FnMut() -> Option<Request> + 'static) -> anyhow::Result<Outcome> {
    load::drive(CONNECTIONS, Some(Duration::from_secs(1)), async || Socket::open(place).await, next)
}

/// Both must answer the same.
fn compare_answers(kind: &Kind, ours: &Side<'_>, theirs: &Side<'_>) -> anyhow::Result<()> {
    let [ours, theirs] = [answers(ours, kind)?, answers(theirs, kind)?];
    anyhow::ensure!(ours == theirs, "{}: {ours:?} from the one, {theirs:?} from the other", kind.text);
    Ok(())
}

/// What some requests are answered with, in an order that does not depend on the server.
fn answers(side: &Side<'_>, kind: &Kind) -> anyhow::Result<Vec<Vec<String>>> {
    let mut client = Client::open(&side.place)?;
    (0..COMPARED)
        .map(|number| {
            let results = client.ask(kind.text, &(kind.variables)(side.routes, number))?;
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

fn compare(kind: &Kind, pair: &Pair) {
    let (ours, theirs) = pair.figure(|round| round.load.per_second);
    report(&format!("{}, per second", kind.name), &format!("{ours:.0}"), "");
    report("  Gremlin Server's, in memory", &format!("{theirs:.0}"), "");
    report("  ratio", &format!("{:.2}", pair.ratio()), kind.goal);
    for (name, time) in [("p50", (|load| load.p50) as fn(&Outcome) -> Duration), ("p99", |load| load.p99)] {
        let (ours, theirs) = pair.milliseconds(time);
        report(&format!("  {name}, Gremlin Server's"), &format!("{ours:.2}/{theirs:.2} ms"), "");
    }
    pair.report_processors("Gremlin Server");
}

fn report_memory(when: &str, ours: &Side<'_>, theirs: &Side<'_>) -> anyhow::Result<()> {
    let memory = format!("{:.0}/{:.0} MiB", resident_mib(ours.pid)?, resident_mib(theirs.pid)?);
    report(&format!("memory {when}, Gremlin Server's"), &memory, "");
    Ok(())
}
