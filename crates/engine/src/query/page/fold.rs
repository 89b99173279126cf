//! A page of rows that many others were folded into.

use std::sync::Arc;
use std::time::Instant;

use super::cursor::{Cursor, Place};
use crate::Error;
use crate::query::collect::derived;
use crate::query::collect::feed::Feed;
use crate::query::collect::groups::{Distinct, Fold, Groups, Needed};
use crate::query::execute::{Input, Output, Run};
use crate::query::explain::report::Trace;
use crate::query::scope::access::Access;
use crate::query::scope::fan_out::{Merge, cut, run_side_by_side};

impl Run<'_> {
    /// The one row of aggregates without groups.
    pub(in crate::query) async fn folded(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let make = || Fold::new(self.plan.clone(), self.held());
        let row = self.collect(&input, &feed, trace, make).await?.finish()?;
        let rows: Vec<_> = row.into_iter().filter(|_| cursor.skip == 0).collect();
        trace.stage("aggregate", started, rows.len());
        Ok(Output { rows, next: None })
    }

    /// A page of groups.
    pub(in crate::query) async fn grouped(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let Some(grouping) = &self.plan.body.grouping else { return Ok(Output::default()) };
        let started = Instant::now();
        let needed = Needed::Page(self.capacity(cursor));
        let make = || Groups::new(self.plan.clone(), grouping, &cursor.place, needed, self.held());
        let (rows, next) = self.collect(&input, &feed, trace, make).await?.finish(cursor, self.max_items)?;
        trace.stage("group", started, rows.len());
        Ok(Output { rows, next })
    }

    /// A page of distinct rows. If all rows that the query gives fit in the page, it reads no further than it must.
    pub(in crate::query) async fn distinct(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let capacity = self.capacity(cursor);
        let in_one_page = cursor.place == Place::Start
            && cursor.limit.is_some_and(|limit| usize::try_from(limit).is_ok_and(|limit| limit <= self.max_items));
        let enough = in_one_page.then_some(capacity);
        let make = || Distinct::new(self.plan.clone(), &cursor.place, Needed::Page(capacity), enough, self.held());
        let distinct = match input {
            Input::Items(access) if in_one_page => self.some_distinct(access, &feed, trace, make).await?,
            input => self.collect(&input, &feed, trace, make).await?,
        };
        let (rows, next) = distinct.finish(cursor, self.max_items)?;
        trace.stage("distinct", started, rows.len());
        Ok(Output { rows, next })
    }

    /// Reads one part of the scope after the other, then several at once, until there are enough rows.
    async fn some_distinct(
        &self,
        access: Access,
        feed: &Arc<Feed>,
        trace: &mut Trace,
        make: impl Fn() -> Distinct<bytes::Bytes>,
    ) -> Result<Distinct<bytes::Bytes>, Error> {
        let mut parts = cut(access, self.container, &self.settings, self.runtime.spread).into_iter();
        let mut distinct = make();
        let mut width = 1;
        while !distinct.is_enough() {
            let window: Vec<Access> = parts.by_ref().take(width).collect();
            if window.is_empty() {
                break;
            }
            trace.parts += window.len();
            for (later, examined) in run_side_by_side(&self.snapshot, window, &self.walk(feed), &make).await? {
                trace.examined.add(&examined);
                if !distinct.is_enough() {
                    distinct.merge(later)?;
                }
            }
            width = (2 * width).min(self.runtime.spread.parallelism.max(1));
        }
        Ok(distinct)
    }

    /// A page of groups that are sorted or made distinct.
    pub(in crate::query) async fn derived(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: &Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let rows = self.materialize(&input, &feed, trace).await?;
        let (rows, next) = derived::page(&self.plan, rows, cursor, self.max_items, self.token_limit_bytes);
        Ok(Output { rows, next })
    }
}
