//! How much work one item may cost: a query text is hostile until proven otherwise.

use std::cell::{Cell, RefCell};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Error;

/// Steps that evaluating a query on one item may take: expressions evaluated, rows made of the item, and bytes compared, searched
/// or built. More than any sensible query needs on the largest item, and well under a second.
pub const MAX_STEPS_PER_ROW: u64 = 64 * 1024 * 1024;

/// Counts steps down. Once it is used up, every expression evaluates to undefined and the item fails.
///
/// It also knows the time at which it began, so that all that is evaluated with it sees one time.
#[derive(Debug)]
pub struct Effort {
    left: Cell<u64>,
    limit: u64,
    /// Read from the system's clock when first asked for: few rows ask.
    began: Cell<Option<i64>>,
    /// Why the item fails, if it is not for its cost.
    failure: RefCell<Option<Error>>,
}

impl Effort {
    /// The effort for one item.
    pub fn for_row() -> Self {
        Effort::of(MAX_STEPS_PER_ROW)
    }

    /// An effort of `limit` steps.
    pub fn of(limit: u64) -> Self {
        Effort { left: Cell::new(limit), limit, began: Cell::new(None), failure: RefCell::new(None) }
    }

    /// The same effort, begun at a given time instead of now: 100 ns since 1970.
    #[must_use]
    pub fn begun_at(self, ticks: i64) -> Self {
        Effort { began: Cell::new(Some(ticks)), ..self }
    }

    /// When it began, in 100 ns since 1970.
    pub fn began(&self) -> i64 {
        self.began.get().unwrap_or_else(|| {
            let now = system_ticks();
            self.began.set(Some(now));
            now
        })
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
    #[inline]
    pub fn spent(&self) -> u64 {
        self.limit - self.left.get()
    }

    /// Begins anew with all steps, for the next item.
    #[inline]
    pub(in crate::query) fn renew(&self) {
        self.left.set(self.limit);
        self.began.set(None);
    }

    /// Fails the item for another reason than its cost: it asks for what cannot be evaluated. Nothing further is, as if all steps
    /// were used up. The first reason counts.
    pub(in crate::query) fn refuse(&self, reason: impl Into<String>) {
        self.fail(Error::invalid(reason));
    }

    /// [`Effort::refuse`] with an error that an operator inside of the evaluation met.
    pub(in crate::query) fn fail(&self, error: Error) {
        self.left.set(0);
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// # Errors
    /// [`Error::Invalid`] if the item cost too much or was refused, [`Error::OverBudget`] if a list of a subquery is too large.
    #[inline]
    pub(in crate::query) fn check(&self) -> Result<(), Error> {
        if self.is_exhausted() { Err(self.error()) } else { Ok(()) }
    }

    #[cold]
    fn error(&self) -> Error {
        self.failure.borrow().clone().unwrap_or_else(|| {
            Error::invalid(format!(
                "evaluating the query on one item takes more than {} steps: simplify its expressions, or join fewer arrays",
                self.limit
            ))
        })
    }
}

/// The system's clock, in 100 ns since 1970.
pub(in crate::query) fn system_ticks() -> i64 {
    const NANOSECONDS: u128 = 100;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos() / NANOSECONDS).unwrap_or(i64::MAX)
}
