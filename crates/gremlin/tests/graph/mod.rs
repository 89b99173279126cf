//! Graphs, as their contract says.

mod adjacency;
mod memory;
mod sql_documents;
mod suite;
pub mod toy;
mod traversals;
mod world;
