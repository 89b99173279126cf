//! The engine's refusals in the words of graphs.

use orrery_engine::Error;

use crate::graph::GraphError;

/// The service's words for a lost race.
const CONFLICT: &str = "Conflicting request to resource has been attempted. Retry to avoid conflicts.";

/// Why the engine did not do what a graph asked.
pub(super) fn graph_error(error: Error) -> GraphError {
    let message = error.to_string();
    match error {
        Error::Conflict { id, .. } => {
            GraphError::Conflict { message: format!("an element with id '{id}' already exists. {CONFLICT}") }
        }
        Error::UniqueKeyViolation { .. } => GraphError::Conflict { message: format!("{message}. {CONFLICT}") },
        Error::PreconditionFailed { .. } | Error::NotModified | Error::DependencyFailed => {
            GraphError::Precondition { message }
        }
        Error::NotFound { .. } => GraphError::NotFound { message },
        Error::OwnerNotFound { .. } => GraphError::NotFound { message: "Owner resource does not exist".to_owned() },
        Error::Invalid { .. } | Error::PartitionKeyMismatch { .. } | Error::TooLarge { .. } => {
            GraphError::Invalid { message }
        }
        Error::OverBudget { .. } => GraphError::OverBudget { message },
        Error::RangeGone { .. }
        | Error::SessionNotAvailable { .. }
        | Error::ThroughputNotFound { .. }
        | Error::Unavailable { .. } => GraphError::Unavailable { message },
    }
}

/// Why a graph refuses, within a transaction of the engine.
pub(super) fn engine_error(error: GraphError) -> Error {
    match error {
        GraphError::NotFound { message } => Error::NotFound { kind: "element", id: message },
        other => Error::Invalid { message: other.to_string() },
    }
}

/// There is no element of an id.
pub(super) fn missing(what: &str, id: &str) -> GraphError {
    GraphError::NotFound { message: format!("there is no {what} with id '{id}'") }
}
