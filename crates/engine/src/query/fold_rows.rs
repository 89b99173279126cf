//! Aggregates without groups: all rows of the scope into one, in one request.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;

use super::aggregate::{Accumulator, accumulators, add_row};
use super::row::Row;
use super::scan::Examined;
use super::{Datum, Effort, Plan};
use crate::Error;
use crate::item::{Item, ItemVisitor};

/// Adds each row that passes the filter to the plan's aggregates.
pub(super) struct FoldRows {
    plan: Arc<Plan>,
    accumulators: Vec<Accumulator>,
    pub examined: Examined,
}

impl FoldRows {
    pub fn new(plan: Arc<Plan>) -> Self {
        FoldRows { accumulators: accumulators(&plan.aggregates), plan, examined: Examined::default() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it takes too many steps.
    pub fn add(&mut self, sources: &[Datum<'_>]) -> Result<(), Error> {
        let effort = Effort::for_row();
        let kept = self.plan.filter.as_ref().is_none_or(|filter| filter.keeps(&Row::new(sources, &effort)));
        if kept {
            add_row(&mut self.accumulators, &self.plan.aggregates, sources, &effort);
        }
        self.examined.finish_row(&effort)
    }

    /// The one row; none if its projection is undefined.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the projection takes too many steps.
    pub fn finish(self) -> Result<Option<Bytes>, Error> {
        let results: Vec<_> = self.accumulators.into_iter().map(Accumulator::finish).collect();
        let effort = Effort::for_row();
        let output = self.plan.projection.project(&Row::folded(&results, &effort), None);
        effort.check()?;
        Ok(output)
    }
}

impl ItemVisitor for FoldRows {
    fn visit(&mut self, _rest: &[u8], item: &Item) -> Result<Visit, Error> {
        self.examined.add(item);
        self.add(&[Datum::Stored(item.document().root())])?;
        Ok(Visit::Continue)
    }
}
