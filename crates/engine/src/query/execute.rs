//! Running a query on a container, a page at a time.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use orrery_store::{Snapshot, Space};

use super::access::Access;
use super::cursor::{Cursor, Place, Position};
use super::fold_rows::FoldRows;
use super::metrics::QueryMetrics;
use super::narrow::{Narrowed, narrow};
use super::row::Row;
use super::scan::{Examined, ScanPage};
use super::sort::{Entry, MAX_SORT_BYTES, SortRows};
use super::{Datum, Effort, From, Plan, Query};
use crate::catalog::{Container, ContainerSettings};
use crate::item::{Item, MAX_PAGE_BYTES, PageRequest, Scope, key};
use crate::{Error, request_charge};

/// Items that an ordered page loads at once.
const FETCH_ITEMS: usize = 16;

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
}

/// One page of a query over the items of a scope, as of the snapshot.
///
/// # Errors
/// [`Error::Invalid`] for a bad continuation or key, or if a row takes too many steps; [`Error::OverBudget`] if sort keys are too
/// large to go on from.
pub(crate) async fn execute(
    snapshot: Arc<dyn Snapshot>,
    container: &Container,
    scope: &Scope,
    query: &Query,
    page: &PageRequest,
    now: u64,
) -> Result<QueryPage, Error> {
    let started = Instant::now();
    let cursor = match &page.continuation {
        Some(token) => Cursor::resume(token, query, container, scope)?,
        None => Cursor::start(&query.plan),
    };
    let settings = container.settings();
    let Narrowed { access, taken } = narrow(container, &settings, scope, &query.plan)?;
    let run = Run {
        snapshot: &*snapshot,
        container,
        settings,
        plan: &query.plan,
        access,
        max_items: page.max_items.max(1),
        now,
    };
    let output = run.page(cursor).await?;
    let output_bytes: usize = output.rows.iter().map(Bytes::len).sum();
    let metrics = QueryMetrics {
        items_examined: output.examined.items,
        bytes_examined: output.examined.bytes,
        rows_output: output.rows.len() as u64,
        output_bytes: output_bytes as u64,
        scope: taken,
        elapsed: started.elapsed(),
        compile_time: query.compile_time,
    };
    Ok(QueryPage {
        charge_ru: request_charge::page(output.examined.items as usize, output.examined.bytes as usize),
        continuation: output.next.map(|next| next.to_token(query, container, scope)),
        rows: output.rows,
        metrics,
    })
}

/// One page on its way.
struct Run<'r> {
    snapshot: &'r dyn Snapshot,
    container: &'r Container,
    settings: Arc<ContainerSettings>,
    plan: &'r Arc<Plan>,
    access: Access,
    max_items: usize,
    now: u64,
}

/// What a page came to.
#[derive(Default)]
struct Output {
    rows: Vec<Bytes>,
    next: Option<Cursor>,
    examined: Examined,
}

