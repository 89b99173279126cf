//! `order()` of the stream.

use std::cmp::Ordering;

use super::super::by::By;
use super::super::{Context, RunError, Traverser};
use super::{Boxed, gather};
use crate::function::order::total_order;
use crate::step::Projection;
use crate::value::{GValue, Order};

/// Sorts all. Those without a value to sort by are dropped; equal ones stay as they came.
pub(in crate::run) fn order<'r>(cx: &'r Context<'r>, by: &'r [(Projection, Order)]) -> Result<Boxed<'r>, RunError> {
    let mut keys = Keys::new(cx, by)?;
    Ok(gather(cx, move |mut all, out| {
        if keys.by.iter().any(|(by, _)| by.reads_properties()) {
            cx.elements.load_traversers(&mut all)?;
        }
        let mut sorted = Vec::with_capacity(all.len());
        for traverser in all {
            if let Some(key) = keys.of(&traverser)? {
                sorted.push((key, traverser));
            }
        }
        keys.sort(&mut sorted);
        out.extend(sorted.into_iter().map(|(_, traverser)| traverser));
        Ok(())
    }))
}

/// What objects are sorted by.
pub(in crate::run) struct Keys<'r> {
    cx: &'r Context<'r>,
    by: Vec<(By<'r>, Order)>,
}

impl<'r> Keys<'r> {
    pub fn new(cx: &'r Context<'r>, by: &'r [(Projection, Order)]) -> Result<Self, RunError> {
        let mut all = Vec::with_capacity(by.len().max(1));
        for (projection, order) in by {
            all.push((By::new(cx, projection)?, *order));
        }
        if all.is_empty() {
            all.push((By::optional(cx, None)?, Order::Asc));
        }
        Ok(Keys { cx, by: all })
    }

    /// Those of one object, unless one is missing.
    pub fn of(&mut self, traverser: &Traverser) -> Result<Option<Vec<GValue>>, RunError> {
        let mut key = Vec::with_capacity(self.by.len());
        for (by, _) in &mut self.by {
            match by.of(traverser)? {
                Some(part) => key.push(part),
                None => return Ok(None),
            }
        }
        Ok(Some(key))
    }

    pub fn sort<T>(&self, sorted: &mut [(Vec<GValue>, T)]) {
        // Shuffled first and sorted then: shuffling decides between those that all keys before it leave equal.
        let shuffled = self.by.iter().position(|(_, order)| *order == Order::Shuffle);
        if shuffled.is_some() {
            self.cx.random.shuffle(sorted);
        }
        let keys = shuffled.unwrap_or(self.by.len());
        sorted.sort_by(|(one, _), (other, _)| {
            let parts = one.iter().zip(other).zip(&self.by).take(keys);
            let mut orders = parts.map(|((one, other), (_, order))| match order {
                Order::Desc => total_order(other, one),
                Order::Asc | Order::Shuffle => total_order(one, other),
            });
            orders.find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
        });
    }
}
