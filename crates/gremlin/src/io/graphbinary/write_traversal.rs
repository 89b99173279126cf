//! Traversals and what they are made of.

use super::super::EncodeError;
use super::code;
use super::output::Output;
use super::write::{named_entries, value};
use crate::value::{Binding, Bytecode, Constant, GValue, Instruction, Lambda, P, Strategy};

pub(super) fn bytecode(output: &mut Output, bytecode: &Bytecode) -> Result<(), EncodeError> {
    output.start(code::BYTECODE);
    instructions(output, &bytecode.steps)?;
    instructions(output, &bytecode.source)
}

fn instructions(output: &mut Output, instructions: &[Instruction]) -> Result<(), EncodeError> {
    output.list(instructions.iter(), |output, instruction| {
        output.text(&instruction.name)?;
        output.list(instruction.arguments.iter(), value)
    })
}

pub(super) fn binding(output: &mut Output, binding: &Binding) -> Result<(), EncodeError> {
    output.start(code::BINDING);
    output.text(&binding.key)?;
    value(output, &binding.value)
}

pub(super) fn lambda(output: &mut Output, lambda: &Lambda) -> Result<(), EncodeError> {
    output.start(code::LAMBDA);
    output.text(&lambda.language)?;
    output.text(&lambda.script)?;
    output.i32(lambda.arguments);
    Ok(())
}

pub(super) fn strategy(output: &mut Output, strategy: &Strategy) -> Result<(), EncodeError> {
    output.start(code::TRAVERSAL_STRATEGY);
    output.text(&strategy.name)?;
    named_entries(output, strategy.configuration.iter().map(|(name, value)| (name, value)))
}

pub(super) fn predicate(output: &mut Output, predicate: &P) -> Result<(), EncodeError> {
    output.start(if matches!(predicate, P::Text(..)) { code::TEXT_P } else { code::P });
    output.text(predicate.name())?;
    match predicate {
        P::Compare(_, operand) | P::Text(_, operand) => output.list([operand].into_iter(), value),
        P::Interval(_, low, high) => output.list([low, high].into_iter(), value),
        P::Within(members) | P::Without(members) => output.list(members.iter(), value),
        P::TypeOf(gtype) => output.list([GValue::Constant(Constant::GType(*gtype))].iter(), value),
        P::And(all) | P::Or(all) => output.list(all.iter(), nested),
        P::Not(inner) => output.list([&**inner].into_iter(), nested),
    }
}

fn nested(output: &mut Output, inner: &P) -> Result<(), EncodeError> {
    output.nested(|output| predicate(output, inner))
}
