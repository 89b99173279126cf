//! Rows in the order of their keys: one scan from where the page before ended until this page is full.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;

use super::cursor::{Cursor, Place};
use super::effort::MAX_STEPS_PER_ROW;
use super::row::Row;
use super::{Datum, Effort, Plan};
use crate::Error;
use crate::item::{Item, ItemVisitor, MAX_PAGE_BYTES};

/// Items that one page of an unordered query looks at. A page ends there, perhaps without any row, and a continuation goes on.
pub const MAX_ROWS_SCANNED_PER_PAGE: u64 = 100_000;

/// Steps of evaluation after which a page ends likewise; the last row may go beyond.
const MAX_STEPS_PER_PAGE: u64 = 16 * MAX_STEPS_PER_ROW;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Examined {
    pub items: u64,
    pub bytes: u64,
    pub steps: u64,
}

impl Examined {
    pub fn add(&mut self, item: &Item) {
        self.items += 1;
        self.bytes += item.size_bytes() as u64;
    }

    /// Ends a row.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it cost too much.
    pub fn finish_row(&mut self, effort: &Effort) -> Result<(), Error> {
        self.steps += effort.spent();
        effort.check()
    }
}

/// Filters, projects and counts rows until a page is full.
pub(super) struct ScanPage {
    plan: Arc<Plan>,
    max_items: usize,
    cursor: Cursor,
    pub rows: Vec<Bytes>,
    pub row_bytes: usize,
    pub examined: Examined,
    more: bool,
}

impl ScanPage {
    /// A page of at most `max_items` rows from the cursor on.
    pub fn new(plan: Arc<Plan>, max_items: usize, cursor: Cursor) -> Self {
        ScanPage { plan, max_items, cursor, rows: Vec::new(), row_bytes: 0, examined: Examined::default(), more: false }
    }

    /// Where the next page begins, if there may be one.
    pub fn next(&self) -> Option<&Cursor> {
        self.more.then_some(&self.cursor)
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= self.max_items
            || self.row_bytes >= MAX_PAGE_BYTES
            || self.examined.items >= MAX_ROWS_SCANNED_PER_PAGE
            || self.examined.steps >= MAX_STEPS_PER_PAGE
    }

    fn take(&mut self, item: &Item) -> Result<(), Error> {
        let effort = Effort::for_row();
        let output = self.output(item, &effort);
        self.examined.finish_row(&effort)?;
        let Some(output) = output else { return Ok(()) };
        if self.cursor.skip > 0 {
            self.cursor.skip -= 1;
            return Ok(());
        }
        self.row_bytes += output.len();
        self.rows.push(output);
        self.cursor.limit = self.cursor.limit.map(|limit| limit - 1);
        Ok(())
    }

    fn output(&self, item: &Item, effort: &Effort) -> Option<Bytes> {
        let sources = [Datum::Stored(item.document().root())];
        let row = Row::new(&sources, effort);
        if self.plan.filter.as_ref().is_some_and(|filter| !filter.keeps(&row)) {
            return None;
        }
        if self.cursor.skip > 0 {
            return self.plan.projection.yields(&row).then(Bytes::new);
        }
        self.plan.projection.project(&row, Some(item))
    }
}

impl ItemVisitor for ScanPage {
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error> {
        if self.is_full() {
            self.more = true;
            return Ok(Visit::Stop);
        }
        self.examined.add(item);
        match &mut self.cursor.place {
            Place::AfterKey(key) => {
                key.clear();
                key.extend_from_slice(rest);
            }
            place => *place = Place::AfterKey(rest.to_vec()),
        }
        self.take(item)?;
        Ok(if self.cursor.limit == Some(0) { Visit::Stop } else { Visit::Continue })
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_items::{all, item};
    use super::super::{Expr, Predicate};
    use super::*;

    #[test]
    fn a_page_ends_after_so_many_items_even_without_any_row() {
        let plan = Plan { filter: Some(Predicate::new(Expr::Constant(false.into()))), ..all() };
        let start = Cursor::start(&plan);
        let mut page = ScanPage::new(Arc::new(plan), 10, start);
        let item = item(r#"{"id":"a"}"#, 1);
        let mut visited = 0;
        while page.visit(b"key", &item).unwrap() == Visit::Continue {
            visited += 1;
        }
        assert_eq!(visited, MAX_ROWS_SCANNED_PER_PAGE);
        assert!(page.rows.is_empty());
        assert_eq!(page.next().map(|next| next.place.clone()), Some(Place::AfterKey(b"key".to_vec())));
    }
}
