//! Results as tables.

use std::collections::HashSet;
use std::io::Write;

use anyhow::{Context, ensure};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Row, Table};
use orrery_value::document::is_system_property;

use super::cell::{Cell, escaped};
use crate::transfer::{MAX_COLUMNS, Member, members};

/// Rows laid out together. A longer result becomes several tables, one below the other.
const BATCH_ROWS: usize = 1_000;
/// The same in bytes of JSON.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// Characters of a cell where there is no terminal, whose width would bound them.
const MAX_CELL_CHARS: usize = 1_000;
/// A column is not squeezed below this; columns that do not fit then are left out.
const MIN_COLUMN_WIDTH: usize = 10;
/// What a column takes beside its text: a blank on both sides and a line.
const COLUMN_FRAME: usize = 3;
/// Names of columns that are told to be left out.
const MAX_NAMED: usize = 8;
/// The name of the only column where rows are no objects.
const VALUE_COLUMN: &str = "value";

/// Lays rows out.
pub struct TableWriter {
    width: Option<usize>,
    rows: Vec<Vec<u8>>,
    bytes: usize,
    /// Columns that did not fit.
    left_out: Vec<String>,
    hides_system_properties: bool,
}

impl TableWriter {
    /// For a terminal of so many columns, or for none.
    pub fn new(width: Option<u16>) -> TableWriter {
        let width = width.map(usize::from);
        TableWriter { width, rows: Vec::new(), bytes: 0, left_out: Vec::new(), hides_system_properties: false }
    }

    pub fn row(&mut self, row: &[u8], out: &mut dyn Write) -> anyhow::Result<()> {
        self.bytes += row.len();
        self.rows.push(row.to_vec());
        if self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.write(out)?;
        }
        Ok(())
    }

    pub fn finish(mut self, out: &mut dyn Write) -> anyhow::Result<Vec<String>> {
        self.write(out)?;
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            let more = if self.left_out.len() > MAX_NAMED { ", …" } else { "" };
            let names = self.left_out[..self.left_out.len().min(MAX_NAMED)].join(", ");
            notes.push(format!("no room for {} more: {names}{more}; \\o json shows everything", self.left_out.len()));
        }
        if self.hides_system_properties {
            notes.push("system properties are not shown; \\o json shows everything".into());
        }
        Ok(notes)
    }

    /// Writes the rows held as one table.
    fn write(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let texts = rows.iter().map(|row| std::str::from_utf8(row).context("a row is not valid UTF-8"));
        let texts = texts.collect::<anyhow::Result<Vec<&str>>>()?;
        let max_chars = self.width.unwrap_or(MAX_CELL_CHARS);
        let (columns, cells) = match objects(&texts) {
            Some(objects) => self.object_cells(&objects, max_chars)?,
            None => {
                let cells = texts.iter().map(|text| vec![Cell::of(text, max_chars)]).collect();
                (vec![VALUE_COLUMN.to_owned()], cells)
            }
        };
        let shown = self.width.map_or(columns.len(), |width| fitting(&columns, &cells, width));
        for name in &columns[shown..] {
            if !self.left_out.contains(name) {
                self.left_out.push(name.clone());
            }
        }
        writeln!(out, "{}", layout(&columns[..shown], &cells, self.width))?;
        Ok(())
    }

    /// Columns in the order in which they first appear, and the cells of each row.
    fn object_cells(
        &mut self,
        objects: &[Vec<Member<'_>>],
        max_chars: usize,
    ) -> anyhow::Result<(Vec<String>, Vec<Vec<Cell>>)> {
        let mut columns: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for object in objects {
            let is_item = is_whole_item(object);
            self.hides_system_properties |= is_item;
            for member in object.iter().filter(|member| !(is_item && is_system_property(&member.name))) {
                if known.insert(&*member.name) {
                    ensure!(columns.len() < MAX_COLUMNS, "the rows have more than {MAX_COLUMNS} columns: use \\o json");
                    columns.push(member.name.clone().into_owned());
                }
            }
        }
        let cell = |object: &[Member<'_>], at: usize, name: &str| {
            // Rows keep their properties in one order mostly, so that the place of the column is the first guess.
            let guess = object.get(at).filter(|member| member.name == name);
            let member = guess.or_else(|| object.iter().find(|member| member.name == name));
            member.map_or(Cell::UNDEFINED, |member| Cell::of(&member.value, max_chars))
        };
        let cells =
            objects.iter().map(|object| columns.iter().enumerate().map(|(at, name)| cell(object, at, name)).collect());
        let cells = cells.collect();
        Ok((columns, cells))
    }
}

