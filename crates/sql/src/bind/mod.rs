//! Resolving a syntax tree's names, parameters and functions into a plan.
//!
//! `query.rs` makes a plan of a whole query and `body.rs` one of the clauses that subqueries have too; `source.rs` numbers the
//! sources and `scope.rs` finds them by name; `fold.rs` says what a grouped query may select, by the `shape.rs` of expressions.
//! `order.rs`, `rank.rs` and `vector.rs` order rows. `context.rs` is what binding knows of the container.

pub(crate) mod body;
pub(crate) mod children;
pub(crate) mod computed;
pub(crate) mod context;
pub(crate) mod expr;
pub(crate) mod fold;
pub(crate) mod function;
mod order;
mod parameters;
mod query;
mod range;
mod rank;
mod scope;
pub(crate) mod select;
mod shape;
mod source;
mod vector;

use std::collections::HashMap;

use orrery_engine::query::{Effort, Plan};
use orrery_value::Value;

use crate::ast::{self, Query};
use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_NESTING;
use crate::token::Span;
use computed::Substitute;
use context::Context;
use parameters::Parameters;
use scope::Level;

/// Steps that computing a query's constants may take in all; what is left then is computed for each row.
const MAX_FOLD_STEPS: u64 = 4 * 1024 * 1024;

/// A bound query.
pub(crate) struct Bound {
    pub plan: Plan,
    /// Bytes of parameters and definitions that were copied into the plan.
    pub copied_bytes: usize,
    /// Whether binding the same text again gives the same plan: not if it says what time it is.
    pub is_repeatable: bool,
}

/// The plan of a query.
pub(crate) fn bind(query: &Query, parameters: &[(String, Value)], context: &Context) -> Result<Bound, SqlError> {
    let mut binder = Binder::new(Parameters::new(parameters), context, MAX_FOLD_STEPS);
    let plan = binder.plan(query)?;
    Ok(Bound { plan, copied_bytes: binder.parameters.paid_bytes(), is_repeatable: binder.is_repeatable })
}

/// What binding knows and gathers.
struct Binder<'q> {
    parameters: Parameters<'q>,
    context: &'q Context,
    effort: Effort,
    /// The queries around the place that is bound, the innermost last.
    levels: Vec<Level<'q>>,
    /// Sources that a row has at this place.
    sources: usize,
    /// Whether source 0 is an item.
    reads_items: bool,
    place: Place,
    /// Levels of expressions and queries around this place.
    depth: usize,
    is_repeatable: bool,
    /// Computed properties that were used, bound.
    computed: HashMap<&'q str, Substitute>,
    /// Shapes of expressions by where they lie in memory; the tree does not move.
    shapes: HashMap<*const ast::Expr, u128>,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Where it is evaluated for each row.
    Rows,
    /// In the select list of folded rows: what is neither key nor aggregate is gone.
    Folded,
    /// In the aggregate that stands there.
    Argument(Span),
}

impl<'q> Binder<'q> {
    fn new(parameters: Parameters<'q>, context: &'q Context, fold_steps: u64) -> Self {
        Binder {
            parameters,
            context,
            effort: Effort::of(fold_steps),
            levels: Vec::new(),
            sources: 0,
            reads_items: false,
            place: Place::Rows,
            depth: 0,
            is_repeatable: true,
            computed: HashMap::new(),
            shapes: HashMap::new(),
        }
    }

    /// Goes `levels` down, with `self.depth -= levels` to come back. It bounds the stack of binding and evaluation: the parser
    /// bounds single expressions only, and computed properties add to them.
    fn descend(&mut self, levels: usize, span: Span) -> Result<(), SqlError> {
        self.depth += levels;
        if self.depth > MAX_NESTING {
            let message = format!("The query nests deeper than {MAX_NESTING} levels.");
            return Err(SqlError::new(ErrorCode::TooLarge, span.range(), message));
        }
        Ok(())
    }
}
