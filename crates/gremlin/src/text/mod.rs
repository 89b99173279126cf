//! Gremlin as text: what consoles and drivers send, to instructions. `grammars/gremlin.ebnf` is what is accepted.

mod fill;
mod lex;
mod limits;
mod number;
mod parse;
mod print;
mod string;
mod token;

use std::sync::Arc;

use crate::GremlinError;
use crate::value::{Bytecode, GMap, GValue};

pub use limits::{MAX_RANGE_ITEMS, MAX_TEXT_BYTES};
pub use print::print;

/// The statements of a text, in order. The last one's value is the answer.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// At least one, unless the text is empty.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The variable that keeps its value, in a session.
    pub assigned_to: Option<Arc<str>>,
    /// What it evaluates.
    pub expression: Expression,
}

/// What a statement evaluates.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A traversal, run to its end, and what is made of its results.
    Traversal {
        /// The name of its source: `g`, or another alias.
        source: Arc<str>,
        /// Its instructions; [`crate::step::Query::from_bytecode`] checks them.
        bytecode: Arc<Bytecode>,
        /// How it ends.
        terminal: Terminal,
    },
    /// A value, a bound variable or one of the session.
    Value(GValue),
}

/// What is made of a traversal's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// All of them: no terminal, or `toList()`.
    List,
    /// `toSet()`
    Set,
    /// `toBulkSet()`
    BulkSet,
    /// `next()`; nothing to give is an error.
    Next,
    /// `next(n)`
    NextMany(u64),
    /// `tryNext()`
    TryNext,
    /// `hasNext()`
    HasNext,
    /// `iterate()`: none.
    Iterate,
    /// `explain()`
    Explain,
    /// `toString()`
    Text,
}

/// Reads a text. Variables are looked up in `bindings`, then in `session` (which earlier statements of the same text add to when they
/// are run: an unknown name that an earlier statement assigns becomes [`GValue::Binding`] with a null value, to be filled in by
/// [`Expression::filled`]).
///
/// # Errors
/// Where the text is not of the language, names something unsupported, or a variable has no value.
pub fn parse(text: &str, bindings: &GMap, session: &GMap) -> Result<Script, GremlinError> {
    parse::parse(text, bindings, session)
}
