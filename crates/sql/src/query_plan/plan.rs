//! The plan as data.

use orrery_engine::query::{AggregateFunction, Direction};
use orrery_value::Epk;

/// What a client does to answer a query: it sends the query, or what `work` gives in its place, to the ranges of keys in `ranges`,
/// and merges.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryPlan {
    /// How to merge.
    pub work: Work,
    /// Where rows can lie: in rising order, none overlapping another.
    pub ranges: Vec<QueryRange>,
}

/// How answers are merged.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// By one query to all ranges.
    Merge(QueryInfo),
    /// By several queries whose ranks are fused: ORDER BY RANK.
    Hybrid(HybridSearch),
}

/// A part of the key space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryRange {
    /// This one key.
    Point(Epk),
    /// From the first key on, below the second.
    Span(Epk, Epk),
}

/// How the rows of one query to several ranges become the rows of the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryInfo {
    /// Whether equal rows are given once.
    pub distinct: DistinctType,
    /// Rows wanted.
    pub top: Option<u64>,
    /// Rows to skip.
    pub offset: Option<u64>,
    /// Rows wanted after those.
    pub limit: Option<u64>,
    /// What rows come sorted by, and which end comes first.
    pub order_by: Vec<(String, Direction)>,
    /// What rows are grouped by.
    pub group_by: Vec<String>,
    /// The aggregate of SELECT VALUE.
    pub aggregates: Vec<AggregateFunction>,
    /// The columns of a grouped query, or of one with aggregates, in their order: which aggregate each is, if any.
    pub group_aliases: Vec<(String, Option<AggregateFunction>)>,
    /// What to send; empty for the query itself.
    pub rewritten_query: String,
    /// SELECT VALUE
    pub has_select_value: bool,
    /// If distinct rows are only counted: the name of the count, empty for SELECT VALUE.
    pub distinct_count_alias: Option<String>,
    /// Whether rows must be gathered from all ranges before the first one can be given.
    pub has_non_streaming_order_by: bool,
}

/// Whether equal rows are given once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistinctType {
    /// Each row is given.
    #[default]
    None,
    /// Once, and equal rows come one after another.
    Ordered,
    /// Once, and equal rows come anywhere.
    Unordered,
}

/// How ORDER BY RANK is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridSearch {
    /// Counts what scores depend on; to be sent first, with the sums put into the other queries.
    pub statistics_query: String,
    /// Whether any score depends on these counts.
    pub requires_statistics: bool,
    /// A query for each score.
    pub components: Vec<QueryInfo>,
    /// A weight for each score; empty if all count the same.
    pub weights: Vec<f64>,
    /// Rows to skip.
    pub skip: Option<u64>,
    /// Rows wanted.
    pub take: Option<u64>,
}
