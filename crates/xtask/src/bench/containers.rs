//! Many small containers on one server.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{median, report, resident_mib};
use crate::http::Client;
use crate::server::Server;

const CONTAINERS: usize = 5_000;
const ITEMS: usize = 20;
/// Creations and drops that are averaged at each end.
const SAMPLE: usize = 50;

pub fn run(binary: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let flags = ["--sql-port", "0", "--health-port", "off"];
    let server = Server::start_in(binary, folder.path(), &flags)?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    client.call("POST", "dbs", "", "dbs", &[], Some(&json!({"id": "many"})))?;
    let mut created = Vec::new();
    for number in 0..CONTAINERS {
        created.push(create(&mut client, number)?);
        fill(&mut client, number)?;
    }
    let (first, last) = (median(&created[..SAMPLE]), median(&created[CONTAINERS - SAMPLE..]));
    report(
        "creating a container: last of 5000 to first, median",
        &format!("{:.2}", last.as_secs_f64() / first.as_secs_f64()),
        "<= 2.00",
    );
    report(
        "  milliseconds, first and last",
        &format!("{:.1}/{:.1}", first.as_secs_f64() * 1e3, last.as_secs_f64() * 1e3),
        "",
    );
    let mut dropped = Vec::new();
    for number in 0..SAMPLE {
        let link = format!("dbs/many/colls/c{number}");
        let started = Instant::now();
        let reply = client.call("DELETE", "colls", &link, &link, &[], None)?;
        dropped.push(started.elapsed());
        anyhow::ensure!(reply.status == 204, "{} {}", reply.status, reply.body);
    }
    report(
        "dropping one, worst of 50",
        &format!("{:.1} ms", dropped.iter().max().copied().unwrap_or_default().as_secs_f64() * 1e3),
        "<= 50 ms",
    );
    drop(server);
    let started = Instant::now();
    let server = Server::start_in(binary, folder.path(), &flags)?;
    report(
        "start to ready with 5000 containers",
        &format!("{:.0} ms", started.elapsed().as_secs_f64() * 1e3),
        "<= 1000 ms",
    );
    std::thread::sleep(Duration::from_secs(2));
    report("idle memory with 5000 containers", &format!("{:.0} MiB", resident_mib(server.pid())?), "<= 150 MiB");
    Ok(())
}

fn create(client: &mut Client, number: usize) -> anyhow::Result<Duration> {
    let definition =
        json!({"id": format!("c{number}"), "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    let started = Instant::now();
    let reply = client.call("POST", "colls", "dbs/many", "dbs/many/colls", &[], Some(&definition))?;
    anyhow::ensure!(reply.status == 201, "{} {}", reply.status, reply.body);
    Ok(started.elapsed())
}

fn fill(client: &mut Client, number: usize) -> anyhow::Result<()> {
    let link = format!("dbs/many/colls/c{number}");
    let operations: Vec<Value> = (0..ITEMS)
        .map(|item| json!({"operationType": "Create", "resourceBody": {"id": format!("i{item}"), "pk": "a", "text": "x".repeat(200)}}))
        .collect();
    let headers = [
        ("x-ms-documentdb-partitionkey", "[\"a\"]"),
        ("x-ms-cosmos-is-batch-request", "True"),
        ("x-ms-cosmos-batch-atomic", "True"),
    ];
    let reply = client.call("POST", "docs", &link, &format!("{link}/docs"), &headers, Some(&json!(operations)))?;
    anyhow::ensure!(reply.status == 200, "{} {}", reply.status, reply.body);
    Ok(())
}
