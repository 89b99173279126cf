//! Calls of functions and aggregates.

use orrery_engine::query::{Aggregate, AggregateFunction, Expr, Function, function};

use super::{Binder, Place};
use crate::ast::{self, Name, Span};
use crate::error::{ErrorCode, SqlError};

impl Binder<'_> {
    /// Binds a call that stands at `span`.
    pub(super) fn call(&mut self, name: &Name, arguments: &[ast::Expr], span: Span) -> Result<Expr, SqlError> {
        if let Some(aggregate) = AggregateFunction::named(&name.text) {
            return self.aggregate(aggregate, name, arguments, span);
        }
        let Some(function) = function(&name.text) else {
            let message = format!("'{}' is not a recognized built-in function name.", name.text);
            return Err(SqlError::new(ErrorCode::UnknownFunction, name.span.range(), message));
        };
        check_arguments(function, arguments.len(), name)?;
        Ok(Expr::Call(function, self.exprs(arguments)?))
    }

    fn aggregate(
        &mut self,
        function: AggregateFunction,
        name: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Result<Expr, SqlError> {
        match self.place {
            Place::SelectList => {}
            Place::Argument => {
                let message =
                    "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.";
                return Err(SqlError::new(ErrorCode::NestedAggregate, span.range(), message));
            }
            Place::Rows => {
                let message = format!(
                    "The aggregate function {} can stand in the select list only.",
                    name.text.to_ascii_uppercase()
                );
                return Err(SqlError::new(ErrorCode::MisplacedAggregate, span.range(), message));
            }
        }
        let [argument] = arguments else { return Err(argument_count(name, "1")) };
        self.place = Place::Argument;
        let argument = self.expr(argument);
        self.place = Place::SelectList;
        self.aggregates.push(Aggregate { function, argument: argument? });
        Ok(Expr::Aggregate(self.aggregates.len() - 1))
    }
}

fn check_arguments(function: &Function, given: usize, name: &Name) -> Result<(), SqlError> {
    let (min, max) = (function.min_arguments, function.max_arguments);
    if given >= min && max.is_none_or(|max| given <= max) {
        return Ok(());
    }
    Err(match max {
        None => argument_count(name, &format!("at least {min}")),
        Some(max) if max == min => argument_count(name, &min.to_string()),
        Some(max) => argument_count(name, &format!("{min} to {max}")),
    })
}

fn argument_count(name: &Name, wanted: &str) -> SqlError {
    let message = format!("The {} function requires {wanted} argument(s).", name.text.to_ascii_uppercase());
    SqlError::new(ErrorCode::ArgumentCount, name.span.range(), message)
}
