//! What the index costs writes, and what writes cost queries.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::{load, report};
use super::data::{self, PER_BUCKET};
use crate::http::Client;
use crate::server::Server;

/// Documents of one bulk request.
const PER_REQUEST: usize = 100;
/// Connections that send them.
const LOADERS: usize = 8;
/// Bulk requests prepared for each second: more than are sent.
const PREPARED_PER_SECOND: usize = 1_000;
/// Documents that the update-heavy load writes over and over.
const UPDATED: usize = 20_000;

/// Measures servers with the default index, and without any.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let indexed = measure(binary, seconds, true)?;
    let plain = measure(binary, seconds, false)?;
    let ratio = |a: f64, b: f64| format!("{:.2}", a / b);
    report("documents inserted per second, indexed by default", &format!("{:.0}", indexed.inserts), "");
    report("  to the rate without an index", &ratio(indexed.inserts, plain.inserts), ">= 0.40");
    report("  the same until all of it is found by the index", &ratio(indexed.until_found, plain.inserts), "");
    report("documents updated per second, to without an index", &ratio(indexed.updates, plain.updates), ">= 0.40");
    report("bytes on disk per document with the index, to without", &ratio(indexed.bytes, plain.bytes), "");
    let (p50, p99) = indexed.latency;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    report(
        "indexed query with 10 hits while documents are inserted",
        &format!("{:.2}/{:.2} ms", milliseconds(p50), milliseconds(p99)),
        "",
    );
    Ok(())
}

struct Figures {
    inserts: f64,
    until_found: f64,
    updates: f64,
    /// On disk, per document.
    bytes: f64,
    latency: (Duration, Duration),
}

fn measure(binary: &Path, seconds: u64, indexed: bool) -> anyhow::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let server = Server::start_in(binary, folder.path(), &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    data::create_database(&mut client)?;
    let policy = (!indexed).then(|| json!({"indexingMode": "none", "automatic": false}));
    for name in ["inserts", "updates"] {
        data::create_container(&mut client, name, 400, policy.clone())?;
    }
    let total = PREPARED_PER_SECOND * seconds as usize * PER_REQUEST;
    let requests = (0..total / PER_REQUEST)
        .map(|block| data::bulk_request(&client, "inserts", block * PER_REQUEST..(block + 1) * PER_REQUEST, total))
        .collect::<Result<Vec<_>, _>>()?;
    let done = AtomicBool::new(false);
    let (rate, latency, started) = std::thread::scope(|scope| -> anyhow::Result<_> {
        let watcher = scope.spawn(|| watch(&server, &done, indexed, total));
        let started = Instant::now();
        let rate = drive(&client, seconds, requests);
        done.store(true, Ordering::Relaxed);
        let latency = watcher.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the watcher panicked")))?;
        Ok((rate?, latency, started))
    })?;
    let count = rate * seconds as f64;
    if indexed {
        data::query(&mut client, "inserts", "SELECT VALUE COUNT(1) FROM c WHERE c.n = 7", &json!([]), None)?;
    }
    let until_found = count / started.elapsed().as_secs_f64();
    data::fill(&server.ready.sql, &server.ready.key, "updates", UPDATED)?;
    let requests = (0..PREPARED_PER_SECOND * seconds as usize)
        .map(|block| {
            let first = block * PER_REQUEST % UPDATED;
            data::bulk_request(&client, "updates", first..first + PER_REQUEST, UPDATED)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let updates = drive(&client, seconds, requests)?;
    drop(server);
    let bytes = size_of(folder.path())? as f64 / (count + UPDATED as f64);
    Ok(Figures { inserts: rate, until_found, updates, bytes, latency })
}

/// Documents written per second.
fn drive(client: &Client, seconds: u64, requests: Vec<Vec<u8>>) -> anyhow::Result<f64> {
    let mut requests = requests.into_iter();
    let outcome = load::run(client.authority(), LOADERS, seconds, "200", move || requests.next().unwrap_or_default())?;
    Ok(outcome.per_second * PER_REQUEST as f64)
}

/// Asks the index for documents that were written some time ago, until the load is done.
fn watch(server: &Server, done: &AtomicBool, indexed: bool, total: usize) -> anyhow::Result<(Duration, Duration)> {
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    let mut times = vec![Duration::ZERO];
    while indexed && !done.load(Ordering::Relaxed) {
        let parameters = json!([{"name": "@bucket", "value": times.len() * 31 % (total / PER_BUCKET)}]);
        let started = Instant::now();
        data::query(&mut client, "inserts", "SELECT c.id FROM c WHERE c.bucket = @bucket", &parameters, None)?;
        times.push(started.elapsed());
        std::thread::sleep(Duration::from_millis(20));
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    Ok((at(0.5), at(0.99)))
}

fn size_of(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size_of(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
