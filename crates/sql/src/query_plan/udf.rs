//! Planning around user-defined functions: what they give is known to who runs them only.

use crate::ast::{Accessor, Collection, Comparison, Expr, ExprKind, OrderBy, Query, SelectList};

/// The query with each call of a user-defined function replaced by an array of its arguments: they are bound like the others, and
/// nothing can be concluded of the array that cannot be of any value.
pub(super) fn without_calls(query: &Query) -> Query {
    let mut query = query.clone();
    in_query(&mut query);
    query
}

fn in_query(query: &mut Query) {
    match &mut query.select.list {
        SelectList::Star(_) => {}
        SelectList::Value(value) => in_expr(value),
        SelectList::Columns(columns) => columns.iter_mut().for_each(|column| in_expr(&mut column.expr)),
    }
    for source in query.from.iter_mut().flat_map(|from| std::iter::once(&mut from.first).chain(&mut from.joins)) {
        match &mut source.collection {
            Collection::Path { .. } => {}
            Collection::Subquery(inner) => in_query(inner),
            Collection::Call(call) => in_expr(call),
        }
    }
    query.filter.iter_mut().chain(&mut query.group_by).for_each(in_expr);
    if let Some(OrderBy::Items(items)) = &mut query.order_by {
        items.iter_mut().for_each(|item| in_expr(&mut item.expr));
    }
}

fn in_expr(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Identifier(_) => {}
        ExprKind::Access { base, steps } => {
            in_expr(base);
            for step in steps {
                if let Accessor::Index(index) = step {
                    in_expr(index);
                }
            }
        }
        ExprKind::Array(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter_mut().for_each(in_expr),
        ExprKind::Object(members) => members.iter_mut().for_each(|(_, value)| in_expr(value)),
        ExprKind::Unary(_, operand) => in_expr(operand),
        ExprKind::Binary(_, a, b) | ExprKind::Coalesce(a, b) => {
            in_expr(a);
            in_expr(b);
        }
        ExprKind::Conditional(parts) => parts.iter_mut().for_each(in_expr),
        ExprKind::Compare { operand, comparison, .. } => {
            in_expr(operand);
            match comparison {
                Comparison::In(items) => items.iter_mut().for_each(in_expr),
                Comparison::Between(low, high) => {
                    in_expr(low);
                    in_expr(high);
                }
                Comparison::Like(pattern, _) => in_expr(pattern),
            }
        }
        ExprKind::Subquery(_, query) => in_query(query),
        ExprKind::Call { udf, arguments, .. } => {
            arguments.iter_mut().for_each(in_expr);
            if *udf {
                expr.kind = ExprKind::Array(std::mem::take(arguments));
            }
        }
    }
}
