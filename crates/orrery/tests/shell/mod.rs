//! `orrery shell`, through pipes.

mod explain;
mod folder;
mod gremlin;
mod script;
mod server;
mod table;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::running::Running;

/// Three airports in different countries, with a null, a missing property, a nested one, and a text that looks like null.
const AIRPORTS: &str = r#"{"id":"SEA","country":"US","city":"Seattle","feet":433,"note":null}
{"id":"FRA","country":"DE","city":"Frankfurt, Main","feet":364.5,"at":{"lat":50.03}}
{"id":"LHR","country":"GB","city":"London","feet":83,"note":"null"}
"#;

/// What a run gave.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn orrery(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    command.env_remove("ORRERY_KEY").args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `orrery shell` with this on its standard input.
fn shell(arguments: &[&str], input: &str) -> Ran {
    let mut process = orrery(&[&["shell"], arguments].concat()).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // It may leave without reading everything.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    Ran::of(process.wait_with_output().unwrap())
}

/// Imports items, given as JSON lines, into a container of the database `geo`.
fn import(place: &[&str], container: &str, items: &str, throughput: &str) {
    let arguments = ["import", "-", "--format", "jsonl", "-d", "geo", "-c", container, "--partition-key", "/country"];
    let arguments = [&arguments[..], &["--throughput", throughput], place].concat();
    let mut process = orrery(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(items.as_bytes()).unwrap();
    let ran = Ran::of(process.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

/// A server in memory; gone when dropped.
struct Server {
    url: String,
    /// The Table API's address.
    table: String,
    /// The Gremlin API's address.
    gremlin: String,
    _running: Running,
}

impl Server {
    fn start() -> Server {
        Server::start_with(&[])
    }

    fn start_with(flags: &[&str]) -> Server {
        let running = Running::start(
            &[
                &["--in-memory", "--sql-port", "0", "--health-port", "off"][..],
                &["--table-port", "0", "--azurite-port", "off", "--gremlin-port", "0"],
                flags,
            ]
            .concat(),
        );
        let [url, table, gremlin] = ["sql", "table", "gremlin"].map(|api| running.url(api));
        Server { url, table, gremlin, _running: running }
    }

    /// With the airports in two physical partitions, and nothing in another container.
    fn with_airports() -> Server {
        let server = Server::start();
        import(&["--endpoint", &server.url], "airports", AIRPORTS, "20000");
        import(&["--endpoint", &server.url], "empty", "", "400");
        server
    }

    /// Runs the shell on it.
    fn shell(&self, arguments: &[&str], input: &str) -> Ran {
        shell(&[&["--endpoint", &self.url], arguments].concat(), input)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
