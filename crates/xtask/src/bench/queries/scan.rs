//! A scan with a filter that no index serves, on one processor and on two, against parsing the same documents and against the bare
//! store's own scan.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::report;
use super::{MANY, data};
use crate::command::must;
use crate::http::Client;
use crate::server::Server;

/// Not `=`, `<` or anything else that an index could answer.
const UNINDEXED: &str = "SELECT VALUE COUNT(1) FROM c WHERE CONTAINS(c.field11, 'no document has this')";
/// Documents that are parsed to know what one costs.
const PARSED: usize = 100_000;

/// Measures on the container `many` that [`super::cost`] left in `folder`.
pub fn run(binary: &Path, folder: &Path) -> anyhow::Result<()> {
    let server = Server::start_in(binary, folder, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    let both = best(&mut client)?;
    pin(server.pid(), "0")?;
    let one = best(&mut client)?;
    drop(server);
    let texts: Vec<String> = (0..PARSED).map(|number| data::document(number, MANY).to_string()).collect();
    let started = Instant::now();
    for text in &texts {
        std::hint::black_box(serde_json::from_str::<Value>(text)?);
    }
    let parsing = started.elapsed().mul_f64(MANY as f64 / PARSED as f64);
    let bare = bare_scan(folder)?;
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    report("unindexed filter over 1 M documents, one processor", &format!("{:.0} ms", one.as_secs_f64() * 1e3), "");
    report("  faster than parsing them with serde_json", &format!("{:.1}", ratio(parsing, one)), ">= 20");
    report("  time against the store's bare scan", &format!("{:.2}", ratio(one, bare)), "<= 2.50");
    report("  two parts on two processors, faster than on one", &format!("{:.2}", ratio(one, both)), ">= 1.60");
    Ok(())
}

fn best(client: &mut Client) -> anyhow::Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..4 {
        let started = Instant::now();
        let rows = data::query(client, "many", UNINDEXED, &json!([]), None)?;
        anyhow::ensure!(rows == [json!(0)], "{rows:?}");
        times.push(started.elapsed());
    }
    Ok(times.into_iter().min().unwrap_or_default())
}

/// Confines all threads of a process to some processors.
fn pin(pid: u32, processors: &str) -> anyhow::Result<()> {
    let mut command = Command::new("taskset");
    command.args(["--all-tasks", "--cpu-list", "--pid", processors]).arg(pid.to_string());
    must(command.stdout(std::process::Stdio::null()))
}

/// Reads every key and value of the items on one thread, with nothing done to them.
fn bare_scan(folder: &Path) -> anyhow::Result<Duration> {
    let database = fjall::Database::builder(folder.join("store")).open()?;
    let items = database.keyspace("items-1", fjall::KeyspaceCreateOptions::default)?;
    let mut times = Vec::new();
    for _ in 0..3 {
        let started = Instant::now();
        let (mut count, mut bytes) = (0_usize, 0_usize);
        for row in items.iter() {
            let (key, value) = row.into_inner()?;
            count += 1;
            bytes += key.len() + value.len();
        }
        std::hint::black_box(bytes);
        anyhow::ensure!(count >= MANY, "{count} items in the folder");
        times.push(started.elapsed().mul_f64(MANY as f64 / count as f64));
    }
    Ok(times.into_iter().min().unwrap_or_default())
}
