//! The service's SQL, from text to a plan of the engine.
//!
//! [`compile`] is the way in: `lex.rs` cuts the text into tokens, `parse/` makes a typed tree ([`ast`]) of them, and `bind/` resolves
//! names, parameters and functions into an [`orrery_engine::query::Plan`]. The tree prints back as SQL. What is accepted now stands
//! in `grammars/sql.ebnf`; a construct of the language that is not there yet is refused by its name.
//!
//! Errors are [`SqlError`]s with a place in the text and the service's code. Texts are hostile until proven otherwise: length,
//! nesting, lists and what parameters are copied into are all bounded (`limits.rs`).

pub mod ast;
mod bind;
mod compile;
mod error;
mod lex;
mod limits;
mod parse;
mod token;

pub use compile::compile;
pub use error::{ErrorCode, SqlError};
pub use limits::{MAX_BOUND_BYTES, MAX_IN_ITEMS, MAX_NESTING, MAX_QUERY_BYTES, MAX_ROW_COUNT};
pub use parse::parse;
