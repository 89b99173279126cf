//! How much work one row may cost: a query text is hostile until proven otherwise.

use std::cell::Cell;

use crate::Error;

/// Steps that evaluating a query on one row may take: expressions evaluated, and bytes compared, searched or built. More than any
/// sensible query needs on the largest item, and well under a second.
pub const MAX_STEPS_PER_ROW: u64 = 64 * 1024 * 1024;

/// Counts steps down. Once it is used up, every expression evaluates to undefined and the row fails.
#[derive(Debug)]
pub struct Effort {
    left: Cell<u64>,
    limit: u64,
}

impl Effort {
    /// The effort for one row.
    pub fn for_row() -> Self {
        Effort::of(MAX_STEPS_PER_ROW)
    }

    /// An effort of `limit` steps.
    pub fn of(limit: u64) -> Self {
        Effort { left: Cell::new(limit), limit }
    }

    /// Takes steps; false if there are not enough, and from then on.
    #[inline]
    pub fn spend(&self, steps: usize) -> bool {
        match self.left.get().checked_sub(steps as u64) {
            Some(left) => {
                self.left.set(left);
                left > 0
            }
            None => {
                self.left.set(0);
                false
            }
        }
    }

    /// Whether all steps are used up.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// Steps taken.
    pub fn spent(&self) -> u64 {
        self.limit - self.left.get()
    }

    /// # Errors
    /// [`Error::Invalid`] if the row cost too much.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.is_exhausted() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "evaluating the query on one item takes more than {} steps: simplify its expressions",
            self.limit
        )))
    }
}
