//! Entities as rows of CSV in the form of Azure Storage Explorer: the keys, the time, and each property with its type beside it.

use std::borrow::Cow;
use std::collections::HashSet;

use anyhow::ensure;

use super::csv::write_cell;
use crate::transfer::{MAX_COLUMNS, Member};

/// The columns that every entity has, which need no type.
const FIXED: [&str; 3] = ["PartitionKey", "RowKey", "Timestamp"];
/// What the name of a member with a type ends in.
const ANNOTATION: &str = "@odata.type";

/// Finds the properties of entities, in the order in which they first appear.
#[derive(Default)]
pub(super) struct EntityColumns {
    columns: Vec<String>,
    names: HashSet<String>,
}

impl EntityColumns {
    /// Takes the members of an entity into account.
    ///
    /// # Errors
    /// If there are more than [`MAX_COLUMNS`] properties.
    pub fn add<'a>(&mut self, members: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
        for name in members.filter(|name| !FIXED.contains(name) && !is_metadata(name)) {
            if !self.names.contains(name) {
                ensure!(
                    self.columns.len() < MAX_COLUMNS,
                    "the entities have more than {MAX_COLUMNS} different properties: choose some with --columns, or another format"
                );
                self.names.insert(name.to_owned());
                self.columns.push(name.to_owned());
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Vec<String> {
        self.columns
    }
}

/// Writes the header.
pub(super) fn write_header(columns: &[String], delimiter: u8, out: &mut Vec<u8>) {
    for (name, index) in FIXED.iter().zip(0..) {
        if index > 0 {
            out.push(delimiter);
        }
        write_cell(name, delimiter, out);
    }
    for name in columns {
        out.push(delimiter);
        write_cell(name, delimiter, out);
        out.push(delimiter);
        write_cell(&format!("{name}@type"), delimiter, out);
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes an entity as a row.
///
/// # Errors
/// If a value is no JSON.
pub(super) fn write_row(
    columns: &[String],
    members: &[Member<'_>],
    delimiter: u8,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    let find = |name: &str| members.iter().position(|member| member.name == name);
    for (name, index) in FIXED.iter().zip(0..) {
        if index > 0 {
            out.push(delimiter);
        }
        if let Some(place) = find(name) {
            write_cell(&text(&members[place].value)?, delimiter, out);
        }
    }
    for name in columns {
        out.push(delimiter);
        let Some(place) = find(name) else {
            out.push(delimiter);
            continue;
        };
        // The type, if it is said, is said just before.
        let annotation = place.checked_sub(1).map(|before| &members[before]);
        let annotation = annotation.filter(|member| member.name.strip_suffix(ANNOTATION) == Some(name));
        let value = text(&members[place].value)?;
        write_cell(&value, delimiter, out);
        out.push(delimiter);
        let edm_type = match annotation {
            Some(annotation) => text(&annotation.value)?,
            None => Cow::Borrowed(type_of(&members[place].value)),
        };
        write_cell(edm_type.strip_prefix("Edm.").unwrap_or(&edm_type), delimiter, out);
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

fn is_metadata(name: &str) -> bool {
    name.starts_with("odata.") || name.ends_with(ANNOTATION)
}

/// A value as the text of a cell.
fn text(json: &str) -> anyhow::Result<Cow<'_, str>> {
    Ok(if json.starts_with('"') { serde_json::from_str::<String>(json)?.into() } else { json.into() })
}

/// The type of a value that JSON tells.
fn type_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "String",
        Some(b't' | b'f') => "Boolean",
        _ if json.contains(['.', 'e', 'E']) => "Double",
        _ => "Int32",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::members;

    #[test]
    fn each_property_has_its_type_beside_it() {
        let entities = [
            r#"{"PartitionKey":"p","RowKey":"","Timestamp":"t","l@odata.type":"Edm.Int64","l":"5","d":1.0,"b":true}"#,
            r#"{"PartitionKey":"p","RowKey":"r","Timestamp":"t","s":"","l":5}"#,
        ];
        let entities: Vec<_> = entities.iter().map(|text| members(text).unwrap()).collect();
        let mut columns = EntityColumns::default();
        entities.iter().for_each(|entity| columns.add(entity.iter().map(|member| &*member.name)).unwrap());
        let columns = columns.finish();
        let mut out = Vec::new();
        write_header(&columns, b',', &mut out);
        entities.iter().for_each(|entity| write_row(&columns, entity, b',', &mut out).unwrap());
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "PartitionKey,RowKey,Timestamp,l,l@type,d,d@type,b,b@type,s,s@type\r\n\
             p,\"\",t,5,Int64,1.0,Double,true,Boolean,,\r\n\
             p,r,t,5,Int32,,,,,\"\",String\r\n"
        );
    }
}
