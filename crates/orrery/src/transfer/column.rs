//! The header of a CSV file: names of columns and the types of their cells.

use std::collections::HashSet;
use std::fmt;

use anyhow::{bail, ensure};

/// Columns of a file at the most. A header that has more is not one, or the data is no table.
pub const MAX_COLUMNS: usize = 4_096;

/// A column: the property of that name, written `name` or `name:type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the property.
    pub name: String,
    /// What its cells hold.
    pub kind: ColumnType,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text, dates included; what a column without a type has.
    String,
    /// A whole number of 64 bits.
    Int,
    /// A finite number.
    Double,
    /// `true` or `false`.
    Bool,
    /// Any JSON value: objects, arrays, null, or a mix.
    Json,
}

impl ColumnType {
    const ALL: [ColumnType; 5] =
        [ColumnType::String, ColumnType::Int, ColumnType::Double, ColumnType::Bool, ColumnType::Json];

    /// The word behind the colon.
    pub fn word(self) -> &'static str {
        match self {
            ColumnType::String => "string",
            ColumnType::Int => "int",
            ColumnType::Double => "double",
            ColumnType::Bool => "bool",
            ColumnType::Json => "json",
        }
    }
}

impl Column {
    /// Reads `name` or `name:type`.
    ///
    /// # Errors
    /// If there is no name, or a type that is none.
    pub fn parse(text: &str) -> anyhow::Result<Column> {
        let text = text.trim();
        let (name, kind) = match text.rsplit_once(':') {
            None => (text, ColumnType::String),
            Some((name, word)) => match ColumnType::ALL.into_iter().find(|kind| kind.word() == word.trim()) {
                Some(kind) => (name.trim_end(), kind),
                None => bail!(
                    "column '{text}': '{word}' is no type. Types are string, int, double, bool and json; if the colon belongs to the name, write '{text}:string'"
                ),
            },
        };
        ensure!(!name.is_empty(), "a column has no name: '{text}'");
        Ok(Column { name: name.to_owned(), kind })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ColumnType::String if !self.name.contains(':') => out.write_str(&self.name),
            kind => write!(out, "{}:{}", self.name, kind.word()),
        }
    }
}

/// Reads the cells of a header.
///
/// # Errors
/// If one of them is no column, two have the same name, or there are more than [`MAX_COLUMNS`].
pub fn parse_columns<'a>(cells: impl IntoIterator<Item = &'a str>) -> anyhow::Result<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut names = HashSet::new();
    for cell in cells {
        let column = Column::parse(cell)?;
        ensure!(names.insert(column.name.clone()), "two columns are named '{}'", column.name);
        columns.push(column);
        ensure!(columns.len() <= MAX_COLUMNS, "there are more than {MAX_COLUMNS} columns");
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_columns_and_types() {
        let columns = parse_columns(["id", " age:int ", "a:b:string"]).unwrap();
        assert_eq!(columns[0], Column { name: "id".into(), kind: ColumnType::String });
        assert_eq!(columns[1], Column { name: "age".into(), kind: ColumnType::Int });
        assert_eq!(columns[2], Column { name: "a:b".into(), kind: ColumnType::String });
        assert_eq!(columns.iter().map(Column::to_string).collect::<Vec<_>>(), ["id", "age:int", "a:b:string"]);
    }

    #[test]
    fn wrong_headers_say_what_to_do() {
        let error = |cells: &[&str]| parse_columns(cells.iter().copied()).unwrap_err().to_string();
        assert!(error(&["age:integer"]).contains("write 'age:integer:string'"));
        assert!(error(&["a", "a:int"]).contains("two columns"));
        assert!(error(&["a", ""]).contains("no name"));
        assert!(error(&[":int"]).contains("no name"));
    }
}
