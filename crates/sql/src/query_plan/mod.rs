//! The query plan that official clients ask for: what to send to each range, and how to put the answers together.
//!
//! [`query_plan`] parses a text and decides what clients have to do (`shape.rs`: sort, skip, fold, group, drop duplicates, rank). What
//! a range cannot finish by itself is rewritten on the tree (`rewrite.rs`, `aggregate.rs`, `item_source.rs`, `hybrid.rs`) and printed: rows then carry
//! what the merge needs, the values to sort by or partial aggregates. `ranges.rs` says where rows can lie at all, from what
//! `key_rows.rs` finds in the filter about the partition key. A [`QueryPlan`] prints as the service's JSON (`json.rs`).
//!
//! Rewritten texts have placeholders in braces, which clients replace before they send them.

mod aggregate;
mod count;
mod error;
mod feature;
mod hybrid;
mod item_source;
mod json;
mod key_rows;
mod plan;
mod ranges;
mod rewrite;
mod scope;
mod shape;
mod tree;
mod udf;

use orrery_value::{PartitionKeyDefinition, Value};

pub use error::PlanError;
pub use feature::{Feature, Features};
pub use plan::{DistinctType, HybridSearch, QueryInfo, QueryPlan, QueryRange, Work};

use crate::bind::bind;
use crate::bind::context::Context;
use crate::parse::parse;
use count::Counts;
use shape::Spread;

/// Whose rows a plan is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'a> {
    /// Where the container's items carry their partition key; none in a container without one.
    pub partition_key: Option<&'a PartitionKeyDefinition>,
    /// Whether the client names a partition key, to which it will send the query.
    pub names_key: bool,
}

/// The plan of a query for a client that can do `features`. `parameters` are the request's: names with their `@`, and values.
///
/// # Errors
/// What is wrong with the text, or why the client cannot merge the rows.
pub fn query_plan(
    text: &str,
    parameters: &[(String, Value)],
    target: Target<'_>,
    features: &Features,
    context: &Context,
) -> Result<QueryPlan, PlanError> {
    let query = parse(text)?;
    let plan = bind(&udf::without_calls(&query), parameters, context)?.plan;
    let counts = Counts::of(&query, &plan)?;
    let ranges = ranges::of(&query, parameters, target.partition_key, context);
    let spread = if target.names_key || ranges.is_one_key() { Spread::OneKey } else { Spread::Ranges };
    let work = shape::work(&query, &plan, counts, spread)?;
    let plan = QueryPlan { work, ranges: ranges.into_ranges() };
    features.check(&plan)?;
    Ok(plan)
}
