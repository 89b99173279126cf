//! Items as rows of CSV: columns found, and cells written.

use std::borrow::Cow;
use std::collections::HashMap;

use anyhow::{bail, ensure};

use crate::transfer::{Column, ColumnType, MAX_COLUMNS, Member};

/// Finds the columns that items need, in the order in which their properties first appear.
#[derive(Default)]
pub(super) struct ColumnFinder {
    columns: Vec<Column>,
    by_name: HashMap<String, usize>,
}

impl ColumnFinder {
    /// Takes an item into account.
    ///
    /// # Errors
    /// If there are more than [`MAX_COLUMNS`] properties.
    pub fn add(&mut self, members: &[Member<'_>]) -> anyhow::Result<()> {
        for member in members {
            let kind = type_of(&member.value);
            match self.by_name.get(&*member.name) {
                Some(&index) => self.columns[index].kind = common(self.columns[index].kind, kind),
                None => {
                    ensure!(
                        self.columns.len() < MAX_COLUMNS,
                        "the items have more than {MAX_COLUMNS} different properties: choose some with --columns, or another format"
                    );
                    self.by_name.insert(member.name.clone().into_owned(), self.columns.len());
                    self.columns.push(Column { name: member.name.clone().into_owned(), kind });
                }
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Vec<Column> {
        self.columns
    }
}

/// The narrowest type that holds a JSON value and gives it back as it was.
fn type_of(json: &str) -> ColumnType {
    match json.as_bytes().first() {
        Some(b'"') => ColumnType::String,
        Some(b't' | b'f') => ColumnType::Bool,
        // "-0" would come back as "0".
        Some(b'-' | b'0'..=b'9') if json != "-0" && json.parse::<i64>().is_ok() => ColumnType::Int,
        Some(b'-' | b'0'..=b'9') => ColumnType::Double,
        _ => ColumnType::Json,
    }
}

fn common(a: ColumnType, b: ColumnType) -> ColumnType {
    match (a, b) {
        _ if a == b => a,
        (ColumnType::Int, ColumnType::Double) | (ColumnType::Double, ColumnType::Int) => ColumnType::Double,
        _ => ColumnType::Json,
    }
}

/// Writes the header.
pub(super) fn write_header(columns: &[Column], delimiter: u8, out: &mut Vec<u8>) {
    for (column, index) in columns.iter().zip(0..) {
        if index > 0 {
            out.push(delimiter);
        }
        write_cell(&column.to_string(), delimiter, out);
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes an item as a row; properties without a column are left out.
///
/// # Errors
/// If a value does not fit its column.
pub(super) fn write_row(
    columns: &[Column],
    members: &[Member<'_>],
    delimiter: u8,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            out.push(delimiter);
        }
        // Items keep their properties in one order mostly, so that the place of the column is the first guess.
        let guess = members.get(index).filter(|member| member.name == column.name);
        if let Some(member) = guess.or_else(|| members.iter().find(|member| member.name == column.name)) {
            write_cell(&cell(column, &member.value)?, delimiter, out);
        }
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// A value as the text of a cell.
fn cell<'a>(column: &Column, json: &'a str) -> anyhow::Result<Cow<'a, str>> {
    let kind = type_of(json);
    match column.kind {
        ColumnType::String if kind == ColumnType::String => Ok(serde_json::from_str::<String>(json)?.into()),
        ColumnType::Json => Ok(json.into()),
        wanted if common(kind, wanted) == wanted => Ok(json.into()),
        wanted => bail!(
            "the value {} of property '{}' is no {}: name the column '{}:json' in --columns{}",
            json.chars().take(40).collect::<String>(),
            column.name,
            wanted.word(),
            column.name,
            " (or export again, if items changed meanwhile)"
        ),
    }
}

/// Writes a cell, in quotes if it needs them. Empty texts do, so that they differ from no text.
pub(crate) fn write_cell(text: &str, delimiter: u8, out: &mut Vec<u8>) {
    let special = |byte: u8| matches!(byte, b'"' | b'\n' | b'\r') || byte == delimiter;
    // Other readers cut white space off, and a byte order mark at the start of a file is not text.
    let plain = !text.is_empty() && text.trim() == text && !text.starts_with('\u{FEFF}') && !text.bytes().any(special);
    if plain {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for (part, index) in text.split('"').zip(0..) {
        if index > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::members;

    fn table(items: &[&str]) -> String {
        let items: Vec<_> = items.iter().map(|item| members(item).unwrap()).collect();
        let mut finder = ColumnFinder::default();
        items.iter().for_each(|item| finder.add(item).unwrap());
        let columns = finder.finish();
        let mut out = Vec::new();
        write_header(&columns, b',', &mut out);
        items.iter().for_each(|item| write_row(&columns, item, b',', &mut out).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn types_are_the_narrowest_that_give_values_back() {
        assert_eq!(
            table(&[
                r#"{"id":"a","n":1,"d":1,"b":true,"m":1,"o":{"x":[1]},"z":-0}"#,
                r#"{"id":"b\"","d":1.50,"n":2,"b":false,"m":"x","s":""}"#,
            ]),
            "id,n:int,d:double,b:bool,m:json,o:json,z:double,s\r\n\
             a,1,1,true,1,\"{\"\"x\"\":[1]}\",-0,\r\n\
             \"b\"\"\",2,1.50,false,\"\"\"x\"\"\",,,\"\"\r\n"
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_an_error() {
        let columns = [Column::parse("n:int").unwrap(), Column::parse("s").unwrap()];
        let row = |item: &str| write_row(&columns, &members(item).unwrap(), b',', &mut Vec::new());
        assert!(row(r#"{"n":1,"s":"x","other":{}}"#).is_ok());
        assert!(row(r#"{"n":1.5}"#).unwrap_err().to_string().contains("is no int"));
        assert!(row(r#"{"s":null}"#).unwrap_err().to_string().contains("is no string"));
    }
}
