//! Values of properties, lists, sets and maps among them.
//!
//! A collection is JSON that SQL reads as such. What that does not tell stands in its note, which is an array of notes in turn, or an object:
//!
//! ```text
//! list               [1, "a"]         none, or ["list", note of each member or null]
//! set                [1, "a"]         "set", or ["set", note of each member or null]
//! map, keys strings  {"a": 1}         none, or {"a": note}
//! another map        [1, "x", 2, "y"] "map", or ["map", note of each key and value or null]
//! ```
//! So an array or an object that SQL has put where a value is reads as a list or a map. A note that does not fit, since SQL has added or taken
//! members, counts for nothing.
//!
//! **Invariant:** values nest at most [`MAX_NESTING`] levels, so that documents with them keep the service's bound of depth.

use std::borrow::Cow;
use std::collections::HashMap;

use orrery_value::json::write_string;
use orrery_value::{MAX_DOCUMENT_BYTES, Node, NodeKind};

use super::write::ObjectWriter;
use super::{StoredValue, invalid};
use crate::graph::GraphError;
use crate::value::{GMap, GSet, GValue, MAX_NESTING};

/// Whether a property may have this value.
///
/// # Errors
/// [`GraphError::Invalid`] for null, for what is no value of a property at all, and for collections that hold such or are too deep or large.
pub(super) fn check_value(value: &GValue) -> Result<(), GraphError> {
    // A traversal may make a small value that is huge when written out, since it shares its parts: only writing tells.
    write_value(value, &mut Vec::new()).map(|_| ())
}

/// Appends a value as JSON and returns its note, JSON too.
///
/// # Errors
/// As [`check_value`].
pub(super) fn write_value(value: &GValue, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>, GraphError> {
    Writer { out, left_bytes: MAX_DOCUMENT_BYTES }.value(value, 0)
}

/// The value that a node stands for; `None` for null, and for what is nested too deeply.
pub(super) fn read_value(node: Node<'_>, note: Option<Node<'_>>) -> Option<GValue> {
    if node.is_null() { None } else { read(node, note, 0) }
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// What the value may still take, notes included.
    left_bytes: usize,
}

impl Writer<'_> {
    /// `level` collections are around this value.
    fn value(&mut self, value: &GValue, level: usize) -> Result<Option<Vec<u8>>, GraphError> {
        if level > MAX_NESTING {
            return Err(invalid(format!("a property value nests at most {MAX_NESTING} levels")));
        }
        match value {
            GValue::List(items) => self.array("list", items.iter(), level),
            GValue::Set(members) => self.array("set", members.iter(), level),
            GValue::Map(entries) if entries.keys().all(|key| key.as_str().is_some()) => self.object(entries, level),
            GValue::Map(entries) => self.array("map", entries.iter().flat_map(<[&GValue; 2]>::from), level),
            GValue::Null if level > 0 => {
                self.out.extend_from_slice(b"null");
                self.spend(4)?;
                Ok(None)
            }
            scalar => {
                let StoredValue { plain, note } = StoredValue::encode(scalar)?;
                let begun = self.out.len();
                plain.write(self.out);
                self.spend(self.out.len() - begun + note.as_ref().map_or(0, String::len))?;
                Ok(note.map(|note| json_string(&note)))
            }
        }
    }

    fn array<'v>(
        &mut self,
        class: &str,
        members: impl Iterator<Item = &'v GValue>,
        level: usize,
    ) -> Result<Option<Vec<u8>>, GraphError> {
        let mut notes = vec![b'['];
        write_string(class, &mut notes);
        self.spend(2)?;
        let mut is_any_noted = false;
        self.out.push(b'[');
        for (index, member) in members.enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            let note = self.value(member, level + 1)?;
            is_any_noted |= note.is_some();
            notes.push(b',');
            notes.extend_from_slice(note.as_deref().unwrap_or(b"null"));
        }
        self.out.push(b']');
        notes.push(b']');
        Ok(match class {
            _ if is_any_noted => Some(notes),
            "list" => None,
            other => Some(json_string(other)),
        })
    }

    fn object(&mut self, entries: &GMap, level: usize) -> Result<Option<Vec<u8>>, GraphError> {
        let mut notes = Vec::new();
        let mut noted = ObjectWriter::begin(&mut notes);
        self.spend(2)?;
        let mut is_any_noted = false;
        self.out.push(b'{');
        for (index, (key, value)) in entries.iter().enumerate() {
            let name = key.as_str().unwrap_or_default();
            self.spend(name.len())?;
            if index > 0 {
                self.out.push(b',');
            }
            write_string(name, self.out);
            self.out.push(b':');
            let note = self.value(value, level + 1)?;
            if let Some(note) = note {
                is_any_noted = true;
                noted.name(name).extend_from_slice(&note);
            }
        }
        noted.end();
        self.out.push(b'}');
        Ok(is_any_noted.then_some(notes))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), GraphError> {
        let left = self.left_bytes.checked_sub(bytes);
        let too_large = || invalid(format!("a property value takes more than {MAX_DOCUMENT_BYTES} bytes"));
        self.left_bytes = left.ok_or_else(too_large)?;
        Ok(())
    }
}

fn json_string(text: &str) -> Vec<u8> {
    let mut json = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut json);
    json
}

fn read(node: Node<'_>, note: Option<Node<'_>>, level: usize) -> Option<GValue> {
    if level > MAX_NESTING {
        return None;
    }
    match node.kind() {
        NodeKind::Null => Some(GValue::Null),
        NodeKind::Array => read_array(node, note, level),
        NodeKind::Object => read_object(node, note, level),
        _ => StoredValue::decode(node, note),
    }
}

