//! Runs code handed in from above so that neither its errors nor its panics harm the store.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use crate::overlay::Overlay;
use crate::{Error, KeyRange, Space, Transaction, Verdict, View};

/// What a transaction reads beneath the writes of its group.
pub(crate) trait Base {
    /// The value of one key.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// Up to `limit` rows of a range in order.
    fn range(&self, space: Space, range: &KeyRange, limit: usize) -> Result<Vec<(Bytes, Bytes)>, Error>;
}

/// Runs a transaction on top of `overlay`. Unless it says [`Verdict::Commit`], none of its writes stay there.
pub(crate) fn run_transaction(
    transaction: &mut dyn Transaction,
    overlay: &mut Overlay,
    base: &dyn Base,
) -> Result<Verdict, Error> {
    let mark = overlay.mark();
    let mut view = StagedView { overlay, base };
    let mut outcome = guarded("transaction", || transaction.run(&mut view));
    if let Some(refused) = overlay.take_refused()
        && matches!(outcome, Ok(Verdict::Commit))
    {
        outcome = Err(refused);
    }
    if !matches!(outcome, Ok(Verdict::Commit)) {
        overlay.roll_back(mark);
    }
    outcome
}

/// Turns a panic of `work` into an error.
pub(crate) fn guarded<T>(what: &'static str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::Panicked { what, message: message_of(&*panic) }))
}

/// What a panic said.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

struct StagedView<'a> {
    overlay: &'a mut Overlay,
    base: &'a dyn Base,
}

impl View for StagedView<'_> {
    fn get(&mut self, space: Space, key: &[u8]) -> Result<Option<Bytes>, Error> {
        match self.overlay.get(space, key) {
            Some(staged) => Ok(staged),
            None => self.base.get(space, key),
        }
    }

    fn range(&mut self, space: Space, range: &KeyRange, limit: usize) -> Result<Vec<(Bytes, Bytes)>, Error> {
        if range.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let mut rows = self.overlay.range(space, range);
        // Each staged key can hide at most one stored row.
        let stored = self.base.range(space, range, limit.saturating_add(rows.len()))?;
        if rows.is_empty() {
            return Ok(stored);
        }
        for (key, value) in stored {
            rows.entry(key).or_insert(Some(value));
        }
        Ok(rows.into_iter().filter_map(|(key, value)| Some((key, value?))).take(limit).collect())
    }

    fn put(&mut self, space: Space, key: Vec<u8>, value: Bytes) {
        self.overlay.push(space, key, Some(value));
    }

    fn remove(&mut self, space: Space, key: Vec<u8>) {
        self.overlay.push(space, key, None);
    }
}
