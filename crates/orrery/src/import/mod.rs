//! `orrery import`: files into a container.
//!
//! A file is read by a [`RecordReader`](entry::RecordReader) of its format, which finds one record at a time; `record.rs` makes
//! it an item; `pipeline.rs` brings items to the workers that write them to a [`Destination`](destination::Destination).

mod args;
mod container;
mod csv_records;
mod csv_rows;
mod destination;
mod entity_rows;
mod entry;
mod graph;
mod json_elements;
mod json_lines;
mod pipeline;
mod record;
mod server_writer;
mod source;
mod tally;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};

pub use args::ImportArgs;
pub(crate) use args::parse_delimiter;
use destination::Destination;
use graph::GraphBuilder;
use orrery_gateway::table_api::PARTITION_KEY_PATH;
use orrery_table::{Dialect, check_table_name};
use record::RecordKind;
use source::{Form, Source};
use tally::{Counts, Tally};

use crate::transfer::Progress;

/// Imports what the arguments name and prints a summary. The exit code is 1 if a record was rejected.
///
/// # Errors
/// If a file cannot be read, the container is missing, or writing fails.
pub async fn run(mut args: ImportArgs) -> anyhow::Result<ExitCode> {
    let kind = match &args.location.table {
        Some(table) => {
            check_table_name(table, Dialect::Cosmos).with_context(|| format!("--table '{table}'"))?;
            args.partition_key = vec![PARTITION_KEY_PATH.to_owned()];
            RecordKind::Entity
        }
        None => RecordKind::Item { id_field: args.id_field.clone() },
    };
    let form = match kind {
        RecordKind::Entity => Form::Entities,
        _ if args.graph => Form::Elements,
        _ => Form::Items,
    };
    ensure!(
        args.throughput.is_none() || !args.partition_key.is_empty(),
        "--throughput is for a container that is made: it goes with --partition-key or --table"
    );
    let find = |path: &std::path::PathBuf| Source::find(path, args.format, args.delimiter, form);
    let sources = args.files.iter().map(find).collect::<anyhow::Result<Vec<_>>>()?;
    let graphs = sources.iter().filter(|source| source.is_graph()).count();
    ensure!(
        graphs == 0 || graphs == sources.len(),
        "some files are GraphML and others are not: add --graph if all are graphs"
    );
    ensure!(graphs == 0 || form != Form::Entities, "a table holds no graph");
    let destination = container::find_or_make(args.location.place.open_or_make().await?, &args).await?;
    let kind = if graphs > 0 { RecordKind::Element(GraphBuilder::new(&destination.partition_key())?) } else { kind };
    let total_bytes = sources.iter().map(Source::size_bytes).sum::<Option<u64>>();
    let progress = Progress::of_bytes(total_bytes, !args.no_progress);
    let tally = Arc::new(Tally::new(progress.clone(), args.rejects.as_deref())?);
    let start = Instant::now();
    let concurrency = usize::from(args.concurrency);
    let done = pipeline::run(sources, &destination, kind, concurrency, tally.clone(), progress.clone()).await;
    progress.finish();
    if let Destination::Folder { engine, .. } = destination {
        engine.close().await.context("closing the data folder")?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let counts = finish(tally, args.rejects.as_deref())?;
    println!("{}", summary(&counts, seconds));
    done?;
    Ok(if counts.rejected == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn finish(tally: Arc<Tally>, rejects: Option<&Path>) -> anyhow::Result<Counts> {
    Arc::into_inner(tally).context("a worker of the import is still running")?.finish(rejects)
}

fn summary(counts: &Counts, seconds: f64) -> String {
    let rate = counts.imported as f64 / seconds.max(0.001);
    let mut line =
        format!("{} imported, {} rejected in {seconds:.1} s ({rate:.0}/s)", counts.imported, counts.rejected);
    if counts.generated_ids > 0 {
        line.push_str(&format!("; {} had no id and got a random one", counts.generated_ids));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_happened() {
        let counts = Counts { imported: 10, rejected: 2, generated_ids: 0 };
        assert_eq!(summary(&counts, 2.0), "10 imported, 2 rejected in 2.0 s (5/s)");
        let counts = Counts { generated_ids: 3, ..counts };
        assert!(summary(&counts, 2.0).ends_with("; 3 had no id and got a random one"));
    }
}
