//! Why a query has no plan.

use super::Feature;
use crate::error::SqlError;

/// Why a query has no plan that the client could follow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The text is wrong.
    #[error(transparent)]
    Query(#[from] SqlError),
    /// The client did not say that it can do what the query needs.
    #[error(
        "The query has 1 or more unsupported features. Upgrade your SDK to a version that does support the requested features:{}",
        names(.0)
    )]
    Undeclared(
        /// What it would need.
        Vec<Feature>,
    ),
    /// No client can put the answers of several ranges together.
    #[error("Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates. {0}")]
    NotMergeable(
        /// What stands in the way.
        &'static str,
    ),
}

fn names(features: &[Feature]) -> String {
    let line = |feature: &Feature| format!("\nQuery contained {feature}, which the calling client does not support.");
    features.iter().map(line).collect()
}
