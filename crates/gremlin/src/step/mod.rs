//! A traversal as a tree of typed steps: all that an executor needs to know, and no names left to look up.
//!
//! [`Query::from_bytecode`] checks every step's arguments and attaches modulators to the steps they modulate.
//! [`Query::to_bytecode`] is the way back.

mod branch;
mod build;
mod instructions;
mod kind;
mod limits;
mod merge;
mod modulator;
mod property;
mod source;
mod strategy;

use std::sync::Arc;

pub use branch::{BranchOption, Branching, Choice, MatchPattern, OptionKey, Repeat, RepeatCondition, Until};
pub use build::Compiled;
pub(crate) use build::{INDEXER, VALUE_MAP_TOKENS};
pub use kind::{
    EdgeEnd, HasKey, IndexForm, ListFunction, Quantifier, Reducer, SelectSource, StepKind, TextFunction, Tokens,
};
pub use limits::MAX_STEPS;
pub use merge::{MergeArgument, Merging};
pub use modulator::{Operand, PathRange, Projection};
pub use property::{Endpoint, PropertyKey, PropertyWrite};
pub use source::{Sack, SideEffect, Source, Transaction};
pub use strategy::TraversalStrategy;

/// Labels or keys; a null among them names nothing, but is one.
pub type Names = Vec<Option<Arc<str>>>;

/// A whole traversal with the settings of its source.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Query {
    /// What is set for all of it.
    pub source: Source,
    /// What it does.
    pub traversal: Traversal,
}

/// Steps one after the other.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Traversal {
    /// In order. A nested traversal has at least one.
    pub steps: Vec<Step>,
}

/// A step with the labels that `as()` gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// Distinct, in the order given.
    pub labels: Vec<Arc<str>>,
}

impl From<StepKind> for Step {
    fn from(kind: StepKind) -> Self {
        Step { kind, labels: Vec::new() }
    }
}
