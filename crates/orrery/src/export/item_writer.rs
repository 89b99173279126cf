//! Items in the format of a file.

use orrery_value::document::is_system_property;

use super::csv::{write_header, write_row};
use super::entity_csv;
use crate::transfer::{Column, Member, members, write_object};

/// Writes items one after the other.
pub(super) struct ItemWriter {
    shape: Shape,
    hidden: Hidden,
    items: u64,
}

/// What is left out of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Nothing.
    Nothing,
    /// What the engine adds to documents: `_rid`, `_ts`, …
    SystemProperties,
    /// What the Table API says about an entity: `odata.etag`. A property of an entity may have any other name.
    Metadata,
}

impl Hidden {
    fn hides(self, name: &str) -> bool {
        match self {
            Hidden::Nothing => false,
            Hidden::SystemProperties => is_system_property(name),
            Hidden::Metadata => name.starts_with("odata."),
        }
    }
}

/// How items follow each other.
pub(super) enum Shape {
    /// As the elements of an array.
    Json,
    /// Line by line.
    Lines,
    /// As rows below a header.
    Csv { columns: Vec<Column>, delimiter: u8 },
    /// As rows with the types of their values.
    EntityCsv { columns: Vec<String>, delimiter: u8 },
}

impl ItemWriter {
    pub fn new(shape: Shape, hidden: Hidden) -> ItemWriter {
        ItemWriter { shape, hidden, items: 0 }
    }

    /// What comes before the first item.
    pub fn begin(&self, out: &mut Vec<u8>) {
        match &self.shape {
            Shape::Json => out.push(b'['),
            Shape::Lines => {}
            Shape::Csv { columns, delimiter } => write_header(columns, *delimiter, out),
            Shape::EntityCsv { columns, delimiter } => entity_csv::write_header(columns, *delimiter, out),
        }
    }

    /// An item, given as the JSON that is stored, which has no white space between tokens and so no line ends.
    ///
    /// # Errors
    /// If it does not fit the columns.
    pub fn item(&mut self, text: &str, out: &mut Vec<u8>) -> anyhow::Result<()> {
        match &self.shape {
            Shape::Json => {
                out.extend_from_slice(if self.items == 0 { b"\n" } else { b",\n" });
                self.object(text, out)?;
            }
            Shape::Lines => {
                self.object(text, out)?;
                out.push(b'\n');
            }
            Shape::Csv { columns, delimiter } => {
                write_row(columns, &members_of(text, self.hidden)?, *delimiter, out)?;
            }
            Shape::EntityCsv { columns, delimiter } => {
                entity_csv::write_row(columns, &members_of(text, self.hidden)?, *delimiter, out)?;
            }
        }
        self.items += 1;
        Ok(())
    }

    /// What comes after the last item.
    pub fn end(&self, out: &mut Vec<u8>) {
        match &self.shape {
            Shape::Json => out.extend_from_slice(b"\n]\n"),
            Shape::Lines | Shape::Csv { .. } | Shape::EntityCsv { .. } => {}
        }
    }

    /// Items written.
    pub fn items(&self) -> u64 {
        self.items
    }

    fn object(&self, text: &str, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.hidden == Hidden::Nothing {
            out.extend_from_slice(text.as_bytes());
        } else {
            write_object(&members_of(text, self.hidden)?, out);
        }
        Ok(())
    }
}

/// The members of an item that are not hidden.
///
/// # Errors
/// If the text is no JSON object.
pub(super) fn members_of(text: &str, hidden: Hidden) -> anyhow::Result<Vec<Member<'_>>> {
    let mut found = members(text)?;
    found.retain(|member| !hidden.hides(&member.name));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(shape: Shape, hidden: Hidden, items: &[&str]) -> String {
        let mut writer = ItemWriter::new(shape, hidden);
        let mut out = Vec::new();
        writer.begin(&mut out);
        items.iter().for_each(|item| writer.item(item, &mut out).unwrap());
        writer.end(&mut out);
        String::from_utf8(out).unwrap()
    }

    const ITEMS: [&str; 2] = [r#"{"id":"a","n":1.50,"_rid":"x","_ts":1}"#, r#"{"id":"b","_rid":"y","_ts":2}"#];

    #[test]
    fn json_is_an_array_with_an_item_on_each_line() {
        assert_eq!(
            written(Shape::Json, Hidden::SystemProperties, &ITEMS),
            "[\n{\"id\":\"a\",\"n\":1.50},\n{\"id\":\"b\"}\n]\n"
        );
        assert_eq!(written(Shape::Json, Hidden::SystemProperties, &[]), "[\n]\n");
    }

    #[test]
    fn lines_may_keep_the_system_properties() {
        assert_eq!(written(Shape::Lines, Hidden::Nothing, &ITEMS), format!("{}\n{}\n", ITEMS[0], ITEMS[1]));
    }
}
