//! What becomes of rows: the operators, each a [`feed::Collector`], and the tables that they keep.

pub(super) mod aggregate;
pub(super) mod derived;
pub(super) mod feed;
pub(super) mod group_table;
pub(super) mod groups;
pub(super) mod identity;
pub(super) mod keyed_table;
pub(super) mod memory;
pub(super) mod ranking;
pub(super) mod scan;
pub(super) mod sort;
pub(super) mod sort_distinct;
