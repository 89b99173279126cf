//! Whole queries.

use std::sync::Arc;

use orrery_engine::query::{From, Plan};

use super::body::folds;
use super::scope::Level;
use super::source::Start;
use super::{Binder, Place};
use crate::ast::{self, Collection, OrderBy, Query};
use crate::error::{ErrorCode, SqlError};
use crate::limits::SUBQUERY_LEVELS;

impl<'q> Binder<'q> {
    /// The plan of a query that has a container to itself.
    pub(super) fn plan(&mut self, query: &'q Query) -> Result<Plan, SqlError> {
        let from = self.plan_from(query.from.as_ref())?;
        self.reads_items = matches!(from, From::Items);
        self.sources = usize::from(!matches!(from, From::SingleRow));
        self.levels.push(Level::default());
        let body = self.body(query, Start::Plan)?;
        let (order, ranking) = match &query.order_by {
            None => (Vec::new(), None),
            Some(OrderBy::Items(items)) => (self.order(query, items)?, None),
            Some(OrderBy::Rank(items)) => (Vec::new(), Some(self.ranking(query, items)?)),
        };
        self.levels.pop();
        let (offset, limit) = self.range(query)?;
        Ok(Plan { from, body, order, ranking, offset, limit })
    }

    /// Where rows come from. A subquery that hands each item on by itself reads the items, as a step of the plan around it; one that
    /// has to see them all first is a plan of its own.
    fn plan_from(&mut self, from: Option<&'q ast::From>) -> Result<From, SqlError> {
        let Some(from) = from else { return Ok(From::SingleRow) };
        match &from.first.collection {
            Collection::Subquery(query) => {
                self.descend(SUBQUERY_LEVELS, from.first.span)?;
                let inner = if folds(query) {
                    From::Query(Arc::new(self.inner_plan(query)?))
                } else {
                    self.plan_from(query.from.as_ref())?
                };
                self.depth -= SUBQUERY_LEVELS;
                Ok(inner)
            }
            Collection::Path { .. } | Collection::Call(_) => Ok(From::Items),
        }
    }

    fn inner_plan(&mut self, query: &'q Query) -> Result<Plan, SqlError> {
        refuse_order_and_range(query)?;
        debug_assert!(
            self.levels.is_empty() && self.place == Place::Rows,
            "a plan's FROM is bound before anything else"
        );
        self.plan(query)
    }
}

/// A subquery gives its rows in no order.
///
/// # Errors
/// The service's, one for each clause.
pub(super) fn refuse_order_and_range(query: &Query) -> Result<(), SqlError> {
    let refuse = |code, span: ast::Span, what: &str| {
        Err(SqlError::new(code, span.range(), format!("'{what}' is not supported in subqueries.")))
    };
    match &query.order_by {
        Some(OrderBy::Items(items)) => {
            let span = items.iter().map(|item| item.expr.span).reduce(ast::Span::to).unwrap_or_default();
            return refuse(ErrorCode::SubqueryOrderBy, span, "ORDER BY");
        }
        Some(OrderBy::Rank(items)) => {
            let span = items.iter().map(|item| item.call.span).reduce(ast::Span::to).unwrap_or_default();
            return refuse(ErrorCode::SubqueryRank, span, "ORDER BY RANK");
        }
        None => {}
    }
    if let Some(top) = &query.select.top {
        return refuse(ErrorCode::SubqueryTop, top.span, "TOP");
    }
    match &query.offset_limit {
        Some(range) => refuse(ErrorCode::SubqueryOffsetLimit, range.offset.span.to(range.limit.span), "OFFSET LIMIT"),
        None => Ok(()),
    }
}
