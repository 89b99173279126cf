//! Whether the index or a scan finds a query's items, and which look-ups do.
//!
//! What both ways cost is reckoned from estimates of the index (`cost.rs`). A page that ends after a few rows reads only part of its
//! scope either way: the more items pass the filter, the sooner a scan is done.

use std::sync::Arc;
use std::time::Instant;

use super::super::ScopeTaken;
use super::condition::Known;
use super::estimate::{Estimated, Estimator, Weighed, share};
use super::search::{self, Search};
use super::seek::Condition;
use super::{IndexUse, cost};
use crate::Error;
use crate::catalog::ContainerSettings;
use crate::index::{Coverage, IndexPath, IndexView, PathKey, Step, ValueRange, Window};
use crate::query::collect::memory::QueryMemory;
use crate::query::scope::access::Access;
use crate::query::scope::narrow::Narrowed;

/// Logical partitions whose size is estimated one by one; the others count as their mean.
const ESTIMATED_PARTITIONS: usize = 4;

/// What is known when the way to the items is chosen.
pub(super) struct Weighing<'w> {
    pub index_use: IndexUse,
    pub view: &'w IndexView,
    pub settings: &'w ContainerSettings,
    pub narrowed: &'w Narrowed,
    /// Rows after which reading ends; none if all are read.
    pub wanted_rows: Option<usize>,
    /// What is done with each hit costs so much.
    pub hit_ns: f64,
    pub memory: &'w Arc<QueryMemory>,
}

/// The way to the items of a query.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub access: Access,
    /// What runs the look-ups, if the index was chosen.
    pub search: Option<Arc<Search>>,
    pub figures: Figures,
}

/// What was reckoned with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Items in the scope; none if that is not known.
    pub scope_items: Option<f64>,
    /// Items that pass all conditions that the index knows.
    pub passing_items: f64,
    pub scan_ns: f64,
    pub index_ns: f64,
}

impl Figures {
    /// What is known if the index has nothing to say about the filter.
    fn of_scan(scope_items: Option<f64>) -> Self {
        let items = scope_items.unwrap_or(f64::INFINITY);
        Figures { scope_items, passing_items: items, scan_ns: items * cost::SCANNED_ITEM, index_ns: f64::INFINITY }
    }
}

impl Weighing<'_> {
    /// The way to the items that may pass.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn choose(&self, known: &Known) -> Result<Choice, Error> {
        let started = Instant::now();
        let scan = || Choice { access: self.narrowed.access.clone(), search: None, figures: Figures::default() };
        let covered = known.condition.as_ref().and_then(|condition| covered(condition, self.view));
        let Some(window) = self.window() else { return Ok(scan()) };
        let total = self.view.item_count().max(1) as f64;
        let scope_items = self.scope_items(window, total).await?;
        let Some(condition) = covered.filter(|_| self.is_worth_weighing(scope_items)) else {
            return Ok(Choice { figures: Figures::of_scan(scope_items), ..scan() });
        };
        let scope_share = scope_items.map_or_else(|| share(window), |items| (items / total).min(1.0));
        let estimator = Estimator { view: self.view, window, total, scope_share };
        let Estimated { whole, best } = estimator.estimate(&condition).await?;
        let (chosen, figures) = match (self.index_use, scope_items) {
            (IndexUse::Always, _) => (Some(whole.clone()), Figures { passing_items: whole.hits, ..Figures::default() }),
            (_, None) => (None, Figures::default()),
            (_, Some(items)) => self.compare(&whole, best, items),
        };
        let Some(chosen) = chosen else { return Ok(Choice { figures, ..scan() }) };
        let is_exact = known.is_exact && chosen.is_whole && Some(&condition) == known.condition.as_ref();
        let search = Search::new(self.view.clone(), chosen, window, is_exact, self.memory.clone(), started);
        let search = Arc::new(search);
        let access = self.narrowed.access.clone().through(&search);
        Ok(Choice { access, search: Some(search), figures })
    }

    /// Whether the scope is so large that asking the index may pay.
    fn is_worth_weighing(&self, scope_items: Option<f64>) -> bool {
        self.index_use == IndexUse::Always || scope_items.is_some_and(|items| items >= cost::MIN_ITEMS as f64)
    }

    /// The index if it is cheaper than the scan, and what both cost.
    fn compare(&self, whole: &Weighed, best: Weighed, items: f64) -> (Option<Weighed>, Figures) {
        let passing = whole.hits.min(items).max(1.0);
        // The part of the scope that is read until there are rows enough.
        let part = self.wanted_rows.map_or(1.0, |rows| (rows as f64 / passing).min(1.0));
        let scan_ns = items * part * cost::SCANNED_ITEM;
        let windows = self.narrowed.access.spans.len() as f64;
        let index_ns = best.read_ns + (windows - 1.0) * cost::LOOK_UP + best.hits * part * self.hit_ns;
        let margin = if self.narrowed.taken <= ScopeTaken::Prefix { cost::PARTITION_MARGIN } else { 1.0 };
        let figures = Figures { scope_items: Some(items), passing_items: whole.hits, scan_ns, index_ns };
        ((index_ns * margin < scan_ns).then_some(best), figures)
    }

    /// The places that the scope lies in; none if it has no ranges.
    fn window(&self) -> Option<Window> {
        let windows = self.narrowed.access.spans.iter().filter_map(|span| search::window_of(self.view, span.range()?));
        windows.reduce(|a, b| Window { first: a.first.min(b.first), last: a.last.max(b.last) })
    }

    /// About how many items the scope has; none if nothing tells.
    async fn scope_items(&self, window: Window, total: f64) -> Result<Option<f64>, Error> {
        if self.narrowed.taken > ScopeTaken::Prefix {
            let spans = self.narrowed.access.spans.iter();
            let windows = spans.filter_map(|span| search::window_of(self.view, span.range()?));
            return Ok(Some(windows.map(|window| total * share(window)).sum()));
        }
        let Some(path) = self.settings.partition_key.paths.first() else { return Ok(None) };
        let steps = path.segments().iter().map(|name| Step::Name(name.as_str().into()));
        let key = PathKey::Single(IndexPath::new(steps.collect()));
        if self.view.coverage(&key) != Coverage::Ready {
            return Ok(None);
        }
        let keys = &self.narrowed.keys;
        let (mut items, mut estimated) = (0.0, 0usize);
        for key_of_partition in keys.iter().take(ESTIMATED_PARTITIONS) {
            let Some(component) = key_of_partition.components().first() else { return Ok(None) };
            let range = ValueRange::equal(&component.to_value());
            items += self.view.estimate(&key, &range, window).await?.postings as f64;
            estimated += 1;
        }
        Ok((estimated > 0).then(|| items * keys.len() as f64 / estimated as f64))
    }
}

/// The part of a condition that the index can answer.
pub(super) fn covered(condition: &Condition, view: &IndexView) -> Option<Condition> {
    match condition {
        Condition::Seek(seek) => (view.coverage(&seek.key) == Coverage::Ready).then(|| condition.clone()),
        Condition::All(parts) => {
            let parts: Vec<_> = parts.iter().filter_map(|part| covered(part, view)).collect();
            (!parts.is_empty()).then(|| Condition::all(parts))
        }
        Condition::Any(parts) => {
            Some(Condition::Any(parts.iter().map(|part| covered(part, view)).collect::<Option<_>>()?))
        }
    }
}
