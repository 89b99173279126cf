//! `orrery`: the server and its tools in one program. See `cli.rs` for what it can be told.

mod cli;
mod data_folder;
mod demo;
mod export;
mod import;
mod logging;
mod ready;
mod remote;
mod serve;
mod shell;
mod stop;
mod table_ports;
mod transfer;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};

#[global_allocator]
static ALLOCATOR: snmalloc_rs::SnMalloc = snmalloc_rs::SnMalloc;

fn main() -> ExitCode {
    refuse_huge_pages();
    let cli = Cli::parse();
    let outcome = match cli.command {
        Command::Serve(arguments) => run(&arguments.log, arguments.log_format, serve::run(arguments.clone())),
        Command::Demo(arguments) => run(&arguments.serve.log, arguments.serve.log_format, demo::run(arguments.clone())),
        Command::Import(arguments) => run("warn", cli::LogFormat::Text, import::run(arguments)),
        Command::Export(arguments) => run("warn", cli::LogFormat::Text, export::run(arguments)),
        Command::Shell(arguments) => run("warn", cli::LogFormat::Text, shell::run(arguments)),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "orrery", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    outcome.unwrap_or_else(|error| {
        if error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
            // Whoever read the output has seen enough, as in `orrery demo | head`.
            return ExitCode::SUCCESS;
        }
        eprintln!("orrery: {error:#}");
        ExitCode::FAILURE
    })
}

/// Has the system hand out memory in small pages, also where it gives huge ones to whoever does not refuse them: a store that fills and
/// frees memtables all the time has each of them zeroed whole before its first bytes are used. Inserts were a tenth slower, and their
/// slowest half as slow again. Reads are as fast either way.
fn refuse_huge_pages() {
    // Where it fails, inserts are slower and nothing is worse.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Runs a command on the async runtime, with logs going where the user wants them.
fn run(
    log: &str,
    format: cli::LogFormat,
    command: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    logging::start(log, format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(command);
    // A worker that still scans for a client that left must not hold up the exit.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    outcome
}
