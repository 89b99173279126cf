//! ORDER BY.

use orrery_engine::query::{Expr, SortKey};

use super::Binder;
use super::body::is_grouped;
use super::expr::step_name;
use super::function::is_call;
use super::rank::{is_rank_only, outside_rank};
use crate::ast::{self, ExprKind, OrderItem, Query, SelectList};
use crate::error::{ErrorCode, SqlError};

/// A function of clients' rewritten queries, by which they sort what they rank.
const CLIENT_SCORE: &str = "_FULLTEXTSCORE";
/// The column of clients' rewritten queries with the values that they sort by.
const ORDER_BY_ITEMS: &str = "orderByItems";

impl<'q> Binder<'q> {
    /// What rows are sorted by. Rows that are folded into one have no order, which the service checks all the same; groups can be
    /// sorted by their keys.
    pub(super) fn order(&mut self, query: &'q Query, items: &'q [OrderItem]) -> Result<Vec<SortKey>, SqlError> {
        if !query.group_by.is_empty() {
            return items.iter().map(|item| self.group_order(item)).collect();
        }
        if !is_rewritten(query) {
            items.iter().try_for_each(check_direction)?;
        }
        let keys = items.iter().map(|item| self.order_item(item)).collect::<Result<_, _>>()?;
        Ok(if is_grouped(query) { Vec::new() } else { keys })
    }

    fn group_order(&mut self, item: &'q OrderItem) -> Result<SortKey, SqlError> {
        match self.group_key(&item.expr) {
            Some(key) => Ok(SortKey { expr: Expr::GroupKey(key), direction: item.direction }),
            None => {
                self.order_item(item)?;
                let message = format!(
                    "Property reference '{}' is invalid in the ORDER BY clause because it is not contained in the GROUP BY clause.",
                    item.expr
                );
                Err(SqlError::new(ErrorCode::OrderNotGrouped, item.expr.span.range(), message))
            }
        }
    }

    fn order_item(&mut self, item: &'q OrderItem) -> Result<SortKey, SqlError> {
        if let ExprKind::Call { udf: false, name, arguments } = &item.expr.kind {
            if is_call(name, "VECTORDISTANCE") {
                let distance = self.vector_distance(name, arguments)?;
                let direction = if item.is_written { item.direction } else { distance.nearest_first };
                return Ok(SortKey { expr: distance.expr, direction });
            }
            if is_rank_only(name) {
                return Err(outside_rank(name));
            }
            if is_call(name, CLIENT_SCORE) {
                return Ok(SortKey { expr: self.expr(&item.expr)?, direction: item.direction });
            }
        }
        let is_computed = self.is_computed(&item.expr);
        let expr = match &item.expr.kind {
            ExprKind::Access { .. } | ExprKind::Identifier(_) => self.expr(&item.expr)?,
            _ => return Err(no_path(&item.expr)),
        };
        if is_computed || is_path(&expr) || matches!(expr, Expr::Source(source) if source > 0 || !self.reads_items) {
            return Ok(SortKey { expr, direction: item.direction });
        }
        Err(no_path(&item.expr))
    }

    /// Whether an expression leads into a computed property.
    fn is_computed(&self, expr: &ast::Expr) -> bool {
        let ExprKind::Access { base, steps } = &expr.kind else { return false };
        let ExprKind::Identifier(alias) = &base.kind else { return false };
        let is_item = self.find(alias).is_some_and(|found| found.alias.is_item);
        let first = steps.first().and_then(step_name);
        is_item && first.is_some_and(|(name, _)| self.context.computed_property(name).is_some())
    }
}

/// Whether a query has the columns of a client's rewritten query. One that looks for the farthest vectors says so.
fn is_rewritten(query: &Query) -> bool {
    let SelectList::Columns(columns) = &query.select.list else { return false };
    columns.iter().any(|column| column.alias.as_ref().is_some_and(|alias| alias.text == ORDER_BY_ITEMS))
}

/// Checks that the nearest vectors come first, whichever end of the scale that is.
fn check_direction(item: &OrderItem) -> Result<(), SqlError> {
    match &item.expr.kind {
        ExprKind::Call { udf: false, name, .. } if item.is_written && is_call(name, "VECTORDISTANCE") => {
            let message = "Specifying a sorting order (ASC or DESC) with VectorDistance function is not supported.";
            Err(SqlError::new(ErrorCode::NotSupported, item.expr.span.range(), message))
        }
        _ => Ok(()),
    }
}

/// Whether an expression is a place within a source, of properties and elements.
fn is_path(expr: &Expr) -> bool {
    match expr {
        Expr::Path { base, .. } => matches!(**base, Expr::Source(_)) || is_path(base),
        Expr::Element { base, index } => {
            (matches!(**base, Expr::Source(_)) || is_path(base)) && index.as_constant().is_some()
        }
        _ => false,
    }
}

fn no_path(expr: &ast::Expr) -> SqlError {
    let message = "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.";
    SqlError::new(ErrorCode::OrderByPath, expr.span.range(), message)
}
