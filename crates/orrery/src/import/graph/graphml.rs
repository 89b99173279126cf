//! GraphML: nodes and edges in XML, their properties declared as keys.
//!
//! An element becomes JSON in the form that rows of CSV have. The properties `labelV` and `labelE` are labels.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use orrery_value::Value;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::super::entry::{Entry, MAX_RECORD_BYTES, RecordReader, Unit};

/// Most keys of a file.
const MAX_KEYS: usize = 10_000;

/// Reads nodes and edges one by one.
pub(in crate::import) struct GraphmlElements<R> {
    reader: Reader<PerEvent<R>>,
    buffer: Vec<u8>,
    keys: HashMap<String, Key>,
    number: u64,
}

/// A property as it is declared.
struct Key {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Int,
    Double,
    Text,
}

/// A node or an edge that is being read.
struct Draft {
    /// `~id` and its like first.
    members: Vec<(String, Vec<String>)>,
    size_bytes: usize,
    wrong: Option<String>,
}

impl<R: BufRead + Send> GraphmlElements<R> {
    pub fn new(input: R) -> Self {
        let reader = Reader::from_reader(PerEvent { input, left: 0 });
        GraphmlElements { reader, buffer: Vec::new(), keys: HashMap::new(), number: 0 }
    }

    /// The next piece of the file. No event is longer than a record may be.
    fn event(&mut self) -> io::Result<Event<'static>> {
        self.buffer.clear();
        self.reader.get_mut().left = MAX_RECORD_BYTES;
        self.reader.read_event_into(&mut self.buffer).map(Event::into_owned).map_err(invalid)
    }

    fn declare(&mut self, start: &BytesStart<'_>) -> io::Result<()> {
        let [id, name, kind] = attributes(start, ["id", "attr.name", "attr.type"])?;
        let Some(id) = id else { return Err(invalid("a key has no id")) };
        if self.keys.len() >= MAX_KEYS {
            return Err(invalid(format_args!("there are more than {MAX_KEYS} keys")));
        }
        let kind = match kind.as_deref() {
            Some("boolean") => Kind::Bool,
            Some("int" | "long") => Kind::Int,
            Some("float" | "double") => Kind::Double,
            _ => Kind::Text,
        };
        let name = name.unwrap_or_else(|| id.clone());
        self.keys.insert(id, Key { name, kind });
        Ok(())
    }

    /// The element whose start was read, up to its end.
    fn element(&mut self, start: &BytesStart<'_>, is_empty: bool) -> io::Result<Entry> {
        self.number += 1;
        let mut draft = Draft { members: Vec::new(), size_bytes: 0, wrong: None };
        let is_edge = start.local_name().as_ref() == "edge";
        let [id, source, target] = attributes(start, ["id", "source", "target"])?;
        let (source, target) = if is_edge { (source, target) } else { (None, None) };
        for (name, value) in [("~id", id), ("~from", source), ("~to", target)] {
            if let Some(value) = value {
                draft.add(name, text_json(&value));
            }
        }
        if is_empty {
            return Ok(draft.finish(self.number));
        }
        loop {
            match self.event()? {
                Event::Start(start) if start.local_name().as_ref() == "data" => self.data(&start, &mut draft)?,
                Event::Start(_) => self.skip()?,
                Event::End(_) => break,
                Event::Eof => return Err(invalid("the file ends within an element")),
                _ => {}
            }
        }
        Ok(draft.finish(self.number))
    }

    /// The value of a property.
    fn data(&mut self, start: &BytesStart<'_>, draft: &mut Draft) -> io::Result<()> {
        let [key] = attributes(start, ["key"])?;
        let key = key.unwrap_or_default();
        let mut text = String::new();
        loop {
            match self.event()? {
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => push_reference(&reference, &mut text)?,
                Event::Start(_) => self.skip()?,
                Event::End(_) => break,
                Event::Eof => return Err(invalid("the file ends within an element")),
                _ => {}
            }
            // What is too long is read to its end, but not kept.
            if draft.size_bytes + text.len() > MAX_RECORD_BYTES {
                draft.size_bytes += std::mem::take(&mut text).len();
            }
        }
        let (name, kind) = match self.keys.get(&key) {
            Some(key) => (key.name.as_str(), key.kind),
            None => (key.as_str(), Kind::Text),
        };
        match value_json(kind, &text) {
            Ok(json) => match name {
                "labelV" | "labelE" => draft.add("~label", json),
                name => draft.add(name, json),
            },
            Err(reason) => draft.wrong = Some(format!("'{name}': {reason}")),
        }
        Ok(())
    }

    /// Skips an element of another kind.
    fn skip(&mut self) -> io::Result<()> {
        let mut open = 1_u64;
        while open > 0 {
            match self.event()? {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Eof => return Err(invalid("the file ends within an element")),
                _ => {}
            }
        }
        Ok(())
    }
}

impl<R: BufRead + Send> RecordReader for GraphmlElements<R> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        loop {
            let event = self.event()?;
            let (start, is_empty) = match &event {
                Event::Eof => return Ok(None),
                Event::DocType(_) => return Err(invalid("document types are not read")),
                Event::Start(start) => (start, false),
                Event::Empty(start) => (start, true),
                _ => continue,
            };
            match start.local_name().as_ref() {
                "key" => self.declare(start)?,
                "node" | "edge" => return self.element(start, is_empty).map(Some),
                // What is around nodes and edges.
                _ => {}
            }
        }
    }

    fn unit(&self) -> Unit {
        Unit::Element
    }
}

