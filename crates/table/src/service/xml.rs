//! Small XML documents: elements with either elements or text in them. Attributes, comments and instructions are skipped.

use quick_xml::Reader;
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::{BytesRef, Event};

use crate::{Error, ErrorCode};

/// Largest document that is read.
const MAX_XML_BYTES: usize = 64 * 1024;
/// Deepest nesting of elements.
const MAX_DEPTH: usize = 16;
/// Most elements.
const MAX_ELEMENTS: usize = 1_000;

/// An element of a document, without the prefix of its name.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    text: String,
    pub children: Vec<Element>,
}

impl Element {
    /// Reads a document whose outermost element is called `root`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidXmlDocument`]
    pub fn parse(xml: &[u8], root: &str) -> Result<Element, Error> {
        if xml.len() > MAX_XML_BYTES {
            return Err(invalid("It is too long."));
        }
        let text = std::str::from_utf8(xml).map_err(|_| invalid("It is not UTF-8."))?;
        let document = read(text.trim_start_matches('\u{feff}'))?;
        if document.name == root { Ok(document) } else { Err(invalid(format_args!("{root} is expected."))) }
    }

    /// The first element of that name in it.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The element of that name in it.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidXmlDocument`] if there is none.
    pub fn required(&self, name: &str) -> Result<&Element, Error> {
        self.child(name).ok_or_else(|| invalid(format_args!("{} has no {name}.", self.name)))
    }

    /// Its text without white space around it.
    pub fn text(&self) -> &str {
        self.text.trim()
    }

    /// # Errors
    /// [`ErrorCode::InvalidXmlDocument`] if its text is neither `true` nor `false`.
    pub fn flag(&self) -> Result<bool, Error> {
        match self.text() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(invalid(format_args!("{} is '{other}'.", self.name))),
        }
    }
}

fn read(text: &str) -> Result<Element, Error> {
    let mut reader = Reader::from_str(text);
    // Elements that are open, the outermost first; that is one around the document.
    let mut open = vec![Element::default()];
    let mut elements = 0;
    loop {
        let event = reader.read_event().map_err(invalid)?;
        let is_full = elements == MAX_ELEMENTS || open.len() > MAX_DEPTH;
        let innermost = open.last_mut().ok_or_else(|| invalid("An element ends that is not open."))?;
        match event {
            Event::Start(_) | Event::Empty(_) if is_full => return Err(invalid("It has too many elements.")),
            Event::Start(start) => {
                elements += 1;
                open.push(Element { name: local_name(&start), ..Element::default() });
            }
            Event::Empty(start) => {
                elements += 1;
                innermost.children.push(Element { name: local_name(&start), ..Element::default() });
            }
            Event::End(_) => {
                let ended = open.pop().unwrap_or_default();
                let parent = open.last_mut().ok_or_else(|| invalid("An element ends that is not open."))?;
                parent.children.push(ended);
            }
            Event::Text(text) => innermost.text.push_str(&text.xml10_content()),
            Event::CData(text) => innermost.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => push_reference(&reference, &mut innermost.text)?,
            Event::DocType(_) => return Err(invalid("Document types are not read.")),
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(mut around), true) if around.children.len() == 1 && around.text().is_empty() => {
            Ok(around.children.remove(0))
        }
        _ => Err(invalid("It must be one element.")),
    }
}

fn local_name(start: &quick_xml::events::BytesStart<'_>) -> String {
    start.local_name().as_ref().to_owned()
}

fn push_reference(reference: &BytesRef<'_>, text: &mut String) -> Result<(), Error> {
    if let Some(c) = reference.resolve_char_ref().map_err(invalid)? {
        text.push(c);
        return Ok(());
    }
    let name = reference.xml10_content();
    text.push_str(
        resolve_predefined_entity(&name).ok_or_else(|| invalid(format_args!("The entity {name} is unknown.")))?,
    );
    Ok(())
}

/// What is wrong with a document.
pub(super) fn invalid(what: impl std::fmt::Display) -> Error {
    Error::with_detail(ErrorCode::InvalidXmlDocument, what)
}

/// Writes a document.
pub(super) struct Writer {
    out: String,
}

impl Writer {
    pub fn new() -> Self {
        Writer { out: r#"<?xml version="1.0" encoding="utf-8"?>"#.to_owned() }
    }

    /// An element, what is in it written by `content`.
    pub fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.out.extend(["<", name, ">"]);
        content(self);
        self.out.extend(["</", name, ">"]);
    }

    /// An element with text in it.
    pub fn text(&mut self, name: &str, text: &str) {
        self.element(name, |writer| writer.out.push_str(&escape(text)));
    }

    pub fn finish(self) -> Vec<u8> {
        self.out.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_their_text_are_read() {
        let xml =
            "\u{feff}<?xml version=\"1.0\"?><!-- c --><a x='1'> <n:b>1 &lt;&amp;&#65;<![CDATA[<]]></n:b><c/>\n</a>";
        let root = Element::parse(xml.as_bytes(), "a").unwrap();
        assert_eq!(root.required("b").unwrap().text(), "1 <&A<");
        assert_eq!(root.children.len(), 2);
        assert!(root.required("d").is_err() && root.child("c").unwrap().flag().is_err());
    }

    #[test]
    fn what_is_no_small_document_is_refused() {
        let deep = format!("{}{}", "<a>".repeat(20), "</a>".repeat(20));
        let wide = format!("<a>{}</a>", "<b/>".repeat(MAX_ELEMENTS));
        let long = format!("<a>{}</a>", "x".repeat(MAX_XML_BYTES));
        for bad in [
            "",
            "text",
            "<a>",
            "</a>",
            "<a></b>",
            "<a/><a/>",
            "<a/>x",
            "<b/>",
            "<a>&x;</a>",
            "<a>&#x110000;</a>",
            "<a",
            "<a>&lt</a>",
            "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            &deep,
            &wide,
            &long,
        ] {
            assert!(Element::parse(bad.as_bytes(), "a").is_err(), "{bad:.100}");
        }
        assert!(Element::parse(b"<a>\xff</a>", "a").is_err());
    }
}
