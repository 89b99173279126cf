//! Gremlin: its values, its wire forms, and its texts and bytecode as one typed tree of steps.
//!
//! [`value`] holds what a traversal takes and gives. `io` reads and writes it. [`text`] reads texts, [`step`] checks instructions, [`run`] runs
//! them on a [`graph`] with the functions of [`function`].

mod error;
pub mod function;
pub mod graph;
pub mod io;
pub mod run;
pub mod step;
pub mod text;
pub mod value;

pub use error::GremlinError;
pub use value::GValue;
