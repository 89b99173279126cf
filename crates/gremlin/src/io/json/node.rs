//! The nodes of a parsed text and the way through them.

use std::borrow::Cow;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    True,
    False,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The kind as errors name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// One value or one name of an object.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub kind: Kind,
    /// Whether a string has escapes.
    pub is_escaped: bool,
    /// Where the value begins in the text.
    pub at: u32,
    /// Where a scalar ends in the text.
    pub end: u32,
    /// How many nodes the value spans, itself included.
    pub span: u32,
}

/// A value of a parsed text.
#[derive(Clone, Copy)]
pub(crate) struct Item<'j> {
    text: &'j str,
    /// The value's nodes, perhaps with those of its later siblings.
    nodes: &'j [Node],
    node: Node,
}

impl<'j> Item<'j> {
    /// The value whose nodes are first in `nodes`, which hold at least one.
    pub(super) fn new(text: &'j str, nodes: &'j [Node]) -> Self {
        Self { text, nodes, node: nodes[0] }
    }

    pub fn kind(&self) -> Kind {
        self.node.kind
    }

    /// Offset of the value in the text.
    pub fn at(&self) -> usize {
        self.node.at as usize
    }

    fn spelling(&self) -> &'j str {
        &self.text[self.node.at as usize..self.node.end as usize]
    }

    /// A number as it is spelled.
    pub fn number(&self) -> Option<&'j str> {
        (self.node.kind == Kind::Number).then(|| self.spelling())
    }

    /// A string's characters.
    pub fn string(&self) -> Option<Cow<'j, str>> {
        if self.node.kind != Kind::String {
            return None;
        }
        let spelling = self.spelling();
        if self.node.is_escaped {
            // The scanner has resolved it once, so that nothing fails here.
            return Some(Cow::Owned(serde_json::from_str(spelling).unwrap_or_default()));
        }
        Some(Cow::Borrowed(&spelling[1..spelling.len() - 1]))
    }

    /// The elements of an array; nothing for other kinds.
    pub fn items(&self) -> Items<'j> {
        let is_array = self.node.kind == Kind::Array;
        Items { text: self.text, nodes: if is_array { self.inner() } else { &[] } }
    }

    /// The members of an object, names and values; nothing for other kinds.
    pub fn members(&self) -> impl Iterator<Item = (Self, Self)> + use<'j> {
        let is_object = self.node.kind == Kind::Object;
        let mut items = Items { text: self.text, nodes: if is_object { self.inner() } else { &[] } };
        std::iter::from_fn(move || items.next().zip(items.next()))
    }

    /// The value of the last member called `name`.
    pub fn member(&self, name: &str) -> Option<Self> {
        self.members().filter(|(key, _)| key.is_string(name)).last().map(|(_, value)| value)
    }

    fn is_string(&self, text: &str) -> bool {
        self.string().is_some_and(|string| string == text)
    }

    fn inner(&self) -> &'j [Node] {
        &self.nodes[1..self.node.span as usize]
    }
}

/// The elements of an array.
pub(crate) struct Items<'j> {
    text: &'j str,
    nodes: &'j [Node],
}

impl<'j> Iterator for Items<'j> {
    type Item = Item<'j>;

    fn next(&mut self) -> Option<Item<'j>> {
        let span = self.nodes.first()?.span as usize;
        let item = Item::new(self.text, &self.nodes[..span]);
        self.nodes = &self.nodes[span..];
        Some(item)
    }
}
