//! Why the store could not do what it was asked.

/// Errors of every backend.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another process has the folder open.
    #[error("the data folder {path} is in use by another process: stop that one, or give this one another --data-dir")]
    Locked {
        /// The folder.
        path: String,
    },
    /// The folder was written by a newer version of the program.
    #[error(
        "the data folder {path} has format {found}, and this version reads formats up to {known}: use a newer version of orrery"
    )]
    NewerFormat {
        /// The folder.
        path: String,
        /// The version found in it.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// The folder cannot be opened or created.
    #[error("cannot open the data folder {path}: {reason}")]
    Open {
        /// The folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// What was written does not read back as it should.
    #[error("the store is damaged: {reason}")]
    Damaged {
        /// What was found.
        reason: String,
    },
    /// The disk refused a write or an fsync. Nothing that was not durable has been acknowledged.
    #[error("the store cannot write: {reason}")]
    Unavailable {
        /// What the system said.
        reason: String,
    },
    /// A read failed.
    #[error("the store cannot read: {reason}")]
    Read {
        /// What the system said.
        reason: String,
    },
    /// A key or value is outside the sizes the store takes; nothing of its transaction was written.
    #[error("a {what} of {length} bytes is outside the store's limits of {least} to {most} bytes")]
    Size {
        /// "key" or "value".
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The shortest that is taken.
        least: usize,
        /// The longest that is taken.
        most: usize,
    },
    /// The caller broke a rule of the contract; nothing was written.
    #[error("the store was used wrongly: {what}")]
    Misused {
        /// The rule.
        what: &'static str,
    },
    /// A transaction or a visitor panicked; nothing of it was written, and the store goes on.
    #[error("a {what} panicked: {message}")]
    Panicked {
        /// "transaction", "visitor", "run" or "read".
        what: &'static str,
        /// What it said.
        message: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}
