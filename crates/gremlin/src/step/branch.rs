//! Steps that run other traversals.

use std::sync::Arc;

use super::{Projection, Traversal};
use crate::value::{GValue, P};

/// `repeat()` with its modulators.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// The name that `loops()` counts it by.
    pub name: Option<Arc<str>>,
    /// What is repeated.
    pub body: Traversal,
    /// When it ends. `None`: when nothing is left.
    pub until: Option<Until>,
    /// Whether `until()` or `times()` stands before `repeat()`, so that it counts before the first round as well.
    pub is_until_first: bool,
    /// What leaves besides that which is through. [`RepeatCondition::Always`] for `emit()`.
    pub emit: Option<RepeatCondition>,
    /// Whether `emit()` stands before `repeat()`, so that it counts before the first round as well.
    pub is_emit_first: bool,
}

/// When a repetition ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Until {
    /// After so many rounds.
    Times(u64),
    /// When a condition holds.
    Condition(RepeatCondition),
}

/// A condition on a traverser in a repetition.
#[derive(Clone, Debug, PartialEq)]
pub enum RepeatCondition {
    /// Holds.
    Always,
    /// The object is like this.
    Predicate(P),
    /// There is a result.
    Traversal(Traversal),
}

/// `choose()`.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// By a condition on the object or on there being a result.
    If {
        /// Never [`RepeatCondition::Always`].
        condition: RepeatCondition,
        /// If it holds.
        then: Traversal,
        /// If it does not; without it the object stays as it is.
        otherwise: Option<Traversal>,
    },
    /// By a value: the first option that fits.
    Case(Branching),
}

/// A value and what is done for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// What is looked at.
    pub on: Projection,
    /// In order.
    pub options: Vec<BranchOption>,
}

/// One `option()`.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchOption {
    /// When it is taken.
    pub key: OptionKey,
    /// What is done then.
    pub then: Traversal,
}

/// When an option is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKey {
    /// Always.
    Any,
    /// When no other is.
    None,
    /// When there is no value to choose by.
    Unproductive,
    /// When the value is equal.
    Value(GValue),
    /// When the value is like this.
    Predicate(P),
    /// When there is a result; in `branch()` only.
    Traversal(Traversal),
}

/// A condition of `match()`.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchPattern {
    /// `as(start)...as(end)`: from one variable to another, or to anything.
    Path {
        /// The variable where it begins.
        start: Arc<str>,
        /// What leads on. Empty where the pattern is but a variable.
        steps: Traversal,
        /// The variable where it ends.
        end: Option<Arc<str>>,
    },
    /// `where(start, predicate)` or `where(traversal)` on variables, as a single step.
    Where(Traversal),
    /// All of them.
    And(Vec<MatchPattern>),
    /// One of them.
    Or(Vec<MatchPattern>),
    /// There is no result.
    Not(Box<MatchPattern>),
}
