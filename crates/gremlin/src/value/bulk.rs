//! Values that carry counts or branch.

use super::GValue;

/// Distinct values with the number of their occurrences, in order of the first one.
#[derive(Clone, Debug, Default)]
pub struct BulkSet {
    /// Value and count.
    pub items: Vec<(GValue, i64)>,
}

/// A value on its way through a traversal, standing for `bulk` equal ones.
#[derive(Clone, Debug)]
pub struct Traverser {
    /// How many.
    pub bulk: i64,
    /// Of what.
    pub value: GValue,
}

/// Paths that share their beginnings.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What follows, and what follows that.
    pub branches: Vec<(GValue, Tree)>,
}
