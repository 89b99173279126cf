//! A hundred queries meant to hurt: the server must live, its memory stay bounded, and other clients hardly notice.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::super::{load, report, resident_mib};
use super::data;
use crate::http::Client;
use crate::server::Server;

/// Ordinary items beside the hostile ones.
const ITEMS: usize = 20_000;
/// Items with long arrays and texts, for joins and patterns.
const HEAVY_ITEMS: usize = 20;
/// Elements of their arrays.
const ELEMENTS: usize = 200;
/// Connections of the clients that want nothing but point reads.
const READERS: usize = 4;

/// Runs the queries one after the other while others read, and reports what the others saw.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    data::create_database(&mut client)?;
    data::create_container(&mut client, "items", 400, None)?;
    data::fill(&server.ready.sql, &server.ready.key, "items", ITEMS)?;
    for number in 0..HEAVY_ITEMS {
        create_heavy(&mut client, number)?;
    }
    let calm = read(&client, seconds)?;
    let before = resident_mib(server.pid())?;
    let done = AtomicBool::new(false);
    let (outcome, troubled) = std::thread::scope(|scope| -> anyhow::Result<_> {
        let attacker = scope.spawn(|| {
            let outcome = attack(&server);
            done.store(true, Ordering::Relaxed);
            outcome
        });
        let mut troubled = Vec::new();
        while !done.load(Ordering::Relaxed) {
            troubled.push(read(&client, 1)?.p99);
        }
        Ok((attacker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the attacker panicked")))?, troubled))
    })?;
    troubled_report(&outcome, calm.p99, troubled, before)
}

struct Outcome {
    answered: usize,
    refused: usize,
    most_mib: f64,
}

fn troubled_report(outcome: &Outcome, calm: Duration, mut troubled: Vec<Duration>, before: f64) -> anyhow::Result<()> {
    troubled.sort_unstable();
    let median = troubled.get(troubled.len() / 2).copied().unwrap_or_default();
    report("hostile queries answered / refused", &format!("{}/{}", outcome.answered, outcome.refused), "");
    report("  memory before and at the most", &format!("{before:.0}/{:.0} MiB", outcome.most_mib), "bounded");
    report(
        "  others' p99, median of seconds, to without them",
        &format!("{:.2}", median.as_secs_f64() / calm.as_secs_f64()),
        "<= 3",
    );
    Ok(())
}

fn read(client: &Client, seconds: u64) -> anyhow::Result<load::Outcome> {
    let requests = (0..1_000)
        .map(|number| {
            let number = number * 7_919 % ITEMS;
            let link = format!("dbs/bench/colls/items/docs/{}", data::id(number));
            let key = json!([data::partition(number)]).to_string();
            client.request("GET", "docs", &link, &link, &[("x-ms-documentdb-partitionkey", &key)], None)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut at = 0;
    load::run(client.authority(), READERS, seconds, "200", move || {
        at = (at + 1) % requests.len();
        requests[at].clone()
    })
}

fn attack(server: &Server) -> anyhow::Result<Outcome> {
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    let mut outcome = Outcome { answered: 0, refused: 0, most_mib: 0.0 };
    for text in queries() {
        let link = "dbs/bench/colls/items";
        let headers = [
            ("content-type", "application/query+json"),
            ("x-ms-documentdb-isquery", "True"),
            ("x-ms-documentdb-query-enablecrosspartition", "True"),
            ("x-ms-max-item-count", "-1"),
        ];
        let body = json!({"query": text});
        let reply = client.call("POST", "docs", link, &format!("{link}/docs"), &headers, Some(&body))?;
        let shown: String = text.chars().take(80).collect();
        match reply.status {
            200 => outcome.answered += 1,
            400 | 408 | 413 | 429 => outcome.refused += 1,
            status => anyhow::bail!("{shown}: {status} {}", reply.body),
        }
        outcome.most_mib = outcome.most_mib.max(resident_mib(server.pid())?);
    }
    Ok(outcome)
}

fn create_heavy(client: &mut Client, number: usize) -> anyhow::Result<()> {
    let numbers: Vec<usize> = (0..ELEMENTS).collect();
    let document = json!({"id": format!("heavy-{number}"), "pk": "heavy", "a": numbers, "b": numbers, "text": "a".repeat(50_000),
        "nested": (0..60).fold(json!(number), |inner, _| json!([inner]))});
    let headers = [("x-ms-documentdb-partitionkey", "[\"heavy\"]")];
    let link = "dbs/bench/colls/items";
    let made = client.call("POST", "docs", link, &format!("{link}/docs"), &headers, Some(&document))?;
    anyhow::ensure!(made.status == 201, "{} {}", made.status, made.body);
    Ok(())
}

/// The queries; some are fine, only large.
pub fn queries() -> Vec<String> {
    let mut all = Vec::new();
    for levels in [50, 120, 500, 5_000, 100_000] {
        let nest =
            |open: &str, close: &str| format!("SELECT VALUE {}1{} FROM c", open.repeat(levels), close.repeat(levels));
        all.extend([
            nest("(", ")"),
            nest("[", "]"),
            nest("{\"a\":", "}"),
            nest("NOT ", ""),
            nest("-", ""),
            nest("ABS(", ")"),
        ]);
        all.push(nest("(SELECT VALUE ", ")"));
        all.push(format!("SELECT VALUE c{} FROM c", "[0]".repeat(levels)));
        all.push(format!("SELECT VALUE 1{} FROM c", " ? 1 : 2".repeat(levels)));
    }
    for items in [1_000, 16_000, 16_001, 60_000] {
        let list = |item: &dyn Fn(usize) -> String| (0..items).map(item).collect::<Vec<_>>().join(",");
        all.push(format!("SELECT * FROM c WHERE c.n IN ({})", list(&|number| number.to_string())));
        all.push(format!("SELECT * FROM c WHERE c.id IN ({})", list(&|number| format!("'{number}'"))));
        all.push(format!("SELECT VALUE [{}] FROM c", list(&|number| number.to_string())));
    }
    for joins in 1..=11 {
        let sources: String = (0..joins).map(|join| format!(" JOIN j{join} IN c.a")).collect();
        all.push(format!("SELECT VALUE COUNT(1) FROM c{sources}"));
        all.push(format!("SELECT VALUE j0 FROM c{sources} WHERE j0 = -1"));
    }
    for pattern in ["(a+)+$", "(a|aa)+b", "a{1000}{1000}", "(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        all.push(format!("SELECT VALUE c.id FROM c WHERE REGEXMATCH(c.text, '{pattern}')"));
    }
    for parts in [5, 50, 500] {
        all.push(format!("SELECT VALUE c.id FROM c WHERE c.text LIKE '{}b'", "%a".repeat(parts)));
        all.push(format!("SELECT VALUE c.id FROM c WHERE c.text LIKE '%{}'", "_%".repeat(parts)));
    }
    all.extend(
        [
            "SELECT * FROM c OFFSET 2147483647 LIMIT 1",
            "SELECT * FROM c ORDER BY c.field01 OFFSET 2147483647 LIMIT 2147483647",
            "SELECT * FROM c OFFSET 99999999999 LIMIT 1",
            "SELECT TOP 2147483647 * FROM c ORDER BY c.text",
            "SELECT VALUE REPLICATE(c.text, 10000) FROM c",
            "SELECT VALUE REPLACE(c.text, 'a', c.text) FROM c",
            "SELECT VALUE CONCAT(c.text, c.text, c.text, c.text, c.text, c.text, c.text, c.text) FROM c",
            "SELECT VALUE ARRAY(SELECT VALUE ARRAY(SELECT VALUE c FROM x IN c.a) FROM y IN c.b) FROM c",
            "SELECT VALUE ARRAY(SELECT x, y, z FROM x IN c.a JOIN y IN c.a JOIN z IN c.b) FROM c",
            "SELECT c.id, c.field01, COUNT(1) FROM c GROUP BY c.id, c.field01",
            "SELECT DISTINCT c.text, c.id, c.field01 FROM c",
            "SELECT VALUE MAKELIST(c) FROM c",
            "SELECT VALUE MAKESET(c.text) FROM c",
            "SELECT DISTINCT VALUE x * 1000 + y FROM c JOIN x IN c.a JOIN y IN c.b",
            "SELECT VALUE SETUNION(c.a, c.b) FROM c JOIN x IN c.a JOIN y IN c.b",
            "SELECT VALUE STRINGTOARRAY(c.text) FROM c JOIN x IN c.a",
            "SELECT VALUE STRINGSPLIT(c.text, 'a') FROM c JOIN x IN c.a",
            "SELECT VALUE (SELECT VALUE x FROM x IN c.a) FROM c",
            "SELECT * FROM c ORDER BY c.text DESC, c.field01 ASC, c.id DESC",
            "SELECT VALUE c FROM c WHERE EXISTS(SELECT VALUE 1 FROM x IN c.a JOIN y IN c.a JOIN z IN c.a WHERE x + y + z < 0)",
        ]
        .map(str::to_owned),
    );
    all.push(format!("SELECT VALUE '{}' FROM c", "x".repeat(500_000)));
    all.push(format!("SELECT VALUE '{}' FROM c", "x".repeat(600_000)));
    all.push(format!("SELECT VALUE {} FROM c", "9".repeat(100_000)));
    all.push(format!("SELECT {} FROM c", vec!["c.n"; 5_000].join(", ")));
    all
}
