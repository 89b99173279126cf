//! The same queries over few items and over many: what follows the result costs the same.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::{report, resident_mib};
use super::data::{self, PER_BUCKET, PER_PARTITION};
use super::{FEW, MANY};
use crate::http::Client;
use crate::server::Server;

/// Queries of each kind and size; the median counts.
const SAMPLES: usize = 300;

/// Fills `folder` with the containers `few` and `many` and compares queries on them.
pub fn run(binary: &Path, folder: &Path) -> anyhow::Result<()> {
    let server = Server::start_in(binary, folder, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    data::create_database(&mut client)?;
    for (name, total) in [("few", FEW), ("many", MANY)] {
        data::create_container(&mut client, name, 10_000, None)?;
        let started = Instant::now();
        data::fill(&server.ready.sql, &server.ready.key, name, total)?;
        let rate = total as f64 / started.elapsed().as_secs_f64();
        report(&format!("bulk load of {total} documents, per second"), &format!("{rate:.0}"), "");
    }
    // The first look-up catches up with what is not indexed yet; that is not what is measured here.
    by_bucket(&mut client, "many", MANY, 0)?;
    std::thread::sleep(Duration::from_secs(5));
    report("memory after the load", &format!("{:.0} MiB", resident_mib(server.pid())?), "");
    compare(&mut client, "partition query of 100 items: 1 M to 10 k items", "<= 1.30", by_partition)?;
    compare(&mut client, "indexed query with 10 hits: 1 M to 10 k items", "<= 1.50", by_bucket)?;
    compare(&mut client, "the same, of 20 values again and again", "", by_few_buckets)?;
    compare(&mut client, "TOP 10 ORDER BY indexed: 1 M to 10 k items", "<= 1.50", top_10)?;
    let started = Instant::now();
    let groups = data::query(&mut client, "many", GROUPS, &json!([]), None)?;
    anyhow::ensure!(groups.len() == data::CATEGORIES, "{} groups", groups.len());
    report("GROUP BY over 1 M documents", &format!("{:.0} ms", started.elapsed().as_secs_f64() * 1e3), "");
    export(&mut client, server.pid())
}

const GROUPS: &str = "SELECT c.category, COUNT(1) AS n, AVG(c.price) AS price FROM c GROUP BY c.category";

type Sample = fn(&mut Client, &str, usize, usize) -> anyhow::Result<()>;

fn compare(client: &mut Client, name: &str, goal: &str, sample: Sample) -> anyhow::Result<()> {
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for number in 0..SAMPLES {
        for (times, container, total) in [(&mut few, "few", FEW), (&mut many, "many", MANY)] {
            let started = Instant::now();
            sample(client, container, total, number)?;
            times.push(started.elapsed());
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    };
    let (few, many) = (median(&mut few), median(&mut many));
    report(name, &format!("{:.2}", many / few), goal);
    report("  milliseconds, 10 k and 1 M", &format!("{:.2}/{:.2}", few * 1e3, many * 1e3), "");
    Ok(())
}

fn by_partition(client: &mut Client, container: &str, total: usize, number: usize) -> anyhow::Result<()> {
    let partition = data::partition(number * 7_919 % total);
    let rows = data::query(client, container, "SELECT * FROM c", &json!([]), Some(&partition))?;
    anyhow::ensure!(rows.len() == PER_PARTITION, "{} rows", rows.len());
    Ok(())
}

fn by_bucket(client: &mut Client, container: &str, total: usize, number: usize) -> anyhow::Result<()> {
    let bucket = number * 7_919 % (total / PER_BUCKET);
    let parameters = json!([{"name": "@bucket", "value": bucket}]);
    let rows = data::query(client, container, "SELECT * FROM c WHERE c.bucket = @bucket", &parameters, None)?;
    anyhow::ensure!(rows.len() == PER_BUCKET, "{} rows", rows.len());
    Ok(())
}

/// What is left of the difference when the blocks with the hits are cached.
fn by_few_buckets(client: &mut Client, container: &str, total: usize, number: usize) -> anyhow::Result<()> {
    by_bucket(client, container, total, number % 20)
}

fn top_10(client: &mut Client, container: &str, _total: usize, number: usize) -> anyhow::Result<()> {
    let direction = if number.is_multiple_of(2) { "ASC" } else { "DESC" };
    let text = format!("SELECT TOP 10 c.id, c.price FROM c ORDER BY c.price {direction}");
    let rows = data::query(client, container, &text, &json!([]), None)?;
    anyhow::ensure!(rows.len() == 10, "{} rows", rows.len());
    Ok(())
}

/// All documents through one query: memory must not follow the size of the result.
fn export(client: &mut Client, pid: u32) -> anyhow::Result<()> {
    let before = resident_mib(pid)?;
    let (mut rows, mut most) = (0, before);
    let mut failed = None;
    let mut each = |page: Vec<Value>| {
        rows += page.len();
        match resident_mib(pid) {
            Ok(now) => most = most.max(now),
            Err(error) => failed = Some(error),
        }
    };
    data::pages(client, "many", "SELECT * FROM c", &json!([]), None, &mut each)?;
    if let Some(error) = failed {
        return Err(error);
    }
    anyhow::ensure!(rows == MANY, "{rows} rows");
    report("memory that a query of 1 M documents adds at the most", &format!("{:.0} MiB", most - before), "flat");
    Ok(())
}
