//! Running a query on a container, a page at a time.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use orrery_store::Snapshot;

use super::index_access::IndexUse;
use super::{From, Plan, Query};
use crate::catalog::{Container, ContainerSettings};
use crate::item::{PageRequest, Scope};
use crate::query::collect::derived::{Derived, of_groups, run_rows};
use crate::query::collect::feed::Feed;
use crate::query::collect::groups::{Distinct, Groups, Needed};
use crate::query::collect::memory::{Held, QueryMemory};
use crate::query::explain::metrics::QueryMetrics;
use crate::query::explain::report::{Explain, Trace};
use crate::query::page::cursor::{Cursor, Place};
use crate::query::scope::access::Access;
use crate::query::scope::fan_out::{Merge, Spread, cut, run_merged};
use crate::query::scope::item_walk::WalkContext;
use crate::{Error, request_charge};

/// One page of a query's rows.
#[derive(Clone, Debug)]
pub struct QueryPage {
    /// The rows, each a finished JSON text.
    pub rows: Vec<Bytes>,
    /// Where the next page begins; none at the end. A page may be short or empty and have one.
    pub continuation: Option<String>,
    /// Request units.
    pub charge_ru: f64,
    /// What the page cost.
    pub metrics: QueryMetrics,
    /// How the page was made, if the request asked for it.
    pub explain: Option<Box<Explain>>,
}

/// What queries of one engine share.
#[derive(Clone, Debug)]
pub(crate) struct QueryRuntime {
    pub memory: Arc<QueryMemory>,
    pub spread: Spread,
    pub index_use: IndexUse,
}

/// One page of a query over the items of a scope, as of the snapshot.
///
/// # Errors
/// [`Error::Invalid`] for a bad continuation or key, or if an item takes too many steps; [`Error::OverBudget`] if the query needs
/// more memory than one may have; [`Error::Unavailable`] if all queries together do.
pub(crate) async fn execute(
    snapshot: Arc<dyn Snapshot>,
    container: &Arc<Container>,
    scope: &Scope,
    query: &Query,
    page: &PageRequest,
    now: u64,
    runtime: &QueryRuntime,
) -> Result<QueryPage, Error> {
    let started = Instant::now();
    let cursor = match &page.continuation {
        Some(token) => Cursor::resume(token, query, container, scope)?,
        None => Cursor::start(&query.plan),
    };
    let run = Run {
        snapshot,
        container,
        settings: container.settings(),
        scope,
        plan: query.plan.clone(),
        max_items: page.max_items.max(1),
        token_limit_bytes: page.token_limit_bytes,
        now,
        runtime,
    };
    let mut trace = Trace::default();
    let Output { rows, next } =
        if cursor.limit == Some(0) { Output::default() } else { run.page(cursor, &mut trace).await? };
    let output_bytes: usize = rows.iter().map(Bytes::len).sum();
    let metrics = QueryMetrics {
        items_examined: trace.examined.items,
        bytes_examined: trace.examined.bytes,
        rows_matched: trace.examined.rows,
        rows_output: rows.len() as u64,
        output_bytes: output_bytes as u64,
        scope: trace.taken,
        elapsed: started.elapsed(),
        load_time: trace.load_time,
        index_time: trace.index.look_up_time(),
        compile_time: query.compile_time,
    };
    let explain = page.explain.then(|| Box::new(trace.explain(container, &metrics)));
    Ok(QueryPage {
        charge_ru: request_charge::page(trace.examined.items as usize, trace.examined.bytes as usize),
        continuation: next.map(|next| next.to_token(query, container, scope)),
        rows,
        metrics,
        explain,
    })
}

/// One page on its way.
pub(super) struct Run<'r> {
    pub snapshot: Arc<dyn Snapshot>,
    pub container: &'r Arc<Container>,
    pub settings: Arc<ContainerSettings>,
    pub scope: &'r Scope,
    pub plan: Arc<Plan>,
    pub max_items: usize,
    pub token_limit_bytes: Option<usize>,
    pub now: u64,
    pub runtime: &'r QueryRuntime,
}

/// What a page came to.
#[derive(Default)]
pub(super) struct Output {
    pub rows: Vec<Bytes>,
    pub next: Option<Cursor>,
}

/// Where rows come from.
pub(super) enum Input {
    /// Items of the container.
    Items(Access),
    /// Rows that were computed before.
    Rows(Vec<Derived>),
}

/// What a plan does with its rows, in a form that decides how its pages continue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Scan,
    Sort,
    SortDistinct,
    Fold,
    Group,
    Distinct,
    /// Groups that are sorted or made distinct.
    Derived,
    Rank,
}

