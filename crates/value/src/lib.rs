//! What Orrery knows about a JSON document without knowing where it is stored or what is asked of it.
//!
//! - [`Value`]: a JSON value in memory, plus *undefined*; numbers as the service prints them ([`Number`]), and the one order
//!   across all types ([`total_order`]).
//! - [`json`]: the only reader of JSON text. It validates what clients send, with bounds on depth and size.
//! - [`document`]: the stored form of an item, its JSON text followed by a small index, so that reading one property parses
//!   nothing else. [`NewDocument`] writes it, [`Document`] and [`Node`] read it.
//! - [`PropertyPath`]: `/a/"b c"`.
//! - [`PartitionKeyDefinition`], [`PartitionKey`], [`Epk`]: where an item lives. The effective partition key is bit-exact with
//!   the service, since clients compute it themselves.
//!
//! Begin with `document.rs` for the format on disk and with `epk.rs` for placement.

pub mod document;
pub mod epk;
pub mod json;
mod murmur;
mod names;
mod number;
mod order;
pub mod partition_key;
pub mod path;
pub mod value;

pub use document::{Document, DocumentError, IndexDepth, NewDocument, Node, NodeKind, SystemProperties};
pub use epk::{Epk, EpkRange, even_ranges};
pub use json::{JsonError, JsonErrorKind, MAX_DEPTH, MAX_DOCUMENT_BYTES};
pub use number::Number;
pub use order::total_order;
pub use partition_key::{KeyComponent, PartitionKey, PartitionKeyDefinition, PartitionKeyError, PartitionKeyKind};
pub use path::{PathError, PropertyName, PropertyPath};
pub use value::{Object, Value};
