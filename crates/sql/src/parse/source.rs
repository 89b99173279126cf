//! FROM and its sources.

use nom::Parser;
use nom::combinator::{cut, map, opt};

use super::clause::subquery;
use super::input::{FaultKind, Parsed, Tokens, identifier, keyword, must, symbol};
use super::primary::{begins_call, call};
use crate::ast::{Accessor, Collection, Expr, ExprKind, From, Literal, Name, Source};
use crate::limits::MAX_JOINS;
use crate::token::{Keyword, Symbol, TokenKind};

/// What stands behind FROM.
pub(super) fn from(input: Tokens<'_>) -> Parsed<'_, From> {
    let (mut input, first) = source(input)?;
    let mut joins = Vec::new();
    while let Ok((after, _)) = keyword(Keyword::Join)(input) {
        if joins.len() == MAX_JOINS {
            return Err(input.fail(FaultKind::TooManyJoins));
        }
        let (after, join) = must(source(after))?;
        joins.push(join);
        input = after;
    }
    Ok((input, From { first, joins }))
}

fn source(input: Tokens<'_>) -> Parsed<'_, Source> {
    let start = input.span();
    let iterates =
        matches!(input.kind(), TokenKind::Identifier(_)) && *input.second() == TokenKind::Keyword(Keyword::In);
    let (input, collection, alias) = if iterates {
        let (input, alias) = identifier(input)?;
        let (input, collection) = must(iterated(input.advance()))?;
        (input, collection, Some(alias))
    } else {
        let (input, collection) = collection(input)?;
        let (input, alias) = alias(input)?;
        (input, collection, alias)
    };
    Ok((input, Source { collection, alias, iterates, span: start.to(input.previous()) }))
}

/// What `alias IN` may read.
fn iterated(input: Tokens<'_>) -> Parsed<'_, Collection> {
    if begins_call(input) { map(call, Collection::Call).parse(input) } else { collection(input) }
}

fn collection(input: Tokens<'_>) -> Parsed<'_, Collection> {
    if *input.kind() == TokenKind::Symbol(Symbol::OpenParenthesis) {
        return map(subquery, Collection::Subquery).parse(input);
    }
    let (mut input, root) = identifier(input)?;
    let mut steps = Vec::new();
    loop {
        let (after, step) = match input.kind() {
            TokenKind::Symbol(Symbol::Dot) => must(map(identifier, Accessor::Member).parse(input.advance()))?,
            TokenKind::Symbol(Symbol::OpenBracket) => must(constant_index(input.advance()))?,
            _ => return Ok((input, Collection::Path { root, steps })),
        };
        steps.push(step);
        input = after;
    }
}

fn constant_index(input: Tokens<'_>) -> Parsed<'_, Accessor> {
    let literal = match input.kind() {
        TokenKind::Number(number) => Literal::Number(*number),
        TokenKind::String(string) => Literal::String(string.clone()),
        _ => return Err(input.unexpected()),
    };
    let index = Expr::new(ExprKind::Literal(literal), input.span());
    let (input, _) = symbol(Symbol::CloseBracket)(input.advance())?;
    Ok((input, Accessor::Index(index)))
}

/// `[["AS"] identifier]`
fn alias(input: Tokens<'_>) -> Parsed<'_, Option<Name>> {
    match keyword(Keyword::As)(input) {
        Ok((input, _)) => map(cut(identifier), Some).parse(input),
        Err(_) => opt(identifier).parse(input),
    }
}
