//! Queries: one logical algebra for every language, and its execution over the items of a container.
//!
//! A language crate binds its text to a [`Plan`] of [`Expr`]essions and hands it over as a [`Query`]. The way of a query from there:
//! `narrow.rs` prunes the scope to a prefix, a logical partition or one item; `execute.rs` picks an operator by the plan's shape
//! (`scan.rs`, `sort.rs`, `fold_rows.rs`); the operator visits items through the store's scan, each row evaluated by `evaluate.rs` on
//! the stored document, of which only the properties asked for are read ([`Datum`]). What follows a page is said by `cursor.rs`.
//!
//! Semantics are those of the service's SQL: *undefined* is a value of its own, logic is three-valued, and a filter keeps a row only
//! if it is exactly `true`.

mod access;
mod aggregate;
mod compare;
mod cursor;
mod cursor_value;
mod datum;
mod effort;
mod evaluate;
mod execute;
mod expr;
mod fold;
mod fold_rows;
mod function;
mod in_memory;
mod like;
mod metrics;
mod narrow;
mod operator;
mod plan;
mod predicate;
mod project;
mod row;
mod scan;
mod sort;
#[cfg(test)]
mod test_items;

pub use aggregate::{Aggregate, AggregateFunction};
pub use datum::{Datum, Kind};
pub use effort::{Effort, MAX_STEPS_PER_ROW};
pub use execute::QueryPage;
pub use expr::{Expr, InList, LikePattern, Member};
pub use function::{Function, function};
pub use like::Like;
pub use metrics::{QueryMetrics, ScopeTaken};
pub use operator::{BinaryOperator, UnaryOperator};
pub use plan::{Direction, From, Plan, Query, SortKey};
pub use predicate::Predicate;
pub use scan::MAX_ROWS_SCANNED_PER_PAGE;
pub use sort::{MAX_SORT_BYTES, MAX_SORT_ROWS};

pub(crate) use execute::execute;
