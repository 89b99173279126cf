//! What clients have to do with the rows of ranges, by the clauses that a query has.

use orrery_engine::query::{AggregateFunction, From, Plan};

use super::aggregate::AggregateCall;
use super::count::Counts;
use super::item_source::ItemSource;
use super::{DistinctType, PlanError, QueryInfo, Work, hybrid, rewrite};
use crate::ast::{Collection, Expr, ExprKind, Literal, OrderBy, Query, SelectList};
use crate::bind::body::{folds, is_grouped};
use crate::bind::fold::aggregates;
use crate::bind::function::is_call;
use crate::bind::select::column_names;

/// How far the rows of a query are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// All have one partition key.
    OneKey,
    /// They may be anywhere.
    Ranges,
}

/// How the query's rows are merged. `plan` is its bound form.
///
/// # Errors
/// [`PlanError::NotMergeable`] if clients cannot, unless one partition key has all rows.
pub(super) fn work(query: &Query, plan: &Plan, counts: Counts, spread: Spread) -> Result<Work, PlanError> {
    let whole = QueryInfo { top: counts.top, has_select_value: is_value(query), ..QueryInfo::default() };
    match merged(query, plan, counts) {
        // The range that has all rows skips them itself.
        Ok(Work::Merge(_)) if spread != Spread::Ranges && only_counts(query) => Ok(Work::Merge(whole)),
        Err(PlanError::NotMergeable(_)) if spread != Spread::Ranges => Ok(Work::Merge(whole)),
        work => work,
    }
}

fn merged(query: &Query, plan: &Plan, counts: Counts) -> Result<Work, PlanError> {
    if let Some(OrderBy::Rank(items)) = &query.order_by {
        return hybrid::search(query, items, plan, counts).map(Work::Hybrid);
    }
    let info = if let Some(info) = counted_distinct(query) {
        info
    } else if matches!(plan.from, From::Query(_)) {
        return Err(PlanError::NotMergeable("A subquery in FROM has to see all items before it gives a row."));
    } else if !query.group_by.is_empty() {
        grouped(query)?
    } else if is_grouped(query) {
        aggregated(query)?
    } else if !rewrite::order_items(query).is_empty() {
        ordered(query, plan, counts)?
    } else if query.select.distinct {
        QueryInfo { rewritten_query: rewrite::unlimited(query).to_string(), ..QueryInfo::default() }
    } else if query.offset_limit.is_some() {
        QueryInfo { rewritten_query: rewrite::skipping_nothing(query, counts).to_string(), ..QueryInfo::default() }
    } else {
        QueryInfo::default()
    };
    let distinct = if info.distinct_count_alias.is_some() { info.distinct } else { distinct_type(query) };
    let Counts { top, offset, limit } = counts;
    Ok(Work::Merge(QueryInfo { distinct, top, offset, limit, has_select_value: is_value(query), ..info }))
}

fn is_value(query: &Query) -> bool {
    matches!(query.select.list, SelectList::Value(_))
}

/// Whether clients would only count the rows that they skip and give.
fn only_counts(query: &Query) -> bool {
    !folds(query) && query.order_by.is_none()
}

/// The aggregates of the select list, by position or by name. Clients know how to put parts of an aggregate together, not what a
/// range computes from one.
fn columns(query: &Query) -> Result<QueryInfo, PlanError> {
    let function = |expr: &Expr| match AggregateCall::of(expr) {
        Some(aggregate) => Ok(Some(aggregate.function)),
        None if aggregates(expr) => Err(PlanError::NotMergeable("An aggregate cannot be part of an expression.")),
        None => Ok(None),
    };
    match &query.select.list {
        SelectList::Star(_) => Ok(QueryInfo::default()),
        SelectList::Value(value) => {
            Ok(QueryInfo { aggregates: function(value)?.into_iter().collect(), ..QueryInfo::default() })
        }
        SelectList::Columns(columns) => {
            let named = column_names(columns).into_iter().zip(columns);
            let group_aliases = named.map(|(alias, column)| Ok((alias, function(&column.expr)?)));
            Ok(QueryInfo { group_aliases: group_aliases.collect::<Result<_, PlanError>>()?, ..QueryInfo::default() })
        }
    }
}

