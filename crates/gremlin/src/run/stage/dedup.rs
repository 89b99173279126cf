//! `dedup()` of the stream.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::super::by::By;
use super::super::memory::size;
use super::super::pipeline::{Queue, Reset, Stage};
use super::super::{Context, Held, RunError, Traverser};
use crate::value::{GValue, Pop};

/// Lets the first of equivalent ones through. What it has seen it remembers over the rounds of a repetition.
pub(in crate::run) struct Dedup<'r> {
    cx: &'r Context<'r>,
    labels: &'r [Arc<str>],
    by: By<'r>,
    seen: HashSet<GValue, RandomState>,
    /// Where vertices among them lie: those that are kept in memory are one object each, and an address is found faster than an id.
    addresses: HashSet<usize, RandomState>,
    held: Held<'r>,
}

impl<'r> Dedup<'r> {
    pub fn new(cx: &'r Context<'r>, labels: &'r [Arc<str>], by: By<'r>) -> Self {
        Dedup { cx, labels, by, seen: HashSet::default(), addresses: HashSet::default(), held: cx.held() }
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

impl Dedup<'_> {
    /// Where the vertex lies that is compared, if that is one.
    fn address(&self, traverser: &Traverser) -> Option<usize> {
        match &traverser.value {
            GValue::Vertex(vertex) if self.labels.is_empty() && self.by.is_identity() => {
                Some(Arc::as_ptr(vertex) as usize)
            }
            _ => None,
        }
    }
}

impl Stage for Dedup<'_> {
    fn take(&mut self, mut batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        if self.by.reads_properties() {
            self.cx.elements.load_traversers(&mut batch)?;
        }
        for mut traverser in batch {
            let address = self.address(&traverser);
            if address.is_some_and(|address| self.addresses.contains(&address)) {
                continue;
            }
            let Some(key) = self.key(&traverser)? else { continue };
            let bytes = size(&key);
            if !self.seen.insert(key) {
                continue;
            }
            self.held.grow(bytes)?;
            // The vertex is kept, and so its address is nobody else's.
            self.addresses.extend(address);
            traverser.bulk = 1;
            out.push_back(traverser);
        }
        Ok(())
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::All {
            self.seen.clear();
            self.addresses.clear();
            self.held.clear();
        }
    }
}
