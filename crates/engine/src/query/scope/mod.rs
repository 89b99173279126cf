//! Which items a query reads: the scope pruned by what the filter says of keys, cut into parts, and walked.

pub(super) mod access;
pub(super) mod early_filter;
pub(super) mod fan_out;
pub(super) mod item_walk;
pub(super) mod key_terms;
pub(super) mod narrow;
