//! Queries: one logical algebra for every language, and its execution over the items of a container.
//!
//! A language crate binds its text to a [`Plan`] of [`Expr`]essions and hands it over as a [`Query`]. The way of a query from there:
//! `narrow.rs` prunes the scope to logical partitions or items, which `access.rs` reads in the order of keys,
//! or finds through the property index (`index_access/`) if that is cheaper; `fan_out.rs` cuts a
//! large scope into parts that are read side by side. `execute.rs` picks an operator by the plan's shape and makes a page of it
//! (`page_scan.rs`, `page_sort.rs`, `page_fold.rs`). An operator is a `Collector` (`feed.rs`) that `item_walk.rs` brings to each row:
//! `scan.rs`, `sort.rs`, `sort_distinct.rs`, `groups.rs`, `ranking.rs`. Rows are made of an item by `body_rows.rs`, subqueries run in
//! `subquery.rs`, expressions are evaluated by `evaluate.rs` on the stored document, of which only the properties asked for are read
//! ([`Datum`]). What follows a page is said by `cursor.rs`.
//!
//! Semantics are those of the service's SQL: *undefined* is a value of its own, logic is three-valued, and a filter keeps a row only
//! if it is exactly `true`. `in_memory.rs` says the same once more in the plainest way.

mod access;
mod aggregate;
mod body_rows;
mod compare;
mod cursor;
mod cursor_value;
mod datum;
mod derived;
mod early_filter;
mod effort;
mod evaluate;
mod execute;
mod explain;
mod explain_json;
mod expr;
mod fan_out;
mod feed;
mod fold;
mod function;
mod group_table;
mod groups;
mod identity;
mod in_memory;
mod index_access;
mod item_walk;
mod key_terms;
mod keyed_table;
mod like;
mod memory;
mod metrics;
mod narrow;
mod operator;
mod page_fold;
mod page_scan;
mod page_sort;
mod plan;
mod predicate;
mod project;
mod ranking;
mod row;
mod scan;
mod sort;
mod sort_distinct;
mod subquery;
#[cfg(test)]
mod test_items;

pub use aggregate::{Aggregate, AggregateFunction, MAX_LIST_BYTES};
pub use datum::{Datum, Kind};
pub use effort::{Effort, MAX_STEPS_PER_ROW};
pub use execute::QueryPage;
pub use explain::{Explain, OperatorReport};
pub use expr::{Expr, InList, LikePattern, Member, SubqueryKind};
pub use function::{Function, VectorMetric, VectorOptions, VectorOptionsError, function};
pub use groups::MAX_GROUP_BYTES;
pub use index_access::{IndexAccess, IndexReport, IndexSpecs, IndexUse, IndexUtilization, IndexedCondition};
pub use like::Like;
pub use memory::DEFAULT_QUERY_MEMORY_BYTES;
pub use metrics::{QueryMetrics, ScopeTaken};
pub use operator::{BinaryOperator, UnaryOperator};
pub use plan::{Body, Direction, From, Grouping, Plan, Query, RankComponent, Ranking, SortKey, SourceStep};
pub use predicate::Predicate;
pub use ranking::MAX_RANK_BYTES;
pub use scan::MAX_ROWS_SCANNED_PER_PAGE;
pub use sort::{MAX_SORT_BYTES, MAX_SORT_ROWS};
pub use sort_distinct::MAX_DISTINCT_SORT_BYTES;

pub(crate) use execute::{QueryRuntime, execute};
pub(crate) use fan_out::Spread;
pub(crate) use memory::QueryMemory;
