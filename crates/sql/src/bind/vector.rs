//! VectorDistance: what it measures by depends on its options and on the container.

use orrery_engine::query::{Direction, Expr, VectorMetric, VectorOptions};
use orrery_value::{Object, Value};

use super::Binder;
use super::context::metric_name;
use super::function::built_in;
use crate::ast::{self, Name, Span};
use crate::error::{ErrorCode, SqlError};

/// A bound VectorDistance.
pub(super) struct VectorDistance {
    pub expr: Expr,
    /// The order in which near vectors come first.
    pub nearest_first: Direction,
}

/// The positions of the arguments that may be left out.
const BRUTE_FORCE: usize = 2;
const OPTIONS: usize = 3;

impl<'q> Binder<'q> {
    /// Binds a call of VectorDistance. It measures by its options' choice, else by that of the container's policy for the path that
    /// is the first or second argument, which then goes into the options, else by cosine.
    pub(super) fn vector_distance(
        &mut self,
        name: &'q Name,
        arguments: &'q [ast::Expr],
    ) -> Result<VectorDistance, SqlError> {
        let function = built_in(name, arguments.len())?;
        let mut bound = self.exprs(arguments)?;
        let chosen = match (bound.get(OPTIONS), arguments.get(OPTIONS)) {
            (Some(Expr::Constant(options)), Some(given)) => {
                VectorOptions::parse(options).map_err(|error| wrong(given.span, &error.to_string()))?.metric
            }
            (_, Some(given)) => return Err(wrong(given.span, "the options of VectorDistance are not constant")),
            _ => None,
        };
        let of_policy = bound[..BRUTE_FORCE].iter().find_map(|vector| self.context.metric(vector.as_item_path()?));
        if let (None, Some(metric)) = (chosen, of_policy) {
            set_metric(&mut bound, metric);
        }
        let metric = chosen.or(of_policy).unwrap_or(VectorMetric::Cosine);
        Ok(VectorDistance { expr: Expr::Call(function, bound), nearest_first: metric.best_first() })
    }
}

/// Gives a call the options that it lacks.
fn set_metric(arguments: &mut Vec<Expr>, metric: VectorMetric) {
    if arguments.len() == BRUTE_FORCE {
        arguments.push(Expr::Constant(Value::Bool(false)));
    }
    if arguments.len() == OPTIONS {
        arguments.push(Expr::Constant(Value::Object(Object::new())));
    }
    if let Some(Expr::Constant(Value::Object(options))) = arguments.get_mut(OPTIONS) {
        options.push("distanceFunction", Value::from(metric_name(metric)));
    }
}

fn wrong(span: Span, what: &str) -> SqlError {
    SqlError::new(ErrorCode::VectorOption, span.range(), format!("Invalid vector search option: {what}."))
}
