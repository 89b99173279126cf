//! What a client can ask to be done to one item, and what came of it.

use std::fmt;
use std::sync::Arc;

use orrery_value::PartitionKey;

use super::{Item, NewItem, Patch};
use crate::Error;

/// Operations of one transactional batch, as on the service.
pub const MAX_BATCH_OPERATIONS: usize = 100;

/// One read or write of one item.
#[derive(Debug)]
pub struct Operation {
    /// What to do.
    pub kind: OperationKind,
    /// The logical partition.
    pub key: PartitionKey,
    /// What must hold.
    pub condition: Condition,
}

/// What to do to an item.
#[derive(Debug)]
pub enum OperationKind {
    /// Store an item that must not exist.
    Create(NewItem),
    /// Store an item, whether it exists or not.
    Upsert(NewItem),
    /// Store a new version of an item that must exist.
    Replace {
        /// The item.
        target: Target,
        /// Its new version; the id must be the target's.
        item: NewItem,
    },
    /// Change parts of an item that must exist.
    Patch {
        /// The item.
        target: Target,
        /// The changes.
        patch: Patch,
    },
    /// Store what a function makes of the item, or of there being none.
    Transform {
        /// The item's id.
        id: String,
        /// Makes the new version; runs between all other writes, so it must be quick.
        transform: Transform,
    },
    /// Remove an item that must exist.
    Delete {
        /// The item.
        target: Target,
    },
    /// Read an item as the operations before it in the batch left it.
    Read {
        /// The item.
        target: Target,
    },
}

/// Makes an item's new version from the one there is, if there is one. May be called again if the transaction is.
pub struct Transform(pub Box<MakeVersion>);

/// What makes an item's new version.
pub type MakeVersion = dyn Fn(Option<&Item>) -> Result<NewItem, Error> + Send;

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transform")
    }
}

/// How an item is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// By its id.
    Id(String),
    /// By its resource id.
    Rid(String),
}

impl Target {
    /// The text it was addressed by.
    pub fn name(&self) -> &str {
        match self {
            Target::Id(name) | Target::Rid(name) => name,
        }
    }
}

/// A precondition on the current version. Header values are raw: quoted, or `*`.
#[derive(Clone, Debug, Default)]
pub enum Condition {
    /// None.
    #[default]
    None,
    /// The current tag must match.
    IfMatch(String),
    /// The current tag must not match.
    IfNoneMatch(String),
    /// There must be a current version, and it must pass a test.
    If(ItemTest),
}

/// A test of an item's version, for APIs with entity tags of their own.
#[derive(Clone)]
pub struct ItemTest(pub Arc<dyn Fn(&Item) -> bool + Send + Sync>);

impl fmt::Debug for ItemTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemTest")
    }
}

/// How the operations of one request hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// All or nothing.
    Atomic,
    /// Each stands alone.
    Independent,
    /// In order, up to the first that fails.
    UntilFailure,
}

/// What became of one operation.
#[derive(Clone, Debug)]
pub struct OperationOutcome {
    /// What was done, or why not. In an atomic batch that failed, all but the culprit have [`Error::DependencyFailed`].
    pub result: Result<Written, Error>,
    /// Request units.
    pub charge_ru: f64,
}

/// What was done to an item.
#[derive(Clone, Debug)]
pub enum Written {
    /// A new item.
    Created(Item),
    /// A new version of an item.
    Replaced(Item),
    /// The item is gone.
    Deleted,
    /// The item as it is.
    Read(Item),
}

impl Written {
    /// The item, unless it was deleted.
    pub fn item(&self) -> Option<&Item> {
        match self {
            Written::Created(item) | Written::Replaced(item) | Written::Read(item) => Some(item),
            Written::Deleted => None,
        }
    }
}