impl Run<'_> {
    async fn page(&self, cursor: Cursor, trace: &mut Trace) -> Result<Output, Error> {
        let shape = Shape::of(&self.plan);
        if !shape.continues(&self.plan, &cursor.place) {
            return Err(Error::invalid(
                "the continuation token is not one of this kind of query: repeat the request without it",
            ));
        }
        let (feed, base) = Feed::new(&self.plan);
        let feed = Arc::new(feed);
        // A page of rows as they come ends once it is full.
        let wanted_rows = matches!(shape, Shape::Scan).then(|| self.capacity(&cursor));
        let input = if matches!(base.from, From::Items) {
            let survey = self.survey(&base, trace).await?;
            if let Some(output) = self.answered_by_index(shape, &survey, &feed, &cursor, trace).await? {
                return Ok(output);
            }
            Input::Items(self.access(survey, wanted_rows, trace).await?)
        } else {
            self.input(&base, trace).await?
        };
        match shape {
            Shape::Scan => self.scanned(input, feed, cursor, trace).await,
            Shape::Sort => self.sorted(input, feed, cursor, trace).await,
            Shape::SortDistinct => self.sorted_distinct(input, feed, cursor, trace).await,
            Shape::Fold => self.folded(input, feed, &cursor, trace).await,
            Shape::Group => self.grouped(input, feed, &cursor, trace).await,
            Shape::Distinct => self.distinct(input, feed, &cursor, trace).await,
            Shape::Derived => self.derived(input, feed, &cursor, trace).await,
            Shape::Rank => self.ranked(input, feed, cursor, trace).await,
        }
    }

    /// What the rows of a plan come from. Recurses once per query in FROM.
    fn input<'s>(
        &'s self,
        base: &'s Arc<Plan>,
        trace: &'s mut Trace,
    ) -> Pin<Box<dyn Future<Output = Result<Input, Error>> + Send + 's>> {
        Box::pin(async move {
            match &base.from {
                From::SingleRow => Ok(Input::Rows(vec![Derived::single()])),
                From::Items => {
                    let survey = self.survey(base, trace).await?;
                    Ok(Input::Items(self.access(survey, None, trace).await?))
                }
                From::Query(inner) => {
                    if !inner.order.is_empty() || inner.ranking.is_some() || inner.offset > 0 || inner.limit.is_some() {
                        return Err(Error::invalid(
                            "a query in FROM can have neither ORDER BY nor TOP, OFFSET or LIMIT",
                        ));
                    }
                    let (feed, innermost) = Feed::new(inner);
                    let input = self.input(&innermost, trace).await?;
                    Ok(Input::Rows(self.materialize(&input, &Arc::new(feed), trace).await?))
                }
            }
        })
    }

    /// All rows of a plan that folds its input, or makes it distinct.
    pub(super) async fn materialize(
        &self,
        input: &Input,
        feed: &Arc<Feed>,
        trace: &mut Trace,
    ) -> Result<Vec<Derived>, Error> {
        let started = Instant::now();
        let plan = &feed.plan;
        let start = Place::Start;
        let rows = match &plan.body.grouping {
            Some(grouping) => {
                let make = || Groups::new(plan.clone(), grouping, &start, Needed::All, self.held());
                let groups = self.collect(input, feed, trace, make).await?.groups;
                let groups = groups.table.into_entries().map(|entry| (entry.hash, entry.value));
                of_groups(plan, groups, &mut self.held())?
            }
            None => {
                let make = || Distinct::new(plan.clone(), &start, Needed::All, None, self.held());
                let distinct: Distinct<orrery_value::Value> = self.collect(input, feed, trace, make).await?;
                distinct.rows.into_entries().map(|entry| Derived::new(entry.value, entry.hash)).collect()
            }
        };
        trace.stage("materialize", started, rows.len());
        Ok(rows)
    }

    /// Brings collectors to all rows of the input, side by side where that pays.
    pub(super) async fn collect<C: Merge>(
        &self,
        input: &Input,
        feed: &Arc<Feed>,
        trace: &mut Trace,
        make: impl Fn() -> C,
    ) -> Result<C, Error> {
        match input {
            Input::Items(access) => {
                let parts = cut(access.clone(), self.container, &self.settings, self.runtime.spread);
                trace.parts = trace.parts.max(parts.len());
                let parallelism = self.runtime.spread.parallelism;
                let (collector, examined) =
                    run_merged(&self.snapshot, parts, &self.walk(feed), parallelism, make).await?;
                trace.examined.add(&examined);
                Ok(collector)
            }
            Input::Rows(rows) => Ok(run_rows(rows, feed, make()).await?.0),
        }
    }

    pub(super) fn walk(&self, feed: &Arc<Feed>) -> WalkContext {
        WalkContext { feed: feed.clone(), settings: self.settings.clone(), now: self.now }
    }

    pub(super) fn held(&self) -> Held {
        Held::new(self.runtime.memory.clone())
    }

    /// Rows that this page can give at the most.
    pub(super) fn wanted(&self, cursor: &Cursor) -> usize {
        cursor.limit.map_or(self.max_items, |limit| self.max_items.min(usize::try_from(limit).unwrap_or(usize::MAX)))
    }

    /// Rows that this page looks for, those that it skips included.
    pub(super) fn capacity(&self, cursor: &Cursor) -> usize {
        usize::try_from(cursor.skip).unwrap_or(usize::MAX).saturating_add(self.wanted(cursor))
    }
}

impl Shape {
    fn of(plan: &Plan) -> Shape {
        let sorts = !plan.order.is_empty();
        match &plan.body.grouping {
            _ if plan.ranking.is_some() => Shape::Rank,
            Some(grouping) if grouping.keys.is_empty() => Shape::Fold,
            Some(_) if sorts || plan.body.distinct => Shape::Derived,
            Some(_) => Shape::Group,
            None if plan.body.distinct && sorts => Shape::SortDistinct,
            None if plan.body.distinct => Shape::Distinct,
            None if sorts => Shape::Sort,
            None => Shape::Scan,
        }
    }

    /// Whether a page of this shape can begin at a place.
    fn continues(&self, plan: &Plan, place: &Place) -> bool {
        match (place, self) {
            (Place::Start, _) => true,
            (Place::AfterKey(_) | Place::Within { .. }, shape) => matches!(shape, Shape::Scan),
            (Place::AfterHash(_), Shape::Derived) => plan.order.is_empty(),
            (Place::AfterHash(_), shape) => matches!(shape, Shape::Group | Shape::Distinct),
            (Place::Sorted { after: None, .. }, Shape::Rank) => true,
            (Place::Sorted { after, .. }, Shape::Sort | Shape::SortDistinct | Shape::Derived) => {
                !plan.order.is_empty() && after.as_ref().is_none_or(|after| after.keys.len() == plan.order.len())
            }
            (Place::Sorted { .. }, _) => false,
        }
    }
}
