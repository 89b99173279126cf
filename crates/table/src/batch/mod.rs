//! Entity group transactions: the multipart texts around their parts.

mod part;
mod read;
mod reply;

pub use part::{Part, PartMethod};
pub use read::{MAX_BATCH_BYTES, MAX_OPERATIONS};
pub use reply::{BatchReply, PartReply, failure_message};

/// What a batch asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Batch<'a> {
    /// Writes, all or none of which are done. There may be none, and one more than [`MAX_OPERATIONS`], which is refused.
    ChangeSet(Vec<Part<'a>>),
    /// One read.
    Query(Part<'a>),
}
