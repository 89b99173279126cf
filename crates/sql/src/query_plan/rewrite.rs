//! Rewriting a query so that the rows of each range carry what clients merge by.

use super::aggregate::AggregateCall;
use super::count::Counts;
use super::item_source::ItemSource;
use super::tree::{self, and, array, call, column, expr, first, identifier, item, placeholder, property, select_from};
use crate::ast::{Column, Expr, ExprKind, OrderBy, OrderItem, Query, SelectList};
use crate::bind::select::column_names;

/// Where clients say from where in the order on they want rows.
pub(super) const ORDER_FILTER: &str = "({documentdb-formattableorderbyquery-filter})";

/// The query with the columns that clients sort by: `_rid`, which decides between equal rows, the values that are compared, and the
/// row itself.
pub(super) fn ordered(query: &Query, source: ItemSource, items: &[OrderItem], counts: Counts) -> Query {
    let values = items.iter().map(|order| item(order.expr.clone())).collect();
    let columns = vec![
        column(property(&source.alias, "_rid"), None),
        column(array(values), Some("orderByItems")),
        column(payload(query), Some("payload")),
    ];
    let mut rewritten = unlimited(query);
    rewritten.select.list = SelectList::Columns(columns);
    rewritten.from = Some(source.from);
    rewritten.filter = Some(order_filter(query));
    if !query.select.distinct {
        rewritten.select.top = query.select.top.clone();
        rewritten.offset_limit = counts.range().map(first);
    }
    rewritten
}

/// The query's filter, the clients', and that there is a row: what is undefined must not reach them.
pub(super) fn order_filter(query: &Query) -> Expr {
    let placeholder = placeholder(ORDER_FILTER);
    let filter = match &query.filter {
        Some(filter) => and(filter.clone(), placeholder),
        None => placeholder,
    };
    match &query.select.list {
        SelectList::Value(value) => and(filter, call("IS_DEFINED", vec![value.clone()])),
        SelectList::Star(_) | SelectList::Columns(_) => filter,
    }
}

/// The query whose select list is its parts of aggregates.
pub(super) fn aggregated(query: &Query) -> Query {
    let mut rewritten = select_from(query, partials(query));
    rewritten.filter = query.filter.clone();
    rewritten.order_by = query.order_by.clone();
    rewritten
}

/// The query with the values that make a group, and the row with its parts of aggregates.
pub(super) fn grouped(query: &Query) -> Query {
    let keys = array(query.group_by.iter().map(|key| item(key.clone())).collect());
    let payload = match partials(query) {
        SelectList::Value(value) => column(value, Some("payload")),
        SelectList::Columns(columns) => columns.into_iter().next().unwrap_or_else(|| column(payload(query), None)),
        SelectList::Star(_) => column(payload(query), Some("payload")),
    };
    let mut rewritten = select_from(query, SelectList::Columns(vec![column(keys, Some("groupByItems")), payload]));
    rewritten.filter = query.filter.clone();
    rewritten.group_by = query.group_by.clone();
    rewritten
}

/// The query without TOP, OFFSET and LIMIT.
pub(super) fn unlimited(query: &Query) -> Query {
    let mut rewritten = query.clone();
    rewritten.select.top = None;
    rewritten.offset_limit = None;
    rewritten
}

/// The query with all rows that clients skip or give.
pub(super) fn skipping_nothing(query: &Query, counts: Counts) -> Query {
    let mut rewritten = query.clone();
    rewritten.offset_limit = counts.range().map(first);
    rewritten
}

/// The row as one value.
pub(super) fn payload(query: &Query) -> Expr {
    match &query.select.list {
        SelectList::Star(_) => identifier(query.from.as_ref().and_then(|from| from.first.name()).unwrap_or("root")),
        SelectList::Value(value) => value.clone(),
        SelectList::Columns(columns) => named(columns, |value| value.clone()),
    }
}

/// The select list with what a range knows of each aggregate. Columns become one object.
fn partials(query: &Query) -> SelectList {
    match &query.select.list {
        SelectList::Star(_) => SelectList::Value(payload(query)),
        SelectList::Value(value) => SelectList::Value(match AggregateCall::of(value) {
            Some(aggregate) => aggregate.partial_value(),
            None => value.clone(),
        }),
        SelectList::Columns(columns) => {
            let partial = |value: &Expr| match AggregateCall::of(value) {
                Some(aggregate) => aggregate.partial(),
                None => value.clone(),
            };
            SelectList::Columns(vec![column(named(columns, partial), Some("payload"))])
        }
    }
}

fn named(columns: &[Column], value: impl Fn(&Expr) -> Expr) -> Expr {
    let members = column_names(columns).into_iter().zip(columns);
    expr(ExprKind::Object(members.map(|(name, column)| (tree::name(name), value(&column.expr))).collect()))
}

/// The items of ORDER BY; none for ORDER BY RANK.
pub(super) fn order_items(query: &Query) -> &[OrderItem] {
    match &query.order_by {
        Some(OrderBy::Items(items)) => items,
        Some(OrderBy::Rank(_)) | None => &[],
    }
}
