//! What goes wrong with a traversal that runs.

use crate::graph::GraphError;

/// Why a traversal ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A step cannot do what it should with what came to it.
    #[error("{message}")]
    Evaluation {
        /// In TinkerPop's words where it has any, for clients compare them.
        message: String,
    },
    /// A step or strategy forbids what the traversal does.
    #[error("{message}")]
    Verification {
        /// Likewise.
        message: String,
    },
    /// A `fail()` was reached.
    #[error("{message}")]
    Fail {
        /// Its own, or `fail() Step Triggered`.
        message: String,
    },
    /// Time ran out.
    #[error("the traversal took longer than its evaluation timeout")]
    Timeout,
    /// Nobody waits for the answer.
    #[error("the traversal was cancelled")]
    Cancelled,
    /// Memory ran out.
    #[error("the traversal needs more than {limit} bytes of memory; narrow it with has() or limit()")]
    OverBudget {
        /// What it may hold.
        limit: usize,
    },
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
}
