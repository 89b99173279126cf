//! The bound plan of a query: its clauses, in the order in which they are evaluated.

use std::sync::Arc;
use std::time::Duration;

use super::{Aggregate, Expr, Predicate};

/// A query, ready to run on any container. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) plan: Arc<Plan>,
    pub(super) fingerprint: u64,
    pub(super) compile_time: Duration,
}

impl Query {
    /// A query of a plan. `fingerprint` is a hash of all that decides its rows (text and parameters): a continuation is refused
    /// by a query with another one.
    pub fn new(plan: Plan, fingerprint: u64) -> Self {
        Query { plan: Arc::new(plan), fingerprint, compile_time: Duration::ZERO }
    }

    /// Notes how long the language took to make the plan, for the metrics of the query's pages.
    #[must_use]
    pub fn with_compile_time(self, compile_time: Duration) -> Self {
        Query { compile_time, ..self }
    }

    /// What it does.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The hash that binds its continuations to it.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// Rows come from `from`, are kept by `filter`, folded into one if there are `aggregates`, and projected; rows whose projection is
/// undefined fall away; the rest is sorted by `order`, then `offset` rows are skipped and at most `limit` given out.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where rows come from.
    pub from: From,
    /// Which rows count.
    pub filter: Option<Predicate>,
    /// What is computed over all rows; their results are [`Expr::Aggregate`] in the projection. Empty: rows are not folded.
    pub aggregates: Vec<Aggregate>,
    /// What a row becomes. [`Expr::Source`] hands the item on as it is stored.
    pub projection: Expr,
    /// What rows are sorted by, the most significant key first. Empty: rows come in the order of their keys.
    pub order: Vec<SortKey>,
    /// Rows skipped at the front.
    pub offset: u64,
    /// Rows given out at the most, in all pages together.
    pub limit: Option<u64>,
}

/// Where rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// One row without any source.
    SingleRow,
    /// The items in scope, as source 0.
    Items,
}

/// One key of ORDER BY.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// What is compared.
    pub expr: Expr,
    /// Which end comes first.
    pub direction: Direction,
}

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// undefined < null < false < true < numbers < strings < arrays < objects
    Ascending,
    /// The exact reverse.
    Descending,
}

impl Direction {
    /// Turns an ascending comparison into one of this direction.
    pub(super) fn apply(self, ascending: std::cmp::Ordering) -> std::cmp::Ordering {
        match self {
            Direction::Ascending => ascending,
            Direction::Descending => ascending.reverse(),
        }
    }
}
