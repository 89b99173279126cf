//! Lists of entities: filtered, in the order of their keys, a page at a time.
//!
//! A page names the first key of the next one, so that it can be resumed whatever was written or deleted meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::StatusCode;
use orrery_engine::query::{Body, Direction, Expr, From, Plan, Predicate, SortKey};
use orrery_engine::{Container, Item, MAX_PAGE_BYTES, PageRequest, Query, Scope, Target, request_charge};
use orrery_table::{
    CompiledFilter, Dialect, Entity, EntityKey, EntityWriter, Error, Filter, Location, decode_continuation,
    encode_continuation, not_before,
};

use super::authorize::Access;
use super::entity_read::{partition, select, timestamp};
use super::error::ApiError;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;

/// Entities or tables of a page at the most, and if the client does not say.
const MAX_PAGE_ENTITIES: usize = 1_000;
/// A page ends after this time if it has anything, as on the service.
const MAX_PAGE_TIME: Duration = Duration::from_secs(5);

/// A page of the entities of a table.
pub(crate) async fn query(cx: &RequestContext<'_>, access: &Access, table: &str) -> Result<Reply, ApiError> {
    let level = cx.level()?;
    let page_size = page_size(cx)?;
    let select = select(cx)?;
    let table = cx.catalog().table(table, cx.dialect())?;
    let filter = cx.query.get("$filter").map(Filter::parse).transpose()?.flatten();
    let compiled = filter.as_ref().map(Filter::compile);
    let search = Search { cx, table: &table, access, filter: filter.as_ref(), compiled, from: resume_key(cx)? };
    let page = search.page(page_size).await?;
    let base = cx.base();
    let location = Location { base: &base, account: cx.account(), table: table.id() };
    let size_bytes: usize = page.items.iter().map(Item::size_bytes).sum();
    let mut body = Vec::with_capacity(256 + 2 * size_bytes);
    let entities = page.items.iter().map(|item| (item.document(), timestamp(item)));
    EntityWriter { level, location, select: select.as_ref() }.write_list(entities, &mut body);
    let reply = Reply::json(StatusCode::OK, level, body).charge(page.charge_ru);
    Ok(match page.next {
        Some(next) => reply
            .text(names::NEXT_PARTITION_KEY, &encode_continuation(&next.partition_key))
            .text(names::NEXT_ROW_KEY, &encode_continuation(&next.row_key)),
        None => reply,
    })
}

/// How many results `$top` allows in a page.
///
/// # Errors
/// 400 for what is not a number within the service's bounds.
pub(crate) fn page_size(cx: &RequestContext<'_>) -> Result<usize, Error> {
    let Some(top) = cx.query.get("$top").map(str::trim) else { return Ok(MAX_PAGE_ENTITIES) };
    let is_number = !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_digit());
    match top.parse::<usize>() {
        Ok(top @ 1..=MAX_PAGE_ENTITIES) => Ok(top),
        Ok(0) => Err(Error::invalid_input("$top must be greater than 0.")),
        // A page ends at the bound all the same.
        _ if is_number && cx.dialect() == Dialect::Cosmos => Ok(MAX_PAGE_ENTITIES),
        _ => Err(Error::invalid_input(format_args!("$top must be a number from 1 to {MAX_PAGE_ENTITIES}."))),
    }
}

/// The first key of the page, if it is not the first one.
fn resume_key(cx: &RequestContext<'_>) -> Result<Option<(String, Option<String>)>, Error> {
    let token = |name| cx.query.get(name).filter(|token| !token.is_empty()).map(decode_continuation).transpose();
    let (partition_key, row_key) = (token("NextPartitionKey")?, token("NextRowKey")?);
    match (partition_key, row_key) {
        (Some(partition_key), row_key) => Ok(Some((partition_key, row_key))),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::invalid_input("NextRowKey goes with NextPartitionKey.")),
    }
}

/// What a page is looked for with.
struct Search<'a> {
    cx: &'a RequestContext<'a>,
    table: &'a Arc<Container>,
    access: &'a Access,
    filter: Option<&'a Filter>,
    compiled: Option<CompiledFilter>,
    from: Option<(String, Option<String>)>,
}

/// A page.
struct Page {
    items: Vec<Item>,
    next: Option<EntityKey>,
    charge_ru: f64,
}

