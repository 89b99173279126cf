//! Why the engine refused or could not do what it was asked.

/// Errors, by what the caller can do about them. The gateway maps each to its protocol's status and code.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The named thing does not exist.
    #[error("{kind} '{id}' does not exist")]
    NotFound {
        /// What was looked for: "item", "database", "offer", …
        kind: &'static str,
        /// Its name as asked for.
        id: String,
    },
    /// The database or container that should hold the addressed thing does not exist.
    #[error("the owner {kind} '{id}' does not exist")]
    OwnerNotFound {
        /// "database" or "container".
        kind: &'static str,
        /// Its name as asked for.
        id: String,
    },
    /// Something with that id is there already.
    #[error("{kind} with id '{id}' already exists")]
    Conflict {
        /// What was to be created.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// A unique key of the container is taken by another item of the same logical partition.
    #[error("unique key constraint violated: another item of this logical partition has the same value at {paths}")]
    UniqueKeyViolation {
        /// The constraint's paths, comma separated.
        paths: String,
    },
    /// If-Match did not match, or a patch condition was false.
    #[error("precondition failed: {reason}")]
    PreconditionFailed {
        /// What did not hold.
        reason: String,
    },
    /// If-None-Match matched on a read.
    #[error("not modified")]
    NotModified,
    /// The request is wrong; nothing was done.
    #[error("{message}")]
    Invalid {
        /// What is wrong, where, and what to do.
        message: String,
    },
    /// The partition key of the request disagrees with the item.
    #[error("{message}")]
    PartitionKeyMismatch {
        /// What differs.
        message: String,
    },
    /// An item, batch or request exceeds a size limit.
    #[error("{what} is {size_bytes} bytes; the limit is {limit_bytes}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        size_bytes: usize,
        /// How large it may be.
        limit_bytes: usize,
    },
    /// The partition key range id is unknown, or was split: the client refreshes its map of ranges.
    #[error("partition key range '{id}' is gone")]
    RangeGone {
        /// The id asked for.
        id: String,
    },
    /// A session token is ahead of this container.
    #[error("the session token asks for version {wanted}, and the newest is {newest}")]
    SessionNotAvailable {
        /// Version asked for.
        wanted: u64,
        /// Newest version here.
        newest: u64,
    },
    /// A sibling in an atomic batch failed, so that this one was not done.
    #[error("another operation of the batch failed")]
    DependencyFailed,
    /// A query or page needs more memory than its budget.
    #[error("the query needs more than {limit_bytes} bytes of memory: narrow its filter or lower the page size")]
    OverBudget {
        /// The budget.
        limit_bytes: usize,
    },
    /// The requested throughput has no offer.
    #[error("no throughput is provisioned for {resource}")]
    ThroughputNotFound {
        /// Link of the resource.
        resource: String,
    },
    /// The store cannot write or read now; a repeated request may succeed after the operator acted.
    #[error("{reason}")]
    Unavailable {
        /// What the store said.
        reason: String,
    },
}

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Error::Invalid { message: message.into() }
    }

    pub(crate) fn not_found(kind: &'static str, id: impl Into<String>) -> Self {
        Error::NotFound { kind, id: id.into() }
    }
}

/// Every failure of the store reads the same to a client: try again later. The log has the details.
impl From<orrery_store::Error> for Error {
    fn from(error: orrery_store::Error) -> Self {
        Error::Unavailable { reason: error.to_string() }
    }
}
