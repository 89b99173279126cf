//! The same work on PostgreSQL, over its own wire: a table with a jsonb column, a GIN index on it and a b-tree on (pk, id). Both are
//! durable, hold the same documents, and are loaded by as many connections.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use serde_json::{Value, json};

use super::super::{CONNECTIONS, load, report};
use super::data::{self, PER_BUCKET};
use crate::command::must;
use crate::http::Client;
use crate::server::Server;

/// Documents in either database.
const TOTAL: usize = 100_000;
/// Where Debian's package keeps its programs.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";
/// PostgreSQL refuses to run as root.
const USER: &str = "postgres";
/// Requests prepared for each second of inserts: more than are sent.
const INSERTS_PER_SECOND: usize = 60_000;

/// Measures both, one after the other.
pub fn run(binary: &Path, seconds: u64) -> anyhow::Result<()> {
    let ours = ours(binary, seconds)?;
    let theirs = Postgres::start()?.measure(seconds)?;
    for (kind, (ours, theirs)) in KINDS.iter().zip(ours.iter().zip(theirs)) {
        report(&format!("{} per second", kind.name), &format!("{ours:.0}"), "");
        report("  to PostgreSQL's", &format!("{:.2}", ours / theirs), "> 1");
    }
    Ok(())
}

/// One kind of work in both languages. In pgbench's, `:n` is a random document.
struct Kind {
    name: &'static str,
    sql: &'static str,
    script: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "point reads",
        sql: "",
        script: "\\set n random(0, 99999)\nSELECT body FROM items WHERE pk = 'pk-' || lpad((:n / 100)::text, 6, '0') AND id = 'item-' || lpad(:n::text, 8, '0');",
    },
    Kind {
        name: "durable inserts",
        sql: "",
        script: "\\set n random(0, 99999)\nINSERT INTO items SELECT pk, id || '-' || gen_random_uuid(), body FROM items WHERE pk = 'pk-' || lpad((:n / 100)::text, 6, '0') AND id = 'item-' || lpad(:n::text, 8, '0');",
    },
    Kind {
        name: "queries of a partition of 100",
        sql: "SELECT * FROM c",
        script: "\\set n random(0, 99999)\nSELECT body FROM items WHERE pk = 'pk-' || lpad((:n / 100)::text, 6, '0') LIMIT 100;",
    },
    Kind {
        name: "indexed look-ups of 10",
        sql: "SELECT * FROM c WHERE c.bucket = @n",
        script: "\\set n random(0, 9999)\nSELECT body FROM items WHERE body @> ('{\"bucket\": ' || :n || '}')::jsonb LIMIT 10;",
    },
    Kind {
        name: "aggregates over all documents",
        sql: "SELECT c.category, COUNT(1) AS n, AVG(c.price) AS price FROM c GROUP BY c.category",
        script: "SELECT body->>'category', count(*), avg((body->>'price')::float8) FROM items GROUP BY 1;",
    },
];

fn ours(binary: &Path, seconds: u64) -> anyhow::Result<Vec<f64>> {
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "off"])?;
    let mut client = Client::new(&server.ready.sql, &server.ready.key)?;
    data::create_database(&mut client)?;
    data::create_container(&mut client, "items", 400, None)?;
    data::fill(&server.ready.sql, &server.ready.key, "items", TOTAL)?;
    data::query(&mut client, "items", "SELECT VALUE COUNT(1) FROM c WHERE c.n = 7", &json!([]), None)?;
    let mut figures = Vec::new();
    for kind in &KINDS {
        let (expected, requests) = match kind.name {
            "point reads" => ("200", prepared(10_000, |number| point_read(&client, number))?),
            "durable inserts" => {
                ("201", prepared(INSERTS_PER_SECOND * seconds as usize, |number| insert(&client, number))?)
            }
            "queries of a partition of 100" => {
                ("200", prepared(1_000, |number| by_partition(&client, kind.sql, number))?)
            }
            _ => ("200", prepared(1_000, |number| across(&client, kind.sql, number))?),
        };
        let mut at = 0;
        let next = move || {
            at = (at + 1) % requests.len();
            requests[at].clone()
        };
        figures.push(load::run(client.authority(), CONNECTIONS, seconds, expected, next)?.per_second);
    }
    Ok(figures)
}

