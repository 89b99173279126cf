//! What a query says of its execution.

pub(super) mod json;
pub(super) mod metrics;
pub(super) mod report;
