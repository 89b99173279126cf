//! ORDER BY the partition key and the id: logical partitions in the order of their keys, which the index knows, and the items of
//! each in the order of their ids, which is how they lie.

use std::sync::Arc;
use std::time::Instant;

use orrery_store::{KeyRange, Visit};
use orrery_value::{KeyComponent, PartitionKey, PropertyPath, Value};

use super::super::execute::{Input, Output, Run};
use super::super::{Direction, Plan, ScopeTaken};
use super::order_walk::ranges_of;
use super::page_access::Survey;
use super::search::window_of;
use super::{IndexUse, cost};
use crate::Error;
use crate::index::{self, Coverage, IndexPath, IndexView, Ordered, PathKey, Step, ValueRange, decode, is_exact};
use crate::item::key;
use crate::query::collect::feed::{At, Collector, Examined, Feed};
use crate::query::collect::sort::SortRows;
use crate::query::evaluation::row::Row;
use crate::query::explain::report::Trace;
use crate::query::page::cursor::Cursor;
use crate::query::page::sort::sorted_place;
use crate::query::scope::access::{Access, Span};
use crate::query::scope::item_walk::ItemWalk;

/// Cost of a walk that no sort is compared with.
const MIN_BUDGET: f64 = 100.0 * cost::LOOK_UP;

/// An order that items have within their logical partitions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOrder {
    /// `ORDER BY c.id`
    Id,
    /// `ORDER BY c.pk, c.id`
    KeyAndId,
}

impl KeyOrder {
    fn of(plan: &Plan, key_path: &PropertyPath) -> Option<KeyOrder> {
        let id = PropertyPath::from_iter(["id"]);
        if plan.order.iter().any(|key| key.direction != Direction::Ascending) {
            return None;
        }
        let paths: Option<Vec<&PropertyPath>> = plan.order.iter().map(|key| key.expr.as_item_path()).collect();
        match &paths?[..] {
            [path] if **path == id => Some(KeyOrder::Id),
            [first, second] if *first == key_path && **second == id && *key_path != id => Some(KeyOrder::KeyAndId),
            _ => None,
        }
    }

    /// The id in the sort keys of a row.
    fn id_of(self, keys: &[Value]) -> Option<&str> {
        let at = match self {
            KeyOrder::Id => 0,
            KeyOrder::KeyAndId => 1,
        };
        keys.get(at).and_then(Value::as_str)
    }
}

impl Run<'_> {
    /// A page of rows in the order of ids within one logical partition, or of keys and ids, if that is the plan's order.
    pub(super) async fn walked_by_key(
        &self,
        survey: &Survey,
        feed: &Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Option<Output>, Error> {
        let started = Instant::now();
        let [key_path] = &self.settings.partition_key.paths[..] else { return Ok(None) };
        let Some(order) = KeyOrder::of(&survey.plan, key_path) else { return Ok(None) };
        let (_, after) = sorted_place(&cursor.place);
        let after = after.map(|after| after.keys);
        let mut sort = self.sort_rows(cursor);
        match (&survey.narrowed.access.spans[..], &survey.narrowed.keys[..]) {
            ([Span::Range(range)], [key])
                if survey.narrowed.taken == ScopeTaken::Partition
                    && (order == KeyOrder::Id || key.components().iter().all(has_one_value)) =>
            {
                let partition = key::partition(&self.settings.partition_key, key);
                let after = after.as_deref().and_then(|keys| order.id_of(keys));
                sort = self.in_id_order(sort, range, &partition, after, feed, trace).await?.0;
            }
            ([Span::Range(scope)], _) if order == KeyOrder::KeyAndId => {
                let Some(view) = &survey.view else { return Ok(None) };
                let Some(walk) = KeyWalk::new(self, survey, view, scope, after, cursor).await? else { return Ok(None) };
                let Some(walked) = walk.run(sort, feed, trace).await? else { return Ok(None) };
                sort = walked;
            }
            _ => return Ok(None),
        }
        let input = Input::Items(Access::default());
        self.sorted_page(sort, &input, feed, cursor.clone(), started, trace).await.map(Some)
    }

    /// The rows of a logical partition from an id on, until there are enough. Also returns how many items were looked at.
    async fn in_id_order(
        &self,
        sort: SortRows,
        range: &KeyRange,
        partition: &[u8],
        from_id: Option<&str>,
        feed: &Arc<Feed>,
        trace: &mut Trace,
    ) -> Result<(SortRows, u64), Error> {
        let start = from_id.map(|id| key::item(self.container.number(), partition, id));
        let start = start.map_or_else(|| range.start.clone(), |start| start.max(range.start.clone()));
        let spans = vec![Span::Range(KeyRange { start, end: range.end.clone() })];
        let walk = ItemWalk::new(self.walk(feed), InOrder { sort });
        let walk = Access { spans }.run(&*self.snapshot, walk).await?;
        trace.examined.add(&walk.examined);
        Ok((walk.collector.sort, walk.examined.items))
    }

    /// Whether a logical partition has any item.
    async fn has_items(&self, component: KeyComponent, feed: &Arc<Feed>) -> Result<bool, Error> {
        let partition = key::partition(&self.settings.partition_key, &PartitionKey::from_iter([component]));
        let range = key::partition_range(self.container.number(), &partition);
        let walk = ItemWalk::new(self.walk(feed), AnyItem { found: false });
        let spans = vec![Span::Range(range)];
        Ok(Access { spans }.run(&*self.snapshot, walk).await?.collector.found)
    }
}

/// Whether all items of a logical partition with this component are equal at the path of the key.
fn has_one_value(component: &KeyComponent) -> bool {
    *component != KeyComponent::Undefined && is_exact(&component.to_value())
}