fn prepared(count: usize, request: impl Fn(usize) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<Vec<Vec<u8>>> {
    (0..count).map(|number| request(number * 7_919)).collect()
}

fn point_read(client: &Client, number: usize) -> anyhow::Result<Vec<u8>> {
    let number = number % TOTAL;
    let link = format!("dbs/bench/colls/items/docs/{}", data::id(number));
    let key = json!([data::partition(number)]).to_string();
    client.request("GET", "docs", &link, &link, &[("x-ms-documentdb-partitionkey", &key)], None)
}

fn insert(client: &Client, number: usize) -> anyhow::Result<Vec<u8>> {
    let mut document = data::document(number % TOTAL, TOTAL);
    document["id"] = json!(format!("new-{number:012}"));
    let key = json!([document["pk"]]).to_string();
    let headers = [("x-ms-documentdb-partitionkey", key.as_str()), ("prefer", "return=minimal")];
    client.request("POST", "docs", "dbs/bench/colls/items", "dbs/bench/colls/items/docs", &headers, Some(&document))
}

fn by_partition(client: &Client, sql: &str, number: usize) -> anyhow::Result<Vec<u8>> {
    let key = json!([data::partition(number % TOTAL)]).to_string();
    query(client, sql, 0, &[("x-ms-documentdb-partitionkey", &key)])
}

fn across(client: &Client, sql: &str, number: usize) -> anyhow::Result<Vec<u8>> {
    query(client, sql, number % (TOTAL / PER_BUCKET), &[("x-ms-documentdb-query-enablecrosspartition", "True")])
}

fn query(client: &Client, sql: &str, n: usize, headers: &[(&str, &str)]) -> anyhow::Result<Vec<u8>> {
    let body = json!({"query": sql, "parameters": [{"name": "@n", "value": n}]});
    let headers: Vec<_> = headers
        .iter()
        .copied()
        .chain([("content-type", "application/query+json"), ("x-ms-documentdb-isquery", "True")])
        .collect();
    client.request("POST", "docs", "dbs/bench/colls/items", "dbs/bench/colls/items/docs", &headers, Some(&body))
}

/// A PostgreSQL server of our own; it stops, and its folder goes, when this is dropped.
struct Postgres {
    folder: tempfile::TempDir,
}

impl Postgres {
    fn start() -> anyhow::Result<Self> {
        if !Path::new(PROGRAMS).exists() {
            must(Command::new("apt-get").args(["install", "--yes", "--quiet", "postgresql-15"]))?;
        }
        let folder = tempfile::tempdir()?;
        if is_root()? {
            must(Command::new("chown").arg(USER).arg(folder.path()))?;
        }
        let postgres = Postgres { folder };
        must(postgres.program("initdb").args(["--auth=trust", "--username", USER]).stdout(Stdio::null()))?;
        let sockets = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c shared_buffers=1GB -c max_wal_size=4GB",
            postgres.folder.path().display()
        );
        must(
            postgres
                .program("pg_ctl")
                .args(["start", "--wait", "--silent", "--log"])
                .arg(postgres.path("log"))
                .arg("-o")
                .arg(sockets),
        )?;
        Ok(postgres)
    }

    /// Transactions per second of each kind.
    fn measure(&self, seconds: u64) -> anyhow::Result<Vec<f64>> {
        let rows = self.path("rows.tsv");
        std::fs::write(&rows, table_rows()?)?;
        self.psql("CREATE TABLE items (pk text, id text, body jsonb)")?;
        self.psql(&format!("\\copy items FROM '{}'", rows.display()))?;
        self.psql("CREATE UNIQUE INDEX ON items (pk, id)")?;
        self.psql("CREATE INDEX ON items USING gin (body jsonb_path_ops)")?;
        self.psql("VACUUM ANALYZE items")?;
        KINDS.iter().map(|kind| self.pgbench(kind, seconds)).collect()
    }

    fn psql(&self, command: &str) -> anyhow::Result<()> {
        let mut psql = self.client("psql");
        must(psql.args(["--quiet", "--command", command]))
    }

    fn pgbench(&self, kind: &Kind, seconds: u64) -> anyhow::Result<f64> {
        let script = self.path("script.sql");
        std::fs::write(&script, kind.script)?;
        let connections = CONNECTIONS.to_string();
        let output = self
            .client("pgbench")
            .args([
                "--no-vacuum",
                "--protocol=prepared",
                "--client",
                &connections,
                "--time",
                &seconds.to_string(),
                "--file",
            ])
            .arg(&script)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
        let figure = line.and_then(|line| line.split(' ').next());
        figure
            .and_then(|figure| figure.parse().ok())
            .with_context(|| format!("pgbench printed no rate: {text}{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str) -> Command {
        let mut command = as_user(name);
        command.arg("--pgdata").arg(self.path("data"));
        command
    }

    fn client(&self, name: &str) -> Command {
        let mut command = as_user(name);
        command.arg("--host").arg(self.folder.path()).args(["--username", USER]);
        if name == "psql" {
            command.args(["--dbname", USER])
        } else {
            command.env("PGDATABASE", USER)
        };
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.program("pg_ctl").args(["stop", "--silent", "--mode", "immediate"]).status());
    }
}

/// The documents in COPY's text format.
fn table_rows() -> anyhow::Result<String> {
    let mut rows = String::new();
    for number in 0..TOTAL {
        let document: Value = data::document(number, TOTAL);
        rows.push_str(&format!("{}\t{}\t{}\n", data::partition(number), data::id(number), document));
    }
    Ok(rows)
}

fn is_root() -> anyhow::Result<bool> {
    Ok(String::from_utf8_lossy(&Command::new("id").arg("-u").output()?.stdout).trim() == "0")
}

fn as_user(name: &str) -> Command {
    let program = Path::new(PROGRAMS).join(name);
    if is_root().unwrap_or(false) {
        let mut command = Command::new("runuser");
        command.args(["--user", USER, "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}
