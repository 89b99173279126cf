//! What a range answers for its part of an aggregate.

use orrery_engine::query::AggregateFunction;

use super::tree::{array, call, item, object};
use crate::ast::{Expr, ExprKind};

/// A call of an aggregate.
#[derive(Clone, Copy)]
pub(super) struct AggregateCall<'q> {
    pub function: AggregateFunction,
    pub argument: &'q Expr,
    call: &'q Expr,
}

impl<'q> AggregateCall<'q> {
    /// The aggregate that the expression calls, if it does nothing else.
    pub fn of(expr: &'q Expr) -> Option<AggregateCall<'q>> {
        let ExprKind::Call { udf: false, name, arguments } = &expr.kind else { return None };
        let function = AggregateFunction::named(&name.text)?;
        let [argument] = &arguments[..] else { return None };
        Some(AggregateCall { function, argument, call: expr })
    }

    /// `{"item": ...}`: what a range knows of the aggregate, from which clients compute it over all ranges. Of a mean that is sum and
    /// count; beside a least or greatest value stands how many there were, as a range without any has none.
    pub fn partial(&self) -> Expr {
        let of = |function: &str| call(function, vec![self.argument.clone()]);
        let beside = |name: &str| {
            let both = object(vec![(name, self.call.clone()), ("count", of("COUNT"))]);
            object(vec![("item", self.call.clone()), ("item2", both)])
        };
        match self.function {
            AggregateFunction::Avg => item(object(vec![("sum", of("SUM")), ("count", of("COUNT"))])),
            AggregateFunction::Min => beside("min"),
            AggregateFunction::Max => beside("max"),
            AggregateFunction::Count
            | AggregateFunction::CountIf
            | AggregateFunction::MakeList
            | AggregateFunction::MakeSet
            | AggregateFunction::Sum => item(self.call.clone()),
        }
    }

    /// `[{"item": ...}]`, as the aggregate of SELECT VALUE is answered.
    pub fn partial_value(&self) -> Expr {
        array(vec![self.partial()])
    }
}
