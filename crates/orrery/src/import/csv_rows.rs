//! CSV rows as JSON objects, by the types that the header gives.

use std::io::{self, BufRead};

use anyhow::{Context, bail};
use orrery_value::Value;

use super::csv_records::{Cell, CsvRecords};
use super::entry::{Entry, RecordReader, Unit};
use crate::transfer::{Column, ColumnType, parse_columns};

/// Reads the rows below a header.
pub(super) struct CsvRows<R> {
    records: CsvRecords<R>,
    columns: Vec<Column>,
}

impl<R: BufRead + Send> CsvRows<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it is missing or wrong.
    pub fn new(input: R, delimiter: u8) -> anyhow::Result<Self> {
        let mut records = CsvRecords::new(input, delimiter);
        let Some(header) = records.next()? else { return Ok(CsvRows { records, columns: Vec::new() }) };
        let cells = match header.cells {
            Ok(cells) => cells,
            Err(reason) => bail!("the header cannot be read: {reason}"),
        };
        let columns = parse_columns(cells.iter().map(|cell| cell.text.as_str())).context("the header")?;
        Ok(CsvRows { records, columns })
    }

    fn object(&self, cells: &[Cell]) -> Result<Vec<u8>, String> {
        if cells.len() != self.columns.len() {
            return Err(format!("the row has {} cells and the header {}", cells.len(), self.columns.len()));
        }
        let mut out = vec![b'{'];
        for (column, cell) in self.columns.iter().zip(cells) {
            let before = out.len();
            if before > 1 {
                out.push(b',');
            }
            // A string is always serialisable, and writing to a `Vec` cannot fail.
            let _ = serde_json::to_writer(&mut out, &column.name);
            out.push(b':');
            match write_value(column.kind, cell, &mut out) {
                Ok(true) => {}
                Ok(false) => out.truncate(before),
                Err(reason) => return Err(format!("column '{}': {reason}", column.name)),
            }
        }
        out.push(b'}');
        Ok(out)
    }
}

impl<R: BufRead + Send> RecordReader for CsvRows<R> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        let Some(record) = self.records.next()? else { return Ok(None) };
        let content = record.cells.and_then(|cells| self.object(&cells));
        Ok(Some(Entry { number: record.line, content }))
    }

    fn unit(&self) -> Unit {
        Unit::Line
    }
}

/// Writes what a cell holds as JSON. False, and nothing written, if the property is left out.
fn write_value(kind: ColumnType, cell: &Cell, out: &mut Vec<u8>) -> Result<bool, String> {
    if kind == ColumnType::String {
        if cell.text.is_empty() && !cell.quoted {
            return Ok(false);
        }
        let _ = serde_json::to_writer(out, &cell.text);
        return Ok(true);
    }
    let text = cell.text.trim();
    if text.is_empty() {
        return Ok(false);
    }
    match kind {
        ColumnType::Int => {
            let number: i64 = text.parse().map_err(|_| format!("{} is no whole number of 64 bits", shown(text)))?;
            out.extend_from_slice(number.to_string().as_bytes());
        }
        ColumnType::Double => write_double(text, out)?,
        ColumnType::Bool if text.eq_ignore_ascii_case("true") => out.extend_from_slice(b"true"),
        ColumnType::Bool if text.eq_ignore_ascii_case("false") => out.extend_from_slice(b"false"),
        ColumnType::Bool => return Err(format!("{} is neither true nor false", shown(text))),
        ColumnType::Json | ColumnType::String => {
            Value::parse(text.as_bytes()).map_err(|error| format!("{} is no JSON: {error}", shown(text)))?;
            out.extend_from_slice(text.as_bytes());
        }
    }
    Ok(true)
}

/// A number that JSON can spell is kept as it is.
fn write_double(text: &str, out: &mut Vec<u8>) -> Result<(), String> {
    if matches!(Value::parse(text.as_bytes()), Ok(Value::Number(_))) {
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::from(number).write_json(out),
        _ => return Err(format!("{} is no finite number", shown(text))),
    }
    Ok(())
}

/// The text in quotes, cut if it is long.
fn shown(text: &str) -> String {
    const LONGEST_SHOWN: usize = 40;
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((cut, _)) => format!("'{}…'", &text[..cut]),
        None => format!("'{text}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Result<String, String>> {
        let mut reader = CsvRows::new(text.as_bytes(), b',').unwrap();
        std::iter::from_fn(|| reader.next().unwrap())
            .map(|entry| entry.content.map(|text| String::from_utf8(text).unwrap()))
            .collect()
    }

    fn cell(kind: &str, text: &str) -> Result<String, String> {
        rows(&format!("id,v:{kind}\n1,{text}\n")).remove(0)
    }

    #[test]
    fn the_header_types_the_cells() {
        assert_eq!(
            rows("id,n:int,d:double,b:bool,j:json,s\na,7,1.50,TRUE,\"{\"\"x\"\":[1]}\",007\n"),
            [Ok(r#"{"id":"a","n":7,"d":1.50,"b":true,"j":{"x":[1]},"s":"007"}"#.to_owned())]
        );
    }

    #[test]
    fn an_empty_cell_leaves_the_property_out_and_empty_quotes_are_an_empty_text() {
        assert_eq!(rows("id,n:int,s,t\na,,,\"\"\n"), [Ok(r#"{"id":"a","t":""}"#.to_owned())]);
        assert_eq!(rows("n:int,id\n,a\n"), [Ok(r#"{"id":"a"}"#.to_owned())]);
        assert_eq!(rows("a,b\n,\n"), [Ok("{}".to_owned())]);
    }

    #[test]
    fn numbers_are_what_json_can_hold() {
        assert_eq!(cell("int", "-5").unwrap(), r#"{"id":"1","v":-5}"#);
        assert_eq!(cell("int", " +05 ").unwrap(), r#"{"id":"1","v":5}"#);
        assert_eq!(cell("double", ".5").unwrap(), r#"{"id":"1","v":0.5}"#);
        assert_eq!(cell("double", "1E3").unwrap(), r#"{"id":"1","v":1E3}"#);
        for (kind, text) in [
            ("int", "1.0"),
            ("int", "9223372036854775808"),
            ("double", "NaN"),
            ("double", "1e999"),
            ("bool", "yes"),
            ("json", "{a}"),
        ] {
            assert!(cell(kind, text).unwrap_err().starts_with("column 'v': '"), "{kind} {text}");
        }
    }

    #[test]
    fn rows_have_as_many_cells_as_the_header() {
        let rows = rows("a,b\n1\n1,2\n1,2,3\n");
        assert_eq!(rows.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_file_without_a_line_has_no_rows() {
        assert!(rows("").is_empty());
        assert!(CsvRows::new("a,a\n".as_bytes(), b',').is_err());
    }
}
