//! Queries through the property index against queries that never use it, and against the same query in memory.

mod chosen;
mod plans;
mod random;
mod world;
