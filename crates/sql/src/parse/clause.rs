//! A query and its clauses.

use nom::branch::alt;
use nom::combinator::{cut, map, opt};
use nom::sequence::{pair, preceded};
use nom::{Err, Parser};

use super::expr::expr;
use super::input::{
    Fault, FaultKind, Parsed, Tokens, identifier, is_word, keyword, list, parameter, quoted_name, symbol,
};
use super::primary::call;
use super::source::from;
use crate::ast::{
    Column, Count, CountKind, Direction, Name, OffsetLimit, OrderBy, OrderItem, Query, RankItem, Select, SelectList,
};
use crate::limits::{MAX_NESTING, SUBQUERY_LEVELS};
use crate::token::{Keyword, Symbol, TokenKind};

/// A query, to the end of the text.
pub(super) fn whole_query(input: Tokens<'_>) -> Parsed<'_, Query> {
    let (input, query) = query(input)?;
    match input.kind() {
        TokenKind::End => Ok((input, query)),
        _ => Err(input.unexpected()),
    }
}

/// `(query)`. ORDER BY, TOP and OFFSET LIMIT are grammar here too: that they mean nothing here is for binding to say.
pub(super) fn subquery(input: Tokens<'_>) -> Parsed<'_, Box<Query>> {
    let depth = input.depth;
    let (input, _) = symbol(Symbol::OpenParenthesis)(input)?;
    // The expressions within count the last of these levels.
    let (input, query) = cut(map(query, Box::new)).parse(input.deeper(SUBQUERY_LEVELS - 1)?)?;
    let (input, _) = cut(symbol(Symbol::CloseParenthesis)).parse(input)?;
    Ok((input.at_depth(depth), query))
}

fn query(input: Tokens<'_>) -> Parsed<'_, Query> {
    let (input, select) = preceded(keyword(Keyword::Select), cut(select)).parse(input)?;
    let (input, from) = opt(preceded(keyword(Keyword::From), cut(from))).parse(input)?;
    let (input, filter) = opt(preceded(keyword(Keyword::Where), cut(expr))).parse(input)?;
    let (input, group_by) = opt(preceded(two(Keyword::Group, Keyword::By), cut(list(expr)))).parse(input)?;
    let (input, order_by) = opt(preceded(two(Keyword::Order, Keyword::By), cut(order_by))).parse(input)?;
    let (input, offset_limit) = opt(preceded(keyword(Keyword::Offset), cut(offset_limit))).parse(input)?;
    let query = Query { select, from, filter, group_by: group_by.unwrap_or_default(), order_by, offset_limit };
    check_depth(input, &query)?;
    Ok((input, query))
}

/// Sources and ranked calls are no operands, so that nothing else has looked at how deep they are.
fn check_depth(input: Tokens<'_>, query: &Query) -> Result<(), Err<Fault>> {
    if query.depth() > MAX_NESTING { Err(input.fail(FaultKind::TooDeep)) } else { Ok(()) }
}

/// Two words, of which the first one is enough to tell the clause.
fn two<'t>(first: Keyword, second: Keyword) -> impl Fn(Tokens<'t>) -> Parsed<'t, ()> {
    move |input| map(pair(keyword(first), cut(keyword(second))), |_| ()).parse(input)
}

fn select(input: Tokens<'_>) -> Parsed<'_, Select> {
    let (input, distinct) = opt(keyword(Keyword::Distinct)).parse(input)?;
    let (input, top) = opt(preceded(keyword(Keyword::Top), cut(count))).parse(input)?;
    let (input, list) = select_list(input)?;
    Ok((input, Select { distinct: distinct.is_some(), top, list }))
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

/// `[["AS"] (identifier | string)]`
fn alias(input: Tokens<'_>) -> Parsed<'_, Option<Name>> {
    let name = || alt((identifier, quoted_name));
    match keyword(Keyword::As)(input) {
        Ok((input, _)) => map(cut(name()), Some).parse(input),
        Err(_) => opt(name()).parse(input),
    }
}

fn order_by(input: Tokens<'_>) -> Parsed<'_, OrderBy> {
    if is_word(input, "RANK") && begins_scores(input.advance()) {
        return map(list(rank_item), OrderBy::Rank).parse(input.advance());
    }
    map(list(order_item), OrderBy::Items).parse(input)
}

/// Behind a path there is no name: RANK is no path if one follows.
fn begins_scores(input: Tokens<'_>) -> bool {
    matches!(input.kind(), TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::Left | Keyword::Right | Keyword::Udf))
}

fn order_item(input: Tokens<'_>) -> Parsed<'_, OrderItem> {
    map(pair(expr, direction), |(expr, written)| OrderItem {
        expr,
        direction: written.unwrap_or(Direction::Ascending),
        is_written: written.is_some(),
    })
    .parse(input)
}

fn rank_item(input: Tokens<'_>) -> Parsed<'_, RankItem> {
    map(pair(call, direction), |(call, direction)| RankItem { call, direction }).parse(input)
}

fn direction(input: Tokens<'_>) -> Parsed<'_, Option<Direction>> {
    Ok(match input.kind() {
        TokenKind::Keyword(Keyword::Asc) => (input.advance(), Some(Direction::Ascending)),
        TokenKind::Keyword(Keyword::Desc) => (input.advance(), Some(Direction::Descending)),
        _ => (input, None),
    })
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
