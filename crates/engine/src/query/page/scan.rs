//! A page in the order of keys. It reads one part of the scope after the other, and several at once as long as they give few rows.

use std::sync::Arc;
use std::time::Instant;

use super::cursor::{Cursor, Place};
use crate::Error;
use crate::query::collect::derived::{Derived, run_rows};
use crate::query::collect::feed::Feed;
use crate::query::collect::scan::ScanPage;
use crate::query::execute::{Input, Output, Run};
use crate::query::explain::report::Trace;
use crate::query::scope::access::Access;
use crate::query::scope::fan_out::{cut, run_side_by_side};
use crate::query::scope::item_walk::ItemWalk;

impl Run<'_> {
    /// A page of rows as they come.
    pub(in crate::query) async fn scanned(
        &self,
        input: Input,
        feed: Arc<Feed>,
        cursor: Cursor,
        trace: &mut Trace,
    ) -> Result<Output, Error> {
        let started = Instant::now();
        let page = match input {
            Input::Items(access) => self.scanned_items(access, &feed, cursor, trace).await?,
            Input::Rows(rows) => self.scanned_rows(rows, &feed, cursor).await?,
        };
        trace.stage("scan", started, page.rows.len());
        Ok(Output { next: page.next().cloned(), rows: page.rows })
    }

    async fn scanned_items(
        &self,
        access: Access,
        feed: &Arc<Feed>,
        cursor: Cursor,
        trace: &mut Trace,
    ) -> Result<ScanPage, Error> {
        let number = self.container.number();
        let access = match &cursor.place {
            Place::AfterKey(rest) => access.after(number, rest),
            Place::Within { rest, .. } => access.at_or_after(number, rest),
            Place::Start | Place::AfterHash(_) | Place::Sorted { .. } => access,
        };
        let mut parts = cut(access, self.container, &self.settings, self.runtime.spread).into_iter();
        let page = ScanPage::new(self.plan.clone(), self.max_items, cursor);
        let walk = ItemWalk::new(self.walk(feed), page);
        let walk = parts.next().unwrap_or_default().run(&*self.snapshot, walk).await?;
        trace.examined.add(&walk.examined);
        trace.parts = 1;
        let mut page = walk.collector;
        let mut width = 1;
        while !page.is_done() {
            width = (2 * width).min(self.runtime.spread.parallelism.max(1));
            let window: Vec<Access> = parts.by_ref().take(width).collect();
            if window.is_empty() {
                break;
            }
            trace.parts += window.len();
            let (scanned, count) = (trace.examined.items, window.len() as u64);
            let make = || page.later_part(scanned, count);
            let later = run_side_by_side(&self.snapshot, window, &self.walk(feed), make).await?;
            for (later, examined) in later {
                trace.examined.add(&examined);
                if !page.is_done() {
                    page.append(later);
                }
            }
        }
        Ok(page)
    }

    /// Rows in memory come in the order in which they were made if all fit in one page, else in the order of their hashes.
    async fn scanned_rows(&self, mut rows: Vec<Derived>, feed: &Arc<Feed>, cursor: Cursor) -> Result<ScanPage, Error> {
        if cursor.place == Place::Start {
            let page = ScanPage::new(self.plan.clone(), self.max_items, cursor.clone());
            let (page, _) = run_rows(&rows, feed, page).await?;
            if page.next().is_none() {
                return Ok(page);
            }
        }
        rows.sort_by_key(|row| row.position.number);
        match &cursor.place {
            Place::AfterKey(rest) => rows.retain(|row| row.key().as_slice() > rest.as_slice()),
            Place::Within { rest, .. } => rows.retain(|row| row.key().as_slice() >= rest.as_slice()),
            Place::Start | Place::AfterHash(_) | Place::Sorted { .. } => {}
        }
        let page = ScanPage::new(self.plan.clone(), self.max_items, cursor);
        Ok(run_rows(&rows, feed, page).await?.0)
    }
}
