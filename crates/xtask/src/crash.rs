//! `cargo xtask crash`: clients write, the server is killed at a random moment, started anew, and everything it had acknowledged
//! is looked up again: items, unique keys, the change feed and the counters, the entities of batches, and the elements of a graph.

mod audit;
mod entities;
mod graph;
mod writer;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::check::binary;
use crate::http::Client;
use crate::server::Server;
use crate::tally::Tally;
use entities::EntityWriter;
use graph::{GraphClient, GraphWriter};
use writer::{Model, Writer};

/// Rounds in `cargo xtask test`.
const CI_ROUNDS: u32 = 50;
/// Clients that write items at the same time.
const WRITERS: u64 = 4;
/// Clients that write batches of entities besides.
const ENTITY_WRITERS: u64 = 2;
/// Clients that write a graph besides.
const GRAPH_WRITERS: u64 = 2;
/// After so many rounds the store starts empty again, so that rounds stay short.
const ROUNDS_PER_FOLDER: u32 = 10;
/// Longest time that a server lives in one round.
const MAX_LIFE_MS: u64 = 300;
pub(crate) const CONTAINER: &str = "dbs/crash/colls/items";

/// What `cargo xtask crash` can be told.
#[derive(Args)]
pub struct CrashArgs {
    /// How often the server is killed
    #[arg(long, default_value_t = 1000)]
    rounds: u32,
    /// Repeats the random choices of an earlier run
    #[arg(long)]
    seed: Option<u64>,
}

/// The check of `cargo xtask test`.
///
/// # Errors
/// If the server does not start.
pub fn in_ci() -> anyhow::Result<Tally> {
    rounds(CI_ROUNDS, None)
}

/// `cargo xtask crash`.
///
/// # Errors
/// If the server does not start.
pub fn run(arguments: &CrashArgs) -> anyhow::Result<ExitCode> {
    let tally = rounds(arguments.rounds, arguments.seed)?;
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(tally.exit_code())
}

fn rounds(count: u32, seed: Option<u64>) -> anyhow::Result<Tally> {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.subsec_nanos();
    let seed = seed.unwrap_or_else(|| u64::from(clock));
    println!("{count} rounds, seed {seed}");
    let binary = binary()?;
    let mut random = Random(seed | 1);
    let mut tally = Tally::default();
    let mut folder = tempfile::tempdir()?;
    let mut models = Models::default();
    for round in 0..count {
        if round % ROUNDS_PER_FOLDER == 0 {
            folder = tempfile::tempdir()?;
            models = Models::default();
            set_up(&binary, folder.path())?;
        }
        models = live_and_die(&binary, folder.path(), models, &mut random)?;
        let server = Server::start_in(&binary, folder.path(), &["--sql-port", "0", "--health-port", "off"])?;
        match audit_all(&server, &mut models) {
            Ok(()) => tally.passed += 1,
            Err(error) => {
                println!("round {round}: {error:#}");
                tally.failed += 1;
            }
        }
    }
    println!(
        "{} of {count} rounds kept every acknowledged write; {} writes, {} batches of entities and {} traversals in the last folder",
        tally.passed,
        models.items.acknowledged(),
        models.entities.acknowledged(),
        models.graph.acknowledged()
    );
    Ok(tally)
}

/// What the clients know of each kind of data.
#[derive(Default)]
struct Models {
    items: Model,
    entities: Model,
    graph: Model,
}

fn audit_all(server: &Server, models: &mut Models) -> anyhow::Result<()> {
    audit::check(&mut client(server)?, &mut models.items)?;
    entities::check(&entities::account(server)?, &mut models.entities)?;
    graph::check(&mut GraphClient::new(server)?, &mut models.graph)
}

/// Writes from several threads until the server is killed; returns what the clients know then.
fn live_and_die(binary: &Path, folder: &Path, models: Models, random: &mut Random) -> anyhow::Result<Models> {
    let mut server = Server::start_in(binary, folder, &["--sql-port", "0", "--health-port", "off"])?;
    let stop = AtomicBool::new(false);
    let life = Duration::from_millis(random.below(MAX_LIFE_MS) + 5);
    let Models { items, entities, graph } = models;
    let (mut items, mut entities) = (items.divide(WRITERS), entities.divide(ENTITY_WRITERS));
    let mut graph = graph.divide(GRAPH_WRITERS);
    std::thread::scope(|scope| {
        let stop = &stop;
        for (part, number) in items.iter_mut().zip(0..) {
            let writer = Writer::new(number, client(&server)?, Random(random.next() | 1));
            scope.spawn(move || writer.write_until(part, stop));
        }
        for (part, number) in entities.iter_mut().zip(0..) {
            let writer = EntityWriter::new(number, entities::account(&server)?, Random(random.next() | 1))?;
            scope.spawn(move || writer.write_until(part, stop));
        }
        for (part, number) in graph.iter_mut().zip(0..) {
            let writer = GraphWriter::new(number, GraphClient::new(&server)?, Random(random.next() | 1));
            scope.spawn(move || writer.write_until(part, stop));
        }
        std::thread::sleep(life);
        server.kill_now()?;
        stop.store(true, Ordering::Relaxed);
        Ok::<_, anyhow::Error>(())
    })?;
    Ok(Models { items: Model::join(items), entities: Model::join(entities), graph: Model::join(graph) })
}

fn set_up(binary: &Path, folder: &Path) -> anyhow::Result<()> {
    let server = Server::start_in(binary, folder, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = client(&server)?;
    client.call("POST", "dbs", "", "dbs", &[], Some(&json!({"id": "crash"})))?;
    let definition = json!({"id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
        "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/email"]}]}});
    let made = client.call(
        "POST",
        "colls",
        "dbs/crash",
        "dbs/crash/colls",
        &[("x-ms-offer-throughput", "40000")],
        Some(&definition),
    )?;
    anyhow::ensure!(made.status == 201, "the container was not created: {} {}", made.status, made.body);
    let path = format!("/{}", graph::PARTITION_PROPERTY);
    let definition = json!({"id": graph::CONTAINER, "partitionKey": {"paths": [path], "kind": "Hash", "version": 2}});
    let made = client.call("POST", "colls", "dbs/crash", "dbs/crash/colls", &[], Some(&definition))?;
    anyhow::ensure!(made.status == 201, "the graph was not created: {} {}", made.status, made.body);
    entities::set_up(&entities::account(&server)?)
}

fn client(server: &Server) -> anyhow::Result<Client> {
    Client::new(&server.ready.sql, &server.ready.key)
}

/// xorshift64*: repeatable choices are all that is asked of it.
pub(crate) struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }
}
