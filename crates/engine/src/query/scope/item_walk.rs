//! Bringing an operator to the living items of a scan.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{PREFIX_LEN, Visit, Visitor};

use crate::Error;
use crate::catalog::ContainerSettings;
use crate::item::ItemView;
use crate::query::collect::feed::{Collector, Examined, Feed};
use crate::query::evaluation::row::{Row, Source};
use crate::query::{Datum, Effort};

/// What every walk over the items of one page shares.
#[derive(Clone)]
pub(in crate::query) struct WalkContext {
    pub feed: Arc<Feed>,
    pub settings: Arc<ContainerSettings>,
    pub now: u64,
}

/// A collector on its way through items.
pub(in crate::query) struct ItemWalk<C> {
    context: WalkContext,
    pub collector: C,
    pub examined: Examined,
    effort: Effort,
    /// Whether the collector wants no more.
    pub stopped: bool,
    error: Option<Error>,
}

impl<C: Collector> ItemWalk<C> {
    /// A walk that has seen nothing yet.
    pub fn new(context: WalkContext, collector: C) -> Self {
        let (examined, effort) = (Examined::default(), Effort::for_row());
        ItemWalk { context, collector, examined, effort, stopped: false, error: None }
    }

    /// # Errors
    /// What went wrong with an item.
    pub fn checked(mut self) -> Result<Self, Error> {
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    #[inline]
    fn item(&mut self, key: &[u8], value: &Bytes) -> Result<Visit, Error> {
        let item = ItemView::new(value)?;
        if item.is_expired(&self.context.settings, self.context.now) {
            return Ok(Visit::Continue);
        }
        if self.collector.is_full(&self.examined) {
            return Ok(Visit::Stop);
        }
        let key = key.get(PREFIX_LEN..).unwrap_or_default();
        self.examined.items += 1;
        self.examined.bytes += item.size_bytes() as u64;
        self.effort.renew();
        let source = Source::first(Datum::Stored(item.document().root()));
        let row = Row::of(&source, &self.effort);
        let number = u128::from(item.document_number());
        let (rows, end) = self.context.feed.bring(&row, key, number, Some(item), &mut self.collector);
        self.examined.rows += rows;
        self.examined.steps += self.effort.spent();
        self.effort.check()?;
        let end = end?;
        if end == Visit::Continue {
            self.collector.item_done(key);
        }
        Ok(end)
    }
}

impl<C: Collector> Visitor for ItemWalk<C> {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let step = self.item(key, value).unwrap_or_else(|error| {
            self.error = Some(error);
            Visit::Stop
        });
        self.stopped |= step == Visit::Stop;
        step
    }
}
