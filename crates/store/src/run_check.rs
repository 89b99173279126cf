//! What every backend checks of a run before it writes it.

use bytes::Bytes;

use crate::overlay::check_size;
use crate::{Error, Run};

/// The rows of a run up to the first that cannot be taken.
pub(crate) struct CheckedRun {
    run: Run,
    last: Option<Bytes>,
}

impl CheckedRun {
    pub(crate) fn new(run: Run) -> Self {
        CheckedRun { run, last: None }
    }
}

impl Iterator for CheckedRun {
    type Item = Result<(Bytes, Bytes), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.run.next()?;
        if self.last.as_ref().is_some_and(|last| *last >= key) {
            return Some(Err(Error::Misused { what: "the keys of a run ascend" }));
        }
        if let Err(error) = check_size(&key, Some(&value)) {
            return Some(Err(error));
        }
        self.last = Some(key.clone());
        Some(Ok((key, value)))
    }
}
