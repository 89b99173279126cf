//! Settings of the source.

use std::sync::Arc;

use super::{Arguments, Context, strategy};
use crate::GremlinError;
use crate::step::{Sack, SideEffect, Source, Transaction, TraversalStrategy};
use crate::value::{Bytecode, Constant, GValue, Instruction, Operator};

/// The command, if the instructions are one.
pub(super) fn transaction(bytecode: &Bytecode) -> Result<Option<Transaction>, GremlinError> {
    let [instruction] = &bytecode.source[..] else { return Ok(None) };
    if &*instruction.name != "tx" || !bytecode.steps.is_empty() {
        return Ok(None);
    }
    match &instruction.arguments[..] {
        [GValue::String(name)] => Transaction::parse(name).map(Some).ok_or_else(|| GremlinError::Step {
            step: "tx".to_owned(),
            message: format!("tx() takes begin, commit or rollback, but '{name}' is given"),
            at: instruction.at,
        }),
        _ => Ok(None),
    }
}

pub(super) fn source(cx: &Context, instructions: &[Instruction]) -> Result<Source, GremlinError> {
    let mut source = Source::default();
    for instruction in instructions {
        cx.count(instruction)?;
        let mut arguments = Arguments::new(cx, 0, instruction);
        set(&mut source, &mut arguments)?;
        arguments.end()?;
    }
    Ok(source)
}

fn set(source: &mut Source, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    match arguments.name() {
        "withStrategies" => {
            while arguments.left() > 0 {
                source.strategies.push(strategy::strategy(arguments)?);
            }
        }
        "withoutStrategies" => {
            while arguments.left() > 0 {
                source.without_strategies.push(strategy::name(arguments)?);
            }
        }
        "withSideEffect" => source.side_effects.push(SideEffect {
            key: arguments.string("a key")?,
            initial: arguments.value()?,
            operator: optional_operator(arguments)?,
        }),
        "withSack" => {
            source.sack = Some(Sack { initial: arguments.operand("a value")?, merge: optional_operator(arguments)? });
        }
        "with" => with(source, arguments)?,
        "withBulk" => source.bulk = boolean(arguments)?,
        "withPath" => source.path = true,
        "withComputer" => {
            return Err(GremlinError::Unsupported { what: "graph computers are".to_owned(), at: arguments.at() });
        }
        name => {
            let name = name.to_owned();
            return Err(GremlinError::UnknownStep { name, at: arguments.at() });
        }
    }
    Ok(())
}

/// `with()` and an `OptionsStrategy` are the same.
fn with(source: &mut Source, arguments: &mut Arguments<'_>) -> Result<(), GremlinError> {
    let key: Arc<str> = arguments.string("a key")?;
    let value = if arguments.left() > 0 { arguments.value()? } else { GValue::Bool(true) };
    source.options.push((key, value));
    Ok(())
}

fn optional_operator(arguments: &mut Arguments<'_>) -> Result<Option<Operator>, GremlinError> {
    if arguments.left() == 0 {
        return Ok(None);
    }
    match arguments.any("an Operator")? {
        GValue::Constant(Constant::Operator(operator)) => Ok(Some(operator)),
        other => Err(arguments.refuse("an Operator", &other)),
    }
}

fn boolean(arguments: &mut Arguments<'_>) -> Result<bool, GremlinError> {
    match arguments.any("a boolean")? {
        GValue::Bool(value) => Ok(value),
        other => Err(arguments.refuse("a boolean", &other)),
    }
}

impl Source {
    /// The value of an option, from wherever it was set last.
    pub fn option(&self, key: &str) -> Option<&GValue> {
        let strategies = self.strategies.iter().rev().filter_map(|strategy| match strategy {
            TraversalStrategy::Options(options) => Some(options),
            _ => None,
        });
        let set = |options: &'_ Vec<(Arc<str>, GValue)>| options.iter().rposition(|(name, _)| &**name == key);
        std::iter::once(&self.options).chain(strategies).find_map(|options| set(options).map(|place| &options[place].1))
    }
}
