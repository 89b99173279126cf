//! Aggregates that the index, or the container's counters, know without a look at the items.

use std::ops::ControlFlow;
use std::time::Instant;

use orrery_store::{KeyRange, Space};
use orrery_value::{PropertyPath, Value};

use super::super::execute::{Output, Run};
use super::super::{Aggregate, AggregateFunction, Datum, Effort, Expr, Kind};
use super::condition::Known;
use super::page_access::Survey;
use super::place::Place;
use super::search::window_of;
use super::seek::{Condition, Seek, SeekKind};
use crate::Error;
use crate::index::{Coverage, Direction, IndexPath, IndexView, PathKey, Step, ValueRange};
use crate::item::{Counters, ItemView, Scope, key};
use crate::query::collect::groups::project_fold;
use crate::query::evaluation::row::{Row, Source};
use crate::query::explain::report::Trace;
use crate::query::page::cursor::Cursor;
use crate::query::scope::access::Span;

/// Versions that are looked at for the first living value.
const MAX_LOOKED_AT: usize = 4_096;

/// Items that are loaded at once.
const LOADED_AT_ONCE: usize = 16;

impl Run<'_> {
    /// The row of aggregates without groups, if each of them is known without reading the items that count.
    pub(super) async fn aggregated_by_index(
        &self,
        survey: &Survey,
        view: &IndexView,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Option<Output>, Error> {
        let started = Instant::now();
        let mut results = Vec::new();
        for aggregate in self.plan.body.aggregates() {
            let Some(result) = self.aggregate(aggregate, survey, view, trace).await? else { return Ok(None) };
            results.push(result);
        }
        trace.index.aggregated();
        let row = project_fold(&self.plan, &results)?;
        let rows: Vec<_> = row.into_iter().filter(|_| cursor.skip == 0).collect();
        trace.stage("aggregate by index", started, rows.len());
        Ok(Some(Output { rows, next: None }))
    }

    async fn aggregate(
        &self,
        aggregate: &Aggregate,
        survey: &Survey,
        view: &IndexView,
        trace: &mut Trace,
    ) -> Result<Option<Value>, Error> {
        if !survey.plan.body.sources.is_empty() {
            return Ok(None);
        }
        match (aggregate.function, &aggregate.argument) {
            (AggregateFunction::Count, Expr::Constant(value)) if !value.is_undefined() => {
                self.counted(survey.known.clone(), survey, trace).await
            }
            (AggregateFunction::Count, Expr::Source(0)) => self.counted(survey.known.clone(), survey, trace).await,
            (AggregateFunction::Count, argument) => match argument.as_item_path().and_then(place_of) {
                Some(place) => {
                    let is_there = Seek::new(place, vec![ValueRange::defined()], SeekKind::Type);
                    let is_there = Known { condition: Some(Condition::Seek(is_there)), is_exact: true };
                    self.counted(Known::all([survey.known.clone(), is_there]), survey, trace).await
                }
                None => Ok(None),
            },
            (AggregateFunction::Min | AggregateFunction::Max, argument) => match argument.as_item_path() {
                Some(path) => self.extreme(aggregate.function, path, survey, view).await,
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// How many items agree with a condition.
    async fn counted(&self, known: Known, survey: &Survey, trace: &mut Trace) -> Result<Option<Value>, Error> {
        // What has expired is still in the counters and in the index.
        if self.settings.default_ttl.is_some() || !known.is_exact {
            return Ok(None);
        }
        let count = if known == Known::ALWAYS {
            if *self.scope != Scope::Container {
                return Ok(None);
            }
            let counters = self.snapshot.get(Space::Meta, &key::counters(self.container.number())).await?;
            counters.map_or(0, |counters| Counters::decode(&counters).items)
        } else {
            let Some(choice) = self.count_choice(&known, survey).await? else { return Ok(None) };
            if !choice.search.as_ref().is_some_and(|search| search.is_exact) {
                return Ok(None);
            }
            let mut count = 0;
            for span in &choice.access.spans {
                let Span::Index(found) = span else { return Ok(None) };
                count += found.count().await?;
            }
            trace.index.chosen(&choice);
            count
        };
        Ok(Some(Value::from(i64::try_from(count).unwrap_or(i64::MAX))))
    }

    /// MIN or MAX of a path, if all items count or those with a value in one range.
    async fn extreme(
        &self,
        function: AggregateFunction,
        path: &PropertyPath,
        survey: &Survey,
        view: &IndexView,
    ) -> Result<Option<Value>, Error> {
        let Some(place) = place_of(path) else { return Ok(None) };
        let key = PathKey::Single(place.path);
        let range = match &survey.known {
            known if *known == Known::ALWAYS => ValueRange::defined(),
            Known { condition: Some(Condition::Seek(seek)), is_exact: true }
                if seek.key == key && seek.source == Some(0) && seek.ranges.len() == 1 =>
            {
                seek.ranges[0].clone()
            }
            _ => return Ok(None),
        };
        let [Span::Range(scope)] = &survey.narrowed.access.spans[..] else { return Ok(None) };
        if view.coverage(&key) != Coverage::Ready {
            return Ok(None);
        }
        // As soon as there is an array or object, there is no extreme; these are the greatest values.
        let Some(greatest) = self.first_value(view, &key, Direction::Backward, &range, path, scope).await? else {
            return Ok(None);
        };
        let extreme = match greatest {
            Some(value) if Datum::Borrowed(&value).kind() >= Kind::Array => None,
            Some(_) if function == AggregateFunction::Min => {
                let Some(least) = self.first_value(view, &key, Direction::Forward, &range, path, scope).await? else {
                    return Ok(None);
                };
                least
            }
            greatest => greatest,
        };
        Ok(Some(extreme.unwrap_or_default()))
    }

    /// The value of the first living item in an order, as the item spells it; none inside if there is no such item, none outside if
    /// it was not found soon, or only the items know which is the first.
    async fn first_value(
        &self,
        view: &IndexView,
        key: &PathKey,
        direction: Direction,
        range: &ValueRange,
        path: &PropertyPath,
        scope: &KeyRange,
    ) -> Result<Option<Option<Value>>, Error> {
        let Some(window) = window_of(view, scope) else { return Ok(Some(None)) };
        let mut ordered = view.ordered(key, direction, range, window);
        let mut looked_at = 0;
        while let Some(group) = ordered.next().await? {
            let is_container = group.value.first().is_some_and(|tag| *tag >= crate::index::ValueType::Array as u8);
            looked_at += group.postings.len();
            if !group.is_decided && !is_container || looked_at > MAX_LOOKED_AT {
                return Ok(None);
            }
            let located = view.resolve(&group.postings, scope).await?;
            for chunk in located.chunks(LOADED_AT_ONCE) {
                let keys = chunk.iter().map(|located| located.item_key.clone()).collect();
                let stored = self.snapshot.multi_get(Space::Items, keys).await?;
                let values = stored.into_iter().flatten().try_for_each(|bytes| match self.living_value(&bytes, path) {
                    Ok(None) => ControlFlow::Continue(()),
                    other => ControlFlow::Break(other),
                });
                if let ControlFlow::Break(value) = values {
                    return value.map(Some);
                }
            }
        }
        Ok(Some(None))
    }

    fn living_value(&self, bytes: &bytes::Bytes, path: &PropertyPath) -> Result<Option<Value>, Error> {
        let item = ItemView::new(bytes)?;
        if item.is_expired(&self.settings, self.now) {
            return Ok(None);
        }
        let effort = Effort::for_row();
        let source = Source::first(Datum::Stored(item.document().root()));
        let value = Row::of(&source, &effort).path(0, path).into_value();
        Ok((!value.is_undefined()).then_some(value))
    }
}

fn place_of(path: &PropertyPath) -> Option<Place> {
    let steps = path.segments().iter().map(|name| Step::Name(name.as_str().into()));
    (!path.is_root()).then(|| Place { path: IndexPath::new(steps.collect()), source: Some(0) })
}