impl Search<'_> {
    async fn page(&self, page_size: usize) -> Result<Page, ApiError> {
        let mut scope = Scope::Container;
        if let Some(compiled) = &self.compiled {
            if compiled.keys.is_empty() {
                return Ok(Page { items: Vec::new(), next: None, charge_ru: request_charge::METADATA_RU });
            }
            if let Some(partition_key) = compiled.keys.partition_key.single() {
                if let Some(row_key) = compiled.keys.row_key.single() {
                    return self.point(partition_key, row_key).await;
                }
                scope = Scope::Partition(partition(partition_key));
            }
        }
        self.scan(&scope, page_size).await
    }

    /// The filter names the keys of the only entity that can pass.
    async fn point(&self, partition_key: &str, row_key: &str) -> Result<Page, ApiError> {
        let key = EntityKey { partition_key: partition_key.to_owned(), row_key: row_key.to_owned() };
        let is_passed = self
            .from
            .as_ref()
            .is_some_and(|(from, row)| (partition_key, Some(row_key)) < (from.as_str(), row.as_deref()));
        let none = Page { items: Vec::new(), next: None, charge_ru: request_charge::METADATA_RU };
        if is_passed || self.access.check_key(&key).is_err() {
            return Ok(none);
        }
        let target = Target::Id(key.row_key);
        let found = self.cx.catalog().engine().read_item(self.table, &partition(partition_key), &target).await?;
        let Some(item) = found else { return Ok(none) };
        let charge_ru = request_charge::point_read(item.size_bytes());
        let items = if self.keeps(&item) { vec![item] } else { Vec::new() };
        Ok(Page { items, next: None, charge_ru })
    }

    /// Asks the engine for more until the page is full. One entity more than the page holds is the first of the next.
    async fn scan(&self, scope: &Scope, page_size: usize) -> Result<Page, ApiError> {
        let started = Instant::now();
        let is_exact = self.compiled.as_ref().is_none_or(|compiled| compiled.is_exact);
        let wanted = page_size + 1;
        let query = self.plan(scope, is_exact.then_some(wanted as u64));
        let mut page = Page { items: Vec::new(), next: None, charge_ru: 0.0 };
        let (mut page_bytes, mut continuation) = (0, None);
        loop {
            let request = PageRequest::new(wanted - page.items.len(), continuation);
            let found = self.cx.catalog().engine().query_items(self.table, scope, &query, &request).await?;
            page.charge_ru += found.charge_ru;
            let kept = found.items.into_iter().filter(|item| is_exact || self.keeps(item));
            page.items.extend(kept.inspect(|item| page_bytes += item.size_bytes()));
            continuation = found.continuation;
            let is_full = page_bytes >= MAX_PAGE_BYTES || started.elapsed() >= MAX_PAGE_TIME;
            let has_more = continuation.is_some() && is_full && page.items.len() > 1;
            if page.items.len() == wanted || has_more {
                page.next = page.items.pop().map(|item| key_of(&item));
                return Ok(page);
            }
            if continuation.is_none() {
                return Ok(page);
            }
        }
    }

    /// Within a logical partition the order of keys is that of the store.
    fn plan(&self, scope: &Scope, limit: Option<u64>) -> Query {
        let mut conditions = self.access.bounds();
        conditions.extend(self.compiled.as_ref().and_then(|compiled| {
            match (scope, compiled.keys.partition_key.single()) {
                (Scope::Partition(_), Some(key)) => compiled.within_partition(key),
                _ => Some(compiled.expr.clone()),
            }
        }));
        if let Some((partition_key, row_key)) = &self.from {
            conditions.push(not_before(partition_key, row_key.as_deref()));
        }
        let filter = match conditions.len() {
            0 => None,
            1 => conditions.pop(),
            _ => Some(Expr::And(conditions)),
        };
        let by = |name| SortKey { expr: Expr::property(Expr::Source(0), name), direction: Direction::Ascending };
        let order = match scope {
            Scope::Partition(_) => Vec::new(),
            Scope::Container | Scope::Range(_) => vec![by("PartitionKey"), by("id")],
        };
        let body = Body { filter: filter.map(Predicate::new), ..Body::of(Expr::Source(0)) };
        // Its continuations do not leave this request.
        Query::new(Plan { from: From::Items, body, order, ranking: None, offset: 0, limit }, 0)
    }

    fn keeps(&self, item: &Item) -> bool {
        self.filter.is_none_or(|filter| filter.keeps(&Entity::from_document(item.document(), timestamp(item))))
    }
}

fn key_of(item: &Item) -> EntityKey {
    let document = item.document();
    let text = |name| document.get(name).and_then(|node| node.as_str()).unwrap_or_default().into_owned();
    EntityKey { partition_key: text("PartitionKey"), row_key: text("id") }
}
