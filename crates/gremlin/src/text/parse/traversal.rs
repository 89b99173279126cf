//! Sources, chains of steps and how traversals end.

use std::sync::Arc;

use nom::Err;

use super::super::token::{Symbol, TokenKind};
use super::super::{Expression, Terminal};
use super::argument::argument;
use super::input::{Fault, Parsed, Tokens, items, symbol, word};
use super::strategy::{class, strategy};
use crate::value::{Bytecode, GValue, Instruction};

/// A traversal from its source on: `g.V().out().toList()`.
pub(super) fn root(input: Tokens<'_>) -> Parsed<'_, Expression> {
    let (input, source) = word("a source of traversals")(input)?;
    let (input, (bytecode, terminal)) = from_source(input)?;
    let otherwise = if bytecode.steps.is_empty() { Terminal::Text } else { Terminal::List };
    let terminal = terminal.unwrap_or(otherwise);
    let traversal = Expression::Traversal { source: Arc::from(source), bytecode: Arc::new(bytecode), terminal };
    Ok((ends_statement(input)?, traversal))
}

/// Nothing of Groovy goes on here.
pub(super) fn ends_statement(input: Tokens<'_>) -> Result<Tokens<'_>, Err<Fault>> {
    match input.kind() {
        TokenKind::Symbol(Symbol::Dot) => {
            let TokenKind::Word(method) = *input.kind_after(1) else { return Err(input.unexpected("the end")) };
            Err(input.unsupported(format!("{method}(), a method of results, is")))
        }
        _ => Ok(input),
    }
}

/// The first result of a traversal that stands within another: `to(g.V('a'))`, `to(g.V('a').next())`. It is made a nested one, which
/// gives its first result where one is wanted.
pub(super) fn within(input: Tokens<'_>) -> Parsed<'_, Bytecode> {
    let start = input.advance();
    let (after, (bytecode, terminal)) = from_source(start.deeper()?)?;
    match terminal {
        None | Some(Terminal::Next) if !bytecode.steps.is_empty() && bytecode.source.is_empty() => {
            Ok((after.at_level_of(input), bytecode))
        }
        _ => Err(input.unsupported("a whole traversal as an argument, other than V() and its like with next(), is")),
    }
}

/// What follows the source, and how it ends if that is said.
fn from_source(mut input: Tokens<'_>) -> Parsed<'_, (Bytecode, Option<Terminal>)> {
    let mut bytecode = Bytecode::default();
    while let Some(name) = member(input) {
        if let (after, Some(terminal)) = terminal(input.advance(), name)? {
            if bytecode.steps.is_empty() && terminal != Terminal::Text {
                return Err(input.advance().unexpected("a step that begins a traversal"));
            }
            return Ok((after, (bytecode, Some(terminal))));
        }
        if name == "tx" && bytecode.source.is_empty() && bytecode.steps.is_empty() {
            let (after, command) = transaction(input.advance())?;
            bytecode.source.push(command);
            return Ok((after, (bytecode, Some(Terminal::List))));
        }
        if name == "withComputer" {
            return Err(input.advance().unsupported("graph computers are"));
        }
        let (after, instruction) = call(input.advance())?;
        if bytecode.steps.is_empty() && is_of_source(name) {
            bytecode.source.push(instruction);
        } else if bytecode.steps.is_empty() && !begins_traversal(name) {
            let message = format!(
                "a traversal begins with V(), E(), addV() or another step that needs none before it, not with {name}()"
            );
            return Err(input.advance().wrong(message));
        } else {
            bytecode.steps.push(instruction);
        }
        input = after;
    }
    Ok((input, (bytecode, None)))
}

/// The name behind a point, if one comes next.
fn member<'t>(input: Tokens<'t>) -> Option<&'t str> {
    match (input.is(Symbol::Dot), input.kind_after(1)) {
        (true, TokenKind::Word(name)) => Some(name),
        _ => None,
    }
}

fn is_of_source(name: &str) -> bool {
    matches!(
        name,
        "with"
            | "withBulk"
            | "withPath"
            | "withSack"
            | "withSideEffect"
            | "withStrategies"
            | "withoutStrategies"
            | "tx"
    )
}

fn begins_traversal(name: &str) -> bool {
    matches!(name, "V" | "E" | "addV" | "addE" | "mergeV" | "mergeE" | "inject" | "union" | "call" | "io")
}

/// `tx().commit()` and its like, as one instruction.
fn transaction(input: Tokens<'_>) -> Parsed<'_, Instruction> {
    let at = input.at();
    let (after, ()) = empty_call(input)?;
    let (after, ()) = symbol(Symbol::Dot)(after)?;
    let wanted = "begin(), commit() or rollback()";
    let (_, command) = word(wanted)(after)?;
    if !matches!(command, "begin" | "commit" | "rollback") {
        return Err(after.unexpected(wanted));
    }
    let (after, ()) = empty_call(after)?;
    let instruction = Instruction { name: Arc::from("tx"), arguments: vec![GValue::from(command)], at: Some(at) };
    Ok((after, instruction))
}

/// A name with empty parentheses.
pub(super) fn empty_call(input: Tokens<'_>) -> Parsed<'_, ()> {
    let (input, _) = word("a name")(input)?;
    let (input, ()) = symbol(Symbol::OpenParenthesis)(input)?;
    symbol(Symbol::CloseParenthesis)(input)
}

/// The end of a traversal, if the method at hand is one.
fn terminal<'t>(input: Tokens<'t>, name: &str) -> Parsed<'t, Option<Terminal>> {
    let terminal = match name {
        "next" => return next(input).map(|(input, terminal)| (input, Some(terminal))),
        "toList" => Terminal::List,
        "toSet" => Terminal::Set,
        "toBulkSet" => Terminal::BulkSet,
        "tryNext" => Terminal::TryNext,
        "hasNext" => Terminal::HasNext,
        "iterate" => Terminal::Iterate,
        "explain" => Terminal::Explain,
        "toString" => Terminal::Text,
        _ => return Ok((input, None)),
    };
    let (input, ()) = empty_call(input)?;
    Ok((input, Some(terminal)))
}

fn is_terminal(name: &str) -> bool {
    matches!(
        name,
        "next" | "toList" | "toSet" | "toBulkSet" | "tryNext" | "hasNext" | "iterate" | "explain" | "toString"
    )
}

fn next(input: Tokens<'_>) -> Parsed<'_, Terminal> {
    let start = input;
    let (input, ()) = symbol(Symbol::OpenParenthesis)(input.advance())?;
    if input.is(Symbol::CloseParenthesis) {
        return Ok((input.advance(), Terminal::Next));
    }
    let (input, count) = argument(input)?;
    let (input, ()) = symbol(Symbol::CloseParenthesis)(input)?;
    match count.as_i64().and_then(|count| u64::try_from(count).ok()) {
        Some(count) => Ok((input, Terminal::NextMany(count))),
        None => Err(start.wrong("next() takes a number that is not negative")),
    }
}

/// Steps with points between them, the first one at hand.
pub(super) fn nested(input: Tokens<'_>) -> Parsed<'_, Bytecode> {
    if let TokenKind::Word(name) = *input.kind()
        && is_terminal(name)
    {
        return Err(input.unsupported(format!("{name}() within a traversal is")));
    }
    let (after, first) = call(input.deeper()?)?;
    let (after, steps) = continued(after, first)?;
    Ok((after.at_level_of(input), steps))
}

/// The steps behind the first one.
pub(super) fn continued(mut input: Tokens<'_>, first: Instruction) -> Parsed<'_, Bytecode> {
    let mut steps = vec![first];
    while let Some(name) = member(input) {
        if is_terminal(name) {
            return Err(input.unsupported(format!("{name}() within a traversal is")));
        }
        let (after, step) = call(input.advance())?;
        steps.push(step);
        input = after;
    }
    Ok((input, Bytecode { source: Vec::new(), steps }))
}

/// A name with arguments.
fn call(input: Tokens<'_>) -> Parsed<'_, Instruction> {
    let at = Some(input.at());
    let (input, name) = word("a step")(input)?;
    if input.is(Symbol::OpenBrace) {
        return Err(input.unsupported(format!("lambdas, as {name} has one, are")));
    }
    let (input, ()) = symbol(Symbol::OpenParenthesis)(input)?;
    let (input, arguments) = match name {
        "withStrategies" => items(strategy, Symbol::CloseParenthesis)(input)?,
        "withoutStrategies" => items(class, Symbol::CloseParenthesis)(input)?,
        _ => items(argument, Symbol::CloseParenthesis)(input)?,
    };
    Ok((input, Instruction { name: Arc::from(name), arguments, at }))
}