impl Draft {
    /// A property that repeats has several values.
    fn add(&mut self, name: &str, json: String) {
        self.size_bytes += name.len() + json.len();
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(json),
            None => self.members.push((name.to_owned(), vec![json])),
        }
    }

    fn finish(self, number: u64) -> Entry {
        if let Some(reason) = self.wrong {
            return Entry::wrong(number, reason);
        }
        if self.size_bytes > MAX_RECORD_BYTES {
            return Entry::too_long(number, self.size_bytes as u64);
        }
        let members = self.members.into_iter().map(|(name, values)| {
            let value = match &values[..] {
                [one] => one.clone(),
                several => format!("[{}]", several.join(",")),
            };
            format!("{}:{value}", text_json(&name))
        });
        Entry::found(number, format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes())
    }
}

/// Gives its reader so many bytes for each event.
struct PerEvent<R> {
    input: R,
    left: usize,
}

impl<R: BufRead> Read for PerEvent<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for PerEvent<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.input.fill_buf()?;
        if self.left == 0 && !buffer.is_empty() {
            return Err(invalid(format_args!("a piece of the file is longer than {MAX_RECORD_BYTES} bytes")));
        }
        Ok(&buffer[..buffer.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count.min(self.left);
        self.input.consume(count);
    }
}

/// The values of attributes by name.
fn attributes<const N: usize>(start: &BytesStart<'_>, names: [&str; N]) -> io::Result<[Option<String>; N]> {
    let mut values = [const { None }; N];
    for attribute in start.attributes() {
        let attribute = attribute.map_err(invalid)?;
        if let Some(place) = names.iter().position(|name| *name == attribute.key.as_ref()) {
            values[place] =
                Some(attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(invalid)?.into_owned());
        }
    }
    Ok(values)
}

fn push_reference(reference: &BytesRef<'_>, text: &mut String) -> io::Result<()> {
    if let Some(c) = reference.resolve_char_ref().map_err(invalid)? {
        text.push(c);
        return Ok(());
    }
    let name = reference.xml10_content();
    text.push_str(
        resolve_predefined_entity(&name).ok_or_else(|| invalid(format_args!("the entity {name} is unknown")))?,
    );
    Ok(())
}

fn text_json(text: &str) -> String {
    let mut out = Vec::new();
    Value::from(text).write_json(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn value_json(kind: Kind, text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    match kind {
        Kind::Text => Ok(text_json(text)),
        Kind::Bool if trimmed.eq_ignore_ascii_case("true") => Ok("true".to_owned()),
        Kind::Bool if trimmed.eq_ignore_ascii_case("false") => Ok("false".to_owned()),
        Kind::Bool => Err(format!("{trimmed} is neither true nor false")),
        Kind::Int => {
            trimmed.parse::<i64>().map(|number| number.to_string()).map_err(|_| format!("{trimmed} is no whole number"))
        }
        Kind::Double => match trimmed.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(format!("{number:?}")),
            _ => Err(format!("{trimmed} is no finite number")),
        },
    }
}

fn invalid(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Vec<Result<String, String>> {
        let mut reader = GraphmlElements::new(xml.as_bytes());
        std::iter::from_fn(|| reader.next().unwrap())
            .map(|entry| entry.content.map(|text| String::from_utf8(text).unwrap()))
            .collect()
    }

    const GRAPH: &str = r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
        <key id="labelV" for="node" attr.name="labelV" attr.type="string"/>
        <key id="labelE" for="edge" attr.name="labelE" attr.type="string"></key>
        <key id="k" for="node" attr.name="age" attr.type="int"/><key id="w" attr.name="weight" attr.type="float"/>
        <graph id="G" edgedefault="directed"><desc>a <b>graph</b></desc>
        <node id="1"><data key="labelV">person</data><data key="k"> 29 </data><data key="n">m &amp; "o"</data></node>
        <node id="2"/>
        <node id="3"><data key="n">a</data><data key="n">b</data></node>
        <edge id="7" source="1" target="2"><data key="labelE">knows</data><data key="w">1</data></edge>
        <node id="4"><data key="k">old</data></node>
        </graph></graphml>"#;

    #[test]
    fn nodes_and_edges_are_read_with_typed_properties() {
        assert_eq!(
            read(GRAPH),
            [
                Ok(r#"{"~id":"1","~label":"person","age":29,"n":"m & \"o\""}"#.to_owned()),
                Ok(r#"{"~id":"2"}"#.to_owned()),
                Ok(r#"{"~id":"3","n":["a","b"]}"#.to_owned()),
                Ok(r#"{"~id":"7","~from":"1","~to":"2","~label":"knows","weight":1.0}"#.to_owned()),
                Err("'age': old is no whole number".to_owned()),
            ]
        );
    }

    #[test]
    fn what_is_no_graphml_is_an_error() {
        for xml in ["<graphml><node id='1'>", "<!DOCTYPE a><a/>", "<a><node id='1'>&b;</node></a", "<node id=1/>"] {
            let mut reader = GraphmlElements::new(xml.as_bytes());
            let outcome = std::iter::from_fn(|| reader.next().transpose()).find(Result::is_err);
            assert!(outcome.is_some(), "{xml}");
        }
    }

    #[test]
    fn a_piece_without_an_end_takes_no_more_than_a_record() {
        let xml = format!("<graphml {}", "a".repeat(3 * MAX_RECORD_BYTES));
        assert!(GraphmlElements::new(xml.as_bytes()).next().is_err());
        let long =
            format!("<node id='1'><data key='a'>{}</data></node><node id='2'/>", "<b/>a".repeat(MAX_RECORD_BYTES));
        let entries = read(&format!("<graphml>{long}</graphml>"));
        assert!(entries[0].as_ref().unwrap_err().contains("the limit is"));
        assert_eq!(entries[1].as_deref(), Ok(r#"{"~id":"2"}"#));
    }
}
