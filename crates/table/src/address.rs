//! What a path names, and the keys in it.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::{Dialect, Error, ErrorCode};

/// Longest path that is looked at: two keys of the longest kind, each byte encoded.
const MAX_PATH_BYTES: usize = 32 * 1024;
/// Longest key, in UTF-16 units.
const MAX_KEY_UNITS: usize = 1_024;
/// Longest RowKey in the Cosmos dialect, in bytes.
const MAX_COSMOS_ROW_KEY_BYTES: usize = 255;

/// What stands in an address as it is: the characters that RFC 3986 reserves nothing for.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The keys of an entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey {
    /// The logical partition.
    pub partition_key: String,
    /// The name within it.
    pub row_key: String,
}

/// What a path below the account names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `/`
    Service,
    /// `/Tables` and `/Tables()`
    Tables,
    /// `/Tables('name')`
    Table(String),
    /// `/name` and `/name()`: the table, or the entities of it.
    Entities(String),
    /// `/name(PartitionKey='p',RowKey='r')`
    Entity {
        /// The table.
        table: String,
        /// The entity.
        key: EntityKey,
    },
    /// `/$batch`
    Batch,
}

impl Address {
    /// Reads a path as it came over the wire, without the query and without an emulator's account segment. Names and keys are decoded
    /// once, after the path was taken apart: `%2F` in a key is no separator.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidUri`] for a path that names nothing, [`ErrorCode::InvalidInput`] if its keys are malformed. Names and keys
    /// themselves are not checked.
    pub fn parse(raw_path: &str) -> Result<Self, Error> {
        if raw_path.len() > MAX_PATH_BYTES {
            return Err(Error::with_detail(ErrorCode::InvalidUri, "It is too long."));
        }
        let path = raw_path.strip_prefix('/').unwrap_or(raw_path);
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() {
            return Ok(Address::Service);
        }
        if path.contains('/') {
            return Err(Error::new(ErrorCode::InvalidUri));
        }
        let path = decode(path)?;
        if path == "$batch" {
            return Ok(Address::Batch);
        }
        let Some(open) = path.find('(') else { return Ok(Address::of_name(path)) };
        let (name, arguments) = path.split_at(open);
        let arguments = arguments.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
        match (name, arguments.ok_or_else(malformed)?) {
            (name, "") => Ok(Address::of_name(name.to_owned())),
            (name, arguments) if name.eq_ignore_ascii_case("Tables") && !arguments.contains('=') => {
                let (name, rest) = quoted(arguments)?;
                if rest.is_empty() { Ok(Address::Table(name)) } else { Err(malformed()) }
            }
            (name, arguments) => Ok(Address::Entity { table: name.to_owned(), key: keys(arguments)? }),
        }
    }

    fn of_name(name: String) -> Self {
        if name.eq_ignore_ascii_case("Tables") { Address::Tables } else { Address::Entities(name) }
    }
}

impl EntityKey {
    /// Whether an entity may have these keys.
    ///
    /// # Errors
    /// [`ErrorCode::KeyValueTooLarge`], [`ErrorCode::OutOfRangeInput`] for forbidden characters, [`ErrorCode::PropertiesNeedValue`] for
    /// an empty key in the Cosmos dialect.
    pub fn check(&self, dialect: Dialect) -> Result<(), Error> {
        check_key("PartitionKey", &self.partition_key, dialect)?;
        check_key("RowKey", &self.row_key, dialect)?;
        if dialect == Dialect::Cosmos && self.row_key.len() > MAX_COSMOS_ROW_KEY_BYTES {
            return Err(Error::with_detail(ErrorCode::KeyValueTooLarge, "The RowKey may have 255 bytes."));
        }
        Ok(())
    }

    /// Appends `(PartitionKey='p',RowKey='r')` with the keys encoded for a URL.
    pub fn write_address(&self, out: &mut String) {
        write_keys(&self.partition_key, &self.row_key, out);
    }
}

/// Appends `(PartitionKey='p',RowKey='r')` with the keys encoded for a URL.
pub(crate) fn write_keys(partition_key: &str, row_key: &str, out: &mut String) {
    out.push_str("(PartitionKey='");
    write_encoded(partition_key, out);
    out.push_str("',RowKey='");
    write_encoded(row_key, out);
    out.push_str("')");
}

/// Appends a text as it stands between quotes in a URL.
pub(crate) fn write_encoded(text: &str, out: &mut String) {
    for (nth, piece) in text.split('\'').enumerate() {
        out.push_str(if nth > 0 { "%27%27" } else { "" });
        // Writing to a String does not fail.
        let _ = write!(out, "{}", utf8_percent_encode(piece, ENCODED));
    }
}

fn check_key(name: &str, key: &str, dialect: Dialect) -> Result<(), Error> {
    if key.is_empty() && dialect == Dialect::Cosmos {
        return Err(Error::with_detail(ErrorCode::PropertiesNeedValue, "PartitionKey/RowKey cannot be empty."));
    }
    // No character has fewer bytes than units.
    if key.len() > MAX_KEY_UNITS && key.encode_utf16().count() > MAX_KEY_UNITS {
        return Err(Error::new(ErrorCode::KeyValueTooLarge));
    }
    match key.chars().find(|c| c.is_control() || matches!(c, '/' | '\\' | '#' | '?')) {
        Some(bad) => {
            Err(Error::with_detail(ErrorCode::OutOfRangeInput, format_args!("The '{name}' must not contain {bad:?}.")))
        }
        None => Ok(()),
    }
}

