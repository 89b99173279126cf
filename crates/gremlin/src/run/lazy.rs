//! A barrier that waits only as long as there is something to wait for.

use indexmap::IndexMap;

use super::pipeline::{Queue, Reset, Stage};
use super::stage::sack::merge;
use super::{Context, Held, RunError, Traverser};
use crate::value::GValue;

/// Holds traversers so that equal ones become one, until there are so many or nothing more comes for now.
pub(super) struct LazyBarrier<'r> {
    cx: &'r Context<'r>,
    size: usize,
    /// Those that merge, by where they are.
    places: IndexMap<GValue, Vec<Traverser>>,
    count: usize,
    held: Held<'r>,
}

impl<'r> LazyBarrier<'r> {
    pub fn new(cx: &'r Context<'r>, size: usize) -> Self {
        LazyBarrier { cx, size, places: IndexMap::new(), count: 0, held: cx.held() }
    }
}

impl Stage for LazyBarrier<'_> {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        for traverser in batch {
            let same = self.places.entry(traverser.value.clone()).or_default();
            match same.iter_mut().find(|other| other.is_mergeable_with(&traverser)) {
                Some(other) => other.bulk = other.bulk.saturating_add(traverser.bulk),
                None => {
                    self.held.grow_by_traversers(std::slice::from_ref(&traverser))?;
                    same.push(traverser);
                    self.count += 1;
                }
            }
        }
        if self.count >= self.size { self.release(out) } else { Ok(()) }
    }

    fn holds(&self) -> bool {
        self.count > 0
    }

    fn release(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let all = std::mem::take(&mut self.places).into_values().flatten().collect();
        out.extend(merge(self.cx, all)?);
        self.count = 0;
        self.held.clear();
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        self.release(out)
    }

    fn reset(&mut self, _kind: Reset) {
        self.places.clear();
        self.count = 0;
        self.held.clear();
    }
}
