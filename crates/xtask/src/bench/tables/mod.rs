//! The Table API beside Azurite, under the same load with the same data, and a query's cost against the size of its table.
//!
//! Azurite keeps everything in memory here, and the server under measurement everything durable.

mod azurite;
mod data;
mod growth;

use std::path::Path;

use self::azurite::Azurite;
use super::rounds::{Pair, Round, round};
use super::{CONNECTIONS, floor, load, report, wait_until_calm};
use crate::server::Server;
use crate::tables::Account;

/// Entities of a table that fits any cache.
const FEW: usize = 10_000;
/// Entities of a large one.
const MANY: usize = 1_000_000;
/// Entities of one partition, and so of a batch: as many as the service takes.
const PER_PARTITION: usize = 100;
/// Inserts prepared for a second of load, more than are sent.
const PREPARED: usize = 60_000;
/// Inserts for one of Azurite's.
const INSERT_GOAL: f64 = 10.0;
/// What an entity takes in the store.
const ENTITY_BYTES: [usize; 1] = [870];
/// What 99 of 100 requests may take at the most.
const P99_GOAL: &str = "<= 10 ms";

/// Measures both.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let azurite = Azurite::start()?;
    let mut ours = Side::fill(Account::of_emulator(&server.ready.azurite)?, server.pid())?;
    let mut theirs = Side::fill(Account::of_emulator(&azurite.endpoint)?, azurite.pid())?;
    let mut pairs = Vec::new();
    for (name, goal, load) in [
        ("entities read per second by their keys", ">= 15", Side::read as fn(&mut Side) -> anyhow::Result<Round>),
        ("entities inserted per second, durable", ">= 10", Side::insert),
        ("partition queries of 100 entities per second", ">= 10", Side::query),
    ] {
        let pair = Pair::in_turn(seconds, || load(&mut ours), || load(&mut theirs))?;
        compare(name, &pair, goal);
        pairs.push(pair);
    }
    drop(azurite);
    if let [read, insert, ..] = &pairs[..] {
        floor::compare(read, insert, &ENTITY_BYTES, INSERT_GOAL, seconds)?;
    }
    growth::run(&ours.account, &server, seconds)
}

/// One of the servers, with a table of [`FEW`] entities and one to insert into.
struct Side {
    account: Account,
    pid: u32,
    inserted: usize,
}

impl Side {
    fn fill(account: Account, pid: u32) -> anyhow::Result<Self> {
        data::create_table(&account, "few")?;
        data::create_table(&account, "inserts")?;
        data::fill(&account, "few", FEW)?;
        Ok(Side { account, pid, inserted: 0 })
    }

    fn read(&mut self) -> anyhow::Result<Round> {
        let reads = (0..FEW).map(|number| data::point_read(&self.account, "few", number));
        self.round("200", reads.collect::<Result<_, _>>()?)
    }

    fn query(&mut self) -> anyhow::Result<Round> {
        let queries = data::partitions(FEW).map(|number| data::partition_query(&self.account, "few", number));
        self.round("200", queries.collect::<Result<_, _>>()?)
    }

    /// New entities, behind those of the rounds before; and what they leave to be done, for the next round is the other server's.
    fn insert(&mut self) -> anyhow::Result<Round> {
        let numbers = self.inserted..self.inserted + PREPARED;
        self.inserted = numbers.end;
        let inserts = numbers.map(|number| data::insert(&self.account, "inserts", number));
        let round = self.round("204", inserts.collect::<Result<_, _>>()?)?;
        wait_until_calm(self.pid)?;
        Ok(round)
    }

    fn round(&self, expected: &'static str, requests: Vec<Vec<u8>>) -> anyhow::Result<Round> {
        let send = || load::run(self.account.authority(), CONNECTIONS, 1, expected, load::in_turn(requests));
        round(self.pid, send)
    }
}

fn compare(name: &str, pair: &Pair, goal: &str) {
    let (ours, theirs) = pair.figure(|round| round.load.per_second);
    report(name, &format!("{ours:.0}"), "");
    report("  Azurite's, in memory", &format!("{theirs:.0}"), "");
    report("  ratio", &format!("{:.1}", pair.ratio()), goal);
    report("  p99", &format!("{:.2} ms", pair.milliseconds(|load| load.p99).0), P99_GOAL);
    let (ours, theirs) = pair.milliseconds(|load| load.p50);
    report("  p50, and Azurite's", &format!("{ours:.2}/{theirs:.1} ms"), "");
    pair.report_processors("Azurite");
}

/// Requests sent for some time, all answered with 200.
fn queries(account: &Account, seconds: u64, requests: Vec<Vec<u8>>) -> anyhow::Result<load::Outcome> {
    load::run(account.authority(), CONNECTIONS, seconds, "200", load::in_turn(requests))
}