/// `PartitionKey='p',RowKey='r'` in either order.
fn keys(arguments: &str) -> Result<EntityKey, Error> {
    let (mut partition_key, mut row_key) = (None, None);
    let mut rest = arguments;
    loop {
        let (name, value) = rest.split_once('=').ok_or_else(malformed)?;
        let slot = match name.trim() {
            "PartitionKey" => &mut partition_key,
            "RowKey" => &mut row_key,
            _ => return Err(malformed()),
        };
        let (value, after) = quoted(value.trim_start())?;
        if slot.replace(value).is_some() {
            return Err(malformed());
        }
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None if after.is_empty() => break,
            None => return Err(malformed()),
        }
    }
    let (partition_key, row_key) = partition_key.zip(row_key).ok_or_else(malformed)?;
    Ok(EntityKey { partition_key, row_key })
}

/// The text between quotes at the front, in which a doubled quote stands for one, and what follows it.
fn quoted(text: &str) -> Result<(String, &str), Error> {
    let mut rest = text.strip_prefix('\'').ok_or_else(malformed)?;
    let mut value = String::new();
    loop {
        let (piece, after) = rest.split_once('\'').ok_or_else(malformed)?;
        value.push_str(piece);
        match after.strip_prefix('\'') {
            Some(after) => {
                value.push('\'');
                rest = after;
            }
            None => return Ok((value, after.trim_start())),
        }
    }
}

fn decode(text: &str) -> Result<String, Error> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(|_| Error::invalid_input("The path is not UTF-8."))
}

fn malformed() -> Error {
    Error::invalid_input("The keys in the address are malformed.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(partition_key: &str, row_key: &str) -> EntityKey {
        EntityKey { partition_key: partition_key.into(), row_key: row_key.into() }
    }

    fn entity(partition_key: &str, row_key: &str) -> Address {
        Address::Entity { table: "T".into(), key: key(partition_key, row_key) }
    }

    #[test]
    fn paths_name_what_they_name() {
        for (path, expected) in [
            ("/", Address::Service),
            ("", Address::Service),
            ("/Tables", Address::Tables),
            ("/Tables()", Address::Tables),
            ("/Tables('abc')", Address::Table("abc".into())),
            ("/Tables(%27abc%27)", Address::Table("abc".into())),
            ("/abc", Address::Entities("abc".into())),
            ("/abc()", Address::Entities("abc".into())),
            ("/abc%28%29", Address::Entities("abc".into())),
            ("/$batch", Address::Batch),
            ("/%24batch", Address::Batch),
            ("/T(PartitionKey='p',RowKey='r')", entity("p", "r")),
            ("/T(RowKey='r', PartitionKey='p')", entity("p", "r")),
            ("/T(PartitionKey='p',%20RowKey='')", entity("p", "")),
            ("/T(PartitionKey=%27a%2Fb%27,RowKey=%27%23%3F%27)", entity("a/b", "#?")),
            ("/T(PartitionKey='it%27%27s',RowKey='a''b')", entity("it's", "a'b")),
            ("/T(PartitionKey='a%2525b',RowKey='a+b')", entity("a%25b", "a+b")),
            ("/T(PartitionKey='a,RowKey=',RowKey='(x)')", entity("a,RowKey=", "(x)")),
        ] {
            assert_eq!(Address::parse(path), Ok(expected), "{path}");
        }
    }

    #[test]
    fn malformed_paths_are_refused() {
        for path in [
            "/a/b",
            "/T(PartitionKey='p')",
            "/T(PartitionKey='p',RowKey='r'",
            "/T(PartitionKey='p',RowKey=r)",
            "/T('p','r')",
            "/T(PartitionKey='p',PartitionKey='q')",
            "/T(PartitionKey='p',RowKey='r',X='y')",
            "/T(PartitionKey='p',RowKey='r')x",
            "/T(PartitionKey='p'RowKey='r')",
            "/T(PartitionKey='p',RowKey='r',)",
            "/Tables('a'b)",
            "/Tables(a)",
            "/%FF",
            "/T(partitionkey='p',rowkey='r')",
        ] {
            assert!(Address::parse(path).is_err(), "{path}");
        }
    }

    #[test]
    fn an_address_leads_back_to_its_keys() {
        for (p, r) in [("p", "r"), ("", ""), ("it's", "''"), ("a b+c%25&=", "日本é"), ("(x),RowKey='", "~-_.")] {
            let mut path = "/T".to_owned();
            key(p, r).write_address(&mut path);
            assert!(path.is_ascii(), "{path}");
            assert_eq!(Address::parse(&path), Ok(entity(p, r)), "{path}");
        }
    }

    #[test]
    fn keys_follow_the_rules_of_the_dialect() {
        let code = |p: &str, r: &str, dialect| key(p, r).check(dialect).err().map(|error| error.code);
        let long = "k".repeat(1_024);
        assert_eq!(code("", "", Dialect::Storage), None);
        assert_eq!(code(&long, &long, Dialect::Storage), None);
        assert_eq!(code(&"é".repeat(1_024), "", Dialect::Storage), None);
        assert_eq!(code(&format!("{long}k"), "", Dialect::Storage), Some(ErrorCode::KeyValueTooLarge));
        assert_eq!(code("", "r", Dialect::Cosmos), Some(ErrorCode::PropertiesNeedValue));
        assert_eq!(code("p", &"k".repeat(256), Dialect::Cosmos), Some(ErrorCode::KeyValueTooLarge));
        assert_eq!(code("p", &"k".repeat(255), Dialect::Cosmos), None);
        for bad in ["a/b", "a\\b", "a#b", "a?b", "\u{0}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "\n"] {
            assert_eq!(code(bad, "r", Dialect::Storage), Some(ErrorCode::OutOfRangeInput), "{bad:?}");
            assert_eq!(code("p", bad, Dialect::Cosmos), Some(ErrorCode::OutOfRangeInput), "{bad:?}");
        }
        assert_eq!(code("a b%25\u{a0}", "é😀", Dialect::Storage), None);
    }
}
