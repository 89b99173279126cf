//! `range()`, `tail()` and `timeLimit()` of the stream.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::super::pipeline::{Queue, Reset, Stage};
use super::super::{Context, Held, RunError, Traverser};

/// Leaves some out, and lets some through then.
pub(in crate::run) struct Range {
    low: u64,
    high: Option<u64>,
    seen: u64,
}

impl Range {
    pub fn new(low: u64, high: Option<u64>) -> Self {
        Range { low, high, seen: 0 }
    }
}

impl Stage for Range {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        for mut traverser in batch {
            let first = self.seen.max(self.low);
            self.seen = self.seen.saturating_add(traverser.bulk);
            let last = self.seen.min(self.high.unwrap_or(u64::MAX));
            if last > first {
                traverser.bulk = last - first;
                out.push_back(traverser);
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.high.is_some_and(|high| self.seen >= high)
    }

    fn demand(&self) -> Option<usize> {
        self.high.map(|high| usize::try_from(high.saturating_sub(self.seen)).unwrap_or(usize::MAX))
    }

    fn reset(&mut self, _kind: Reset) {
        self.seen = 0;
    }
}

/// The last ones.
pub(in crate::run) struct Tail<'r> {
    count: u64,
    last: VecDeque<Traverser>,
    total: u64,
    held: Held<'r>,
}

impl<'r> Tail<'r> {
    pub fn new(cx: &'r Context<'r>, count: u64) -> Self {
        Tail { count, last: VecDeque::new(), total: 0, held: cx.held() }
    }
}

impl Stage for Tail<'_> {
    fn take(&mut self, batch: Vec<Traverser>, _out: &mut Queue) -> Result<(), RunError> {
        self.held.grow_by_traversers(&batch)?;
        for traverser in batch {
            self.total = self.total.saturating_add(traverser.bulk);
            self.last.push_back(traverser);
            while let Some(first) = self.last.front_mut()
                && self.total > self.count
            {
                let surplus = self.total - self.count;
                if first.bulk > surplus {
                    first.bulk -= surplus;
                    self.total = self.count;
                } else {
                    self.total -= first.bulk;
                    self.last.pop_front();
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Queue) -> Result<(), RunError> {
        out.extend(self.last.drain(..));
        self.reset(Reset::All);
        Ok(())
    }

    fn reset(&mut self, _kind: Reset) {
        self.last.clear();
        self.total = 0;
        self.held.clear();
    }
}

/// Lets through what comes in time, from the first one on.
pub(in crate::run) struct TimeLimit {
    limit: Duration,
    end: Option<Instant>,
}

impl TimeLimit {
    pub fn new(limit_ms: u64) -> Self {
        TimeLimit { limit: Duration::from_millis(limit_ms), end: None }
    }
}

impl Stage for TimeLimit {
    fn take(&mut self, batch: Vec<Traverser>, out: &mut Queue) -> Result<(), RunError> {
        if self.end.is_none() {
            self.end = Instant::now().checked_add(self.limit);
        }
        if !self.is_done() {
            out.extend(batch);
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn demand(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn reset(&mut self, _kind: Reset) {
        self.end = None;
    }
}
