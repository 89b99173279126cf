//! Making trees, for rewriting.

use orrery_value::Number;

use crate::ast::{
    Accessor, Column, Count, CountKind, Expr, ExprKind, Literal, Name, OffsetLimit, Query, Select, SelectList, Span,
};

/// An expression that stands nowhere in the text.
pub(super) fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

pub(super) fn name(text: impl Into<String>) -> Name {
    Name { text: text.into(), span: Span::default() }
}

pub(super) fn string(text: impl Into<String>) -> Expr {
    expr(ExprKind::Literal(Literal::String(text.into())))
}

pub(super) fn number(number: impl Into<Number>) -> Expr {
    expr(ExprKind::Literal(Literal::Number(number.into())))
}

pub(super) fn identifier(text: impl Into<String>) -> Expr {
    expr(ExprKind::Identifier(text.into()))
}

/// What clients replace before they send a text: `{documentdb-...}`, which is no SQL.
pub(super) fn placeholder(text: impl Into<String>) -> Expr {
    identifier(text)
}

/// `alias.property`
pub(super) fn property(alias: &str, property: &str) -> Expr {
    let steps = vec![Accessor::Member(name(property))];
    expr(ExprKind::Access { base: Box::new(identifier(alias)), steps })
}

pub(super) fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    expr(ExprKind::Call { udf: false, name: name(function), arguments })
}

pub(super) fn array(elements: Vec<Expr>) -> Expr {
    expr(ExprKind::Array(elements))
}

pub(super) fn object(members: Vec<(&str, Expr)>) -> Expr {
    expr(ExprKind::Object(members.into_iter().map(|(text, value)| (name(text), value)).collect()))
}

/// `{"item": value}`
pub(super) fn item(value: Expr) -> Expr {
    object(vec![("item", value)])
}

/// `(left AND right)`
pub(super) fn and(left: Expr, right: Expr) -> Expr {
    expr(ExprKind::And(vec![left, right]))
}

/// `value AS alias`
pub(super) fn column(value: Expr, alias: Option<&str>) -> Column {
    Column { expr: value, alias: alias.map(name) }
}

/// SELECT and these columns, from where `query` reads and without what comes after.
pub(super) fn select_from(query: &Query, list: SelectList) -> Query {
    Query {
        select: Select { distinct: false, top: None, list },
        from: query.from.clone(),
        filter: None,
        group_by: Vec::new(),
        order_by: None,
        offset_limit: None,
    }
}

pub(super) fn count(count: u64) -> Count {
    Count { kind: CountKind::Number(Number::from(i64::try_from(count).unwrap_or(i64::MAX))), span: Span::default() }
}

/// `OFFSET 0 LIMIT limit`
pub(super) fn first(limit: u64) -> OffsetLimit {
    OffsetLimit { offset: count(0), limit: count(limit) }
}
