//! What EXPLAIN says about the index: the way that was chosen, why, what was reckoned with and what it came to.

use std::sync::Arc;
use std::time::Duration;

use super::choose::{Choice, Figures, covered};
use super::condition::Known;
use super::search::Search;
use super::seek::{Condition, Seek, SeekKind};
use crate::index::{Coverage, IndexPath, IndexView, PathKey};

/// How the property index served a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexReport {
    /// What it was used for.
    pub access: IndexAccess,
    /// Why, in a sentence.
    pub reason: String,
    /// Conditions that were looked up. The filter is applied to what they find all the same.
    pub looked_up: Vec<IndexedCondition>,
    /// Conditions on paths that were left to the filter.
    pub filtered: Vec<IndexedCondition>,
    /// The path, or paths, whose order rows came in.
    pub order: Option<String>,
    /// Items that it was expected to find.
    pub expected_items: Option<u64>,
    /// Items in the scope, as expected.
    pub scope_items: Option<u64>,
    /// Time that finding the items through the index was expected to take.
    pub expected_index_time: Option<Duration>,
    /// Time that reading the scope was expected to take.
    pub expected_scan_time: Option<Duration>,
    /// Versions that the index named.
    pub postings: u64,
    /// Items that these turned out to be.
    pub found_items: u64,
    /// Time that both took.
    pub look_up_time: Duration,
}

/// What the index was used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexAccess {
    /// Nothing: the scope was read.
    #[default]
    Scan,
    /// It found the items.
    Filter,
    /// It gave the order of the rows.
    Order,
    /// It gave the values of aggregates, or the counters did.
    Aggregate,
}

/// A condition on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedCondition {
    /// The path, in the form of indexing policies without its end.
    pub path: String,
    /// What is asked of the value there.
    pub asks: &'static str,
    /// The indexing policy leaves the path out.
    pub is_excluded: bool,
}

/// What is noted while a page is made.
#[derive(Default)]
pub(in super::super) struct IndexNotes {
    access: IndexAccess,
    reason: Option<String>,
    conditions: Vec<IndexedCondition>,
    figures: Figures,
    search: Option<Arc<Search>>,
    order: Option<String>,
}

impl IndexNotes {
    /// Notes why the index was not asked.
    pub fn not_asked(&mut self, reason: &str) {
        self.reason = Some(reason.to_owned());
    }

    /// Notes what the filter asks of paths.
    pub(super) fn conditions(&mut self, known: &Known, view: &IndexView) {
        let mut seeks = Vec::new();
        known.condition.iter().for_each(|condition| seeks_of(condition, &mut seeks));
        self.conditions = seeks
            .into_iter()
            .map(|seek| IndexedCondition {
                is_excluded: view.coverage(&seek.key) == Coverage::NotIndexed,
                ..indexed_condition(seek)
            })
            .collect();
        if known.condition.as_ref().is_some_and(|condition| covered(condition, view).is_none()) {
            let is_excluded = self.conditions.iter().any(|condition| condition.is_excluded);
            self.reason = Some(String::from(if is_excluded {
                "the indexing policy leaves out what the filter asks for"
            } else {
                "the index is not made yet"
            }));
        }
    }

    /// Notes which way to the items was chosen.
    pub(super) fn chosen(&mut self, choice: &Choice) {
        self.figures = choice.figures.clone();
        self.search.clone_from(&choice.search);
        if choice.search.is_some() {
            self.access = IndexAccess::Filter;
        } else if choice.figures.scope_items.is_some() && choice.figures.index_ns.is_infinite() && self.reason.is_none()
        {
            self.reason = Some("a scope this small is read sooner than an index".to_owned());
        }
    }

    /// Notes that rows came in the order of an index.
    pub fn ordered(&mut self, key: &PathKey) {
        self.access = IndexAccess::Order;
        self.order = Some(text_of(key));
    }

    /// Notes that aggregates were known without reading items.
    pub fn aggregated(&mut self) {
        self.access = IndexAccess::Aggregate;
    }

