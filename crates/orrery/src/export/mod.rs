//! `orrery export`: a container into a file.
//!
//! [`Pages`](pages::Pages) reads items, [`ItemWriter`](item_writer::ItemWriter) gives them their format, and
//! [`Output`](output::Output) is the file. One page is held at a time.

mod args;
mod csv;
mod item_writer;
mod output;
mod pages;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};
use bytes::Bytes;

pub use args::ExportArgs;
use csv::ColumnFinder;
#[cfg(test)]
pub(crate) use csv::write_cell;
use item_writer::{ItemWriter, Shape, members_of};
use output::Output;
use pages::{Pages, Place};

use crate::transfer::{Column, Format, Progress, parse_columns};

/// Exports what the arguments name; a summary goes to standard error.
///
/// # Errors
/// If the container is not there or cannot be read, or the file not be written. There is no file then.
pub async fn run(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let format = match (args.format, &args.output) {
        (Some(format), _) => format,
        (None, Some(path)) => Format::from_name(path)?,
        (None, None) => Format::Jsonl,
    };
    ensure!(args.columns.is_empty() || format == Format::Csv, "--columns is for --format csv");
    let columns = parse_columns(args.columns.iter().map(String::as_str)).context("--columns")?;
    let location = args.location.open().await?;
    let mut pages = Pages::find(location, &args.location.database, &args.location.container).await?;
    let start = Instant::now();
    let exported = export(&mut pages, format, columns, &args).await;
    pages.close().await?;
    let items = match exported {
        // Who reads standard output has enough, as `head` does.
        Err(error) if args.output.is_none() && is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        exported => exported?,
    };
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{items} exported in {seconds:.1} s ({:.0}/s)", items as f64 / seconds.max(0.001));
    Ok(ExitCode::SUCCESS)
}

async fn export(pages: &mut Pages, format: Format, columns: Vec<Column>, args: &ExportArgs) -> anyhow::Result<u64> {
    let shape = match format {
        Format::Json => Shape::Json,
        Format::Jsonl => Shape::Lines,
        Format::Csv => {
            let columns = if columns.is_empty() { find_columns(pages, args).await? } else { columns };
            Shape::Csv { columns, delimiter: args.delimiter }
        }
    };
    let mut output = Output::create(args.output.as_deref())?;
    let mut writer = ItemWriter::new(shape, args.keep_system_properties);
    let mut buffer = Vec::new();
    writer.begin(&mut buffer);
    let progress = Progress::of_items(pages.items(), !args.no_progress);
    let mut place = Place::Start;
    while let Some(items) = pages.next(&mut place).await? {
        for item in &items {
            writer.item(text_of(item)?, &mut buffer)?;
        }
        output.write(&buffer).context("cannot write")?;
        buffer.clear();
        progress.add(items.len() as u64);
    }
    writer.end(&mut buffer);
    output.write(&buffer).context("cannot write")?;
    output.finish().context("cannot write")?;
    progress.finish();
    Ok(writer.items())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Reads everything once to see which columns it needs.
async fn find_columns(pages: &mut Pages, args: &ExportArgs) -> anyhow::Result<Vec<Column>> {
    let progress = Progress::of_items(pages.items(), !args.no_progress);
    let mut finder = ColumnFinder::default();
    let mut place = Place::Start;
    while let Some(items) = pages.next(&mut place).await? {
        for item in &items {
            finder.add(&members_of(text_of(item)?, args.keep_system_properties)?)?;
        }
        progress.add(items.len() as u64);
    }
    progress.finish();
    Ok(finder.finish())
}

fn text_of(item: &Bytes) -> anyhow::Result<&str> {
    std::str::from_utf8(item).context("an item is not valid UTF-8")
}
