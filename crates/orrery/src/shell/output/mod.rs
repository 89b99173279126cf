//! How results are written.

mod cell;
mod csv;
mod screen;
mod summary;
mod table;
mod tree;

use std::io::Write;

use clap::ValueEnum;

use csv::CsvWriter;
pub use screen::Screen;
pub use summary::Summary;
use table::TableWriter;
pub use tree::{flat_rows, tree};

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people
    Table,
    /// JSON lines: one row per line
    Json,
    /// Comma-separated values with a header line
    Csv,
}

impl Format {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Json => "json",
            Format::Csv => "csv",
        }
    }
}

/// Writes the rows of one result. Memory stays flat, however many there are.
pub enum ResultWriter {
    /// Holds as many rows as are laid out together.
    Table(TableWriter),
    /// Holds nothing.
    Json,
    /// Holds rows until their columns are known, on disk if they are many.
    Csv(CsvWriter),
}

impl ResultWriter {
    pub fn new(format: Format, screen: Screen) -> ResultWriter {
        match format {
            Format::Table => ResultWriter::Table(TableWriter::new(screen.width())),
            Format::Json => ResultWriter::Json,
            Format::Csv => ResultWriter::Csv(CsvWriter::new()),
        }
    }

    /// Takes a row: one line of JSON text.
    ///
    /// # Errors
    /// If the row is no JSON, there are too many columns, or the output is closed.
    pub fn row(&mut self, row: &[u8], out: &mut dyn Write) -> anyhow::Result<()> {
        match self {
            ResultWriter::Table(table) => table.row(row, out),
            ResultWriter::Json => {
                out.write_all(row)?;
                Ok(out.write_all(b"\n")?)
            }
            ResultWriter::Csv(csv) => csv.row(row),
        }
    }

    /// Writes what is held; returns what is to be said about the result.
    ///
    /// # Errors
    /// As for [`ResultWriter::row`].
    pub fn finish(self, out: &mut dyn Write) -> anyhow::Result<Vec<String>> {
        match self {
            ResultWriter::Table(table) => table.finish(out),
            ResultWriter::Json => Ok(Vec::new()),
            ResultWriter::Csv(csv) => csv.finish(out).map(|()| Vec::new()),
        }
    }
}
