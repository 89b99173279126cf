//! `V()` and `E()`, at the start and on the way.

use std::collections::VecDeque;

use super::super::head::Head;
use super::super::pipeline::{Pipeline, Queue, Reset, Stage};
use super::super::{Context, RunError, Traverser};
use crate::graph::{ElementKey, ElementKind, ElementStream, Lookup, LookupCondition};
use crate::step::HasKey;
use crate::value::{GValue, P, T};

/// Most elements that are read by key at once.
const MAX_KEYS: usize = 1024;

/// Elements for each that comes, as they are read.
pub(in crate::run) struct Source<'r> {
    cx: &'r Context<'r>,
    head: Head,
    /// Those that wait.
    starts: VecDeque<Traverser>,
    /// The one whose elements are being read.
    current: Option<(Traverser, Reading<'r>)>,
}

enum Reading<'r> {
    Keys(VecDeque<ElementKey>),
    Stream(Box<dyn ElementStream + 'r>),
    /// Read already: the traversal writes and must not see what it wrote, or ids had to be looked for.
    Ready(VecDeque<GValue>),
}

impl<'r> Source<'r> {
    pub fn new(cx: &'r Context<'r>, head: Head) -> Self {
        Source { cx, head, starts: VecDeque::new(), current: None }
    }

    fn begin(&self) -> Result<Reading<'r>, RunError> {
        let Some(keys) = &self.head.keys else {
            let stream = self.cx.graph.find(&self.head.lookup)?;
            return if self.cx.needs.writes {
                self.read_all(stream, VecDeque::new())
            } else {
                Ok(Reading::Stream(stream))
            };
        };
        let is_placed = |key: &&ElementKey| key.partition.is_some() || self.cx.graph.partition_property().is_none();
        let (placed, anywhere): (Vec<_>, Vec<_>) = keys.iter().partition(is_placed);
        let placed: VecDeque<ElementKey> = placed.into_iter().cloned().collect();
        if anywhere.is_empty() {
            return Ok(Reading::Keys(placed));
        }
        // An id alone may name an element of each partition.
        let mut all = VecDeque::new();
        let mut first = Reading::Keys(placed);
        loop {
            let some = first.next(self.cx, self.head.lookup.kind, MAX_KEYS)?;
            if some.is_empty() {
                break;
            }
            all.extend(some);
        }
        let ids = P::Within(anywhere.iter().map(|key| GValue::String(key.id.clone())).collect());
        let mut lookup = Lookup { limit: None, ..self.head.lookup.clone() };
        lookup.has.push(LookupCondition::Has(HasKey::Token(T::Id), ids));
        self.read_all(self.cx.graph.find(&lookup)?, all)
    }

    /// Reads a stream to its end, behind what is there already.
    fn read_all(
        &self,
        mut stream: Box<dyn ElementStream + 'r>,
        mut all: VecDeque<GValue>,
    ) -> Result<Reading<'r>, RunError> {
        let mut held = self.cx.held();
        loop {
            self.cx.check()?;
            let batch = stream.next_batch(MAX_KEYS)?;
            if batch.is_empty() {
                return Ok(Reading::Ready(all));
            }
            for element in &batch {
                held.grow_by_value(element)?;
            }
            all.extend(batch);
        }
    }
}

impl Reading<'_> {
    fn next(&mut self, cx: &Context<'_>, kind: ElementKind, most: usize) -> Result<Vec<GValue>, RunError> {
        match self {
            Reading::Stream(stream) => Ok(stream.next_batch(most)?),
            Reading::Ready(all) => Ok(all.drain(..most.min(all.len())).collect()),
            Reading::Keys(keys) => loop {
                let some: Vec<ElementKey> = keys.drain(..MAX_KEYS.min(keys.len())).collect();
                if some.is_empty() {
                    return Ok(Vec::new());
                }
                let found: Vec<GValue> = cx.elements.by_keys(kind, &some)?.into_iter().flatten().collect();
                if !found.is_empty() {
                    return Ok(found);
                }
            },
        }
    }
}

impl Stage for Source<'_> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        self.starts.extend(batch);
        Ok(())
    }

    fn is_pending(&self) -> bool {
        self.current.is_some() || !self.starts.is_empty()
    }

    fn resume(&mut self, most: usize, out: &mut Queue) -> Result<(), RunError> {
        if self.current.is_none()
            && let Some(start) = self.starts.pop_front()
        {
            self.current = Some((start, self.begin()?));
        }
        let Some((start, reading)) = &mut self.current else { return Ok(()) };
        let found = reading.next(self.cx, self.head.lookup.kind, most)?;
        if found.is_empty() {
            self.current = None;
            return Ok(());
        }
        out.extend(found.into_iter().map(|element| self.cx.advance(start, element)));
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.starts.clear();
        self.current = None;
    }
}

/// `V().has(..).count()`: the graph counts, or the elements are counted.
pub(in crate::run) struct CountHead<'r> {
    cx: &'r Context<'r>,
    lookup: Lookup,
    /// The same steps one by one.
    steps: Pipeline<'r>,
    starts: Vec<Traverser>,
}

impl<'r> CountHead<'r> {
    pub fn new(cx: &'r Context<'r>, lookup: Lookup, steps: Pipeline<'r>) -> Self {
        CountHead { cx, lookup, steps, starts: Vec::new() }
    }
}

impl Stage for CountHead<'_> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        self.starts.extend(batch);
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        let starts = std::mem::take(&mut self.starts);
        let times: u64 = starts.iter().map(|start| start.bulk).sum();
        let counted = if times > 0 { self.cx.graph.count(&self.lookup)? } else { Some(0) };
        if let Some(count) = counted {
            let total = i64::try_from(count.saturating_mul(times)).unwrap_or(i64::MAX);
            out.push_back(self.cx.begin(GValue::Long(total)));
            return Ok(());
        }
        self.steps.reset(Reset::All);
        self.steps.feed(starts);
        self.steps.end();
        out.extend(self.steps.drain()?);
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.starts.clear();
    }
}
