//! The clauses that a query and a subquery share.

use orrery_engine::query::{Body, Grouping, Predicate};

use super::fold::aggregates;
use super::query::refuse_order_and_range;
use super::scope::Level;
use super::source::Start;
use super::{Binder, Place};
use crate::ast::{Query, SelectList};
use crate::error::{ErrorCode, SqlError};
use crate::limits::SUBQUERY_LEVELS;
use crate::token::Span;

impl<'q> Binder<'q> {
    /// A query within the one that is bound.
    pub(super) fn subquery(&mut self, query: &'q Query, start: Start, span: Span) -> Result<Body, SqlError> {
        refuse_order_and_range(query)?;
        self.descend(SUBQUERY_LEVELS, span)?;
        let place = std::mem::replace(&mut self.place, Place::Rows);
        let sources = self.sources;
        self.levels.push(Level::default());
        let body = self.body(query, start)?;
        self.levels.pop();
        self.sources = sources;
        self.place = place;
        self.depth -= SUBQUERY_LEVELS;
        Ok(body)
    }

    /// The clauses of the innermost level's query.
    pub(super) fn body(&mut self, query: &'q Query, start: Start) -> Result<Body, SqlError> {
        // A folded row is left with the sources of the rows around it, and a plan's has none.
        let left = if self.levels.len() == 1 { 0 } else { self.sources };
        let sources = self.from(query.from.as_ref(), start)?;
        let filter = query.filter.as_ref().map(|filter| self.expr(filter)).transpose()?.map(Predicate::new);
        let distinct = query.select.distinct;
        if !is_grouped(query) {
            let projection = self.select_list(query)?;
            return Ok(Body { sources, filter, grouping: None, projection, distinct });
        }
        if let (SelectList::Star(span), false) = (&query.select.list, query.group_by.is_empty()) {
            let message = "'SELECT *' is not allowed in a query with a GROUP BY clause.";
            return Err(SqlError::new(ErrorCode::StarWithGroupBy, span.range(), message));
        }
        let mut keys = Vec::with_capacity(query.group_by.len());
        for (number, key) in query.group_by.iter().enumerate() {
            keys.push(self.expr(key)?);
            let shape = self.shape(key);
            self.level().keys.entry(shape).or_insert(number);
        }
        let of_rows = std::mem::replace(&mut self.sources, left);
        self.place = Place::Folded;
        self.level().is_folded = true;
        let projection = self.select_list(query)?;
        self.level().is_folded = false;
        self.place = Place::Rows;
        self.sources = of_rows;
        let aggregates = std::mem::take(&mut self.level().aggregates);
        Ok(Body { sources, filter, grouping: Some(Grouping { keys, aggregates }), projection, distinct })
    }
}

/// Whether a query folds its rows.
pub(crate) fn is_grouped(query: &Query) -> bool {
    !query.group_by.is_empty()
        || match &query.select.list {
            SelectList::Star(_) => false,
            SelectList::Value(expr) => aggregates(expr),
            SelectList::Columns(columns) => columns.iter().any(|column| aggregates(&column.expr)),
        }
}

/// Whether a query has to see all rows before it can give one.
pub(crate) fn folds(query: &Query) -> bool {
    query.select.distinct || is_grouped(query)
}