    /// Time that look-ups took so far.
    pub fn look_up_time(&self) -> Duration {
        self.search.as_ref().map_or(Duration::ZERO, |search| search.spent().2)
    }

    /// Paths that the policy leaves out and the filter asks for.
    pub fn excluded(&self) -> impl Iterator<Item = &IndexedCondition> {
        self.conditions.iter().filter(|condition| condition.is_excluded)
    }

    /// Whether rows came in the order of an index.
    pub fn is_ordered(&self) -> bool {
        self.order.is_some()
    }

    /// The report.
    pub fn report(&self) -> IndexReport {
        let mut seeks = Vec::new();
        if let Some(search) = &self.search {
            seeks_of(search.condition(), &mut seeks);
        }
        let looked_up: Vec<IndexedCondition> = seeks.into_iter().map(indexed_condition).collect();
        let filtered = self.conditions.iter().filter(|condition| !looked_up.contains(condition)).cloned().collect();
        let (postings, found_items, look_up_time) =
            self.search.as_ref().map_or((0, 0, Duration::ZERO), |search| search.spent());
        let figures = &self.figures;
        let whole = |items: f64| items.is_finite().then_some(items.max(0.0) as u64);
        IndexReport {
            access: self.access,
            reason: self.reason(),
            looked_up,
            filtered,
            order: self.order.clone(),
            expected_items: whole(figures.passing_items),
            scope_items: figures.scope_items.and_then(whole),
            expected_index_time: time(figures.index_ns),
            expected_scan_time: time(figures.scan_ns),
            postings,
            found_items,
            look_up_time,
        }
    }

    fn reason(&self) -> String {
        let (index, scan) = (time(self.figures.index_ns), time(self.figures.scan_ns));
        let why = match (self.access, index, scan) {
            (IndexAccess::Order, ..) => {
                "rows come in the order of the index, which is read no further than the page needs"
            }
            (IndexAccess::Aggregate, ..) => "the index or the container's counters know the result",
            (_, Some(index), Some(scan)) => {
                let (cheaper, dearer, what) = match self.access {
                    IndexAccess::Filter => (index, scan, "the index finds the items sooner"),
                    _ => (scan, index, "reading the items of the scope is sooner done"),
                };
                return format!("{what}: {cheaper:.1?} against {dearer:.1?}, as expected");
            }
            (IndexAccess::Filter, ..) => "queries are told to use the index",
            (IndexAccess::Scan, ..) => match &self.reason {
                Some(reason) => return reason.clone(),
                None => "nothing tells how many items the scope has, or there is no condition that an index answers",
            },
        };
        why.to_owned()
    }
}

fn time(nanoseconds: f64) -> Option<Duration> {
    (nanoseconds.is_finite() && nanoseconds > 0.0).then(|| Duration::from_nanos(nanoseconds as u64))
}

fn seeks_of<'c>(condition: &'c Condition, seeks: &mut Vec<&'c Seek>) {
    match condition {
        Condition::Seek(seek) => seeks.push(seek),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| seeks_of(part, seeks)),
    }
}

fn indexed_condition(seek: &Seek) -> IndexedCondition {
    let asks = match seek.kind {
        SeekKind::Equal => "equality",
        SeekKind::OneOf => "one of several values",
        SeekKind::Range => "range",
        SeekKind::Prefix => "prefix",
        SeekKind::Type => "type",
    };
    IndexedCondition { path: text_of(&seek.key), asks, is_excluded: false }
}

/// The paths of a key, those of a composite one with their directions.
pub(super) fn text_of(key: &PathKey) -> String {
    match key {
        PathKey::Single(path) => path.to_string(),
        PathKey::Composite(composite) => {
            let texts = composite.paths.iter().map(|(path, descends)| directed(path, *descends));
            texts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// A path of a composite index in the form of the service.
pub(super) fn directed(path: &IndexPath, descends: bool) -> String {
    format!("{path} {}", if descends { "DESC" } else { "ASC" })
}
