//! Lists, sets, maps and ranges.

use std::sync::Arc;

use nom::Err;

use super::super::token::{Symbol, TokenKind};
use super::argument::argument;
use super::input::{Fault, Parsed, Tokens, items, symbol};
use crate::GremlinError;
use crate::value::GValue;

/// Brackets hold items, or keys with values.
pub(super) fn list_or_map(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let inside = input.advance().deeper()?;
    if inside.is(Symbol::CloseBracket) {
        return Ok((inside.advance().at_level_of(input), GValue::list([])));
    }
    if inside.is(Symbol::Colon) {
        let (after, ()) = symbol(Symbol::CloseBracket)(inside.advance())?;
        return Ok((after.at_level_of(input), GValue::map([])));
    }
    let (after, first) = key(inside)?;
    if after.is(Symbol::Colon) {
        let (after, value) = argument(after.advance())?;
        let (after, entries) = more(after, (first, value), entry)?;
        return Ok((after.at_level_of(input), GValue::map(entries)));
    }
    let (after, items) = more(after, first, argument)?;
    Ok((after.at_level_of(input), GValue::list(items)))
}

/// Everything up to the closing bracket, behind the first one.
fn more<'t, T>(mut input: Tokens<'t>, first: T, item: impl Fn(Tokens<'t>) -> Parsed<'t, T>) -> Parsed<'t, Vec<T>> {
    let mut items = vec![first];
    while !input.is(Symbol::CloseBracket) {
        if !input.is(Symbol::Comma) {
            return Err(input.unexpected("',' or ']'"));
        }
        let (after, next) = item(input.advance())?;
        items.push(next);
        input = after;
    }
    Ok((input.advance(), items))
}

fn entry(input: Tokens<'_>) -> Parsed<'_, (GValue, GValue)> {
    let (input, key) = key(input)?;
    let (input, ()) = symbol(Symbol::Colon)(input)?;
    let (input, value) = argument(input)?;
    Ok((input, (key, value)))
}

/// A name before a colon is a string; any other key, or an item, is a value. Names in parentheses are not meant as strings.
fn key(input: Tokens<'_>) -> Parsed<'_, GValue> {
    match input.kind() {
        TokenKind::Word(name) if input.is_after(1, Symbol::Colon) => Ok((input.advance(), GValue::from(*name))),
        _ => {
            let (after, key) = argument(input)?;
            match key {
                GValue::Bytecode(_) | GValue::Predicate(_) if after.is(Symbol::Colon) => {
                    Err(input.wrong("a key of a map is a value"))
                }
                key => Ok((after, key)),
            }
        }
    }
}

/// Braces hold the members of a set; where they do not, a closure is met.
pub(super) fn set(input: Tokens<'_>) -> Parsed<'_, GValue> {
    match items(argument, Symbol::CloseBrace)(input.advance().deeper()?) {
        Ok((after, members)) => Ok((after.at_level_of(input), GValue::set(members))),
        Err(Err::Failure(Fault::Refused(error))) if matches!(*error, GremlinError::TooLarge { .. }) => {
            Err(Err::Failure(Fault::Refused(error)))
        }
        Err(_) if is_closure(input) => Err(input.unsupported("lambdas are")),
        Err(error) => Err(error),
    }
}

/// Whether there is an arrow or `it` up to the brace that closes.
fn is_closure(input: Tokens<'_>) -> bool {
    let mut open = 0_usize;
    let mut input = input;
    loop {
        match input.kind() {
            TokenKind::Operator("->") | TokenKind::Word("it") => return true,
            TokenKind::Symbol(Symbol::OpenBrace) => open += 1,
            TokenKind::Symbol(Symbol::CloseBrace) if open <= 1 => return false,
            TokenKind::Symbol(Symbol::CloseBrace) => open -= 1,
            TokenKind::End => return false,
            _ => {}
        }
        input = input.advance();
    }
}

/// From one integer to another, or from one string to another with the same characters before the last; both ends are in it.
pub(super) fn range(input: Tokens<'_>) -> Parsed<'_, GValue> {
    let items = match (input.kind(), input.kind_after(2)) {
        (TokenKind::Number(first), TokenKind::Number(last)) => integers(input, first, last)?,
        (TokenKind::String(first), TokenKind::String(last)) => strings(input, first, last)?,
        _ => return Err(input.skip(2).unexpected("the end of the range, of the kind of its beginning,")),
    };
    Ok((input.skip(3), GValue::List(Arc::new(items))))
}

fn integers(input: Tokens<'_>, first: &GValue, last: &GValue) -> Result<Vec<GValue>, Err<Fault>> {
    let ends = (first.as_i64().map(i32::try_from), last.as_i64().map(i32::try_from));
    let (Some(Ok(first)), Some(Ok(last))) = ends else { return Err(input.wrong("a range has ends of 32 bits")) };
    input.count_range(usize::try_from(first.abs_diff(last)).unwrap_or(usize::MAX).saturating_add(1))?;
    Ok(if first <= last {
        (first..=last).map(GValue::Int).collect()
    } else {
        (last..=first).rev().map(GValue::Int).collect()
    })
}

fn strings(input: Tokens<'_>, first: &str, last: &str) -> Result<Vec<GValue>, Err<Fault>> {
    let split = |text: &str| text.char_indices().next_back().map(|(at, c)| (text[..at].to_owned(), c));
    let (Some((prefix, first)), Some((other, last))) = (split(first), split(last)) else {
        return if first == last { Ok(Vec::new()) } else { Err(input.wrong("a range has ends of one length")) };
    };
    if prefix != other {
        return Err(input.wrong("a range of strings has ends that differ in their last characters only"));
    }
    input.count_range((u32::from(first).abs_diff(u32::from(last)) as usize).saturating_add(1))?;
    // Each item repeats the characters before the last.
    input.count_range(prefix.len().saturating_mul(u32::from(first).abs_diff(u32::from(last)) as usize) / 16)?;
    let item = |c: char| GValue::from(&*format!("{prefix}{c}"));
    Ok(if first <= last { (first..=last).map(item).collect() } else { (last..=first).rev().map(item).collect() })
}