fn read_array(node: Node<'_>, note: Option<Node<'_>>, level: usize) -> Option<GValue> {
    let notes = note.filter(|note| note.element_count() == node.element_count().map(|count| count + 1));
    let mut notes = notes.into_iter().flat_map(|notes| notes.elements());
    let class = notes.next().or(note).and_then(|class| class.as_str());
    let members = node.elements().map(|member| read(member, notes.next(), level + 1));
    let members = members.collect::<Option<Vec<GValue>>>()?;
    let collection = match class.as_deref() {
        Some("set") => set_of(&members),
        Some("map") => map_of(&members),
        _ => None,
    };
    Some(collection.unwrap_or_else(|| GValue::list(members)))
}

/// The set of these members, if none is there twice.
fn set_of(members: &[GValue]) -> Option<GValue> {
    let set: GSet = members.iter().cloned().collect();
    (set.len() == members.len()).then(|| GValue::Set(set.into()))
}

/// The map of these keys and values, if no key is there twice.
fn map_of(members: &[GValue]) -> Option<GValue> {
    let (pairs, rest) = members.as_chunks::<2>();
    let map: GMap = pairs.iter().cloned().map(<(GValue, GValue)>::from).collect();
    (rest.is_empty() && map.len() == pairs.len()).then(|| GValue::Map(map.into()))
}

fn read_object(node: Node<'_>, note: Option<Node<'_>>, level: usize) -> Option<GValue> {
    let notes: HashMap<Cow<'_, str>, Node<'_>> = note.into_iter().flat_map(|note| note.entries()).collect();
    let entry = |(name, member): (Cow<'_, str>, Node<'_>)| {
        let value = read(member, notes.get(&name).copied(), level + 1)?;
        Some((GValue::string(name), value))
    };
    let entries = node.entries().map(entry).collect::<Option<GMap>>()?;
    Some(GValue::Map(entries.into()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orrery_value::NewDocument;

    use super::*;

    fn stored(value: &GValue) -> (String, String) {
        let mut json = Vec::new();
        let note = write_value(value, &mut json).unwrap().unwrap_or_default();
        (String::from_utf8(json).unwrap(), String::from_utf8(note).unwrap())
    }

    fn read_json(json: &str, note: &str) -> Option<GValue> {
        let note = if note.is_empty() { "null" } else { note };
        let document = NewDocument::from_json(format!(r#"{{"id":"1","v":{json},"n":{note}}}"#).as_bytes()).unwrap();
        let root = document.document().root();
        read_value(root.get("v").unwrap(), root.get("n"))
    }

    fn nested(levels: usize) -> GValue {
        (0..levels).fold(GValue::Int(1), |inner, _| GValue::list([inner]))
    }

    #[test]
    fn notes_say_what_json_does_not() {
        let ints = || [GValue::Int(1), GValue::Int(2)];
        for (value, json, note) in [
            (GValue::list(ints()), "[1,2]", ""),
            (GValue::list([GValue::Null, GValue::Long(1)]), "[null,1]", r#"["list",null,"long"]"#),
            (GValue::set(ints()), "[1,2]", r#""set""#),
            (GValue::set([GValue::Long(1), GValue::Int(1)]), "[1,1]", r#"["set","long",null]"#),
            (GValue::map([("a".into(), 1.into())]), r#"{"a":1}"#, ""),
            (
                GValue::map([("a".into(), 1.into()), ("b".into(), GValue::set([]))]),
                r#"{"a":1,"b":[]}"#,
                r#"{"b":"set"}"#,
            ),
            (GValue::map([(1.into(), "x".into())]), r#"[1,"x"]"#, r#""map""#),
            (
                GValue::list([GValue::map([(GValue::Char('a'), GValue::list([]))])]),
                r#"[["a",[]]]"#,
                r#"["list",["map","char",null]]"#,
            ),
        ] {
            assert_eq!(stored(&value), (json.to_owned(), note.to_owned()));
            assert_eq!(read_json(json, note).as_ref(), Some(&value));
        }
    }

    #[test]
    fn a_note_that_does_not_fit_counts_for_nothing() {
        let plain = read_json("[1,1,2]", "");
        for note in [r#""set""#, r#""map""#, r#"["list","long"]"#, r#"["set",null]"#, "{}", "[]", "7", r#"[["list"]]"#]
        {
            assert_eq!(read_json("[1,1,2]", note), plain, "{note}");
        }
        let map = Some(GValue::map([("a".into(), 1.into())]));
        for note in [r#"{"b":"long"}"#, r#"{"a":["long"]}"#, r#""map""#, r#"["set","long"]"#] {
            assert_eq!(read_json(r#"{"a":1}"#, note), map, "{note}");
        }
    }

    #[test]
    fn values_nest_only_so_deep() {
        let deepest = nested(MAX_NESTING);
        assert_eq!(read_json(&stored(&deepest).0, ""), Some(deepest.clone()));
        assert!(check_value(&GValue::list([deepest.clone()])).is_err());
        assert_eq!(read_json(&format!("[{}]", stored(&deepest).0), ""), None);
    }

    #[test]
    fn a_small_value_that_is_huge_when_written_out_is_refused() {
        let doubled = |inner: GValue, _| GValue::List(Arc::new(vec![inner.clone(), inner]));
        assert!(check_value(&(0..60).fold(GValue::Int(1), doubled)).is_err());
        assert!(check_value(&(0..60).fold(GValue::list([]), doubled)).is_err());
        assert!(check_value(&(0..10).fold(GValue::Int(1), doubled)).is_ok());
    }

    #[test]
    fn null_and_elements_are_refused() {
        for value in [GValue::Null, GValue::list([GValue::Class("x".into())]), GValue::Class("x".into())] {
            assert!(check_value(&value).is_err());
        }
    }
}
