//! The same queries over few items and over many: what follows the result costs the same.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::super::{median, report, resident_mib, wait_until_calm};
use super::data::{self, PER_BUCKET, PER_PARTITION};
use super::{FEW, MANY};
use crate::http::Client;
use crate::server::Server;

/// Queries of each kind and size; the median counts.
const SAMPLES: usize = 300;

/// Queries of other values before those of a server in use are measured: they bring what the index and the feed need into the cache.
const WARM_UP: usize = 6_000;

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
    // The first look-up catches up with what is not indexed yet; that is not what is measured here, nor is merging.
    by_bucket(&mut client, "many", MANY, 0)?;
    wait_until_calm(server.pid())?;
    report("memory after the load", &format!("{:.0} MiB", resident_mib(server.pid())?), "");
    let pid = server.pid();
    compare(&mut client, pid, "partition query of 100 items: 1 M to 10 k items", "<= 1.30", by_partition)?;
    compare(&mut client, pid, "indexed query with 10 hits, just after the load", "<= 1.50", by_bucket)?;
    for number in SAMPLES..SAMPLES + WARM_UP {
        by_bucket(&mut client, "few", FEW, number)?;
        by_bucket(&mut client, "many", MANY, number)?;
    }
    compare(&mut client, pid, "the same after 6,000 others: 1 M to 10 k items", "<= 1.50", by_bucket_later)?;
    compare(&mut client, pid, "the same, of 20 values again and again", "", by_few_buckets)?;
    compare(&mut client, pid, "TOP 10 ORDER BY indexed: 1 M to 10 k items", "<= 1.50", top_10)?;
    let started = Instant::now();
    let groups = data::query(&mut client, "many", GROUPS, &json!([]), None)?;
    anyhow::ensure!(groups.len() == data::CATEGORIES, "{} groups", groups.len());
    report("GROUP BY over 1 M documents", &format!("{:.0} ms", started.elapsed().as_secs_f64() * 1e3), "");
    export(&mut client, server.pid())
}

const GROUPS: &str = "SELECT c.category, COUNT(1) AS n, AVG(c.price) AS price FROM c GROUP BY c.category";

type Sample = fn(&mut Client, &str, usize, usize) -> anyhow::Result<()>;

fn compare(client: &mut Client, pid: u32, name: &str, goal: &str, sample: Sample) -> anyhow::Result<()> {
    let (mut few, mut many, mut without_disk) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = Read::default();
    for number in 0..SAMPLES {
        few.push(time(|| sample(client, "few", FEW, number))?);
        let before = Read::by(pid)?;
        let took = time(|| sample(client, "many", MANY, number))?;
        let now = Read::by(pid)?.since(before);
        many.push(took);
        if now.disk_bytes == 0 {
            without_disk.push(took);
        }
        read.calls += now.calls;
        read.disk_bytes += now.disk_bytes;
    }
    let seconds = |times: &[Duration]| median(times).as_secs_f64();
    let (few, many) = (seconds(&few), seconds(&many));
    report(name, &format!("{:.2}", many / few), goal);
    report("  milliseconds, 10 k and 1 M", &format!("{:.2}/{:.2}", few * 1e3, many * 1e3), "");
    let per_query = |figure: u64| figure as f64 / SAMPLES as f64;
    let (calls, kib) = (per_query(read.calls), per_query(read.disk_bytes) / 1024.0);
    report("  1 M: blocks read a query, KiB from the disk", &format!("{calls:.1}/{kib:.1}"), "");
    if (1..SAMPLES).contains(&without_disk.len()) {
        let name = format!("  the {} of {SAMPLES} that needed no disk", without_disk.len());
        report(&name, &format!("{:.2}", seconds(&without_disk) / few), goal);
    }
    Ok(())
}

fn time(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let started = Instant::now();
    run()?;
    Ok(started.elapsed())
}

/// What a process has read: blocks that its cache did not have, and what of it the system's cache did not have either.
#[derive(Clone, Copy, Default)]
struct Read {
    calls: u64,
    disk_bytes: u64,
}

impl Read {
    fn by(pid: u32) -> anyhow::Result<Self> {
        let io = std::fs::read_to_string(format!("/proc/{pid}/io"))?;
        let figure = |name: &str| {
            let line = io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            anyhow::Ok(line.context("no such figure in /proc")?.parse::<u64>()?)
        };
        Ok(Read { calls: figure("syscr")?, disk_bytes: figure("read_bytes")? })
    }

    fn since(self, before: Read) -> Read {
        Read { calls: self.calls - before.calls, disk_bytes: self.disk_bytes - before.disk_bytes }
    }
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

/// Values that no query has asked for yet, but for those of the small container, which have all been asked for.
fn by_bucket_later(client: &mut Client, container: &str, total: usize, number: usize) -> anyhow::Result<()> {
    by_bucket(client, container, total, SAMPLES + WARM_UP + number)
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