/// The members of each row, if all rows are objects and at least one has some.
fn objects<'r>(rows: &[&'r str]) -> Option<Vec<Vec<Member<'r>>>> {
    let objects: Vec<_> = rows.iter().map(|row| members(row).ok()).collect::<Option<_>>()?;
    objects.iter().any(|members| !members.is_empty()).then_some(objects)
}

/// Whether it is an item as the service returns it, with all of what the service adds.
fn is_whole_item(members: &[Member<'_>]) -> bool {
    members.iter().filter(|member| is_system_property(&member.name)).count() >= 5
}

/// How many of the first columns have room.
fn fitting(columns: &[String], cells: &[Vec<Cell>], width: usize) -> usize {
    let mut used = 1;
    for (at, name) in columns.iter().enumerate() {
        let longest = cells.iter().filter_map(|row| row.get(at)).map(|cell| cell.text.chars().count());
        let natural = longest.max().unwrap_or(0).max(name.chars().count());
        used += natural.min(MIN_COLUMN_WIDTH) + COLUMN_FRAME;
        if used > width && at > 0 {
            return at;
        }
    }
    columns.len()
}

fn layout(columns: &[String], cells: &[Vec<Cell>], width: Option<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    // Long texts break anywhere, not only at blanks: control characters are in no cell.
    table.set_delimiter('\0');
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    let mut header = Row::from(columns.iter().map(|name| escaped(name, MAX_CELL_CHARS)).collect::<Vec<_>>());
    header.max_height(1);
    table.set_header(header);
    for row in cells {
        let cells = row.iter().take(columns.len()).map(|cell| {
            let alignment = if cell.is_number { CellAlignment::Right } else { CellAlignment::Left };
            comfy_table::Cell::new(&cell.text).set_alignment(alignment)
        });
        let mut row = Row::from(cells.collect::<Vec<_>>());
        row.max_height(1);
        table.add_row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<u16>, rows: &[&str]) -> (String, Vec<String>) {
        let (mut writer, mut out) = (TableWriter::new(width), Vec::new());
        rows.iter().for_each(|row| writer.row(row.as_bytes(), &mut out).unwrap());
        let notes = writer.finish(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), notes)
    }

    #[test]
    fn undefined_null_and_texts_differ_and_numbers_stand_right() {
        let rows = [r#"{"id":"a","n":1.5,"x":null}"#, r#"{"id":"","n":20,"y":"null"}"#];
        let (text, notes) = table(None, &rows);
        let expected = "\
┌────┬─────┬──────┬────────┐
│ id ┆ n   ┆ x    ┆ y      │
╞════╪═════╪══════╪════════╡
│ a  ┆ 1.5 ┆ null ┆        │
│ \"\" ┆  20 ┆      ┆ \"null\" │
└────┴─────┴──────┴────────┘
";
        assert_eq!(text, expected);
        assert!(notes.is_empty());
    }

    #[test]
    fn long_cells_are_cut_to_the_terminal() {
        let row = format!(r#"{{"id":"a","text":"{} end"}}"#, "one two ".repeat(20));
        let (text, _) = table(Some(40), &[&row]);
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(text.contains("one two one two") && text.contains('…'), "{text}");
        assert_eq!(text.lines().count(), 5, "{text}");
    }

    #[test]
    fn columns_without_room_are_named_below() {
        let columns: Vec<String> = (0..20).map(|n| format!(r#""column {n}":"{}""#, "x".repeat(30))).collect();
        let (text, notes) = table(Some(60), &[&format!("{{{}}}", columns.join(","))]);
        assert!(text.contains("column 0") && text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(notes[0].starts_with("no room for 16 more: column 4, column 5"), "{notes:?}");
    }

    #[test]
    fn items_are_shown_without_what_the_service_adds() {
        let item = r#"{"id":"a","_rid":"r","_self":"s","_etag":"e","_attachments":"x","_ts":1}"#;
        let (text, notes) = table(None, &[item]);
        assert!(!text.contains("_rid") && notes[0].contains("\\o json"));
        assert!(table(None, &[r#"{"_ts":1}"#]).0.contains("_ts"));
    }

    #[test]
    fn rows_that_are_no_objects_have_one_column() {
        let (text, _) = table(None, &["1", r#""a""#, r#"{"b":1}"#]);
        assert!(text.contains("value") && text.contains(r#"{"b":1}"#));
        assert_eq!(table(None, &[]).0, "");
    }

    #[test]
    fn long_results_are_laid_out_in_parts() {
        let rows = vec![r#"{"id":"a"}"#; BATCH_ROWS + 1];
        assert_eq!(table(None, &rows).0.matches("│ id │").count(), 2);
    }
}
