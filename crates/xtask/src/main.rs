//! The project's driver: `cargo xtask test` sets up all that the checks need and runs every one of them.

#[cfg(feature = "bench")]
mod bench;
mod check;
mod clients;
mod command;
mod conformance;
mod crash;
mod gremlin;
mod http;
mod server;
mod tables;
mod tally;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Runs Orrery's checks and measurements")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Set up what is missing and run every check: format, lints, Rust tests, real clients
    Test(check::TestArgs),
    /// Measure the server against ceilings and peers, as ratios within one run
    Bench(BenchArgs),
    /// Kill the server over and over while clients write, and look for what it lost
    Crash(crash::CrashArgs),
    /// Run the shared cases and the official clients' own suites, and print a table of passed and failed per area
    Conformance(conformance::ConformanceArgs),
}

/// What `cargo xtask bench` can be told.
#[derive(clap::Args)]
struct BenchArgs {
    /// Run only the measurements whose name contains this: start, read, write, containers,
    /// queries-cost, queries-scan, queries-hostile, queries-load, queries-postgres, tables,
    /// gremlin-peer, gremlin-degree
    #[arg(long, default_value = "")]
    only: String,
    /// Seconds that each load lasts
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Serve a fixed reply instead: the ceiling of the read measurement
    #[arg(long, hide = true)]
    serve_bare: Option<std::path::PathBuf>,
    /// Answer messages of a WebSocket with a fixed one instead, once the rows of an add are written or at once: the ceiling of adds
    #[cfg(feature = "bench")]
    #[arg(long, hide = true)]
    serve_bare_socket: Option<bench::gremlin::bare::Work>,
}

/// Measurements are made by an optimised build of this driver, with what they compare against compiled in.
#[cfg(not(feature = "bench"))]
fn build_and_bench(arguments: &BenchArgs) -> anyhow::Result<()> {
    let seconds = arguments.seconds.to_string();
    let mut cargo = command::at_root(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--release", "--quiet", "--package", "orrery-xtask", "--features", "bench", "--", "bench"]);
    command::must(cargo.args(["--only", &arguments.only, "--seconds", &seconds]))
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Test(arguments) => check::run(&arguments),
        #[cfg(feature = "bench")]
        Command::Bench(arguments) => bench::run(&arguments).map(|()| ExitCode::SUCCESS),
        #[cfg(not(feature = "bench"))]
        Command::Bench(arguments) => build_and_bench(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Crash(arguments) => crash::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments).map(|()| ExitCode::SUCCESS),
    }
}
