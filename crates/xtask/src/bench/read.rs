//! Point reads over HTTP, against hyper alone returning the same bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use serde_json::json;

use super::{CONNECTIONS, idle_seconds, load, processor_seconds, report};
use crate::http::Client;
use crate::server::Server;

/// Items that are read in turn: all fit the cache, as hot items do.
const ITEMS: usize = 10_000;

pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    super::write::create_container(&mut client)?;
    for number in 0..ITEMS {
        let document = super::write::document(number);
        let key = json!([document["pk"]]).to_string();
        let made = client.call(
            "POST",
            "docs",
            "dbs/bench/colls/items",
            "dbs/bench/colls/items/docs",
            &[("x-ms-documentdb-partitionkey", &key)],
            Some(&document),
        )?;
        anyhow::ensure!(made.status == 201, "{} {}", made.status, made.body);
    }
    let requests: Vec<Vec<u8>> = (0..ITEMS)
        .map(|number| {
            let document = super::write::document(number);
            let link = format!("dbs/bench/colls/items/docs/{}", document["id"].as_str().unwrap_or_default());
            let key = json!([document["pk"]]).to_string();
            client.request("GET", "docs", &link, &link, &[("x-ms-documentdb-partitionkey", &key)], None)
        })
        .collect::<Result<_, _>>()?;
    let reply = one_reply(client.authority(), &requests[0])?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("reply");
    std::fs::write(&file, reply)?;
    let bare = Bare::start(&file)?;
    // The machine's pace changes within seconds, so both are measured in turn, and the middle of the ratios counts.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..seconds.max(MIN_ROUNDS) {
        ours.push(round(client.authority(), server.pid(), &requests)?);
        theirs.push(round(&bare.authority, bare.child.id(), &requests)?);
    }
    let ratios = ours.iter().zip(&theirs).map(|(ours, theirs)| ours.load.per_second / theirs.load.per_second);
    let of = |rounds: &[Round], figure: fn(&Round) -> f64| median(rounds.iter().map(figure));
    report("point reads per second", &format!("{:.0}", of(&ours, |round| round.load.per_second)), "");
    let bare_rate = of(&theirs, |round| round.load.per_second);
    report("  the same bytes from hyper alone", &format!("{bare_rate:.0}"), "");
    report("  ratio", &format!("{:.2}", median(ratios)), ">= 0.70");
    for (what, figure) in [
        ("  server's processor time per read, hyper's", (|round| round.server_micros) as fn(&Round) -> f64),
        ("  the load's, with hyper", |round| round.load_micros),
        ("  idle processors', with hyper", |round| round.idle_micros),
    ] {
        report(what, &format!("{:.1}/{:.1} µs", of(&ours, figure), of(&theirs, figure)), "");
    }
    let (p50, p99) =
        (of(&ours, |round| round.load.p50.as_secs_f64() * 1e3), of(&ours, |round| round.load.p99.as_secs_f64() * 1e3));
    report("  p50 / p99", &format!("{p50:.2}/{p99:.2} ms"), "");
    Ok(())
}

/// Rounds of a second for each of both, at the least.
const MIN_ROUNDS: u64 = 5;

/// A second of load on one of both, and what the processors did for each read.
struct Round {
    load: load::Outcome,
    server_micros: f64,
    load_micros: f64,
    idle_micros: f64,
}

fn round(authority: &str, pid: u32, requests: &[Vec<u8>]) -> anyhow::Result<Round> {
    let load_pid = std::process::id();
    let seconds = || anyhow::Ok([processor_seconds(pid)?, processor_seconds(load_pid)?, idle_seconds()?]);
    let (requests, mut at) = (requests.to_vec(), 0);
    let before = seconds()?;
    let load = load::run(authority, CONNECTIONS, 1, "200", move || {
        at = (at + 1) % requests.len();
        requests[at].clone()
    })?;
    let after = seconds()?;
    let micros = |index: usize| (after[index] - before[index]) * 1e6 / load.per_second;
    Ok(Round { server_micros: micros(0), load_micros: micros(1), idle_micros: micros(2), load })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn one_reply(authority: &str, request: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(authority)?;
    stream.write_all(request)?;
    stream.set_read_timeout(Some(std::time::Duration::from_millis(300)))?;
    let mut reply = Vec::new();
    // The connection stays open, so that the read ends by its timeout.
    drop(stream.read_to_end(&mut reply));
    anyhow::ensure!(reply.starts_with(b"HTTP/1.1 200"), "unexpected reply: {}", String::from_utf8_lossy(&reply));
    Ok(reply)
}

struct Bare {
    authority: String,
    child: Child,
}

impl Bare {
    fn start(reply: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["bench", "--serve-bare"])
            .arg(reply)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
        Ok(Bare { authority: format!("127.0.0.1:{}", line.trim()), child })
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
