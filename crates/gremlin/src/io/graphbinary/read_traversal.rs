//! Traversals and what they are made of.

use std::sync::Arc;

use super::super::{DecodeError, predicate, strategy_name};
use super::code;
use super::input::Input;
use super::read::{named_entries, shown, value, values};
use crate::value::{Binding, Bytecode, GValue, Instruction, Lambda, Strategy};

/// The fewest bytes of an instruction: the lengths of its name and its arguments.
const MIN_INSTRUCTION_BYTES: usize = 8;

pub(super) fn body(input: &mut Input, code: u8) -> Result<GValue, DecodeError> {
    Ok(match code {
        code::BYTECODE => {
            let (steps, source) = (instructions(input)?, instructions(input)?);
            predicate::bytecode(Bytecode { source, steps })
        }
        code::BINDING => {
            let key = input.string("a variable")?;
            GValue::Binding(Arc::new(Binding { key, value: value(input)? }))
        }
        code::LAMBDA => {
            let (language, script) = (input.string("a language")?, input.string("a script")?);
            GValue::Lambda(Arc::new(Lambda { language, script, arguments: input.i32("a count of arguments")? }))
        }
        code::TRAVERSAL_STRATEGY => {
            let name = strategy_name(input.text("the class of a strategy")?).into();
            GValue::Strategy(Arc::new(Strategy { name, configuration: named_entries(input)? }))
        }
        _ => condition(input)?,
    })
}

fn instructions(input: &mut Input) -> Result<Vec<Instruction>, DecodeError> {
    input.list(MIN_INSTRUCTION_BYTES, "a count of instructions", |input| {
        let name = input.string("the name of an instruction")?;
        Ok(Instruction::new(name, values(input)?))
    })
}

/// `P` or `TextP`: the names tell them apart.
fn condition(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    let name = input.text("the name of a predicate")?;
    let operands = values(input)?;
    predicate::predicate(name, operands)
        .ok_or_else(|| Input::unexpected(at, "a predicate and its operands", shown(name)))
}
