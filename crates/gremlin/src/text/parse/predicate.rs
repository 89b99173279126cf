//! Predicates.

use std::sync::Arc;

use super::super::token::{Symbol, TokenKind};
use super::argument::argument;
use super::input::{Parsed, Tokens, items, symbol, word};
use super::traversal::{continued, empty_call};
use crate::value::{Comparison, GValue, Instruction, Interval, P, TextComparison};

/// Names of predicates that no step has.
pub(super) fn is_predicate(name: &str) -> bool {
    Comparison::parse(name).is_some()
        || Interval::parse(name).is_some()
        || TextComparison::parse(name).is_some()
        || matches!(name, "within" | "without" | "typeOf")
}

/// The predicate at hand with its connectives.
pub(super) fn predicate(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let (after, first) = simple(input)?;
    connected(after, first)
}

/// `not(...)` is a predicate of a predicate and a step of a traversal.
pub(super) fn not(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let at = Some(input.at());
    let (after, arguments) = operands(input.advance())?;
    match &arguments[..] {
        [GValue::Predicate(predicate)] => connected(after, P::clone(predicate).negate()),
        _ => {
            let first = Instruction { name: Arc::from("not"), arguments, at };
            let (after, steps) = continued(after.deeper()?, first)?;
            Ok((after.at_level_of(input), GValue::Bytecode(Arc::new(steps))))
        }
    }
}

/// The arguments in parentheses, a level further down.
fn operands(input: Tokens<'_>) -> Parsed<'_, Vec<GValue>> {
    let (inside, ()) = symbol(Symbol::OpenParenthesis)(input.deeper()?)?;
    let (after, operands) = items(argument, Symbol::CloseParenthesis)(inside)?;
    Ok((after.at_level_of(input), operands))
}

/// One with its operands.
fn simple(input: Tokens<'_>) -> Parsed<'_, P> {
    let (after, name) = word("a predicate")(input)?;
    let (after, operands) = operands(after)?;
    if operands.iter().any(|operand| matches!(operand, GValue::Bytecode(_))) {
        return Err(input.wrong(format!("{name}() takes values, but a traversal is given")));
    }
    let operands_of_predicates = name == "not";
    if !operands_of_predicates && operands.iter().any(|operand| matches!(operand, GValue::Predicate(_))) {
        return Err(input.wrong(format!("{name}() takes values, but a predicate is given")));
    }
    let message = match (name, &operands[..]) {
        ("typeOf", [GValue::String(class)]) => format!("{class} is not a registered type"),
        _ => format!("{name}() does not take these arguments"),
    };
    match of_unknown(name, &operands).or_else(|| P::from_name(name, operands)) {
        Some(predicate) => Ok((after, predicate)),
        None => Err(input.wrong(message)),
    }
}

/// A comparison with a variable whose value is not known yet.
fn of_unknown(name: &str, operands: &[GValue]) -> Option<P> {
    match (TextComparison::parse(name), operands) {
        (Some(comparison), [unknown @ GValue::Binding(_)]) => Some(P::Text(comparison, unknown.clone())),
        _ => None,
    }
}

/// `.and(...)`, `.or(...)` and `.negate()` behind a predicate, from the left. A connective that repeats is one.
fn connected(mut input: Tokens<'_>, first: P) -> Parsed<'_, GValue> {
    let mut predicate = first;
    let mut levels = 0;
    while input.is(Symbol::Dot) {
        let (after, name) = word("and(), or() or negate()")(input.advance())?;
        match name {
            "negate" => {
                levels += 1;
                predicate = predicate.negate();
                (input, ()) = empty_call(input.advance())?;
            }
            "and" | "or" => {
                let (after, operand) = operand(after)?;
                levels += usize::from(joins(&predicate) != Some(name));
                predicate = join(name, predicate, operand);
                input = after;
            }
            _ => return Err(input.advance().unexpected("and(), or() or negate()")),
        }
        input.check_levels(levels)?;
    }
    Ok((input, GValue::Predicate(Arc::new(predicate))))
}

/// The predicate in the parentheses of a connective.
fn operand(input: Tokens<'_>) -> Parsed<'_, P> {
    let (after, operands) = operands(input)?;
    match <[GValue; 1]>::try_from(operands) {
        Ok([GValue::Predicate(predicate)]) => Ok((after, Arc::unwrap_or_clone(predicate))),
        _ => Err(match input.kind_after(1) {
            TokenKind::End => input.advance().unexpected("a predicate"),
            _ => input.wrong("a connective of predicates takes a predicate"),
        }),
    }
}

/// The connective that a predicate is.
fn joins(predicate: &P) -> Option<&'static str> {
    match predicate {
        P::And(_) => Some("and"),
        P::Or(_) => Some("or"),
        _ => None,
    }
}

/// Both; the left one grows where it is of this connective.
fn join(name: &str, left: P, right: P) -> P {
    let parts_of = |predicate: P| match predicate {
        P::And(parts) if name == "and" => parts,
        P::Or(parts) if name == "or" => parts,
        other => vec![other],
    };
    let mut parts = parts_of(left);
    parts.extend(parts_of(right));
    if name == "and" { P::And(parts) } else { P::Or(parts) }
}