impl Run<'_> {
    async fn page(self, cursor: Cursor) -> Result<Output, Error> {
        if cursor.limit == Some(0) {
            return Ok(Output::default());
        }
        let folds = !self.plan.aggregates.is_empty();
        let sorts = !self.plan.order.is_empty();
        match (self.plan.from, cursor.place.clone()) {
            (From::SingleRow, Place::Start) if folds => {
                let mut fold = FoldRows::new(self.plan.clone());
                fold.add(&[])?;
                folded(fold, &cursor)
            }
            (From::SingleRow, Place::Start) => self.single_row(&cursor),
            (From::Items, Place::Start) if folds => self.folded(&cursor).await,
            (From::Items, Place::Start) if sorts => self.sorted(cursor, 0, None).await,
            (From::Items, Place::Sorted { passed, after }) if sorts && fits(self.plan, after.as_ref()) => {
                self.sorted(cursor, passed, after).await
            }
            (From::Items, Place::Start) => self.scanned(cursor).await,
            (From::Items, Place::AfterKey(rest)) if !sorts && !folds => {
                let access = self.access.after(self.container, &rest);
                Run { access, ..self }.scanned(cursor).await
            }
            _ => Err(Error::invalid(
                "the continuation token is not one of this kind of query: repeat the request without it",
            )),
        }
    }

    fn single_row(self, cursor: &Cursor) -> Result<Output, Error> {
        let effort = Effort::for_row();
        let row = Row::new(&[], &effort);
        let kept = self.plan.filter.as_ref().is_none_or(|filter| filter.keeps(&row));
        let output = if kept && cursor.skip == 0 { self.plan.projection.project(&row, None) } else { None };
        effort.check()?;
        Ok(Output { rows: output.into_iter().collect(), ..Output::default() })
    }

    async fn folded(self, cursor: &Cursor) -> Result<Output, Error> {
        let fold = FoldRows::new(self.plan.clone());
        folded(self.access.run(self.snapshot, self.settings, self.now, fold).await?, cursor)
    }

    async fn scanned(self, cursor: Cursor) -> Result<Output, Error> {
        let page = ScanPage::new(self.plan.clone(), self.max_items, cursor);
        let page = self.access.run(self.snapshot, self.settings, self.now, page).await?;
        Ok(Output { next: page.next().cloned(), examined: page.examined, rows: page.rows })
    }

    async fn sorted(self, cursor: Cursor, passed: u64, after: Option<Position>) -> Result<Output, Error> {
        let wanted = cursor
            .limit
            .map_or(self.max_items, |limit| self.max_items.min(usize::try_from(limit).unwrap_or(usize::MAX)));
        let capacity = usize::try_from(cursor.skip).unwrap_or(usize::MAX).saturating_add(wanted);
        let sort = SortRows::new(self.plan.clone(), after, capacity);
        let mut sort = self.access.run(self.snapshot, self.settings, self.now, sort).await?;
        let entries = sort.finish();
        let skipped = usize::try_from(cursor.skip).unwrap_or(usize::MAX).min(entries.len());
        let (rows, taken) = fetch(self.snapshot, self.container, self.plan, &entries[skipped..], wanted).await?;
        let used = skipped + taken;
        let limit = cursor.limit.map(|limit| limit - rows.len() as u64);
        let more = (used < entries.len() || sort.dropped) && limit != Some(0);
        let next = match entries.get(used.wrapping_sub(1)) {
            Some(last) if more => {
                Some(next_sorted(last, &rows, passed.saturating_add(used as u64), cursor.skip - skipped as u64, limit)?)
            }
            _ => None,
        };
        Ok(Output { rows, next, examined: sort.examined })
    }
}

fn folded(fold: FoldRows, cursor: &Cursor) -> Result<Output, Error> {
    let examined = fold.examined;
    let rows = fold.finish()?.into_iter().filter(|_| cursor.skip == 0).collect();
    Ok(Output { rows, next: None, examined })
}

/// Loads and projects rows until there are `wanted` of them or the page is full; also returns how many entries were used up.
async fn fetch(
    snapshot: &dyn Snapshot,
    container: &Container,
    plan: &Plan,
    entries: &[Entry],
    wanted: usize,
) -> Result<(Vec<Bytes>, usize), Error> {
    let (mut rows, mut row_bytes, mut used) = (Vec::new(), 0, 0);
    for chunk in entries.chunks(FETCH_ITEMS) {
        let keys = chunk.iter().map(|entry| key::join(container.number(), &entry.rest)).collect();
        for stored in snapshot.multi_get(Space::Items, keys).await? {
            if rows.len() == wanted || row_bytes >= MAX_PAGE_BYTES {
                return Ok((rows, used));
            }
            let missing =
                || Error::Unavailable { reason: "an item that a scan found is not in the same snapshot".into() };
            let item = Item::from_stored(stored.ok_or_else(missing)?)?;
            let effort = Effort::for_row();
            let sources = [Datum::Stored(item.document().root())];
            let output = plan.projection.project(&Row::new(&sources, &effort), Some(&item));
            effort.check()?;
            used += 1;
            if let Some(output) = output {
                row_bytes += output.len();
                rows.push(output);
            }
        }
    }
    Ok((rows, used))
}

/// The cursor after the last row of a page. A place too long for a token is found again by counting the rows before it, which leads
/// on only if there are rows.
fn next_sorted(last: &Entry, rows: &[Bytes], passed: u64, skip: u64, limit: Option<u64>) -> Result<Cursor, Error> {
    if last.position.is_short() {
        let place = Place::Sorted { passed, after: Some(last.position.clone()) };
        return Ok(Cursor { skip, limit, place });
    }
    if rows.is_empty() || passed > super::MAX_SORT_ROWS as u64 / 2 {
        return Err(Error::OverBudget { limit_bytes: MAX_SORT_BYTES });
    }
    Ok(Cursor { skip: skip.saturating_add(passed), limit, place: Place::Sorted { passed: 0, after: None } })
}

/// Whether a place has as many keys as the plan sorts by.
fn fits(plan: &Plan, after: Option<&Position>) -> bool {
    after.is_none_or(|position| position.keys.len() == plan.order.len())
}
