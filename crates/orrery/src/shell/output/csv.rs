//! Results as comma-separated values.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Seek, Write};

use anyhow::{Context, ensure};
use tempfile::SpooledTempFile;

use crate::export::write_cell;
use crate::transfer::{MAX_COLUMNS, Member, members};

/// Rows up to this size wait in memory for the header, more in a temporary file.
const MAX_MEMORY_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of rows that the temporary file takes.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024 * 1024;
/// The name of the only column where rows are no objects.
const VALUE_COLUMN: &str = "value";

/// Holds rows back until it is known which columns they have.
pub struct CsvWriter {
    spool: SpooledTempFile,
    bytes: u64,
    columns: Vec<String>,
    known: HashSet<String>,
    all_objects: bool,
}

impl CsvWriter {
    pub fn new() -> CsvWriter {
        CsvWriter {
            spool: SpooledTempFile::new(MAX_MEMORY_BYTES),
            bytes: 0,
            columns: Vec::new(),
            known: HashSet::new(),
            all_objects: true,
        }
    }

    pub fn row(&mut self, row: &[u8]) -> anyhow::Result<()> {
        let text = std::str::from_utf8(row).context("a row is not valid UTF-8")?;
        match members(text) {
            Ok(members) => self.add_columns(&members)?,
            Err(_) => self.all_objects = false,
        }
        self.bytes += row.len() as u64 + 1;
        ensure!(self.bytes <= MAX_FILE_BYTES, "the result is larger than {MAX_FILE_BYTES} bytes: use \\o json");
        let spooled = self.spool.write_all(row).and_then(|()| self.spool.write_all(b"\n"));
        spooled.context("cannot write to a temporary file")
    }

    fn add_columns(&mut self, members: &[Member<'_>]) -> anyhow::Result<()> {
        for member in members {
            if self.known.contains(&*member.name) {
                continue;
            }
            ensure!(self.columns.len() < MAX_COLUMNS, "the rows have more than {MAX_COLUMNS} columns: use \\o json");
            self.known.insert(member.name.clone().into_owned());
            self.columns.push(member.name.clone().into_owned());
        }
        Ok(())
    }

    pub fn finish(mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        let as_values = !self.all_objects || self.columns.is_empty();
        if as_values {
            self.columns = vec![VALUE_COLUMN.to_owned()];
        }
        let mut buffer = Vec::new();
        write_line(self.columns.iter().map(|name| Some(name.as_str())), &mut buffer);
        self.spool.rewind().context("cannot read from a temporary file")?;
        let mut rows = BufReader::new(&mut self.spool);
        let mut row = String::new();
        loop {
            out.write_all(&buffer)?;
            buffer.clear();
            row.clear();
            if rows.read_line(&mut row).context("cannot read from a temporary file")? == 0 {
                return Ok(());
            }
            let row = row.trim_end_matches('\n');
            if as_values {
                write_line([Some(&*cell(row))], &mut buffer);
                continue;
            }
            let members = members(row)?;
            let cells: Vec<_> = self
                .columns
                .iter()
                .enumerate()
                .map(|(at, name)| {
                    let guess = members.get(at).filter(|member| member.name == *name);
                    let member = guess.or_else(|| members.iter().find(|member| member.name == *name));
                    member.map(|member| cell(&member.value))
                })
                .collect();
            write_line(cells.iter().map(Option::as_deref), &mut buffer);
        }
    }
}

/// A value as the text of a cell: a string as it is, anything else as JSON.
fn cell(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())
}

/// A cell that is not there is empty; an empty text is two quotes.
fn write_line<'c>(cells: impl IntoIterator<Item = Option<&'c str>>, out: &mut Vec<u8>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if let Some(cell) = cell {
            write_cell(cell, b',', out);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[&str]) -> String {
        let (mut writer, mut out) = (CsvWriter::new(), Vec::new());
        rows.iter().for_each(|row| writer.row(row.as_bytes()).unwrap());
        writer.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_header_names_the_columns_of_all_rows() {
        let rows = [r#"{"id":"a, b","n":1.50}"#, r#"{"n":null,"id":"","o":{"x":"\""}}"#];
        assert_eq!(csv(&rows), "id,n,o\n\"a, b\",1.50,\n\"\",null,\"{\"\"x\"\":\"\"\\\"\"\"\"}\"\n");
        assert_eq!(csv(&[]), "");
    }

    #[test]
    fn rows_that_are_no_objects_have_one_column() {
        assert_eq!(csv(&["1", "\"a\nb\""]).lines().next(), Some("value"));
        assert_eq!(csv(&["1", r#"{"a":1}"#]), "value\n1\n\"{\"\"a\"\":1}\"\n");
        assert_eq!(csv(&["{}"]), "value\n{}\n");
    }
}
