//! What folded rows are made of: keys of GROUP BY, and aggregates.

use orrery_engine::query::{Aggregate, AggregateFunction, Expr};

use super::children::each_child;
use super::function::argument_count;
use super::{Binder, Place};
use crate::ast::{self, ExprKind, Name};
use crate::error::{ErrorCode, SqlError};
use crate::token::Span;

impl<'q> Binder<'q> {
    /// The key of GROUP BY that an expression of the select list is.
    pub(super) fn group_key(&mut self, expr: &'q ast::Expr) -> Option<usize> {
        if self.level().keys.is_empty() {
            return None;
        }
        let shape = self.shape(expr);
        self.level().keys.get(&shape).copied()
    }

    /// Binds a call of an aggregate. Equal ones are computed once.
    pub(super) fn aggregate(
        &mut self,
        function: AggregateFunction,
        name: &'q Name,
        arguments: &'q [ast::Expr],
        span: Span,
    ) -> Result<Expr, SqlError> {
        match self.place {
            Place::Folded => {}
            Place::Argument(around) => return Err(nested_aggregate(around)),
            Place::Rows => {
                let message = format!(
                    "The aggregate function {} can stand in the select list only.",
                    name.text.to_ascii_uppercase()
                );
                return Err(SqlError::new(ErrorCode::MisplacedAggregate, span.range(), message));
            }
        }
        let [argument] = arguments else { return Err(argument_count(name, "1")) };
        let key = (function, self.shape(argument));
        if let Some(number) = self.level().aggregate_numbers.get(&key) {
            return Ok(Expr::Aggregate(*number));
        }
        self.place = Place::Argument(span);
        let argument = self.expr(argument);
        self.place = Place::Folded;
        let aggregate = Aggregate { function, argument: argument? };
        let level = self.level();
        let number = level.aggregates.len();
        level.aggregates.push(aggregate);
        level.aggregate_numbers.insert(key, number);
        Ok(Expr::Aggregate(number))
    }
}

/// Whether an expression has an aggregate of the query that it belongs to: those of subqueries are theirs.
pub(crate) fn aggregates(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { udf: false, name, .. } if AggregateFunction::named(&name.text).is_some() => true,
        kind => {
            let mut any = false;
            each_child(kind, &mut |child| any = any || aggregates(child));
            any
        }
    }
}

pub(super) fn nested_aggregate(span: Span) -> SqlError {
    let message = "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.";
    SqlError::new(ErrorCode::NestedAggregate, span.range(), message)
}

/// A property that folding has left behind.
pub(super) fn not_aggregated(expr: &ast::Expr) -> SqlError {
    let message = format!(
        "Property reference '{expr}' is invalid in the select list because it is not contained in an aggregate function or the GROUP BY clause."
    );
    SqlError::new(ErrorCode::NotAggregated, expr.span.range(), message)
}
