//! Items: how they lie in the store, how they are written, read, listed, patched and purged.

mod births;
mod counters;
mod deaths;
pub(crate) mod etag;
pub(crate) mod key;
mod list;
mod new_item;
mod operation;
mod patch;
mod purge;
mod read;
mod remove;
mod stored;
mod write;
mod writer;

pub(crate) use births::{Birth, Births};
pub use counters::Counters;
pub(crate) use deaths::Deaths;
pub use list::{ItemPage, MAX_PAGE_BYTES, PageRequest, Scope};
pub use new_item::{MAX_ITEM_ID_BYTES, MAX_ITEM_KEY_BYTES, NewItem};
pub use operation::{
    Condition, ItemTest, MAX_BATCH_OPERATIONS, MakeVersion, Operation, OperationKind, OperationOutcome, Target,
    Transform, WriteMode, Written,
};
pub use patch::{MAX_PATCH_OPERATIONS, Patch};
pub use stored::Item;
pub(crate) use stored::ItemView;

pub(crate) use list::{ItemVisitor, RowScan, key_range, list_items, resume};
pub(crate) use purge::{delete_partition, purge_expired};
pub(crate) use read::{read_item, read_items};
pub(crate) use write::WriteItems;
