//! Filters.

use orrery_value::Document;

use crate::query::evaluation::row::{Row, Source};
use crate::query::{Datum, Effort, Expr};

/// Keeps rows on which its expression is exactly `true`; undefined, null and all else that is not Boolean drop the row.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The condition, with the item as source 0.
    pub expr: Expr,
}

impl Predicate {
    /// A filter by this condition.
    pub fn new(expr: Expr) -> Self {
        Predicate { expr }
    }

    /// Whether an item passes. One that takes more than [`MAX_STEPS_PER_ROW`](crate::query::MAX_STEPS_PER_ROW) steps does not.
    pub fn holds(&self, document: Document<'_>) -> bool {
        let effort = Effort::for_row();
        let item = Source::first(Datum::Stored(document.root()));
        self.expr.holds(&Row::of(&item, &effort)) && !effort.is_exhausted()
    }

    pub(in crate::query) fn keeps(&self, row: &Row<'_>) -> bool {
        self.expr.holds(row)
    }
}
