//! Traversals as instructions: names with arguments, unchecked.

use std::sync::Arc;

use super::GValue;

/// A traversal as a client sends it in bytecode, and what a text is turned into first.
#[derive(Clone, Debug, Default)]
pub struct Bytecode {
    /// What configures the source: `withStrategies` and its like.
    pub source: Vec<Instruction>,
    /// The steps with their modulators.
    pub steps: Vec<Instruction>,
}

/// A name with arguments.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// As Java spells it: `in`, not `in_`.
    pub name: Arc<str>,
    /// Nested traversals are [`GValue::Bytecode`].
    pub arguments: Vec<GValue>,
    /// The byte offset of the name in the text it was read from, if it was.
    pub at: Option<usize>,
}

impl Instruction {
    /// One that comes from no text.
    pub fn new(name: impl Into<Arc<str>>, arguments: Vec<GValue>) -> Self {
        Instruction { name: name.into(), arguments, at: None }
    }
}

/// A variable and its value; the value is what counts.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable's name.
    pub key: Arc<str>,
    /// Its value.
    pub value: GValue,
}

/// Code in another language.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// `gremlin-groovy` and others.
    pub language: Arc<str>,
    /// The code.
    pub script: Arc<str>,
    /// How many arguments it takes; -1 for any.
    pub arguments: i32,
}
