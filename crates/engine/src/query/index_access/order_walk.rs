//! ORDER BY through the index: items in the order of a path's values, until the page is full.
//!
//! The index groups items by value; those of one group, and of values that it cannot tell apart, are sorted as they always are
//! (`sort.rs`), by the other keys and the document number. So the page is the same as without the index, and so is its token.

use std::sync::Arc;
use std::time::Instant;

use orrery_store::KeyRange;
use orrery_value::Value;

use super::super::execute::{Input, Output, Run};
use super::super::{Direction, Plan, SortKey};
use super::choose::Figures;
use super::page_access::Survey;
use super::search::window_of;
use super::seek::Condition;
use super::{IndexUse, cost};
use crate::Error;
use crate::index::{
    self, Composite, Coverage, IndexPath, IndexView, Ordered, PathKey, Posting, Step, ValueRange, Window,
};
use crate::query::collect::feed::Feed;
use crate::query::collect::sort::SortRows;
use crate::query::explain::report::Trace;
use crate::query::page::cursor::Cursor;
use crate::query::page::sort::sorted_place;
use crate::query::scope::access::{Access, Span};
use crate::query::scope::item_walk::ItemWalk;

/// Items that are looked at in one go at first; then twice as many each time.
const FIRST_BATCH: usize = 16;

/// Items that are looked at in one go at the most.
const MAX_BATCH: usize = 1_024;

/// Items that may be looked at whatever a sort would cost.
const MIN_BUDGET: f64 = 100.0;

/// A way through the index in the order of a plan.
struct Route {
    key: PathKey,
    direction: index::Direction,
    range: ValueRange,
    /// Rows may lack the value. They come first in ascending order, last in descending order, and are not on the way.
    misses_rows: bool,
}

impl Run<'_> {
    /// A page of sorted rows, if the way through the index is expected to be shorter than reading all that is to be sorted, and
    /// turns out to be.
    pub(super) async fn walked_in_order(
        &self,
        survey: &Survey,
        view: &IndexView,
        feed: &Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Option<Output>, Error> {
        let started = Instant::now();
        let [Span::Range(scope)] = &survey.narrowed.access.spans[..] else { return Ok(None) };
        let (Some(route), Some(window)) =
            (Route::of(&survey.plan, view, &survey.known.condition), window_of(view, scope))
        else {
            return Ok(None);
        };
        let (_, after) = sorted_place(&cursor.place);
        let after = after.map(|after| after.keys);
        if !route.leads_on_from(after.as_deref()) {
            return Ok(None);
        }
        let Some(budget) = self.walk_budget(survey, view, &route, cursor).await? else { return Ok(None) };
        let mut ordered = view.ordered(&route.key, route.direction, &route.range, window);
        if let Some(after) = &after {
            ordered = ordered.begin_at_values(after);
        }
        let walk = OrderWalk { view, scope, ordered, sort: self.sort_rows(cursor), budget };
        let Some(mut sort) = walk.run(self, feed, trace).await? else { return Ok(None) };
        if route.misses_rows {
            if !sort.has_enough() {
                return Ok(None);
            }
            sort.dropped = true;
        }
        trace.index.ordered(&route.key);
        let input = Input::Items(Access::default());
        self.sorted_page(sort, &input, feed, cursor.clone(), started, trace).await.map(Some)
    }

    /// Items that the walk may look at; none if a sort is expected to be cheaper.
    async fn walk_budget(
        &self,
        survey: &Survey,
        view: &IndexView,
        route: &Route,
        cursor: &Cursor,
    ) -> Result<Option<f64>, Error> {
        if self.runtime.index_use == IndexUse::Always {
            return Ok(Some(f64::INFINITY));
        }
        let Some(choice) = self.choice(survey, None).await? else { return Ok(None) };
        let Figures { scope_items, passing_items, scan_ns, index_ns } = choice.figures;
        let Some(scope_items) = scope_items else { return Ok(None) };
        let on_the_way = match &route.key {
            PathKey::Single(_) => view.estimate(&route.key, &route.range, Window::ALL).await?.postings as f64,
            PathKey::Composite(_) => view.item_count() as f64,
        };
        let passing = passing_items.clamp(1.0, scope_items.max(1.0));
        // Rows lie evenly among what is on the way; that out of scope is passed without a look at the items.
        let passed = (self.capacity(cursor) as f64 * on_the_way / passing).min(on_the_way);
        let looked_at = passed * (scope_items / view.item_count().max(1) as f64).min(1.0);
        let walk_ns = cost::reading(passed, 1, false) + looked_at * cost::HIT;
        let sort_ns = scan_ns.min(index_ns);
        Ok((walk_ns < sort_ns).then_some((sort_ns / cost::HIT).max(MIN_BUDGET)))
    }
}