fn aggregated(query: &Query) -> Result<QueryInfo, PlanError> {
    Ok(QueryInfo { rewritten_query: rewrite::aggregated(query).to_string(), ..columns(query)? })
}

fn grouped(query: &Query) -> Result<QueryInfo, PlanError> {
    if query.order_by.is_some() {
        return Err(PlanError::NotMergeable("'ORDER BY' cannot be combined with 'GROUP BY'."));
    }
    let group_by = query.group_by.iter().map(Expr::to_string).collect();
    Ok(QueryInfo { group_by, rewritten_query: rewrite::grouped(query).to_string(), ..columns(query)? })
}

/// The binder knows in which order the vectors of the container are near.
fn ordered(query: &Query, plan: &Plan, counts: Counts) -> Result<QueryInfo, PlanError> {
    let not_items = PlanError::NotMergeable("'ORDER BY' over a subquery in FROM has no items to tell rows apart by.");
    let source = ItemSource::of(query).ok_or(not_items)?;
    let items = rewrite::order_items(query);
    let is_vector =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Call { udf: false, name, .. } if is_call(name, "VECTORDISTANCE"));
    Ok(QueryInfo {
        order_by: items.iter().zip(&plan.order).map(|(item, key)| (item.expr.to_string(), key.direction)).collect(),
        has_non_streaming_order_by: items.iter().any(|item| is_vector(&item.expr)),
        rewritten_query: rewrite::ordered(query, source, items, counts).to_string(),
        ..QueryInfo::default()
    })
}

/// The count of distinct rows: `SELECT COUNT(1) FROM (SELECT DISTINCT ...)`. Clients merge the distinct rows, and count.
fn counted_distinct(query: &Query) -> Option<QueryInfo> {
    let from = query.from.as_ref().filter(|from| from.joins.is_empty() && !from.first.iterates)?;
    let Collection::Subquery(inner) = &from.first.collection else { return None };
    let is_plain = query.filter.is_none() && query.group_by.is_empty() && query.order_by.is_none();
    if !is_plain || query.select.distinct || !inner.select.distinct || is_grouped(inner) {
        return None;
    }
    let (counted, alias) = match &query.select.list {
        SelectList::Value(value) => (value, String::new()),
        SelectList::Columns(columns) => match &columns[..] {
            [column] => (&column.expr, column_names(columns).pop()?),
            _ => return None,
        },
        SelectList::Star(_) => return None,
    };
    let AggregateCall { function: AggregateFunction::Count, argument, .. } = AggregateCall::of(counted)? else {
        return None;
    };
    // Of a row that is there, a constant and the row itself are defined.
    let counts_rows = match &argument.kind {
        ExprKind::Literal(literal) => *literal != Literal::Undefined,
        ExprKind::Identifier(_) => true,
        _ => false,
    };
    counts_rows.then(|| QueryInfo {
        distinct: DistinctType::Unordered,
        distinct_count_alias: Some(alias),
        rewritten_query: inner.to_string(),
        ..QueryInfo::default()
    })
}

/// Equal rows come one after another if rows are sorted by all that is in them before they are by anything else.
fn distinct_type(query: &Query) -> DistinctType {
    if !query.select.distinct {
        return DistinctType::None;
    }
    let selected: Vec<&Expr> = match &query.select.list {
        SelectList::Star(_) => return DistinctType::Unordered,
        SelectList::Value(value) => match &value.kind {
            ExprKind::Object(members) => members.iter().map(|(_, value)| value).collect(),
            ExprKind::Array(elements) => elements.iter().collect(),
            _ => vec![value],
        },
        SelectList::Columns(columns) => columns.iter().map(|column| &column.expr).collect(),
    };
    let is_fixed = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Parameter(_));
    let selected = texts(selected.into_iter().filter(|expr| !is_fixed(expr)));
    let sorted = texts(rewrite::order_items(query).iter().map(|item| &item.expr).take(selected.len()));
    if !selected.is_empty() && selected == sorted { DistinctType::Ordered } else { DistinctType::Unordered }
}

/// Each once, in the order of their texts.
fn texts<'q>(exprs: impl Iterator<Item = &'q Expr>) -> Vec<String> {
    let mut texts: Vec<String> = exprs.map(Expr::to_string).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}
