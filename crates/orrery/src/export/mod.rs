//! `orrery export`: a container into a file.
//!
//! [`Pages`](pages::Pages) reads items, [`ItemWriter`](item_writer::ItemWriter) gives them their format, and
//! [`Output`](output::Output) is the file. One page is held at a time.

mod args;
mod csv;
mod entity_csv;
mod graph;
mod item_writer;
mod output;
mod pages;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;

pub use args::ExportArgs;
use csv::ColumnFinder;
pub(crate) use csv::write_cell;
use entity_csv::EntityColumns;
use item_writer::{Hidden, ItemWriter, Shape, members_of};
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
    let location = args.location.place.open().await?;
    let mut pages = Pages::find(location, &args.location).await?;
    let start = Instant::now();
    let exported = match args.graph || format == Format::Graphml {
        true => graph::export(&mut pages, format, &args).await,
        false => export(&mut pages, format, &args).await,
    };
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

async fn export(pages: &mut Pages, format: Format, args: &ExportArgs) -> anyhow::Result<u64> {
    let hidden = match (args.keep_system_properties, &args.location.table) {
        (true, _) => Hidden::Nothing,
        (false, Some(_)) => Hidden::Metadata,
        (false, None) => Hidden::SystemProperties,
    };
    let delimiter = args.delimiter;
    let shape = match format {
        Format::Json => Shape::Json,
        Format::Jsonl => Shape::Lines,
        Format::Csv if args.location.table.is_some() => {
            Shape::EntityCsv { columns: entity_columns(pages, args, hidden).await?, delimiter }
        }
        Format::Csv => Shape::Csv { columns: columns(pages, args, hidden).await?, delimiter },
        Format::Graphml => bail!("GraphML is for graphs"),
    };
    let mut output = Output::create(args.output.as_deref())?;
    let mut writer = ItemWriter::new(shape, hidden);
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

/// The columns that are asked for, else those that the items need.
async fn columns(pages: &mut Pages, args: &ExportArgs, hidden: Hidden) -> anyhow::Result<Vec<Column>> {
    if !args.columns.is_empty() {
        return parse_columns(args.columns.iter().map(String::as_str)).context("--columns");
    }
    let mut finder = ColumnFinder::default();
    look_through(pages, args, |text| finder.add(&members_of(text, hidden)?)).await?;
    Ok(finder.finish())
}

/// The properties that are asked for, else those of all entities.
async fn entity_columns(pages: &mut Pages, args: &ExportArgs, hidden: Hidden) -> anyhow::Result<Vec<String>> {
    let mut finder = EntityColumns::default();
    if args.columns.is_empty() {
        look_through(pages, args, |text| finder.add(members_of(text, hidden)?.iter().map(|member| &*member.name)))
            .await?;
    } else {
        finder.add(args.columns.iter().map(String::as_str))?;
    }
    Ok(finder.finish())
}

/// Reads everything once.
async fn look_through(
    pages: &mut Pages,
    args: &ExportArgs,
    mut look: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let progress = Progress::of_items(pages.items(), !args.no_progress);
    let mut place = Place::Start;
    while let Some(items) = pages.next(&mut place).await? {
        for item in &items {
            look(text_of(item)?)?;
        }
        progress.add(items.len() as u64);
    }
    progress.finish();
    Ok(())
}

fn text_of(item: &Bytes) -> anyhow::Result<&str> {
    std::str::from_utf8(item).context("an item is not valid UTF-8")
}
