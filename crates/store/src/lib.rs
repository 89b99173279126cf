//! The storage contract of Orrery and its backends.
//!
//! A [`Store`] is an ordered map of byte keys in a handful of [`Space`]s. It knows no documents, containers or queries. What
//! it promises is in [`contract`]: serial transactions that are durable before they are acknowledged, snapshots for whatever
//! reads more than one key, and scans that run where the data is and bring a [`Visitor`] to it.
//!
//! [`FjallStore`] keeps its data in a folder; [`MemoryStore`] keeps it in ordered maps and is the model that tests compare with.

mod contract;
mod error;
mod fjall_store;
mod guarded;
mod liveness;
mod memory_store;
mod overlay;
mod reclaimer;
mod run_check;
mod scan_pool;

pub use contract::{
    KeyRange, MAX_KEY_LEN, MAX_VALUE_LEN, PREFIX_LEN, Run, Scan, Snapshot, Space, Store, StoreStats, Transaction,
    Verdict, View, Visit, Visitor, scan, transact,
};
pub use error::Error;
pub use fjall_store::{Durability, FjallOptions, FjallStore};
pub use memory_store::MemoryStore;
