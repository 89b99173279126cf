//! Rows in the order of their keys: one scan from where the page before ended until this page is full.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::Visit;

use super::feed::{At, Collector, Examined};
use crate::Error;
use crate::item::MAX_PAGE_BYTES;
use crate::query::Plan;
use crate::query::evaluation::effort::MAX_STEPS_PER_ROW;
use crate::query::evaluation::row::Row;
use crate::query::page::cursor::{Cursor, Place};

/// Items that one page of an unordered query looks at. A page ends there, perhaps without any row, and a continuation goes on.
pub const MAX_ROWS_SCANNED_PER_PAGE: u64 = 100_000;

/// Steps of evaluation after which a page ends likewise; the last item may go beyond.
const MAX_STEPS_PER_PAGE: u64 = 16 * MAX_STEPS_PER_ROW;

/// Projects and counts rows until a page is full.
pub(in crate::query) struct ScanPage {
    plan: Arc<Plan>,
    max_items: usize,
    cursor: Cursor,
    pub rows: Vec<Bytes>,
    row_bytes: usize,
    /// The places after the rows, if this part of a page may have to give some of them up.
    places: Option<Vec<Place>>,
    max_scanned: u64,
    more: bool,
}

impl ScanPage {
    /// A page of at most `max_items` rows from the cursor on.
    pub fn new(plan: Arc<Plan>, max_items: usize, cursor: Cursor) -> Self {
        ScanPage {
            plan,
            max_items,
            cursor,
            rows: Vec::new(),
            row_bytes: 0,
            places: None,
            max_scanned: MAX_ROWS_SCANNED_PER_PAGE,
            more: false,
        }
    }

    /// The part of this page that comes from items after those that it has seen, to be [`append`](ScanPage::append)ed.
    /// `parts` of them together look at no more items than a page may after having looked at `scanned`.
    pub fn later_part(&self, scanned: u64, parts: u64) -> ScanPage {
        let skip = usize::try_from(self.cursor.skip).unwrap_or(usize::MAX);
        let wanted = (self.max_items - self.rows.len()).saturating_add(skip);
        let cursor = Cursor { skip: 0, limit: None, place: Place::Start };
        ScanPage {
            places: Some(Vec::new()),
            max_scanned: (MAX_ROWS_SCANNED_PER_PAGE.saturating_sub(scanned) / parts).max(1),
            ..ScanPage::new(self.plan.clone(), wanted, cursor)
        }
    }

    /// Adds the rows of the part that follows, as far as there is room for them.
    pub fn append(&mut self, later: ScanPage) {
        for (row, place) in later.rows.into_iter().zip(later.places.unwrap_or_default()) {
            if self.is_done() {
                return;
            }
            if self.has_no_room() {
                self.more = true;
                return;
            }
            self.give(row);
            self.cursor.place = place;
        }
        self.more = later.more;
        if later.cursor.place != Place::Start {
            self.cursor.place = later.cursor.place;
        }
    }

    /// Whether nothing more can be added, because the page is full or the query has all its rows.
    pub fn is_done(&self) -> bool {
        self.more || self.cursor.limit == Some(0)
    }

    /// Where the next page begins, if there may be one.
    pub fn next(&self) -> Option<&Cursor> {
        (self.more && self.cursor.limit != Some(0)).then_some(&self.cursor)
    }

    fn has_no_room(&self) -> bool {
        self.rows.len() >= self.max_items || self.row_bytes >= MAX_PAGE_BYTES
    }

    fn give(&mut self, row: Bytes) {
        if self.cursor.skip > 0 {
            self.cursor.skip -= 1;
            return;
        }
        self.row_bytes += row.len();
        self.rows.push(row);
        self.cursor.limit = self.cursor.limit.map(|limit| limit.saturating_sub(1));
    }

    fn is_passed(&self, at: &At<'_>) -> bool {
        matches!(&self.cursor.place, Place::Within { rest, rows } if at.ordinal < *rows && rest.as_slice() == at.key)
    }

    fn stop_before(&mut self, at: &At<'_>) {
        self.more = true;
        if at.ordinal > 0 {
            self.cursor.place = Place::Within { rest: at.key.to_vec(), rows: at.ordinal };
        }
    }
}

impl Collector for ScanPage {
    fn is_full(&mut self, examined: &Examined) -> bool {
        let full = self.has_no_room() || examined.items >= self.max_scanned || examined.steps >= MAX_STEPS_PER_PAGE;
        self.more |= full;
        full
    }

    fn add(&mut self, row: &Row<'_>, at: &At<'_>) -> Result<Visit, Error> {
        if self.is_passed(at) {
            return Ok(Visit::Continue);
        }
        if self.has_no_room() {
            self.stop_before(at);
            return Ok(Visit::Stop);
        }
        let projection = &self.plan.body.projection;
        let output = if self.cursor.skip > 0 {
            projection.yields(row).then(Bytes::new)
        } else {
            projection.project(row, at.item.as_ref())
        };
        if let Some(output) = output.filter(|_| !row.effort().is_exhausted()) {
            self.give(output);
            if let Some(places) = &mut self.places {
                places.push(Place::Within { rest: at.key.to_vec(), rows: at.ordinal + 1 });
            }
        }
        Ok(if self.cursor.limit == Some(0) { Visit::Stop } else { Visit::Continue })
    }

    fn item_done(&mut self, rest: &[u8]) {
        match &mut self.cursor.place {
            Place::AfterKey(key) => {
                key.clear();
                key.extend_from_slice(rest);
            }
            place => *place = Place::AfterKey(rest.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::test_items::{all, walked};
    use crate::query::{Expr, Predicate, SourceStep};

    fn page(plan: Plan, max_items: usize) -> ScanPage {
        let start = Cursor::start(&plan);
        ScanPage::new(Arc::new(plan), max_items, start)
    }

    #[test]
    fn a_page_ends_after_so_many_items_even_without_any_row() {
        let mut plan = all();
        plan.body.filter = Some(Predicate::new(Expr::Constant(false.into())));
        let (page, examined) = walked(&plan, page(plan.clone(), 10), &mut std::iter::repeat(r#"{"id":"a"}"#));
        assert_eq!(examined.items, MAX_ROWS_SCANNED_PER_PAGE);
        assert!(page.rows.is_empty());
        assert_eq!(page.next().map(|next| next.place.clone()), Some(Place::AfterKey(b"key".to_vec())));
    }

    #[test]
    fn a_page_may_end_inside_of_an_item() {
        let mut plan = all();
        plan.body.sources = vec![SourceStep::Each(Expr::property(Expr::Source(0), "tags"))];
        plan.body.projection = Expr::Source(1);
        let bodies = [r#"{"id":"a","tags":[1,2,3]}"#, r#"{"id":"b","tags":[4]}"#];
        let (first, _) = walked(&plan, page(plan.clone(), 2), &mut bodies.into_iter());
        assert_eq!(first.rows, ["1", "2"]);
        let next = first.next().unwrap().clone();
        assert_eq!(next.place, Place::Within { rest: b"key".to_vec(), rows: 2 });
        let rest = ScanPage::new(Arc::new(plan.clone()), 2, next);
        let (rest, _) = walked(&plan, rest, &mut bodies[..1].iter().copied());
        assert_eq!((rest.rows.len(), rest.next()), (1, None));
    }
}
