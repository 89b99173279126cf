//! Paths put together, as they are while more come.

use indexmap::IndexMap;

use crate::value::{GValue, Tree};

/// What follows, by what it follows on.
#[derive(Debug, Default)]
pub(super) struct Branches(IndexMap<GValue, Branches>);

impl Branches {
    /// One path more.
    pub fn add(&mut self, path: impl IntoIterator<Item = GValue>) {
        let mut at = self;
        for object in path {
            at = at.0.entry(object).or_default();
        }
    }

    /// A whole tree more.
    pub fn add_tree(&mut self, tree: &Tree) {
        for (value, below) in &tree.branches {
            self.0.entry(value.clone()).or_default().add_tree(below);
        }
    }

    pub fn to_tree(&self) -> Tree {
        Tree { branches: self.0.iter().map(|(value, below)| (value.clone(), below.to_tree())).collect() }
    }
}
