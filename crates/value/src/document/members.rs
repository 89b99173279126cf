//! Walking the members of an object and the elements of an array in order.

use std::borrow::Cow;

use super::node::decode;
use super::system::SUFFIX_LEN;
use super::walk::{string_at, value_end};
use super::{Document, Node};
use crate::json::string::RawString;

/// The elements of an array, in order; see [`Node::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    walk: Walk<'a>,
}

/// The members of an object, in order; see [`Node::entries`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    walk: Walk<'a>,
}

/// The members that the client gave an item, in order; see [`Document::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    walk: Walk<'a>,
    /// Where those that the server added begin.
    end: usize,
}

/// A member as it stands in the text.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    document: Document<'a>,
    name: RawString,
    value_at: usize,
    end: usize,
}

/// A place between two members.
#[derive(Clone, Debug)]
struct Walk<'a> {
    document: Document<'a>,
    /// The bracket or comma before the next member; none once the walk is over.
    before: Option<usize>,
}

impl<'a> Elements<'a> {
    /// The elements after the bracket or comma at `before`; none without one.
    pub(super) fn new(document: Document<'a>, before: Option<usize>) -> Self {
        Elements { walk: Walk { document, before } }
    }
}

impl<'a> Entries<'a> {
    /// The members after the brace at `before`; none without one.
    pub(super) fn new(document: Document<'a>, before: Option<usize>) -> Self {
        Entries { walk: Walk { document, before } }
    }

    /// The next member: its name as it stands in the text, and where its value begins.
    #[inline]
    pub(super) fn next_raw(&mut self) -> Option<(RawString, usize)> {
        let at = self.walk.before? + 1;
        let name = string_at(self.walk.document.text, at);
        let value_at = name.map(|name| name.end + 2);
        self.walk.advance(value_at);
        let value_at = value_at?;
        (self.walk.document.text.get(value_at - 1) == Some(&b':')).then_some((name?, value_at))
    }
}

impl<'a> Members<'a> {
    pub(super) fn new(document: Document<'a>) -> Self {
        let end = document.text.len().saturating_sub(SUFFIX_LEN);
        Members { walk: Walk { document, before: Some(0) }, end }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    #[inline]
    fn next(&mut self) -> Option<Member<'a>> {
        let document = self.walk.document;
        let at = self.walk.before.take()? + 1;
        if at >= self.end {
            return None;
        }
        let name = string_at(document.text, at)?;
        let value_at = name.end + 2;
        if document.text.get(name.end + 1) != Some(&b':') {
            return None;
        }
        let end = value_end(&document, value_at)?;
        self.walk.before = (document.text.get(end) == Some(&b',')).then_some(end);
        Some(Member { document, name, value_at, end })
    }
}

impl<'a> Member<'a> {
    /// Its name.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        decode(self.document.text, self.name)
    }

    /// Its name as it is spelled, without quotes; none if it has escapes.
    #[inline]
    pub fn plain_name(&self) -> Option<&'a [u8]> {
        if self.name.escaped { None } else { self.document.text.get(self.name.start..self.name.end) }
    }

    /// Its value.
    pub fn node(&self) -> Option<Node<'a>> {
        Node::at_offset(self.document, self.value_at)
    }

    /// Its value as it is spelled.
    #[inline]
    pub fn value_text(&self) -> &'a [u8] {
        self.document.text.get(self.value_at..self.end).unwrap_or_default()
    }

    /// Name, colon and value as they are spelled.
    #[inline]
    pub fn text(&self) -> &'a [u8] {
        self.document.text.get(self.name.start - 1..self.end).unwrap_or_default()
    }
}

impl Walk<'_> {
    /// Goes behind the value at `value_at`, to the comma if one follows.
    #[inline]
    fn advance(&mut self, value_at: Option<usize>) {
        self.before = value_at
            .and_then(|at| value_end(&self.document, at))
            .filter(|end| self.document.text.get(*end) == Some(&b','));
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        let at = self.walk.before? + 1;
        self.walk.advance(Some(at));
        Node::at_offset(self.walk.document, at)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, str>, Node<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value_at) = self.next_raw()?;
        Some((decode(self.walk.document.text, name)?, Node::at_offset(self.walk.document, value_at)?))
    }
}
