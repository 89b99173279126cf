//! CSV rows as entities, in the form that Azure Storage Explorer writes: `PartitionKey,RowKey,Timestamp,age,age@type`.

use std::io::{self, BufRead};

use anyhow::{bail, ensure};
use orrery_table::EdmType;

use super::csv_records::{Cell, CsvRecords};
use super::entry::{Entry, RecordReader, Unit};
use crate::transfer::MAX_COLUMNS;

/// What the name of a column of types ends in.
const TYPE_SUFFIX: &str = "@type";
/// What the names of types may begin with.
const TYPE_PREFIX: &str = "Edm.";

/// Reads the rows below a header.
pub(super) struct EntityRows<R> {
    records: CsvRecords<R>,
    columns: Vec<EntityColumn>,
    /// Cells of a row.
    cells: usize,
}

/// A property.
struct EntityColumn {
    name: String,
    /// Which cell holds its values.
    value: usize,
    /// Which cell holds their types.
    edm_type: Option<usize>,
}

impl<R: BufRead + Send> EntityRows<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it lacks a key, or columns are named alike.
    pub fn new(input: R, delimiter: u8) -> anyhow::Result<Self> {
        let mut records = CsvRecords::new(input, delimiter);
        let Some(header) = records.next()? else { return Ok(EntityRows { records, columns: Vec::new(), cells: 0 }) };
        let cells = match header.cells {
            Ok(cells) => cells,
            Err(reason) => bail!("the header cannot be read: {reason}"),
        };
        let columns = columns(&cells)?;
        Ok(EntityRows { records, columns, cells: cells.len() })
    }

    /// The row as the Table API's JSON. Values are texts all of them, which a type makes what they are.
    fn object(&self, cells: &[Cell]) -> Result<Vec<u8>, String> {
        if cells.len() != self.cells {
            return Err(format!("the row has {} cells and the header {}", cells.len(), self.cells));
        }
        let mut out = vec![b'{'];
        for column in &self.columns {
            let cell = &cells[column.value];
            let edm_type = match column.edm_type.map(|place| cells[place].text.trim()).filter(|name| !name.is_empty()) {
                Some(name) => {
                    Some(edm_type(name).ok_or_else(|| format!("column '{}': '{name}' is no type", column.name))?)
                }
                None => None,
            };
            let is_key = matches!(&*column.name, "PartitionKey" | "RowKey");
            if edm_type.is_none() && cell.text.is_empty() && !cell.quoted && !is_key {
                continue;
            }
            if let Some(edm_type) = edm_type.filter(|edm_type| *edm_type != EdmType::String) {
                member(&format!("{}@odata.type", column.name), edm_type.name(), &mut out);
                member(&column.name, cell.text.trim(), &mut out);
            } else {
                member(&column.name, &cell.text, &mut out);
            }
        }
        out.push(b'}');
        Ok(out)
    }
}

impl<R: BufRead + Send> RecordReader for EntityRows<R> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        let Some(record) = self.records.next()? else { return Ok(None) };
        let content = record.cells.and_then(|cells| self.object(&cells));
        Ok(Some(Entry { number: record.line, content }))
    }

    fn unit(&self) -> Unit {
        Unit::Line
    }
}

fn columns(cells: &[Cell]) -> anyhow::Result<Vec<EntityColumn>> {
    ensure!(cells.len() <= 2 * MAX_COLUMNS, "there are more than {} columns", 2 * MAX_COLUMNS);
    let places: std::collections::HashMap<&str, usize> =
        cells.iter().enumerate().map(|(place, cell)| (cell.text.trim(), place)).collect();
    ensure!(places.len() == cells.len(), "the header names a column twice");
    for key in ["PartitionKey", "RowKey"] {
        ensure!(places.contains_key(key), "the header has no column {key}");
    }
    let mut columns = Vec::new();
    for (value, cell) in cells.iter().enumerate() {
        let name = cell.text.trim();
        ensure!(!name.is_empty(), "column {} has no name", value + 1);
        if let Some(property) = name.strip_suffix(TYPE_SUFFIX) {
            ensure!(places.contains_key(property), "the header has a column '{name}' and none '{property}'");
            continue;
        }
        // When an entity was written is not for a file to say.
        if name != "Timestamp" {
            let edm_type = places.get(&*format!("{name}{TYPE_SUFFIX}")).copied();
            columns.push(EntityColumn { name: name.to_owned(), value, edm_type });
        }
    }
    Ok(columns)
}

fn edm_type(name: &str) -> Option<EdmType> {
    EdmType::from_name(&format!("{TYPE_PREFIX}{}", name.strip_prefix(TYPE_PREFIX).unwrap_or(name)))
}

fn member(name: &str, value: &str, out: &mut Vec<u8>) {
    if out.len() > 1 {
        out.push(b',');
    }
    // A string is always serialisable, and writing to a `Vec` cannot fail.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    let _ = serde_json::to_writer(&mut *out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Result<String, String>> {
        let mut rows = EntityRows::new(text.as_bytes(), b',').unwrap();
        let next = || rows.next().unwrap().map(|entry| entry.content.map(|text| String::from_utf8(text).unwrap()));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn values_have_the_types_beside_them() {
        let found = rows(
            "PartitionKey,RowKey,Timestamp,n,n@type,s,s@type\np,,2020-01-01T00:00:00Z,5,Int64,,\np,r,,1.5,Edm.Double,,String\n\
             p,r,,x,Int,,\np,r\n",
        );
        assert_eq!(found[0].as_deref(), Ok(r#"{"PartitionKey":"p","RowKey":"","n@odata.type":"Edm.Int64","n":"5"}"#));
        let second = r#"{"PartitionKey":"p","RowKey":"r","n@odata.type":"Edm.Double","n":"1.5","s":""}"#;
        assert_eq!(found[1].as_deref(), Ok(second));
        assert_eq!(found[2], Err("column 'n': 'Int' is no type".into()));
        assert_eq!(found[3], Err("the row has 2 cells and the header 7".into()));
    }

    #[test]
    fn headers_need_the_keys_and_know_their_columns() {
        let refused = |header: &str| EntityRows::new(header.as_bytes(), b',').err().unwrap().to_string();
        assert_eq!(refused("PartitionKey,n"), "the header has no column RowKey");
        assert_eq!(refused("PartitionKey,RowKey,n,n"), "the header names a column twice");
        assert!(refused("PartitionKey,RowKey,n@type").contains("none 'n'"));
    }
}
