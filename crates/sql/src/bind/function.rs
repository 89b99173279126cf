//! Calls of functions.

use orrery_engine::query::{AggregateFunction, Expr, Function, function};

use super::Binder;
use super::rank::{is_rank_only, outside_rank};
use crate::ast::{self, Name, Span};
use crate::error::{ErrorCode, SqlError};

/// Functions that give something else at each call: computed for each row.
const VOLATILE: [&str; 4] = ["RAND", "GETCURRENTDATETIME", "GETCURRENTTICKS", "GETCURRENTTIMESTAMP"];

/// Functions that give one value for a whole query: computed when it is bound, and the plan is good for that run only.
const OF_THE_MOMENT: [&str; 5] =
    ["GETCURRENTDATETIMESTATIC", "GETCURRENTTICKSSTATIC", "GETCURRENTTIMESTAMPSTATIC", "NOW", "AGO"];

/// What the names of functions of places begin with.
const SPATIAL: &str = "ST_";

impl<'q> Binder<'q> {
    /// Binds a call that stands at `span`.
    pub(super) fn call(
        &mut self,
        udf: bool,
        name: &'q Name,
        arguments: &'q [ast::Expr],
        span: Span,
    ) -> Result<Expr, SqlError> {
        if udf {
            let message = format!("User-defined functions are not executed by this version: udf.{}.", name.text);
            return Err(SqlError::new(ErrorCode::UnknownFunction, span.range(), message));
        }
        if let Some(aggregate) = AggregateFunction::named(&name.text) {
            return self.aggregate(aggregate, name, arguments, span);
        }
        if is_rank_only(name) {
            return Err(outside_rank(name));
        }
        if is_call(name, "VECTORDISTANCE") {
            return Ok(self.vector_distance(name, arguments)?.expr);
        }
        let function = built_in(name, arguments.len())?;
        if self.context.is_flat && function.name.starts_with(SPATIAL) {
            return Err(on_a_plane(function, name));
        }
        if OF_THE_MOMENT.contains(&function.name) {
            self.is_repeatable = false;
        }
        Ok(Expr::Call(function, self.exprs(arguments)?))
    }
}

fn on_a_plane(function: &Function, name: &Name) -> SqlError {
    let message = format!(
        "{} is computed on the earth only by this version, and the container's geospatialConfig has the type 'Geometry'. Make it 'Geography' if its coordinates are longitudes and latitudes.",
        function.name
    );
    SqlError::new(ErrorCode::UnknownFunction, name.span.range(), message)
}

/// The function of that name if it takes so many arguments.
pub(super) fn built_in(name: &Name, arguments: usize) -> Result<&'static Function, SqlError> {
    let Some(function) = function(&name.text) else {
        let message = format!("'{}' is not a recognized built-in function name.", name.text);
        return Err(SqlError::new(ErrorCode::UnknownFunction, name.span.range(), message));
    };
    check_arguments(function, arguments, name)?;
    Ok(function)
}

/// Whether a call is of the function with that name in capitals.
pub(crate) fn is_call(name: &Name, function: &str) -> bool {
    name.text.eq_ignore_ascii_case(function)
}

/// Whether a function gives the same for the same arguments at any time.
pub(super) fn is_deterministic(name: &Name) -> bool {
    !is_one_of(name, &VOLATILE) && !is_one_of(name, &OF_THE_MOMENT)
}

fn is_one_of(name: &Name, functions: &[&str]) -> bool {
    functions.iter().any(|function| is_call(name, function))
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

pub(super) fn argument_count(name: &Name, wanted: &str) -> SqlError {
    let message = format!("The {} function requires {wanted} argument(s).", name.text.to_ascii_uppercase());
    SqlError::new(ErrorCode::ArgumentCount, name.span.range(), message)
}
