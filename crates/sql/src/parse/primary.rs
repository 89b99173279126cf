//! What operators apply to: constants, names, paths, calls, arrays, objects, parentheses and subqueries.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt};
use nom::sequence::{pair, terminated};
use orrery_value::Number;

use super::clause::subquery;
use super::expr::{Parsing, exprs, operation};
use super::input::{Parsed, Tokens, identifier, is_word, keyword, quoted_name, symbol};
use super::operator::boxed;
use crate::ast::{Accessor, Expr, ExprKind, Literal, Name, Span, SubqueryKind};
use crate::token::{Keyword, Symbol, TokenKind};

/// The steps into a primary.
pub(super) fn steps(mut input: Tokens<'_>, base: Box<Expr>) -> Parsing<'_> {
    let start = base.span;
    let mut steps = Vec::new();
    loop {
        let (after, step) = match input.kind() {
            TokenKind::Symbol(Symbol::Dot) => member_access(input.advance())?,
            TokenKind::Symbol(Symbol::OpenBracket) => index(input.advance())?,
            _ if steps.is_empty() => return Ok((input, base)),
            _ => return Ok((input, access(*base, steps, start.to(input.previous())))),
        };
        steps.push(step);
        input = after;
    }
}

fn member_access(input: Tokens<'_>) -> Parsed<'_, Accessor> {
    let (input, name) = identifier(input)?;
    Ok((input, Accessor::Member(name)))
}

/// `(c.a).b` is the path `c.a.b`.
fn access(base: Expr, mut steps: Vec<Accessor>, span: Span) -> Box<Expr> {
    match base.kind {
        ExprKind::Access { base, steps: mut first } => {
            first.append(&mut steps);
            boxed(ExprKind::Access { base, steps: first }, span)
        }
        kind => boxed(ExprKind::Access { base: Box::new(Expr { kind, ..base }), steps }, span),
    }
}

fn index(input: Tokens<'_>) -> Parsed<'_, Accessor> {
    let (input, index) = operation(input)?;
    let (input, _) = symbol(Symbol::CloseBracket)(input)?;
    Ok((input, Accessor::Index(*index)))
}

pub(super) fn primary(input: Tokens<'_>) -> Parsing<'_> {
    match input.kind() {
        TokenKind::Keyword(Keyword::Exists) => subquery_call(input, SubqueryKind::Exists),
        TokenKind::Keyword(Keyword::Array) => subquery_call(input, SubqueryKind::Array),
        TokenKind::Symbol(Symbol::OpenBracket) => array(input),
        TokenKind::Symbol(Symbol::OpenBrace) => object(input),
        // The token behind the parenthesis tells a subquery.
        TokenKind::Symbol(Symbol::OpenParenthesis) => match input.second() {
            TokenKind::Keyword(Keyword::Select) => scalar_subquery(input),
            _ => parenthesised(input),
        },
        _ => match word_of_subquery(input) {
            Some(kind) => subquery_call(input, kind),
            None if begins_call(input) => boxed_call(input),
            None => atom(input),
        },
    }
}

/// A primary of one token.
fn atom(input: Tokens<'_>) -> Parsing<'_> {
    let kind = match input.kind() {
        TokenKind::Identifier("NaN") => ExprKind::Literal(Literal::Number(Number::Float(f64::NAN))),
        TokenKind::Identifier("Infinity") => ExprKind::Literal(Literal::Number(Number::Float(f64::INFINITY))),
        TokenKind::Identifier(name) => ExprKind::Identifier((*name).to_owned()),
        TokenKind::Parameter(name) => ExprKind::Parameter((*name).to_owned()),
        TokenKind::String(string) => ExprKind::Literal(Literal::String(string.clone())),
        TokenKind::Number(number) => ExprKind::Literal(Literal::Number(*number)),
        TokenKind::Keyword(Keyword::True) => ExprKind::Literal(Literal::Bool(true)),
        TokenKind::Keyword(Keyword::False) => ExprKind::Literal(Literal::Bool(false)),
        TokenKind::Keyword(Keyword::Null) => ExprKind::Literal(Literal::Null),
        TokenKind::Keyword(Keyword::Undefined) => ExprKind::Literal(Literal::Undefined),
        _ => return Err(input.unexpected()),
    };
    Ok((input.advance(), boxed(kind, input.span())))
}

fn scalar_subquery(input: Tokens<'_>) -> Parsing<'_> {
    let start = input.span();
    let (input, query) = subquery(input)?;
    Ok((input, boxed(ExprKind::Subquery(SubqueryKind::Scalar, query), start.to(input.previous()))))
}

/// Parentheses around an expression make no node, but are part of its place.
fn parenthesised(input: Tokens<'_>) -> Parsing<'_> {
    let open = input.span();
    let (input, mut inside) = operation(input.advance())?;
    let (input, close) = symbol(Symbol::CloseParenthesis)(input)?;
    inside.span = open.to(close);
    Ok((input, inside))
}

/// ALL, FIRST and LAST are names, unless a subquery follows in parentheses.
fn word_of_subquery(input: Tokens<'_>) -> Option<SubqueryKind> {
    let opens = *input.second() == TokenKind::Symbol(Symbol::OpenParenthesis);
    if !opens || *input.third() != TokenKind::Keyword(Keyword::Select) {
        return None;
    }
    let words = [("ALL", SubqueryKind::All), ("FIRST", SubqueryKind::First), ("LAST", SubqueryKind::Last)];
    words.into_iter().find(|(word, _)| is_word(input, word)).map(|(_, kind)| kind)
}

/// The next token is the word before a subquery.
fn subquery_call(input: Tokens<'_>, kind: SubqueryKind) -> Parsing<'_> {
    let start = input.span();
    let (input, query) = subquery(input.advance())?;
    Ok((input, boxed(ExprKind::Subquery(kind, query), start.to(input.previous()))))
}

/// Whether a call comes next: `name(`, `LEFT(`, `RIGHT(` or `udf.`.
pub(super) fn begins_call(input: Tokens<'_>) -> bool {
    match input.kind() {
        TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::Left | Keyword::Right) => {
            *input.second() == TokenKind::Symbol(Symbol::OpenParenthesis)
        }
        kind => *kind == TokenKind::Keyword(Keyword::Udf),
    }
}

fn boxed_call(input: Tokens<'_>) -> Parsing<'_> {
    let (input, call) = call(input)?;
    Ok((input, Box::new(call)))
}

/// `name(arguments)` or `udf.name(arguments)`
pub(super) fn call(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let start = input.span();
    let (input, (udf, name)) = function(input)?;
    let (input, arguments) = exprs(input, Symbol::CloseParenthesis)?;
    Ok((input, Expr::new(ExprKind::Call { udf, name, arguments }, start.to(input.previous()))))
}

/// A call up to its arguments: whether `udf.` stands before the name, and the name.
fn function(input: Tokens<'_>) -> Parsed<'_, (bool, Name)> {
    let (input, udf) = opt(pair(keyword(Keyword::Udf), cut(symbol(Symbol::Dot)))).parse(input)?;
    let (input, name) = if udf.is_some() { identifier(input)? } else { function_name(input)? };
    let (input, _) = symbol(Symbol::OpenParenthesis)(input)?;
    Ok((input, (udf.is_some(), name)))
}

fn function_name(input: Tokens<'_>) -> Parsed<'_, Name> {
    match input.kind() {
        TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::Left | Keyword::Right) => {
            Ok((input.advance(), input.name()))
        }
        _ => Err(input.unexpected()),
    }
}

fn array(input: Tokens<'_>) -> Parsing<'_> {
    let start = input.span();
    let (input, elements) = exprs(input.advance(), Symbol::CloseBracket)?;
    Ok((input, boxed(ExprKind::Array(elements), start.to(input.previous()))))
}

fn object(input: Tokens<'_>) -> Parsing<'_> {
    let start = input.span();
    let mut input = input.advance();
    let mut members = Vec::new();
    while *input.kind() != TokenKind::Symbol(Symbol::CloseBrace) || !members.is_empty() {
        let (after, name) = member_name(input)?;
        let (after, value) = operation(after)?;
        members.push((name, *value));
        match after.kind() {
            TokenKind::Symbol(Symbol::Comma) => input = after.advance(),
            _ => {
                input = after;
                break;
            }
        }
    }
    let (input, close) = symbol(Symbol::CloseBrace)(input)?;
    Ok((input, boxed(ExprKind::Object(members), start.to(close))))
}

/// The name of a member, and its colon.
fn member_name(input: Tokens<'_>) -> Parsed<'_, Name> {
    terminated(alt((quoted_name, identifier)), symbol(Symbol::Colon)).parse(input)
}
