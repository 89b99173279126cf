//! What goes wrong with a graph.

/// Why a graph cannot do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The id is taken within its partition.
    #[error("{message}")]
    Conflict {
        /// What is taken.
        message: String,
    },
    /// The element was changed or removed meanwhile, or another condition does not hold.
    #[error("{message}")]
    Precondition {
        /// What does not hold.
        message: String,
    },
    /// An element that is needed does not exist.
    #[error("{message}")]
    NotFound {
        /// What is missing.
        message: String,
    },
    /// The element cannot be stored: a reserved name, a value of no storable class, a missing partition property, too large.
    #[error("{message}")]
    Invalid {
        /// What is wrong with it.
        message: String,
    },
    /// More memory or work than one request may take.
    #[error("{message}")]
    OverBudget {
        /// Which bound.
        message: String,
    },
    /// It would have to wait, and was told not to.
    #[error("the graph would have to wait")]
    MustWait,
    /// The store cannot answer now.
    #[error("{message}")]
    Unavailable {
        /// Why.
        message: String,
    },
}
