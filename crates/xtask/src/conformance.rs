//! `cargo xtask conformance`: other people's tests against this server, as a table.
//!
//! The cases and their runners are not part of this repository; `ORRERY_SHARED_DIR` says where they are.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::check::binary;
use crate::command::{at_root, root};
use crate::server::Server;
use crate::{clients, gremlin, tables};

/// What `cargo xtask conformance` can be told.
#[derive(Args)]
pub struct ConformanceArgs {
    /// Run only the areas whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Show what the runners print
    #[arg(long)]
    verbose: bool,
}

/// Runs the areas and prints the table.
///
/// # Errors
/// If the cases are not at hand or the server does not start. Failing cases are what the table is for, no error.
pub fn run(arguments: &ConformanceArgs) -> anyhow::Result<()> {
    let Some(shared) = shared_folder() else {
        println!("skipped: the shared cases are not here; ORRERY_SHARED_DIR names their folder");
        return Ok(());
    };
    // The official suite knows a local server by exactly this address.
    let server = Server::start(&binary()?, &["--sql-port", "8081", "--health-port", "off"])?;
    let runner = |name: &str| shared.join("tools").join(name).display().to_string();
    let cases = |kind: &str| {
        let cases = shared.join("cases/sql").display().to_string();
        let arguments =
            ["--endpoint", &server.ready.sql, "--key", &server.ready.key, "--cases", &cases, "--kind", kind];
        [vec![runner("sql_cases.py")], arguments.map(String::from).to_vec()].concat()
    };
    let vendor = |api: &str, more: &[&str]| {
        let arguments = [&[api], more].concat();
        [vec![runner("vendor_suite.py")], arguments.into_iter().map(String::from).collect()].concat()
    };
    // The tables of both kinds of accounts, at the addresses that these suites expect.
    let storage = ["--endpoint", &server.ready.azurite, "--account", "devstoreaccount1", "--key", tables::EMULATOR_KEY];
    let table_port = server.ready.table.trim_end_matches('/').rsplit(':').next().unwrap_or_default();
    let (by_path, by_host) =
        (format!("http://127.0.0.1:{table_port}/localhost"), format!("http://localhost:{table_port}"));
    let cosmos = |endpoint| {
        ["--endpoint", endpoint, "--account", "localhost", "--key", &server.ready.key, "--dialect", "cosmos"]
    };
    let table_cases = |arguments: &[&str]| {
        let cases = shared.join("cases/table").display().to_string();
        let arguments = [arguments, &["--cases", &cases]].concat();
        [vec![runner("table_cases.py")], arguments.into_iter().map(String::from).collect()].concat()
    };
    // Two graphs: placed by their ids, which is as TinkerPop has it, and by another property, over four ranges.
    let by_id = gremlin::new_graph(&server.ready, "by-id", "/id")?;
    let by_property = gremlin::new_graph(&server.ready, "by-property", "/pk")?;
    let graphs = |user: &str, more: &[&str]| {
        let cases = shared.join("cases/gremlin").display().to_string();
        let arguments =
            ["--url", &server.ready.gremlin, "--user", user, "--password", &server.ready.key, "--cases", &cases];
        [vec![runner("gremlin_cases.py")], [&arguments, more].concat().into_iter().map(String::from).collect()].concat()
    };
    let areas = [
        ("sql: placement cases", cases("epk")),
        ("sql: query cases", cases("query")),
        ("sql: query plan cases", cases("plan")),
        ("sql: azure-cosmos suite", vendor("sql", &[])),
        ("sql: azure-cosmos suite, async", vendor("sql", &["--async"])),
        ("table: cases, storage", table_cases(&storage)),
        ("table: cases, cosmos", table_cases(&cosmos(&by_path))),
        ("table: azure-data-tables, storage", vendor("table", &storage)),
        ("table: azure-data-tables, storage, async", vendor("table", &[&storage[..], &["--async"]].concat())),
        ("table: azure-data-tables, cosmos", vendor("table", &cosmos(&by_host))),
        ("table: azure-data-tables, cosmos, async", vendor("table", &[&cosmos(&by_host)[..], &["--async"]].concat())),
        ("gremlin: text, by id", graphs(&by_id, &[])),
        ("gremlin: bytecode, by id", graphs(&by_id, &["--bytecode"])),
        ("gremlin: text, by property", graphs(&by_property, &["--pk", "pk"])),
        ("gremlin: bytecode, by property", graphs(&by_property, &["--pk", "pk", "--bytecode"])),
    ];
    println!("{:41} {:>7} {:>7} {:>7}", "area", "passed", "failed", "skipped");
    for (area, command) in areas.iter().filter(|(area, _)| area.contains(&arguments.only)) {
        let python = if area.starts_with("gremlin") { clients::python_for_cases()? } else { "python3".into() };
        let output = at_root(python).args(command).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        if arguments.verbose {
            println!("{text}");
        }
        let last = text.lines().last().unwrap_or_default();
        let count =
            |word: &str| last.split(", ").find_map(|part| part.strip_suffix(word)).unwrap_or("?").trim().to_owned();
        println!("{area:41} {:>7} {:>7} {:>7}", count(" passed"), count(" failed"), count(" skipped"));
    }
    Ok(())
}

/// The folder of the shared cases and data, if it is there.
pub fn shared_folder() -> Option<PathBuf> {
    let named = std::env::var_os("ORRERY_SHARED_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().parent().unwrap_or(Path::new("..")).join("shared"));
    folder.join("cases").is_dir().then_some(folder)
}
