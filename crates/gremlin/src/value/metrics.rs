//! What `profile()` tells.

use std::sync::Arc;

use super::GValue;

/// Figures of one step.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Of the step within its traversal.
    pub id: Arc<str>,
    /// The step as text.
    pub name: Arc<str>,
    /// Nanoseconds spent.
    pub duration_ns: i64,
    /// `traverserCount`, `elementCount` and others.
    pub counts: Vec<(Arc<str>, i64)>,
    /// `percentDur` and others.
    pub annotations: Vec<(Arc<str>, GValue)>,
    /// Of the steps within.
    pub nested: Vec<Metrics>,
}

/// Figures of all steps of a traversal.
#[derive(Clone, Debug, Default)]
pub struct TraversalMetrics {
    /// Nanoseconds in all.
    pub duration_ns: i64,
    /// In the order of the steps.
    pub metrics: Vec<Metrics>,
}
