//! How many items conditions find, and what finding them costs.

use std::pin::Pin;
use std::sync::Arc;

use super::cost;
use super::seek::{Condition, Seek};
use crate::Error;
use crate::index::{IndexView, Posting, Window, intersect};

/// Ranges of a look-up that are estimated one by one; the others count as their mean.
const ESTIMATED_RANGES: usize = 16;

/// Postings up to which a look-up is not estimated but done, as that costs no more.
const FOUND_AT_ONCE: usize = 64;

/// Estimates conditions in a scope.
pub(super) struct Estimator<'e> {
    pub view: &'e IndexView,
    /// The places that the scope lies in.
    pub window: Window,
    /// Items in the container.
    pub total: f64,
    /// The part of them that is in the scope.
    pub scope_share: f64,
}

/// A condition with its estimates.
#[derive(Clone, Debug)]
pub(super) struct Weighed {
    pub condition: Condition,
    pub hits: f64,
    pub read_ns: f64,
    /// Nothing was left out of it.
    pub is_whole: bool,
    /// The postings, if they are so few that they were read.
    pub found: Option<Arc<[Posting]>>,
}

/// The estimates of a condition.
pub(super) struct Estimated {
    /// All of it.
    pub whole: Weighed,
    /// Of conditions that all hold, the most selective, and those that save more hits than reading them costs.
    pub best: Weighed,
}

type Estimating<'a> = Pin<Box<dyn Future<Output = Result<Estimated, Error>> + Send + 'a>>;

impl Estimator<'_> {
    /// Estimates a condition. Recurses once per level of it.
    pub fn estimate<'a>(&'a self, condition: &'a Condition) -> Estimating<'a> {
        Box::pin(async move {
            let parts = match condition {
                Condition::Seek(seek) => {
                    let whole = self.weigh(seek).await?;
                    return Ok(Estimated { best: whole.clone(), whole });
                }
                Condition::Any(parts) | Condition::All(parts) => parts,
            };
            let (mut whole, mut best) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
            for part in parts {
                let part = self.estimate(part).await?;
                whole.push(part.whole);
                best.push(part.best);
            }
            if matches!(condition, Condition::Any(_)) {
                return Ok(Estimated { whole: union(whole), best: union(best) });
            }
            let items = self.total * self.scope_share;
            Ok(Estimated { whole: intersection(whole, items, |_, _| true), best: intersection(best, items, pays) })
        })
    }

    async fn weigh(&self, seek: &Seek) -> Result<Weighed, Error> {
        let condition = Condition::Seek(seek.clone());
        if let Some(found) = self.find_few(seek).await? {
            let (hits, found) = (found.len() as f64, Some(found.into()));
            return Ok(Weighed { condition, hits, read_ns: 0.0, is_whole: true, found });
        }
        let count = seek.ranges.len();
        let step = count.div_ceil(ESTIMATED_RANGES).max(1);
        // Of a range of values, the window narrows the answer but not the reading.
        let window = if seek.is_equality() { self.window } else { Window::ALL };
        let (mut postings, mut estimated) = (0.0, 0usize);
        for range in seek.ranges.iter().step_by(step) {
            postings += self.view.estimate(&seek.key, range, window).await?.postings as f64;
            estimated += 1;
        }
        let postings = postings * count as f64 / estimated.max(1) as f64;
        let hits = if seek.is_equality() { postings } else { postings * self.scope_share };
        let read_ns = cost::reading(postings, count, seek.is_equality());
        Ok(Weighed { condition, hits, read_ns, is_whole: true, found: None })
    }

    /// The postings of a look-up, if they are few and reading them stays short even if they are not.
    async fn find_few(&self, seek: &Seek) -> Result<Option<Vec<Posting>>, Error> {
        if seek.ranges.len() > ESTIMATED_RANGES || !seek.is_equality() && self.window != Window::ALL {
            return Ok(None);
        }
        let mut all = Vec::new();
        for range in &seek.ranges {
            match self.view.hits(&seek.key, range, self.window, FOUND_AT_ONCE).await? {
                Some(found) => all.extend(found),
                None => return Ok(None),
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(Some(all))
    }
}

/// The part of all places that are in a window.
pub(super) fn share(window: Window) -> f64 {
    (f64::from(window.last) - f64::from(window.first) + 1.0) / (f64::from(u32::MAX) + 1.0)
}

/// Whether a further look-up saves more than it costs, if it leaves out so many hits.
fn pays(saved_hits: f64, read_ns: f64) -> bool {
    saved_hits * cost::HIT > read_ns
}

/// Conditions one of which holds.
fn union(parts: Vec<Weighed>) -> Weighed {
    let sum = |of: fn(&Weighed) -> f64| parts.iter().map(of).sum();
    let (mut hits, read_ns) = (sum(|part| part.hits), sum(|part| part.read_ns));
    let is_whole = parts.iter().all(|part| part.is_whole);
    let found: Option<Vec<_>> = parts.iter().map(|part| part.found.as_deref()).collect();
    let found = found.map(|found| {
        let mut all = found.concat();
        all.sort_unstable();
        all.dedup();
        hits = all.len() as f64;
        all.into()
    });
    let condition = Condition::Any(parts.into_iter().map(|part| part.condition).collect());
    Weighed { condition, hits, read_ns, is_whole, found }
}

/// Conditions that all hold, the most selective first, and of the others those that are worth it.
fn intersection(mut parts: Vec<Weighed>, total: f64, is_worth_it: impl Fn(f64, f64) -> bool) -> Weighed {
    let weight = |part: &Weighed| part.hits + part.read_ns / cost::HIT;
    parts.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
    let condition = Condition::All(Vec::new());
    let mut joined = Weighed { condition, hits: total, read_ns: 0.0, is_whole: true, found: None };
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        // As if conditions were independent of each other.
        let left = joined.hits * (part.hits / total.max(1.0)).min(1.0);
        if !kept.is_empty() && !is_worth_it(joined.hits - left, part.read_ns) {
            joined.is_whole = false;
            continue;
        }
        joined.hits = if kept.is_empty() { part.hits } else { left };
        joined.read_ns += part.read_ns;
        joined.is_whole &= part.is_whole;
        joined.found = match joined.found.filter(|_| !kept.is_empty()) {
            None => part.found.filter(|_| kept.is_empty()),
            Some(before) => part.found.map(|found| intersect(&before, &found).into()),
        };
        kept.push(part.condition);
    }
    joined.condition = if kept.len() == 1 { kept.remove(0) } else { Condition::All(kept) };
    joined
}
