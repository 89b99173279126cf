//! Items in the format of a file.

use orrery_value::document::is_system_property;

use super::csv::{write_header, write_row};
use crate::transfer::{Column, Member, members, write_object};

/// Writes items one after the other.
pub(super) struct ItemWriter {
    shape: Shape,
    keep_system_properties: bool,
    items: u64,
}

/// How items follow each other.
pub(super) enum Shape {
    /// As the elements of an array.
    Json,
    /// Line by line.
    Lines,
    /// As rows below a header.
    Csv { columns: Vec<Column>, delimiter: u8 },
}

impl ItemWriter {
    pub fn new(shape: Shape, keep_system_properties: bool) -> ItemWriter {
        ItemWriter { shape, keep_system_properties, items: 0 }
    }

    /// What comes before the first item.
    pub fn begin(&self, out: &mut Vec<u8>) {
        match &self.shape {
            Shape::Json => out.push(b'['),
            Shape::Lines => {}
            Shape::Csv { columns, delimiter } => write_header(columns, *delimiter, out),
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
                write_row(columns, &members_of(text, self.keep_system_properties)?, *delimiter, out)?;
            }
        }
        self.items += 1;
        Ok(())
    }

    /// What comes after the last item.
    pub fn end(&self, out: &mut Vec<u8>) {
        match &self.shape {
            Shape::Json => out.extend_from_slice(b"\n]\n"),
            Shape::Lines | Shape::Csv { .. } => {}
        }
    }

    /// Items written.
    pub fn items(&self) -> u64 {
        self.items
    }

    fn object(&self, text: &str, out: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.keep_system_properties {
            out.extend_from_slice(text.as_bytes());
        } else {
            write_object(&members_of(text, false)?, out);
        }
        Ok(())
    }
}

/// The members of an item, with or without the system properties.
///
/// # Errors
/// If the text is no JSON object.
pub(super) fn members_of(text: &str, keep_system_properties: bool) -> anyhow::Result<Vec<Member<'_>>> {
    let mut found = members(text)?;
    if !keep_system_properties {
        found.retain(|member| !is_system_property(&member.name));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(shape: Shape, keep: bool, items: &[&str]) -> String {
        let mut writer = ItemWriter::new(shape, keep);
        let mut out = Vec::new();
        writer.begin(&mut out);
        items.iter().for_each(|item| writer.item(item, &mut out).unwrap());
        writer.end(&mut out);
        String::from_utf8(out).unwrap()
    }

    const ITEMS: [&str; 2] = [r#"{"id":"a","n":1.50,"_rid":"x","_ts":1}"#, r#"{"id":"b","_rid":"y","_ts":2}"#];

    #[test]
    fn json_is_an_array_with_an_item_on_each_line() {
        assert_eq!(written(Shape::Json, false, &ITEMS), "[\n{\"id\":\"a\",\"n\":1.50},\n{\"id\":\"b\"}\n]\n");
        assert_eq!(written(Shape::Json, false, &[]), "[\n]\n");
    }

    #[test]
    fn lines_may_keep_the_system_properties() {
        assert_eq!(written(Shape::Lines, true, &ITEMS), format!("{}\n{}\n", ITEMS[0], ITEMS[1]));
    }
}
