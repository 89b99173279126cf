//! The same query of a partition in a small table and in a large one.

use std::time::{Duration, Instant};

use super::super::{report, resident_mib};
use super::{FEW, MANY, PER_PARTITION, data, queries};
use crate::http::Client;
use crate::server::Server;
use crate::tables::{Account, EMULATOR_KEY};

/// Loads of each table, in turns, so that what else the machine does meets both.
const TURNS: usize = 3;

/// Fills a table with many entities and compares it with `few`, which is there.
pub fn run(account: &Account, server: &Server, seconds: u64) -> anyhow::Result<()> {
    data::create_table(account, "many")?;
    let started = Instant::now();
    data::fill(account, "many", MANY)?;
    let rate = MANY as f64 / started.elapsed().as_secs_f64();
    report("entities inserted per second in batches of 100", &format!("{rate:.0}"), "");
    report("  memory after a million", &format!("{:.0} MiB", resident_mib(server.pid())?), "");
    // What the store does behind such a load is not what is measured here.
    std::thread::sleep(Duration::from_secs(5));
    check(account)?;
    let small = requests(account, "few", FEW, PER_PARTITION)?;
    // As many partitions as of the small table, from all over: the size is compared, and not how much of it a cache holds.
    let large = requests(account, "many", MANY, MANY / FEW * PER_PARTITION)?;
    queries(account, 1, large.clone())?;
    let (mut few, mut many) = (0.0, 0.0);
    for _ in 0..TURNS {
        few += queries(account, seconds, small.clone())?.per_second;
        many += queries(account, seconds, large.clone())?.per_second;
    }
    report("partition query of 100 entities: 1 M to 10 k", &format!("{:.2}", few / many), "<= 1.30");
    let all = queries(account, seconds, requests(account, "many", MANY, PER_PARTITION)?)?;
    let share = few / TURNS as f64 / all.per_second;
    report("  over all partitions, most of them not cached", &format!("{share:.2}"), "");
    Ok(())
}

fn requests(account: &Account, table: &str, total: usize, step: usize) -> anyhow::Result<Vec<Vec<u8>>> {
    (0..total).step_by(step).map(|number| data::partition_query(account, table, number)).collect()
}

/// A partition of the large table is there, whole.
fn check(account: &Account) -> anyhow::Result<()> {
    let mut client = Client::new(account.authority(), EMULATOR_KEY)?;
    let reply = client.send(&data::partition_query(account, "many", MANY / 2)?)?;
    let found = reply.body["value"].as_array().map_or(0, Vec::len);
    anyhow::ensure!(reply.status == 200 && found == PER_PARTITION, "{} with {found} entities", reply.status);
    Ok(())
}
