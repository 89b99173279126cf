//! The bound plan of a query: its clauses, in the order in which they are evaluated.

use std::sync::Arc;
use std::time::Duration;

use crate::query::evaluation::project::STORED_ITEM;
use crate::query::{Aggregate, Expr, Predicate};

/// A query, ready to run on any container. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Query {
    pub(in crate::query) plan: Arc<Plan>,
    pub(in crate::query) fingerprint: u64,
    pub(in crate::query) compile_time: Duration,
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

    /// The same query with the items that it keeps as its rows, as they are stored.
    pub(crate) fn of_stored_items(&self) -> Self {
        let mut plan = (*self.plan).clone();
        plan.body.projection = Expr::Source(STORED_ITEM);
        Query { plan: Arc::new(plan), ..self.clone() }
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

/// Rows come from `from` and go through `body`; the rows that it gives are sorted by `order` or ranked, then `offset` rows are skipped
/// and at most `limit` given out.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where rows come from.
    pub from: From,
    /// What becomes of them.
    pub body: Body,
    /// What rows are sorted by, the most significant key first. Empty: rows come in the order of their keys.
    pub order: Vec<SortKey>,
    /// `ORDER BY RANK`: rows come by falling rank. Excludes `order`.
    pub ranking: Option<Ranking>,
    /// Rows skipped at the front.
    pub offset: u64,
    /// Rows given out at the most, in all pages together.
    pub limit: Option<u64>,
}

/// The clauses that a query and a subquery share. Each row that comes in gets the sources of `sources` one after another, which
/// multiplies or drops it; rows are kept by `filter`, grouped, and projected; rows whose projection is undefined fall away.
#[derive(Clone, Debug)]
pub struct Body {
    /// Sources added to those that the row has: their numbers follow.
    pub sources: Vec<SourceStep>,
    /// Which rows count.
    pub filter: Option<Predicate>,
    /// How rows are folded; none if they are not.
    pub grouping: Option<Grouping>,
    /// What a row becomes. [`Expr::Source`] of an item hands it on as it is stored.
    pub projection: Expr,
    /// Whether rows with an equal projection are given once.
    pub distinct: bool,
}

impl Plan {
    /// Whether its rows come one by one from rows of its input: no folding, no order, no range.
    pub(in crate::query) fn is_plain(&self) -> bool {
        let Plan { from: _, body, order, ranking, offset, limit } = self;
        body.grouping.is_none()
            && !body.distinct
            && order.is_empty()
            && ranking.is_none()
            && *offset == 0
            && limit.is_none()
    }
}

/// How one more source comes to a row.
#[derive(Clone, Debug)]
pub enum SourceStep {
    /// `FROM c.a.b`: the value itself, and no row if it is undefined.
    One(Expr),
    /// `t IN c.tags`: a row for each element, and none if the value is no array.
    Each(Expr),
    /// `(SELECT ...) s`: a row for each row of a subquery.
    Rows(Arc<Body>),
    /// `t IN (SELECT ...)`: a row for each element of each row of a subquery.
    EachOf(Arc<Body>),
}

/// GROUP BY, or aggregates without it.
///
/// A folded row has no sources of its own: its projection sees [`Expr::GroupKey`] and [`Expr::Aggregate`].
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// Rows alike in all of these are one group. Empty: all rows are one group, which is there even without rows.
    pub keys: Vec<Expr>,
    /// What is computed over each group.
    pub aggregates: Vec<Aggregate>,
}

/// Where rows come from.
#[derive(Clone, Debug)]
pub enum From {
    /// One row without any source.
    SingleRow,
    /// The items in scope, as source 0.
    Items,
    /// The rows of another query over the items in scope, as source 0: `FROM (SELECT DISTINCT VALUE c.x FROM c) AS x`, where the
    /// inner rows must be known over all items. Its plan has neither order nor range.
    Query(Arc<Plan>),
}

/// `ORDER BY RANK`: the sum over `components` of `weight / (60 + place)`, places counted from 1 by each component's own order; of a
/// single component simply its order.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// What ranks rows, each with its weight.
    pub components: Vec<(RankComponent, f64)>,
}

/// What ranks rows.
#[derive(Clone, Debug)]
pub enum RankComponent {
    /// The BM25 score of a text for some terms; higher is better.
    FullText {
        /// The text.
        text: Expr,
        /// The terms looked for.
        terms: Vec<String>,
    },
    /// Any other score, such as a vector distance.
    Score {
        /// The score.
        expr: Expr,
        /// Which end is best.
        best: Direction,
    },
}

impl Body {
    /// Hands each row's projection on: no filter, no grouping.
    pub fn of(projection: Expr) -> Self {
        Body { sources: Vec::new(), filter: None, grouping: None, projection, distinct: false }
    }

    /// What is computed over rows.
    pub(in crate::query) fn aggregates(&self) -> &[Aggregate] {
        self.grouping.as_ref().map_or(&[], |grouping| &grouping.aggregates)
    }
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
    pub(in crate::query) fn apply(self, ascending: std::cmp::Ordering) -> std::cmp::Ordering {
        match self {
            Direction::Ascending => ascending,
            Direction::Descending => ascending.reverse(),
        }
    }
}
