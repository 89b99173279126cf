//! The clauses of a query.

use nom::Parser;
use nom::combinator::{cut, map, opt};
use nom::sequence::{pair, preceded};

use super::expr::expr;
use super::input::{Parsed, Tokens, identifier, is_word, keyword, parameter, symbol};
use crate::ast::{
    Column, Count, CountKind, Direction, Name, OffsetLimit, OrderItem, Query, Select, SelectList, Source,
};
use crate::token::{Keyword, Symbol, TokenKind};

/// `query = select [from] [where] [order by] [offset limit]`, to the end of the text.
pub(super) fn query(input: Tokens<'_>) -> Parsed<'_, Query> {
    let (input, select) = preceded(keyword(Keyword::Select), cut(select)).parse(input)?;
    let (input, from) = opt(preceded(keyword(Keyword::From), cut(source))).parse(input)?;
    let (input, filter) = opt(preceded(keyword(Keyword::Where), cut(expr))).parse(input)?;
    if keyword(Keyword::Group)(input).is_ok() {
        return input.refuse("GROUP BY");
    }
    let (input, order_by) =
        opt(preceded(pair(keyword(Keyword::Order), cut(keyword(Keyword::By))), cut(order_items))).parse(input)?;
    let (input, offset_limit) = opt(preceded(keyword(Keyword::Offset), cut(offset_limit))).parse(input)?;
    match input.kind() {
        TokenKind::End => {
            Ok((input, Query { select, from, filter, order_by: order_by.unwrap_or_default(), offset_limit }))
        }
        _ => Err(input.unexpected()),
    }
}

fn select(input: Tokens<'_>) -> Parsed<'_, Select> {
    if keyword(Keyword::Distinct)(input).is_ok() {
        return input.refuse("DISTINCT");
    }
    let (input, top) = opt(preceded(keyword(Keyword::Top), cut(count))).parse(input)?;
    let (input, list) = select_list(input)?;
    Ok((input, Select { top, list }))
}

fn select_list(input: Tokens<'_>) -> Parsed<'_, SelectList> {
    match input.kind() {
        TokenKind::Symbol(Symbol::Star) => map(symbol(Symbol::Star), SelectList::Star).parse(input),
        TokenKind::Keyword(Keyword::Value) => {
            map(preceded(keyword(Keyword::Value), cut(expr)), SelectList::Value).parse(input)
        }
        _ => map(list(column), SelectList::Columns).parse(input),
    }
}

fn column(input: Tokens<'_>) -> Parsed<'_, Column> {
    map(pair(expr, alias), |(expr, alias)| Column { expr, alias }).parse(input)
}

/// `[["AS"] ident]`
fn alias(input: Tokens<'_>) -> Parsed<'_, Option<Name>> {
    match keyword(Keyword::As)(input) {
        Ok((input, _)) => map(cut(identifier), Some).parse(input),
        Err(_) => opt(identifier).parse(input),
    }
}

fn source(input: Tokens<'_>) -> Parsed<'_, Source> {
    if symbol(Symbol::OpenParenthesis)(input).is_ok() {
        return input.refuse("a subquery in FROM");
    }
    let (input, collection) = identifier(input)?;
    match input.kind() {
        TokenKind::Keyword(Keyword::In) => return input.refuse("IN in FROM"),
        TokenKind::Symbol(Symbol::Dot | Symbol::OpenBracket) => return input.refuse("a path in FROM"),
        _ => {}
    }
    let (input, alias) = alias(input)?;
    match input.kind() {
        TokenKind::Keyword(Keyword::Join) => input.refuse("JOIN"),
        TokenKind::Symbol(Symbol::Comma) => input.refuse("a second source in FROM"),
        _ => Ok((input, Source { collection, alias })),
    }
}

fn order_items(input: Tokens<'_>) -> Parsed<'_, Vec<OrderItem>> {
    if is_word(input, "RANK") && matches!(input.second(), TokenKind::Identifier(_)) {
        return input.refuse("ORDER BY RANK");
    }
    list(order_item)(input)
}

fn order_item(input: Tokens<'_>) -> Parsed<'_, OrderItem> {
    let (input, expr) = expr(input)?;
    let (input, direction) = match input.kind() {
        TokenKind::Keyword(Keyword::Asc) => (input.advance(), Direction::Ascending),
        TokenKind::Keyword(Keyword::Desc) => (input.advance(), Direction::Descending),
        _ => (input, Direction::Ascending),
    };
    Ok((input, OrderItem { expr, direction }))
}

fn offset_limit(input: Tokens<'_>) -> Parsed<'_, OffsetLimit> {
    let (input, offset) = count(input)?;
    let (input, limit) = preceded(keyword(Keyword::Limit), count).parse(input)?;
    Ok((input, OffsetLimit { offset, limit }))
}

/// A number, of which binding says whether it can count rows, or a parameter.
fn count(input: Tokens<'_>) -> Parsed<'_, Count> {
    let span = input.span();
    let (input, kind) = match input.kind() {
        TokenKind::Number(number) => (input.advance(), CountKind::Number(*number)),
        _ => map(parameter, CountKind::Parameter).parse(input)?,
    };
    Ok((input, Count { kind, span }))
}

/// One or more items between commas.
fn list<'t, T>(item: impl Fn(Tokens<'t>) -> Parsed<'t, T>) -> impl Fn(Tokens<'t>) -> Parsed<'t, Vec<T>> {
    move |input| {
        let (mut input, first) = item(input)?;
        let mut items = vec![first];
        while let Ok((after, _)) = symbol(Symbol::Comma)(input) {
            let (after, next) = cut(&item).parse(after)?;
            items.push(next);
            input = after;
        }
        Ok((input, items))
    }
}
