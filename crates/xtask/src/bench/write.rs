//! Durable single writes over HTTP, against the bare store with one committer writing the same bytes.

use std::path::Path;

use serde_json::{Value, json};

use super::{CONNECTIONS, load, raw_store, report};
use crate::http::Client;
use crate::server::Server;

/// Requests are prepared before the clock starts; so many are more than any load uses up.
const PREPARED_PER_SECOND: u64 = 60_000;
/// What an item of the load takes in the store.
const STORED_BYTES: usize = 25 + 1_350;

pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    create_container(&mut client)?;
    let prepared = (PREPARED_PER_SECOND * seconds) as usize;
    let mut requests = (0..prepared)
        .map(|number| {
            let document = document(number);
            let key = json!([document["pk"]]).to_string();
            let headers = [("x-ms-documentdb-partitionkey", key.as_str()), ("prefer", "return=minimal")];
            client.request(
                "POST",
                "docs",
                "dbs/bench/colls/items",
                "dbs/bench/colls/items/docs",
                &headers,
                Some(&document),
            )
        })
        .collect::<Result<Vec<_>, _>>()?
        .into_iter();
    let ours = load::run(client.authority(), CONNECTIONS, seconds, "201", move || requests.next().unwrap_or_default())?;
    drop(server);
    let ceiling = raw_store::writes_per_second(CONNECTIONS, seconds, &[STORED_BYTES])?;
    report("durable 1 KB writes per second, 32 connections", &format!("{:.0}", ours.per_second), "");
    report("  the same bytes into bare fjall, one committer", &format!("{ceiling:.0}"), "");
    report("  ratio", &format!("{:.2}", ours.per_second / ceiling), ">= 0.40");
    report("  p50 / p99", &format!("{:.2}/{:.2} ms", ours.p50.as_secs_f64() * 1e3, ours.p99.as_secs_f64() * 1e3), "");
    Ok(())
}

pub fn create_container(client: &mut Client) -> anyhow::Result<()> {
    client.call("POST", "dbs", "", "dbs", &[], Some(&json!({"id": "bench"})))?;
    let definition = json!({"id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}});
    let made = client.call("POST", "colls", "dbs/bench", "dbs/bench/colls", &[], Some(&definition))?;
    anyhow::ensure!(made.status == 201, "{} {}", made.status, made.body);
    Ok(())
}

/// 20 properties, about 1 KB.
pub fn document(number: usize) -> Value {
    let word = |salt: usize| format!("{:016x}", (number * 31 + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut document = json!({"id": format!("item-{number:08}"), "pk": format!("pk-{:05}", number % 10_000), "n": number, "price": number as f64 / 100.0,
        "active": number.is_multiple_of(2), "tags": ["red", "green", "blue"], "address": {"city": word(1), "zip": word(2)}});
    for field in 0..13 {
        document[format!("field{field:02}")] = json!(word(field) + &word(field + 100) + &word(field + 200)[..8]);
    }
    document
}
