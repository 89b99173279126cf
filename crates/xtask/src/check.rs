//! `cargo xtask test`: every check, each run even if one before it failed, summed up in one line.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::command::{at_root, cache, must, shown, target};
use crate::server::Server;
use crate::tally::Tally;
use crate::{clients, crash, gremlin};

/// What `cargo xtask test` can be told.
#[derive(Args)]
pub struct TestArgs {
    /// Run only the checks whose name contains this: fmt, clippy, rust, fuzz, crash, python, node, java, java gremlin, console
    #[arg(long, default_value = "")]
    only: String,
}

type Check = fn() -> anyhow::Result<Tally>;

const CHECKS: [(&str, Check); 10] = [
    ("fmt", fmt),
    ("clippy", clippy),
    ("rust", rust),
    ("fuzz", fuzz),
    ("crash", crash::in_ci),
    ("python", python),
    ("node", node),
    ("java", java),
    ("java gremlin", java_gremlin),
    ("console", console),
];

/// Runs the checks. The line that sums them up is the last thing printed.
///
/// # Errors
/// If the results cannot be printed. A check that fails, or cannot be run, counts as failed.
pub fn run(arguments: &TestArgs) -> anyhow::Result<ExitCode> {
    let mut total = Tally::default();
    let mut lines = Vec::new();
    for (name, check) in CHECKS.iter().filter(|(name, _)| name.contains(&arguments.only)) {
        println!("--- {name}");
        let started = std::time::Instant::now();
        let tally = check().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally::single(false)
        });
        lines.push(format!(
            "{name:12} {:5} passed {:3} failed  {:4} s",
            tally.passed,
            tally.failed,
            started.elapsed().as_secs()
        ));
        total += tally;
    }
    println!("\n{}\n{} passed, {} failed", lines.join("\n"), total.passed, total.failed);
    Ok(total.exit_code())
}

fn cargo() -> Command {
    at_root(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn fmt() -> anyhow::Result<Tally> {
    Ok(Tally::single(shown(cargo().args(["fmt", "--all", "--check"]))?.0))
}

fn clippy() -> anyhow::Result<Tally> {
    let (succeeded, _) =
        shown(cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    Ok(Tally::single(succeeded))
}

fn rust() -> anyhow::Result<Tally> {
    let (succeeded, output) = shown(cargo().args(["test", "--workspace", "--no-fail-fast"]))?;
    Ok(Tally::of(succeeded, &output))
}

/// The fuzz targets compile: they are no part of the workspace, so that nothing else tells when they do not.
fn fuzz() -> anyhow::Result<Tally> {
    let mut check = cargo();
    check.args(["check", "--quiet", "--locked", "--manifest-path", "fuzz/Cargo.toml", "--target-dir"]);
    Ok(Tally::single(shown(check.arg(cache().join("fuzz")))?.0))
}

/// Builds the server as it is tested.
pub fn binary() -> anyhow::Result<PathBuf> {
    must(cargo().args(["build", "--package", "orrery"]))?;
    Ok(target().join("debug/orrery"))
}

fn python() -> anyhow::Result<Tally> {
    let (python, server) = (clients::python()?, Server::start(&binary()?, &["--sql-port", "0", "--health-port", "0"])?);
    let mut pytest = at_root(python);
    let pytest = pytest.args(["-m", "pytest", "-p", "no:cacheprovider", "tests/python"]).envs(server.variables());
    let (succeeded, output) = shown(pytest)?;
    Ok(Tally::of(succeeded, &output))
}

fn node() -> anyhow::Result<Tally> {
    let (folder, server) = (clients::node()?, Server::start(&binary()?, &["--sql-port", "0", "--health-port", "0"])?);
    let mut node = Command::new("npm");
    let node = node
        .args(["test", "--silent"])
        .current_dir(folder)
        .envs(server.variables())
        .env("NODE_EXTRA_CA_CERTS", server.certificate());
    let (succeeded, output) = shown(node)?;
    Ok(Tally::of(succeeded, &output))
}

fn java() -> anyhow::Result<Tally> {
    let (classes, server) = (clients::java()?, Server::start(&binary()?, &["--sql-port", "0", "--health-port", "0"])?);
    // This client speaks HTTPS whatever the endpoint says.
    let trusted = clients::java_trust(&server.certificate())?;
    let mut java = Command::new("java");
    let java = java
        .arg(format!("-Djavax.net.ssl.trustStore={}", trusted.path().join("trusted.p12").display()))
        .args(["-Djavax.net.ssl.trustStorePassword=changeit", "-cp", &classes, "orrery.SqlSmoke"])
        .envs(server.variables());
    let (succeeded, output) = shown(java)?;
    Ok(Tally::of(succeeded, &output))
}

fn java_gremlin() -> anyhow::Result<Tally> {
    let (classes, server) =
        (clients::java_gremlin()?, Server::start(&binary()?, &["--sql-port", "0", "--health-port", "0"])?);
    let trusted = clients::java_trust(&server.certificate())?;
    let mut java = Command::new("java");
    let java = java
        .arg(format!("-Djavax.net.ssl.trustStore={}", trusted.path().join("trusted.p12").display()))
        .args(["-cp", &classes, "orrery.GremlinSmoke"])
        .envs(server.variables())
        .env("ORRERY_GRAPH", gremlin::new_graph(&server.ready, "java", "/country")?);
    let (succeeded, output) = shown(java)?;
    Ok(Tally::of(succeeded, &output))
}

fn console() -> anyhow::Result<Tally> {
    let (classes, server) =
        (clients::java_gremlin()?, Server::start(&binary()?, &["--sql-port", "0", "--health-port", "0"])?);
    gremlin::console(&classes, &server.ready)
}
