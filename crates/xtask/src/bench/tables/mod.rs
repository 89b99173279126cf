//! The Table API beside Azurite, under the same load with the same data, and a query's cost against the size of its table.
//!
//! Azurite keeps everything in memory here, and the server under measurement everything durable.

mod azurite;
mod data;
mod growth;

use std::path::Path;
use std::time::Duration;

use self::azurite::Azurite;
use super::{CONNECTIONS, load, processor_seconds, report};
use crate::server::Server;
use crate::tables::Account;

/// Entities of a table that fits any cache.
const FEW: usize = 10_000;
/// Entities of a large one.
const MANY: usize = 1_000_000;
/// Entities of one partition, and so of a batch: as many as the service takes.
const PER_PARTITION: usize = 100;
/// Inserts prepared for each second of load, more than are sent.
const PREPARED_PER_SECOND: usize = 30_000;
/// What 99 of 100 requests may take at the most.
const P99_GOAL: &str = "<= 10 ms";

/// Measures both.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let account = Account::of_emulator(&server.ready.azurite)?;
    let ours = measure(&account, server.pid(), seconds)?;
    let azurite = Azurite::start()?;
    let theirs = measure(&Account::of_emulator(&azurite.endpoint)?, azurite.pid(), seconds)?;
    drop(azurite);
    compare("entities read per second by their keys", &ours.read, &theirs.read, ">= 15");
    compare("entities inserted per second, durable", &ours.insert, &theirs.insert, ">= 10");
    compare("partition queries of 100 entities per second", &ours.query, &theirs.query, ">= 10");
    growth::run(&account, &server, seconds)
}

struct Figures {
    read: Figure,
    insert: Figure,
    query: Figure,
}

struct Figure {
    load: load::Outcome,
    /// What a request cost the server.
    processor_micros: f64,
}

/// The same three loads for whichever server has the account.
fn measure(account: &Account, pid: u32, seconds: u64) -> anyhow::Result<Figures> {
    data::create_table(account, "few")?;
    data::create_table(account, "inserts")?;
    data::fill(account, "few", FEW)?;
    let reads = (0..FEW).map(|number| data::point_read(account, "few", number)).collect::<Result<Vec<_>, _>>()?;
    let queries = data::partitions(FEW).map(|number| data::partition_query(account, "few", number));
    let queries = queries.collect::<Result<Vec<_>, _>>()?;
    let inserts = (0..PREPARED_PER_SECOND * seconds as usize).map(|number| data::insert(account, "inserts", number));
    let mut inserts = inserts.collect::<Result<Vec<_>, _>>()?.into_iter();
    let read = cost(pid, seconds, || in_turn(account, seconds, reads))?;
    let query = cost(pid, seconds, || in_turn(account, seconds, queries))?;
    let insert = cost(pid, seconds, || {
        load::run(account.authority(), CONNECTIONS, seconds, "204", move || inserts.next().unwrap_or_default())
    })?;
    Ok(Figures { read, insert, query })
}

fn cost(pid: u32, seconds: u64, load: impl FnOnce() -> anyhow::Result<load::Outcome>) -> anyhow::Result<Figure> {
    let before = processor_seconds(pid)?;
    let load = load()?;
    let used = processor_seconds(pid)? - before;
    Ok(Figure { processor_micros: used * 1e6 / (load.per_second * seconds as f64), load })
}

/// Requests sent again and again, all answered with 200.
fn in_turn(account: &Account, seconds: u64, requests: Vec<Vec<u8>>) -> anyhow::Result<load::Outcome> {
    let mut at = 0;
    load::run(account.authority(), CONNECTIONS, seconds, "200", move || {
        at = (at + 1) % requests.len();
        requests[at].clone()
    })
}

fn compare(name: &str, ours: &Figure, theirs: &Figure, goal: &str) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (load, peer) = (&ours.load, &theirs.load);
    report(name, &format!("{:.0}", load.per_second), "");
    report("  Azurite's, in memory", &format!("{:.0}", peer.per_second), "");
    report("  ratio", &format!("{:.1}", load.per_second / peer.per_second), goal);
    report("  p99", &format!("{:.2} ms", milliseconds(load.p99)), P99_GOAL);
    report("  p50, and Azurite's", &format!("{:.2}/{:.1} ms", milliseconds(load.p50), milliseconds(peer.p50)), "");
    let micros = format!("{:.0}/{:.0} µs", ours.processor_micros, theirs.processor_micros);
    report("  processor time of a request, Azurite's", &micros, "");
}
