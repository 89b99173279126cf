//! Who is whose neighbour, in memory.
//!
//! ```text
//! feed ──► Adjacency (follow.rs)    ──► Topology (topology.rs): vertices, edges, lists of both ends
//!          follows a container             answers for one moment
//! ```
//! A [`Topology`] is of one moment: it knows the numbers of all versions that live then. [`Adjacency`] brings it from one moment to a later
//! one: versions behind its moment are read from the feed; of those it knows, the ones that died are remembered by the engine, and the
//! count of items tells whether these are all. If not, the numbers of all living versions are read. So it is exact at its moment, and that
//! is never older than the last acknowledged write. **Invariant:** what it answers is what the documents say
//! (`tests/graph/adjacency.rs`).
//!
//! Beside it lies what was read: vertices with their properties, as long as their versions live, and what look-ups by a text found
//! (`finds.rs`).

mod entry;
mod finds;
mod follow;
mod names;
mod reached;
mod registry;
mod topology;

pub(super) use finds::{ByText, MAX_FOUND};
pub(super) use follow::{Adjacency, Current};
pub(super) use reached::Reached;
pub use registry::{Adjacencies, DEFAULT_LIMIT_BYTES};
pub(super) use topology::{Alive, End, Loaded, Topology};
