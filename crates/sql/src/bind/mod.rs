//! Resolving a syntax tree's names, parameters and functions into a plan.

mod expr;
mod function;
mod parameters;
mod select;

use orrery_engine::query::{Aggregate, Effort, Expr, From, Plan, Predicate, SortKey};
use orrery_value::{Number, Value};

use crate::ast::{self, Count, CountKind, Query};
use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_ROW_COUNT;
use crate::token::Span;
use parameters::Parameters;

/// Steps that computing a query's constants may take in all; what is left then is computed for each row.
const MAX_FOLD_STEPS: u64 = 4 * 1024 * 1024;

/// The plan of a query.
pub(crate) fn bind(query: &Query, parameters: &[(String, Value)]) -> Result<Plan, SqlError> {
    let mut binder = Binder {
        alias: query.from.as_ref().map(|source| source.alias.as_ref().unwrap_or(&source.collection).text.as_str()),
        parameters: Parameters::new(parameters),
        effort: Effort::of(MAX_FOLD_STEPS),
        place: Place::Rows,
        aggregates: Vec::new(),
        bare_property: None,
    };
    let filter = query.filter.as_ref().map(|filter| binder.expr(filter)).transpose()?.map(Predicate::new);
    binder.place = Place::SelectList;
    let projection = binder.select_list(query)?;
    binder.check_aggregation()?;
    binder.place = Place::Rows;
    let order = query.order_by.iter().map(|item| binder.order_item(item)).collect::<Result<Vec<_>, _>>()?;
    if let (false, Some(item)) = (binder.aggregates.is_empty(), query.order_by.first()) {
        return Err(not_aggregated(item.expr.span));
    }
    let (offset, limit) = binder.range(query)?;
    let from = if query.from.is_some() { From::Items } else { From::SingleRow };
    Ok(Plan { from, filter, aggregates: binder.aggregates, projection, order, offset, limit })
}

/// What binding knows and gathers.
struct Binder<'q> {
    /// The name of the items, if there are any.
    alias: Option<&'q str>,
    parameters: Parameters<'q>,
    effort: Effort,
    place: Place,
    aggregates: Vec<Aggregate>,
    /// A use of an item in the select list outside an aggregate.
    bare_property: Option<Span>,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Where it is evaluated for each item.
    Rows,
    /// In the select list, where aggregates are allowed.
    SelectList,
    /// In an aggregate.
    Argument,
}

impl Binder<'_> {
    fn check_aggregation(&self) -> Result<(), SqlError> {
        match self.bare_property {
            Some(span) if !self.aggregates.is_empty() => Err(not_aggregated(span)),
            _ => Ok(()),
        }
    }

    fn order_item(&mut self, item: &ast::OrderItem) -> Result<SortKey, SqlError> {
        let expr = self.expr(&item.expr)?;
        if !is_path(&expr) {
            let message =
                "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.";
            return Err(SqlError::new(ErrorCode::OrderByPath, item.expr.span.range(), message));
        }
        Ok(SortKey { expr, direction: item.direction })
    }

    /// Rows to skip and rows to give. TOP and LIMIT together cannot be meant.
    fn range(&self, query: &Query) -> Result<(u64, Option<u64>), SqlError> {
        let top = query.select.top.as_ref().map(|top| self.count(top, ErrorCode::TopCount)).transpose()?;
        let Some(range) = &query.offset_limit else { return Ok((0, top)) };
        let offset = self.count(&range.offset, ErrorCode::OffsetCount)?;
        let limit = self.count(&range.limit, ErrorCode::LimitCount)?;
        if let Some(top) = &query.select.top {
            let message = "'TOP' and 'OFFSET LIMIT' cannot be used together in one query.";
            return Err(SqlError::new(ErrorCode::Syntax, top.span.range(), message));
        }
        Ok((offset, Some(limit)))
    }

    fn count(&self, count: &Count, code: ErrorCode) -> Result<u64, SqlError> {
        let number = match &count.kind {
            CountKind::Number(number) => Some(*number),
            CountKind::Parameter(name) => self.parameters.find(name, count.span)?.as_number(),
        };
        let integer = number.and_then(Number::as_i64).and_then(|number| u64::try_from(number).ok());
        integer.filter(|number| *number <= MAX_ROW_COUNT).ok_or_else(|| {
            let what = match code {
                ErrorCode::OffsetCount if number.is_some() => {
                    "The OFFSET count value exceeds the maximum allowed value."
                }
                ErrorCode::OffsetCount => "The count value provided for an OFFSET clause must be an integer.",
                ErrorCode::LimitCount if number.is_some() => "The LIMIT count value exceeds the maximum allowed value.",
                ErrorCode::LimitCount => "The count value provided for a LIMIT clause must be an integer.",
                _ => "The count value provided for a TOP clause must be an integer.",
            };
            SqlError::new(code, count.span.range(), what)
        })
    }
}

/// Whether an expression is a place within an item, of properties and elements.
fn is_path(expr: &Expr) -> bool {
    match expr {
        Expr::Path { base, .. } => matches!(**base, Expr::Source(_)) || is_path(base),
        Expr::Element { base, index } => {
            (matches!(**base, Expr::Source(_)) || is_path(base)) && index.as_constant().is_some()
        }
        _ => false,
    }
}

fn not_aggregated(span: Span) -> SqlError {
    let message = "A property of an item cannot stand beside an aggregate function: use it in an aggregate.";
    SqlError::new(ErrorCode::NotAggregated, span.range(), message)
}
