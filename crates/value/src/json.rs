//! Reading JSON text: strict RFC 8259, UTF-8 only, bounded depth, no recursion.
//!
//! One scanner (`scan.rs`) serves every reader of JSON in Orrery: it walks the text once and reports tokens to a
//! visitor, which builds a [`Value`](crate::Value) or a stored document. What the scanner accepts is therefore what is stored:
//!
//! - Strings must be Unicode. An escaped surrogate without its partner (`"\ud800"`) has no UTF-8 form, so that neither keys
//!   nor the index could hold it; it is refused rather than silently replaced.
//! - A number must fit a finite double; its spelling is kept by stored documents.
//! - An object may name a property only once, as the service demands. The error names the property.

mod error;
mod members;
pub(crate) mod number;
pub(crate) mod scan;
pub(crate) mod string;

pub use error::{JsonError, JsonErrorKind};
pub use members::for_each_member;
pub use string::write_string;

/// Objects and arrays may nest this deep; the outermost one is level 1. The service's limit for items.
pub const MAX_DEPTH: usize = 128;

/// Largest item body in bytes, as the client sends it.
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;
