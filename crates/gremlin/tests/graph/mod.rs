//! Graphs, as their contract says.

mod adjacency;
mod memory;
mod pending;
mod sql_documents;
mod suite;
pub mod toy;
mod traversals;
pub mod world;
