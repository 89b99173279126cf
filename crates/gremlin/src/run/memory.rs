//! What a run holds at once, estimated and bounded.

use std::cell::Cell;

use super::{Context, RunError, Traverser};
use crate::value::GValue;

/// What one traverser takes beside its value.
const TRAVERSER_BYTES: usize = 160;

/// What a value takes where it stands.
const VALUE_BYTES: usize = 32;

/// What an element takes that is held nowhere else.
const ELEMENT_BYTES: usize = 96;

/// Bytes that are held, and how many may be.
#[derive(Debug)]
pub(super) struct Memory {
    used: Cell<usize>,
    limit: usize,
}

impl Memory {
    pub fn new(limit: usize) -> Self {
        Memory { used: Cell::new(0), limit }
    }

    fn take(&self, bytes: usize) -> Result<(), RunError> {
        let used = self.used.get().saturating_add(bytes);
        if used > self.limit {
            return Err(RunError::OverBudget { limit: self.limit });
        }
        self.used.set(used);
        Ok(())
    }

    fn give(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }
}

/// What one stage holds; given back when it is dropped.
pub(super) struct Held<'r> {
    cx: &'r Context<'r>,
    bytes: usize,
}

impl<'r> Held<'r> {
    pub fn new(cx: &'r Context<'r>) -> Self {
        Held { cx, bytes: 0 }
    }

    pub fn grow(&mut self, bytes: usize) -> Result<(), RunError> {
        self.cx.memory.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    pub fn grow_by_value(&mut self, value: &GValue) -> Result<(), RunError> {
        self.grow(size(value))
    }

    pub fn grow_by_traversers(&mut self, batch: &[Traverser]) -> Result<(), RunError> {
        self.grow(batch.iter().map(|traverser| TRAVERSER_BYTES + size(&traverser.value)).sum())
    }

    /// Gives all back.
    pub fn clear(&mut self) {
        self.cx.memory.give(self.bytes);
        self.bytes = 0;
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// About what a value takes. Nested values are walked, which readers bound in depth and size.
pub(super) fn size(value: &GValue) -> usize {
    VALUE_BYTES
        + match value {
            GValue::String(text) | GValue::Class(text) => text.len(),
            GValue::Binary(bytes) => bytes.len(),
            GValue::List(items) => items.iter().map(size).sum(),
            GValue::Set(members) => members.iter().map(|member| VALUE_BYTES + size(member)).sum(),
            GValue::Map(entries) => entries.iter().map(|(key, value)| VALUE_BYTES + size(key) + size(value)).sum(),
            GValue::BulkSet(set) => set.items.iter().map(|(value, _)| VALUE_BYTES + size(value)).sum(),
            GValue::Path(path) => path.objects.iter().map(size).sum(),
            GValue::Vertex(vertex) => {
                let properties = vertex.properties.as_deref().unwrap_or_default();
                ELEMENT_BYTES + properties.iter().map(|one| ELEMENT_BYTES + size(&one.value)).sum::<usize>()
            }
            GValue::Edge(edge) => {
                let properties = edge.properties.as_deref().unwrap_or_default();
                ELEMENT_BYTES * 3 + properties.iter().map(|one| ELEMENT_BYTES + size(&one.value)).sum::<usize>()
            }
            GValue::VertexProperty(property) => ELEMENT_BYTES + size(&property.value),
            GValue::Property(property) => ELEMENT_BYTES + size(&property.value),
            _ => 0,
        }
}
