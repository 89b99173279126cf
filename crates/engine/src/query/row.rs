//! What an expression is evaluated on.

use orrery_value::Value;

use super::{Datum, Effort};

/// One row: the values of its sources, and the results of aggregates once rows are folded. Copying it copies references.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    sources: &'a [Datum<'a>],
    aggregates: &'a [Value],
    effort: &'a Effort,
}

impl<'a> Row<'a> {
    /// A row of these sources.
    pub fn new(sources: &'a [Datum<'a>], effort: &'a Effort) -> Self {
        Row { sources, aggregates: &[], effort }
    }

    /// The row that all rows were folded into.
    pub fn folded(aggregates: &'a [Value], effort: &'a Effort) -> Self {
        Row { sources: &[], aggregates, effort }
    }

    #[inline]
    pub fn source(&self, source: usize) -> Datum<'a> {
        self.sources.get(source).map_or(Datum::UNDEFINED, Datum::share)
    }

    pub fn aggregate(&self, aggregate: usize) -> Datum<'a> {
        self.aggregates.get(aggregate).map_or(Datum::UNDEFINED, Datum::Borrowed)
    }

    #[inline]
    pub fn effort(&self) -> &'a Effort {
        self.effort
    }
}
