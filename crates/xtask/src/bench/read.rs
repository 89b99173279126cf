//! Point reads over HTTP, against hyper alone returning the same bytes.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use super::bare::Bare;
use super::rounds::{Pair, round};
use super::{CONNECTIONS, load, report};
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
    let bare = Bare::start([OsStr::new("--serve-bare"), file.as_os_str()])?;
    let reads = |authority: &str| load::run(authority, CONNECTIONS, 1, "200", load::in_turn(requests.clone()));
    let pair = Pair::in_turn(
        seconds,
        || round(server.pid(), || reads(client.authority())),
        || round(bare.pid(), || reads(&bare.authority)),
    )?;
    let (rate, bare_rate) = pair.figure(|round| round.load.per_second);
    report("point reads per second", &format!("{rate:.0}"), "");
    report("  the same bytes from hyper alone", &format!("{bare_rate:.0}"), "");
    report("  ratio", &format!("{:.2}", pair.ratio()), ">= 0.70");
    pair.report_processors("hyper");
    let (p50, p99) = (pair.milliseconds(|load| load.p50).0, pair.milliseconds(|load| load.p99).0);
    report("  p50 / p99", &format!("{p50:.2}/{p99:.2} ms"), "");
    Ok(())
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
