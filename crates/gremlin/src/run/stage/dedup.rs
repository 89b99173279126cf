//! `dedup()` of the stream.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::by::By;
use super::super::pipeline::{Queue, Reset, Stage};
use super::super::{Context, Held, RunError, Traverser};
use crate::value::{GValue, Pop};

/// Lets the first of equivalent ones through. What it has seen it remembers over the rounds of a repetition.
pub(in crate::run) struct Dedup<'r> {
    cx: &'r Context<'r>,
    labels: &'r [Arc<str>],
    by: By<'r>,
    seen: HashSet<GValue>,
    held: Held<'r>,
}

impl<'r> Dedup<'r> {
    pub fn new(cx: &'r Context<'r>, labels: &'r [Arc<str>], by: By<'r>) -> Self {
        Dedup { cx, labels, by, seen: HashSet::new(), held: cx.held() }
    }

    /// What is compared; `None` lets nothing through.
    fn key(&mut self, traverser: &Traverser) -> Result<Option<GValue>, RunError> {
        if self.labels.is_empty() {
            return self.by.of(traverser);
        }
        let mut parts = Vec::with_capacity(self.labels.len());
        for label in self.labels {
            let value = self.cx.must_be_scoped(traverser, label, Pop::Last)?;
            match self.by.of_value(value)? {
                Some(part) => parts.push(part),
                None => return Ok(None),
            }
        }
        Ok(Some(GValue::list(parts)))
    }
}

impl Stage for Dedup<'_> {
    fn take(&mut self, mut batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        if self.by.reads_properties() {
            self.cx.elements.load_traversers(&mut batch)?;
        }
        for mut traverser in batch {
            let Some(key) = self.key(&traverser)? else { continue };
            if self.seen.contains(&key) {
                continue;
            }
            self.held.grow_by_value(&key)?;
            self.seen.insert(key);
            traverser.bulk = 1;
            out.push_back(traverser);
        }
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::All {
            self.seen.clear();
            self.held.clear();
        }
    }
}
