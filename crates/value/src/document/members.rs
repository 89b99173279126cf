//! Walking the members of an object and the elements of an array in order.

use std::borrow::Cow;

use super::node::decode;
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
