//! `orrery demo`: loads real data, shows what each API answers and what it cost, and keeps serving.

mod graphs;
mod queries;
mod sample;
mod tables;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;

use crate::cli::DemoArgs;
use crate::import::{self, ImportArgs};
use crate::remote::{Client, ClientOptions, Connection, ContainerLink};
use crate::serve::{Server, where_data_is};
use crate::stop;

/// Runs the demonstration, then serves until it is told to stop.
///
/// # Errors
/// If the server does not start, or its own answers are not what they should be.
pub async fn run(arguments: DemoArgs) -> anyhow::Result<ExitCode> {
    let server = Server::start(&arguments.serve).await?;
    let endpoint = server.ready.sql().context("the demonstration needs the SQL API: leave --sql-port on")?.to_owned();
    let options = ClientOptions { endpoint: &endpoint, key: &arguments.serve.key, ca: None, insecure: false };
    let mut connection = Client::new(&options)?.connection();
    match &arguments.data {
        None => {
            load_sample(&mut connection).await?;
            queries::show_sample(&mut connection).await?;
            if let Some(table) = server.ready.table() {
                tables::show(table, &arguments.serve.key, &mut connection).await?;
            }
            if let Some(gremlin) = server.ready.gremlin() {
                graphs::show(gremlin, &arguments.serve.key, &mut connection).await?;
            }
        }
        Some(file) => {
            let container = ContainerLink { database: "demo".into(), container: "data".into() };
            let outcome = import::run(import_arguments(&arguments, file, &endpoint)).await?;
            anyhow::ensure!(outcome == ExitCode::SUCCESS, "{} was not loaded whole", file.display());
            queries::show_any(&mut connection, &container).await?;
        }
    }
    if arguments.exit {
        server.stop().await?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(std::io::stdout())?;
    if arguments.serve.ready_json {
        server.ready.print_json()?;
    } else {
        server.ready.print_banner(&where_data_is(&arguments.serve))?;
    }
    let signal = stop::requested().await?;
    tracing::info!(signal, "stopping: finishing what is in flight");
    server.stop().await?;
    Ok(ExitCode::SUCCESS)
}

async fn load_sample(connection: &mut Connection) -> anyhow::Result<()> {
    let started = Instant::now();
    let items = sample::load(connection, &sample::container()).await?;
    let seconds = started.elapsed().as_secs_f64();
    let mut out = std::io::stdout();
    writeln!(
        out,
        "Loaded {items} airports, countries and routes in {seconds:.2} s ({:.0} durable writes/s, 4 at a time).",
        items as f64 / seconds
    )?;
    Ok(())
}

/// The same as `orrery import` with these flags.
fn import_arguments(arguments: &DemoArgs, file: &std::path::Path, endpoint: &str) -> ImportArgs {
    use clap::Parser;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        import: ImportArgs,
    }
    let file = file.display().to_string();
    let line =
        ["import", &file, "--database", "demo", "--container", "data", "--partition-key", &arguments.partition_key];
    Line::parse_from(line.into_iter().chain(["--endpoint", endpoint, "--key", &arguments.serve.key])).import
}
