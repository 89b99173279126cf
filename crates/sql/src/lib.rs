//! The service's SQL, from text to a plan of the engine.
//!
//! [`compile`] is the way in: `lex.rs` cuts the text into tokens, `parse/` makes a typed tree ([`ast`]) of them, and `bind/` resolves
//! names, parameters and functions into an [`orrery_engine::query::Plan`]. The tree prints back as SQL, in the service's spelling. The
//! language stands in `grammars/sql.ebnf`. Binding knows a container by its [`Context`] only. A [`QueryCache`] keeps compiled queries.
//!
//! Errors are [`SqlError`]s with a place in the text and the service's code. Texts are hostile until proven otherwise: length,
//! nesting, lists and what parameters are copied into are all bounded (`limits.rs`).

pub mod ast;
mod bind;
mod cache;
mod compile;
mod definition;
mod error;
mod lex;
mod limits;
mod parse;
pub mod query_plan;
mod token;

pub use bind::computed::check_computed_properties;
pub use bind::context::{ComputedProperty, Context, VectorEmbedding};
pub use cache::QueryCache;
pub use compile::compile;
pub use definition::check_definition;
pub use error::{ErrorCode, SqlError};
pub use limits::{
    MAX_BOUND_BYTES, MAX_CACHED_BYTES, MAX_CACHED_QUERIES, MAX_COMPUTED_PROPERTIES, MAX_COMPUTED_PROPERTY_BYTES,
    MAX_IN_ITEMS, MAX_JOINS, MAX_NESTING, MAX_PLANNED_ROW_COUNT, MAX_QUERY_BYTES, MAX_ROW_COUNT,
};
pub use parse::parse;
pub use query_plan::{Features, PlanError, Target as PlanTarget, query_plan};
