//! What is set for a whole traversal.

use std::sync::Arc;

use super::{Operand, TraversalStrategy};
use crate::value::{GValue, Operator};

/// The settings of a traversal's source.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// `withStrategies()`, in order.
    pub strategies: Vec<TraversalStrategy>,
    /// `withoutStrategies()`: names without their package.
    pub without_strategies: Vec<Arc<str>>,
    /// `withSideEffect()`, in order.
    pub side_effects: Vec<SideEffect>,
    /// `withSack()`.
    pub sack: Option<Sack>,
    /// `with(key, value)`: `evaluationTimeout` and others. The value of `with(key)` is true.
    pub options: Vec<(Arc<str>, GValue)>,
    /// `withBulk(false)`: a traverser of a bulk counts once.
    pub bulk: bool,
    /// `withPath()`: paths are kept whether or not a step asks for them.
    pub path: bool,
}

impl Default for Source {
    fn default() -> Self {
        Source {
            strategies: Vec::new(),
            without_strategies: Vec::new(),
            side_effects: Vec::new(),
            sack: None,
            options: Vec::new(),
            bulk: true,
            path: false,
        }
    }
}

/// A side effect that is there from the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEffect {
    /// Its name.
    pub key: Arc<str>,
    /// Its first value.
    pub initial: GValue,
    /// How later values are put to it.
    pub operator: Option<Operator>,
}

/// What each traverser carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Sack {
    /// At the start.
    pub initial: Operand,
    /// How the sacks of merged traversers become one. Without it traversers with sacks do not merge.
    pub merge: Option<Operator>,
}

/// A command of `g.tx()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// Opens one.
    Begin,
    /// Keeps its changes.
    Commit,
    /// Drops them.
    Rollback,
}

impl Transaction {
    /// As the language spells it.
    pub fn name(self) -> &'static str {
        match self {
            Transaction::Begin => "begin",
            Transaction::Commit => "commit",
            Transaction::Rollback => "rollback",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        [Transaction::Begin, Transaction::Commit, Transaction::Rollback].into_iter().find(|one| one.name() == name)
    }
}