impl Route {
    fn of(plan: &Plan, view: &IndexView, condition: &Option<Condition>) -> Option<Route> {
        let paths: Option<Vec<IndexPath>> = plan.order.iter().map(path_of).collect();
        let paths = paths?;
        let composite = view.composites().iter().find_map(|composite| {
            let backward = is_order_of(composite, &plan.order, &paths)?;
            let key = PathKey::Composite(composite.clone());
            (view.coverage(&key) == Coverage::Ready).then_some((key, backward))
        });
        if let Some((key, backward)) = composite {
            let direction = if backward { index::Direction::Backward } else { index::Direction::Forward };
            return Some(Route { key, direction, range: ValueRange::everything(), misses_rows: false });
        }
        let key = PathKey::Single(paths.into_iter().next()?);
        if view.coverage(&key) != Coverage::Ready {
            return None;
        }
        let direction = match plan.order.first()?.direction {
            Direction::Ascending => index::Direction::Forward,
            Direction::Descending => index::Direction::Backward,
        };
        let filtered = condition.as_ref().and_then(|condition| ranges_of(condition, &key));
        let misses_rows = filtered.is_none() && !view.is_always_defined(&key);
        let range = match filtered {
            Some([range]) => range.clone(),
            _ => ValueRange::defined(),
        };
        Some(Route { key, direction, range, misses_rows })
    }

    /// Whether the rows that follow a place are all on the way, or come after what is.
    fn leads_on_from(&self, after: Option<&[Value]>) -> bool {
        let is_among_defined = after.and_then(<[Value]>::first).is_some_and(|value| !value.is_undefined());
        match (self.misses_rows, self.direction) {
            (false, _) => true,
            (true, index::Direction::Forward) => is_among_defined,
            (true, index::Direction::Backward) => after.is_none() || is_among_defined,
        }
    }
}

/// The ranges that every row's value at a path is in.
pub(super) fn ranges_of<'c>(condition: &'c Condition, key: &PathKey) -> Option<&'c [ValueRange]> {
    match condition {
        Condition::Seek(seek) => (seek.key == *key && seek.source == Some(0)).then_some(&seek.ranges),
        Condition::All(parts) => parts.iter().find_map(|part| ranges_of(part, key)),
        Condition::Any(_) => None,
    }
}

fn path_of(key: &SortKey) -> Option<IndexPath> {
    let path = key.expr.as_item_path()?;
    (!path.is_root())
        .then(|| IndexPath::new(path.segments().iter().map(|name| Step::Name(name.as_str().into())).collect()))
}

/// Whether a composite index has the paths of an order, in its directions (false) or in the opposite ones (true).
fn is_order_of(composite: &Composite, order: &[SortKey], paths: &[IndexPath]) -> Option<bool> {
    if composite.paths.len() != order.len() {
        return None;
    }
    let mut turned = composite.paths.iter().zip(order.iter().zip(paths)).map(|((path, descends), (key, wanted))| {
        (path == wanted).then_some(*descends != (key.direction == Direction::Descending))
    });
    let first = turned.next()??;
    turned.all(|other| other == Some(first)).then_some(first)
}

/// A walk on its way.
struct OrderWalk<'w> {
    view: &'w IndexView,
    scope: &'w KeyRange,
    ordered: Ordered,
    sort: SortRows,
    /// Items that it may still look at.
    budget: f64,
}

impl OrderWalk<'_> {
    /// The first rows; none if they are too many to look at. If there are more, they count as given up.
    async fn run(mut self, run: &Run<'_>, feed: &Arc<Feed>, trace: &mut Trace) -> Result<Option<SortRows>, Error> {
        let mut batch: Vec<Posting> = Vec::new();
        let mut class: Vec<u8> = Vec::new();
        let mut size = FIRST_BATCH;
        while let Some(group) = self.ordered.next().await? {
            // Rows of a class come in no order, so only between classes it is known which are the first.
            if class != group.class() && batch.len() >= size.min(self.sort.room().max(FIRST_BATCH)) {
                self = self.look_at(std::mem::take(&mut batch), run, feed, trace).await?;
                size = (2 * size).min(MAX_BATCH);
            }
            if class != group.class() && batch.is_empty() && self.sort.has_enough() {
                self.sort.dropped = true;
                return Ok(Some(self.sort));
            }
            class.clear();
            class.extend_from_slice(group.class());
            batch.extend(group.postings);
            if batch.len() >= MAX_BATCH {
                self = self.look_at(std::mem::take(&mut batch), run, feed, trace).await?;
            }
            if self.budget < 0.0 {
                return Ok(None);
            }
        }
        Ok(Some(self.look_at(batch, run, feed, trace).await?.sort))
    }

    async fn look_at(
        self,
        postings: Vec<Posting>,
        run: &Run<'_>,
        feed: &Arc<Feed>,
        trace: &mut Trace,
    ) -> Result<Self, Error> {
        let located = self.view.resolve(&postings, self.scope).await?;
        let budget = self.budget - postings.len() as f64;
        let spans = located.into_iter().map(|located| Span::Point(located.item_key)).collect();
        let walk = ItemWalk::new(run.walk(feed), self.sort);
        let walk = Access { spans }.run(&*run.snapshot, walk).await?;
        trace.examined.add(&walk.examined);
        Ok(OrderWalk { sort: walk.collector, budget, ..self })
    }
}
