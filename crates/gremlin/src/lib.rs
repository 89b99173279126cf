//! Gremlin: its values, its wire forms, and its texts and bytecode as one typed tree of steps.
//!
//! [`value`] holds what a traversal takes and gives. `io` reads and writes it.

mod error;
pub mod io;
pub mod step;
pub mod value;

pub use error::GremlinError;
pub use value::GValue;
