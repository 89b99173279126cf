//! The terms of a document: each indexed path with each value that it has there.

use orrery_value::{Document, Node, NodeKind};

use super::dictionary::{Dictionary, NodeId, PathId};
use super::path::Step;
use super::policy::Composite;
use super::value::{ValueType, encode_node, invert};

/// Terms of some documents in the order in which they were met.
#[derive(Default)]
pub(super) struct Terms {
    pub entries: Vec<Term>,
    /// The encoded values.
    pub bytes: Vec<u8>,
}

/// A value at a path of a document.
#[derive(Clone, Copy)]
pub(super) struct Term {
    /// The path and the value's first bytes, zeros behind a shorter one: decides most comparisons.
    pub head: u128,
    /// Which of the documents.
    pub row: u32,
    pub start: u32,
    pub end: u32,
}

impl Term {
    /// Bytes of the value in [`Term::head`].
    pub const VALUE_IN_HEAD: usize = size_of::<u128>() - size_of::<PathId>();

    fn head(path: PathId, value: &[u8]) -> u128 {
        u128::from(path) << (8 * Self::VALUE_IN_HEAD) | head_of(value) >> PathId::BITS
    }

    pub fn path(&self) -> PathId {
        (self.head >> (8 * Self::VALUE_IN_HEAD)) as PathId
    }
}

impl Terms {
    /// Adds the terms of a document.
    pub fn add(&mut self, document: &Document<'_>, row: u32, dictionary: &mut Dictionary) {
        dictionary.count_version();
        self.walk(&document.root(), Dictionary::ROOT, row, dictionary);
        for index in 0..dictionary.composites().len() {
            let (composite, id) = &dictionary.composites()[index];
            let (id, start) = (*id, self.bytes.len());
            self.encode_composite(document, composite);
            self.end_term(id, row, start);
            dictionary.count(id);
        }
    }

    /// Bytes of memory in use.
    pub fn size_bytes(&self) -> usize {
        self.entries.len() * size_of::<Term>() + self.bytes.len()
    }

    pub fn value(&self, term: &Term) -> &[u8] {
        &self.bytes[term.start as usize..term.end as usize]
    }

    /// As deep as the policy goes, which no policy does beyond [`super::path::MAX_PATH_STEPS`].
    fn walk(&mut self, node: &Node<'_>, place: NodeId, row: u32, dictionary: &mut Dictionary) {
        match node.kind() {
            NodeKind::Object => {
                for (name, value) in node.entries() {
                    if let Some(child) = dictionary.child(place, &name) {
                        self.visit(&value, child, row, dictionary);
                    }
                }
            }
            NodeKind::Array => {
                let mut elements = node.elements().peekable();
                if elements.peek().is_some()
                    && let Some(place) = dictionary.element(place)
                {
                    elements.for_each(|element| self.visit(&element, place, row, dictionary));
                }
            }
            NodeKind::Null | NodeKind::Bool | NodeKind::Number | NodeKind::String => {}
        }
    }

    fn visit(&mut self, node: &Node<'_>, place: NodeId, row: u32, dictionary: &mut Dictionary) {
        let verdict = dictionary.verdict(place);
        if verdict.value
            && let Some(path) = dictionary.count_term(place)
        {
            let start = self.bytes.len();
            encode_node(node, &mut self.bytes);
            self.end_term(path, row, start);
        }
        if verdict.below {
            self.walk(node, place, row, dictionary);
        }
    }

    fn encode_composite(&mut self, document: &Document<'_>, composite: &Composite) {
        for (path, descends) in &composite.paths {
            let start = self.bytes.len();
            let node = path.steps().iter().try_fold(document.root(), |node, step| match step {
                Step::Name(name) => node.get(name),
                Step::Element => None,
            });
            match node {
                Some(node) => encode_node(&node, &mut self.bytes),
                None => self.bytes.push(ValueType::Undefined as u8),
            }
            if *descends {
                invert(&mut self.bytes[start..]);
            }
        }
    }

    fn end_term(&mut self, path: PathId, row: u32, start: usize) {
        let value = &self.bytes[start..];
        if value.is_empty() {
            return;
        }
        let offset = |at: usize| u32::try_from(at).expect("a batch is bounded far below 4 GiB");
        self.entries.push(Term {
            head: Term::head(path, value),
            row,
            start: offset(start),
            end: offset(self.bytes.len()),
        });
    }
}

/// The first sixteen bytes as a number.
pub(super) fn head_of(bytes: &[u8]) -> u128 {
    match bytes.first_chunk::<16>() {
        Some(head) => u128::from_be_bytes(*head),
        None => {
            let mut head = [0; 16];
            head[..bytes.len()].copy_from_slice(bytes);
            u128::from_be_bytes(head)
        }
    }
}
