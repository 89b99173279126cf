//! Instructions to steps.

mod arguments;
mod assemble;
mod branch;
mod connective;
mod filter;
mod map;
mod modulate;
mod pattern;
mod property;
mod repeat;
mod side_effect;
mod source;
mod spawn;
mod strategy;
mod text;

use std::cell::Cell;

use super::{MAX_STEPS, Query, StepKind, Transaction, Traversal};
use crate::GremlinError;
use crate::value::{Bytecode, Instruction};
use arguments::Arguments;
pub(crate) use modulate::{INDEXER, VALUE_MAP_TOKENS};

/// What a client asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Compiled {
    /// A traversal to run.
    Query(Query),
    /// A command on transactions.
    Transaction(Transaction),
}

impl Query {
    /// The steps of a client's instructions. Errors name the step, and the place where the instructions come from a text.
    pub fn from_bytecode(bytecode: &Bytecode) -> Result<Compiled, GremlinError> {
        if let Some(transaction) = source::transaction(bytecode)? {
            return Ok(Compiled::Transaction(transaction));
        }
        let mut cx = Context { steps: Cell::new(0), joins_connectives: true };
        let source = source::source(&cx, &bytecode.source)?;
        cx.joins_connectives = !source.without_strategies.iter().any(|name| &**name == "ConnectiveStrategy");
        let steps = assemble::assemble(&cx, 0, &bytecode.steps)?;
        Ok(Compiled::Query(Query { source, traversal: Traversal { steps } }))
    }
}

/// What holds for all of a traversal.
struct Context {
    /// Those seen.
    steps: Cell<usize>,
    /// Whether `and()` and `or()` without arguments join what stands beside them.
    joins_connectives: bool,
}

impl Context {
    fn count(&self, instruction: &Instruction) -> Result<(), GremlinError> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return Err(GremlinError::TooLarge { what: "steps", limit: MAX_STEPS, at: instruction.at });
        }
        Ok(())
    }
}

/// The steps that one instruction makes, unless it is a modulator.
fn make(arguments: &mut Arguments<'_>) -> Result<Vec<StepKind>, GremlinError> {
    if arguments.name() == "has" {
        return filter::has(arguments);
    }
    for family in [spawn::make, filter::make, map::make, text::make, side_effect::make, branch::make] {
        if let Some(kind) = family(arguments)? {
            return Ok(vec![kind]);
        }
    }
    let (name, at) = (arguments.name(), arguments.at());
    if is_of_a_graph_computer(name) {
        return Err(GremlinError::Unsupported { what: format!("{name}() is"), at });
    }
    Err(GremlinError::UnknownStep { name: name.to_owned(), at })
}

/// Steps for graph computers and files.
fn is_of_a_graph_computer(name: &str) -> bool {
    matches!(
        name,
        "io" | "read" | "write" | "pageRank" | "peerPressure" | "connectedComponent" | "shortestPath" | "program"
    )
}
