//! Access to items through the property index: what a query asks of it, whether that pays, and how it is run.
//!
//! `condition.rs` reads the filter as a tree of look-ups (`seek.rs`) that every item passing the filter agrees with; `choose.rs` weighs
//! the look-ups (`estimate.rs`) against reading the scope; `search.rs` runs what was chosen and hands out items in the order of their keys, exactly
//! as a scan would come upon them, so that pages may change from one way to the other. The filter is applied to every item all the
//! same: an index may find too many items, never too few.

mod answer;
mod choose;
mod condition;
mod cost;
mod estimate;
mod key_walk;
mod order_walk;
mod page_access;
mod place;
mod report;
mod search;
mod seek;
mod utilization;

pub use report::{IndexAccess, IndexReport, IndexedCondition};
pub use utilization::{IndexSpecs, IndexUtilization};

pub(super) use report::IndexNotes;
pub(super) use search::{IndexSpan, Search};

/// Whether queries use the property index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexUse {
    /// Where it is expected to be cheaper than reading the scope.
    #[default]
    Auto,
    /// Wherever it can answer: for tests.
    Always,
    /// Never: for tests.
    Never,
}
