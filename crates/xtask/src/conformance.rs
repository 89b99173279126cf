//! `cargo xtask conformance`: other people's tests against this server, as a table.
//!
//! The cases and their runners are not part of this repository; `ORRERY_SHARED_DIR` says where they are.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::check::binary;
use crate::command::{at_root, root};
use crate::server::Server;
use crate::{clients, gremlin};

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

/// Suites of the Python SDK that the implemented part of the SQL API must pass.
const SQL_SUITES: [&str; 17] = [
    "test_crud",
    "test_crud_container",
    "test_crud_database",
    "test_crud_subpartition",
    "test_transactional_batch",
    "test_partition_key",
    "test_read_items",
    "test_ttl",
    "test_encoding",
    "test_headers",
    "test_session",
    "test_change_feed",
    "test_changefeed_partition_key_variation",
    "test_resource_id",
    "test_auto_scale",
    "test_none_options",
    "test_crud_response_payload_on_write_disabled",
];

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
    let vendor = |more: &[&str]| {
        let files = [&["sql", "--files"], SQL_SUITES.as_slice(), more].concat();
        [vec![runner("vendor_suite.py")], files.into_iter().map(String::from).collect()].concat()
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
        ("sql: azure-cosmos suite", vendor(&[])),
        ("sql: azure-cosmos suite, async", vendor(&["--async"])),
        ("gremlin: text, by id", graphs(&by_id, &[])),
        ("gremlin: bytecode, by id", graphs(&by_id, &["--bytecode"])),
        ("gremlin: text, by property", graphs(&by_property, &["--pk", "pk"])),
        ("gremlin: bytecode, by property", graphs(&by_property, &["--pk", "pk", "--bytecode"])),
    ];
    println!("{:34} {:>7} {:>7} {:>7}", "area", "passed", "failed", "skipped");
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
        println!("{area:34} {:>7} {:>7} {:>7}", count(" passed"), count(" failed"), count(" skipped"));
    }
    Ok(())
}

/// The folder of the shared cases and data, if it is there.
pub fn shared_folder() -> Option<PathBuf> {
    let named = std::env::var_os("ORRERY_SHARED_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().parent().unwrap_or(Path::new("..")).join("shared"));
    folder.join("cases").is_dir().then_some(folder)
}
