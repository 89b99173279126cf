//! Queries: one logical algebra for every language, and its execution over the items of a container.
//!
//! A language crate binds its text to a [`Plan`] of [`Expr`]essions (`algebra/`) and hands it over as a [`Query`]. The way of a query from
//! there: `scope/narrow.rs` prunes the scope to logical partitions or items, which `scope/access.rs` reads in the order of keys, or finds
//! through the property index (`index_access/`) if that is cheaper; `scope/fan_out.rs` cuts a large scope into parts that are read side by
//! side. `execute.rs` picks an operator by the plan's shape and makes a page of it (`page/`). An operator is a `Collector`
//! (`collect/feed.rs`) that `scope/item_walk.rs` brings to each row: `collect/scan.rs`, `sort.rs`, `sort_distinct.rs`, `groups.rs`,
//! `ranking.rs`. Rows are made of an item, subqueries run and expressions are evaluated on the stored document, of which only the
//! properties asked for are read ([`Datum`]), in `evaluation/`. What follows a page is said by `page/cursor.rs`.
//!
//! Semantics are those of the service's SQL: *undefined* is a value of its own, logic is three-valued, and a filter keeps a row only
//! if it is exactly `true`. `in_memory.rs` says the same once more in the plainest way.

mod algebra;
mod collect;
mod evaluation;
mod execute;
mod explain;
mod function;
mod in_memory;
mod index_access;
mod page;
mod scope;
#[cfg(test)]
mod test_items;

pub use algebra::expr::{Expr, InList, LikePattern, Member, SubqueryKind};
pub use algebra::like::Like;
pub use algebra::operator::{BinaryOperator, UnaryOperator};
pub use algebra::plan::{Body, Direction, From, Grouping, Plan, Query, RankComponent, Ranking, SortKey, SourceStep};
pub use algebra::predicate::Predicate;
pub use collect::aggregate::{Aggregate, AggregateFunction, MAX_LIST_BYTES};
pub use collect::groups::MAX_GROUP_BYTES;
pub use collect::memory::DEFAULT_QUERY_MEMORY_BYTES;
pub use collect::ranking::MAX_RANK_BYTES;
pub use collect::scan::MAX_ROWS_SCANNED_PER_PAGE;
pub use collect::sort::{MAX_SORT_BYTES, MAX_SORT_ROWS};
pub use collect::sort_distinct::MAX_DISTINCT_SORT_BYTES;
pub use evaluation::datum::{Datum, Kind};
pub use evaluation::effort::{Effort, MAX_STEPS_PER_ROW};
pub use execute::QueryPage;
pub use explain::metrics::{QueryMetrics, ScopeTaken};
pub use explain::report::{Explain, OperatorReport};
pub use function::{Function, VectorMetric, VectorOptions, VectorOptionsError, function};
pub use index_access::{IndexAccess, IndexReport, IndexSpecs, IndexUse, IndexUtilization, IndexedCondition};

pub(crate) use collect::memory::QueryMemory;
pub(crate) use execute::{QueryRuntime, execute};
pub(crate) use scope::fan_out::Spread;
