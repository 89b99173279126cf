//! Where in the key space the rows of a query can lie.

use orrery_value::{Epk, PartitionKey, PartitionKeyDefinition, PartitionKeyKind, Value};

use super::QueryRange;
use super::key_rows::{KeyFinder, KeyRow, KeyRows};
use super::scope::Scope;
use crate::ast::Query;
use crate::bind::context::Context;

/// The ranges, in rising order and apart from each other.
#[derive(Debug)]
pub(super) struct Ranges(Vec<QueryRange>);

/// The ranges of a query.
pub(super) fn of(
    query: &Query,
    parameters: &[(String, Value)],
    definition: Option<&PartitionKeyDefinition>,
    context: &Context,
) -> Ranges {
    let keys = match query.from {
        Some(_) => KeyFinder::new(definition, parameters, context).of_sources(query, &Scope::default()),
        None => KeyRows::none(0),
    };
    let ranges = keys.into_rows().iter().map(|row| range(row, definition)).collect();
    Ranges(disjoint(ranges))
}

impl Ranges {
    /// Whether all rows lie under one partition key.
    pub fn is_one_key(&self) -> bool {
        matches!(&self.0[..], [QueryRange::Point(key)] if *key != Epk::min())
    }

    /// The ranges. A query whose rows need no item has the one key that no item has, so that clients ask one range, not all.
    pub fn into_ranges(self) -> Vec<QueryRange> {
        if self.0.is_empty() { vec![QueryRange::Point(Epk::min())] } else { self.0 }
    }
}

/// Only a value for every path makes a point; of hierarchical keys the first values make a range.
fn range(row: &KeyRow, definition: Option<&PartitionKeyDefinition>) -> QueryRange {
    let known = PartitionKey(row.iter().map_while(Clone::clone).collect());
    match definition {
        Some(definition) if !row.is_empty() && known.components().len() == row.len() => {
            QueryRange::Point(definition.epk(&known))
        }
        Some(definition) if definition.kind == PartitionKeyKind::MultiHash => {
            let range = definition.epk_range(&known);
            QueryRange::Span(range.min, range.max)
        }
        _ => QueryRange::Span(Epk::min(), Epk::max()),
    }
}

/// In rising order, without those that lie within another. Keys are nested or apart, as prefixes are.
fn disjoint(mut ranges: Vec<QueryRange>) -> Vec<QueryRange> {
    let bounds = |range: &QueryRange| match range {
        QueryRange::Point(key) => (key.clone(), None),
        QueryRange::Span(min, max) => (min.clone(), Some(max.clone())),
    };
    // At one place the widest comes first.
    ranges.sort_by_cached_key(|range| {
        let (min, max) = bounds(range);
        (min, std::cmp::Reverse(max))
    });
    let mut kept: Vec<QueryRange> = Vec::new();
    for range in ranges {
        let (min, _) = bounds(&range);
        let is_within = kept.last().is_some_and(|last| match last {
            QueryRange::Point(key) => *key == min,
            QueryRange::Span(_, max) => min < *max,
        });
        if !is_within {
            kept.push(range);
        }
    }
    kept
}
