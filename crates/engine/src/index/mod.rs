//! The ordered inverted index of every container: which versions of items have which values, exact at every snapshot.
//!
//! Nothing of it goes through the commit, which writes the item and a feed record `number -> item key` and no more. The index *follows
//! the feed*: every version of an item has a number of its own, so that "version 7 has the value 3 at /a" stays true for ever,
//! and what a snapshot shows of the feed decides which versions live.
//!
//! ```text
//! feed ──► terms ──► chunks in memory, merged in tiers ──► runs of posting blocks in the store
//!  path, value │       chunk.rs, merge.rs, tail.rs           run.rs, past the commit (Store::ingest)
//!              extract.rs, dictionary.rs, value.rs
//! ```
//! - [`generation`]: one index under one policy, from reading the feed to writing runs. Catching up after a write, recovering after a
//!   crash and building an index anew are the same thing: reading the feed behind a mark.
//! - [`container_index`]: a container's indexes, the one that serves and the one being made; [`view`] opens one at a snapshot.
//! - [`follower`]: the background task that keeps indexes near the feed, writes runs, and makes indexes anew.
//! - [`IndexView`] is what queries use; begin there.

mod chunk;
pub(crate) mod container_index;
mod dictionary;
mod extract;
pub(crate) mod follower;
mod generation;
mod merge;
mod ordered;
mod path;
mod policy;
mod posting;
mod range;
mod run;
pub(crate) mod shared;
mod tail;
mod value;
mod view;

pub use dictionary::{MAX_NAME_BYTES, MAX_PATHS, PathKey};
pub use ordered::{Direction, Ordered, OrderedGroup};
pub use path::{IndexPath, MAX_PATH_STEPS, Step};
pub use policy::{Composite, IndexPolicy};
pub use posting::{Posting, Window, intersect, place_of, union};
pub use range::ValueRange;
pub use shared::IndexOptions;
pub use value::{MAX_STRING_BYTES, ValueType, decode, encode, is_exact};
pub use view::{Coverage, Estimate, IndexView, Located};

pub(crate) use container_index::{ContainerIndex, IndexRecords};
pub(crate) use shared::Indexes;
