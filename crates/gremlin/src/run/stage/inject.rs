//! `inject()`.

use super::super::pipeline::{Queue, Reset, Stage};
use super::super::{Context, RunError, Traverser};
use crate::value::GValue;

/// Puts values before what comes. At the beginning of a nested traversal the first object that comes is before them.
pub(in crate::run) struct Inject<'r> {
    cx: &'r Context<'r>,
    values: &'r [GValue],
    at: usize,
    waits: bool,
    has_begun: bool,
}

impl<'r> Inject<'r> {
    /// The values come first.
    pub fn new(cx: &'r Context<'r>, values: &'r [GValue]) -> Self {
        Inject { cx, values, at: 0, waits: false, has_begun: true }
    }

    /// The first object comes first.
    pub fn within(cx: &'r Context<'r>, values: &'r [GValue]) -> Self {
        Inject { cx, values, at: 0, waits: true, has_begun: false }
    }
}

impl Stage for Inject<'_> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        let mut batch = batch.into_iter();
        if !self.has_begun {
            self.has_begun = true;
            out.extend(batch.next());
            self.resume(usize::MAX, out)?;
        }
        out.extend(batch);
        Ok(())
    }

    fn is_pending(&self) -> bool {
        self.has_begun && self.at < self.values.len()
    }

    fn resume(&mut self, most: usize, out: &mut Queue) -> Result<(), RunError> {
        let end = self.at.saturating_add(most).min(self.values.len());
        let values = self.values.get(self.at..end).unwrap_or_default();
        out.extend(values.iter().map(|value| self.cx.begin(value.clone())));
        self.at = end;
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.at = 0;
        self.has_begun = !self.waits;
    }
}