/// Takes rows that come in the order of the plan, until there are enough.
struct InOrder {
    sort: SortRows,
}

impl Collector for InOrder {
    fn is_full(&mut self, _examined: &Examined) -> bool {
        let is_full = self.sort.has_enough();
        self.sort.dropped |= is_full;
        is_full
    }

    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        self.sort.add(row, at)
    }
}

/// Finds out whether there is an item.
struct AnyItem {
    found: bool,
}

impl Collector for AnyItem {
    fn is_full(&mut self, _examined: &Examined) -> bool {
        self.found = true;
        true
    }

    fn add(&mut self, _row: &Row<'_>, _at: &At<'_>) -> Result<Visit, Error> {
        Ok(Visit::Stop)
    }
}

/// A walk through the logical partitions in the order of their keys.
struct KeyWalk<'w, 'r> {
    run: &'w Run<'r>,
    view: &'w IndexView,
    scope: &'w KeyRange,
    key: PathKey,
    range: ValueRange,
    ordered: Ordered,
    /// The sort keys of the row before the page.
    after: Option<Vec<Value>>,
    /// Cost that it may still have.
    budget_ns: f64,
}

impl<'w, 'r> KeyWalk<'w, 'r> {
    /// The walk, if it is expected to be shorter than a sort.
    async fn new(
        run: &'w Run<'r>,
        survey: &Survey,
        view: &'w IndexView,
        scope: &'w KeyRange,
        after: Option<Vec<Value>>,
        cursor: &Cursor,
    ) -> Result<Option<Self>, Error> {
        let paths = run.settings.partition_key.paths.iter().flat_map(|path| path.segments());
        let key = PathKey::Single(IndexPath::new(paths.map(|name| Step::Name(name.as_str().into())).collect()));
        let Some(window) = window_of(view, scope).filter(|_| view.coverage(&key) == Coverage::Ready) else {
            return Ok(None);
        };
        let range = match survey.known.condition.as_ref().and_then(|condition| ranges_of(condition, &key)) {
            Some([range]) => range.clone(),
            _ => ValueRange::defined(),
        };
        let mut budget_ns = f64::INFINITY;
        if run.runtime.index_use == IndexUse::Auto {
            let Some(choice) = run.choice(survey, None).await? else { return Ok(None) };
            let figures = &choice.figures;
            let sort_ns = figures.scan_ns.min(figures.index_ns);
            let items = figures.scope_items.unwrap_or(f64::INFINITY);
            // At worst each item has a logical partition of its own.
            let passed = run.capacity(cursor) as f64 * items / figures.passing_items.clamp(1.0, items.max(1.0));
            if passed.min(items) * (cost::SCANNED_ITEM + cost::LOOK_UP) >= sort_ns {
                return Ok(None);
            }
            budget_ns = sort_ns.max(MIN_BUDGET);
        }
        let mut ordered = view.ordered(&key, index::Direction::Forward, &range, window);
        if let Some(after) = &after {
            ordered = ordered.begin_at_values(after);
        }
        Ok(Some(KeyWalk { run, view, scope, key, range, ordered, after, budget_ns }))
    }

    /// The first rows; none if some items do not lie in the order of the walk, or it takes too long.
    async fn run(mut self, mut sort: SortRows, feed: &Arc<Feed>, trace: &mut Trace) -> Result<Option<SortRows>, Error> {
        let is_among_defined =
            self.after.as_ref().is_some_and(|keys| keys.first().is_some_and(|key| !key.is_undefined()));
        if !is_among_defined
            && !self.view.is_always_defined(&self.key)
            && self.run.has_items(KeyComponent::Undefined, feed).await?
        {
            return Ok(None);
        }
        while let Some(group) = self.ordered.next().await? {
            let Some(value) = decode(&group.value).filter(|_| group.is_decided) else { return Ok(None) };
            let Some(component) = KeyComponent::from_value(&value) else { return Ok(None) };
            if component == KeyComponent::Number(0.0) && self.run.has_items(KeyComponent::Number(-0.0), feed).await? {
                return Ok(None);
            }
            if group.goes_on {
                // What else has this value need not be read.
                self.leave_behind(&group.value);
            } else if group.postings.is_empty() {
                continue;
            }
            let looked_at;
            (sort, looked_at) = self.partition(sort, &value, component, feed, trace).await?;
            if sort.has_enough() && sort.dropped {
                break;
            }
            self.budget_ns -= looked_at as f64 * cost::SCANNED_ITEM + cost::LOOK_UP;
            if self.budget_ns < 0.0 {
                return Ok(None);
            }
        }
        trace.index.ordered(&self.key);
        Ok(Some(sort))
    }

    fn leave_behind(&mut self, value: &[u8]) {
        let window = self.ordered.window();
        let rest = self.view.ordered(&self.key, index::Direction::Forward, &self.range, window);
        self.ordered = rest.begin_behind(value);
    }

    async fn partition(
        &self,
        sort: SortRows,
        value: &Value,
        component: KeyComponent,
        feed: &Arc<Feed>,
        trace: &mut Trace,
    ) -> Result<(SortRows, u64), Error> {
        let settings = &self.run.settings;
        let partition = key::partition(&settings.partition_key, &PartitionKey::from_iter([component]));
        let range = key::partition_range(self.run.container.number(), &partition);
        if range.start < self.scope.start || self.scope.end.as_ref().is_some_and(|end| range.start >= *end) {
            return Ok((sort, 0));
        }
        let from_id = match &self.after {
            Some(keys) if keys.first() == Some(value) => KeyOrder::KeyAndId.id_of(keys),
            _ => None,
        };
        self.run.in_id_order(sort, &range, &partition, from_id, feed, trace).await
    }
}
