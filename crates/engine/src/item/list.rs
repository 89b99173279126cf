//! Lists: the items of a scope in key order, a page at a time.

use std::sync::Arc;

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Snapshot, Space, Visit, Visitor, scan};
use orrery_value::{EpkRange, PartitionKey};

use super::{Item, key};
use crate::catalog::{Container, ContainerSettings};
use crate::continuation::{self, Kind};
use crate::{Error, request_charge};

/// Bytes of JSON in one page, as on the service: a page ends when it reaches this.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Which items of a container.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// All of them.
    Container,
    /// Those whose effective partition key is in the range.
    Range(EpkRange),
    /// Those of one logical partition; with a prefix of a hierarchical key, of all logical partitions below it.
    Partition(PartitionKey),
}

/// Which page.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Items at the most.
    pub max_items: usize,
    /// Where the page before ended.
    pub continuation: Option<String>,
    /// Longest continuation that the client wants, in bytes. Of a query's, what would exceed it is left out as far as it can be; what
    /// says where an item lies cannot.
    pub token_limit_bytes: Option<usize>,
    /// Whether a query says how its page was made.
    pub explain: bool,
}

impl PageRequest {
    /// A page of so many items, from where the page before ended.
    pub fn new(max_items: usize, continuation: Option<String>) -> Self {
        PageRequest { max_items, continuation, token_limit_bytes: None, explain: false }
    }
}

/// Items in key order.
#[derive(Clone, Debug)]
pub struct ItemPage {
    /// The items.
    pub items: Vec<Item>,
    /// Where the next page begins; `None` at the end.
    pub continuation: Option<String>,
    /// Request units.
    pub charge_ru: f64,
}

/// The keys of a scope.
///
/// # Errors
/// [`Error::Invalid`] if the key has more components than the container's definition.
pub(crate) fn key_range(container: &Container, settings: &ContainerSettings, scope: &Scope) -> Result<KeyRange, Error> {
    let number = container.number();
    let definition = &settings.partition_key;
    match scope {
        Scope::Container => Ok(key::container_range(number)),
        Scope::Range(epk) => Ok(key::epk_range(number, epk)),
        Scope::Partition(partition_key) => {
            let (given, paths) = (partition_key.components().len(), definition.paths.len());
            definition.check_prefix(partition_key).map_err(|error| Error::invalid(error.to_string()))?;
            if given == paths {
                return Ok(key::partition_range(number, &key::partition(definition, partition_key)));
            }
            Ok(key::epk_range(number, &definition.epk_range(partition_key)))
        }
    }
}

/// One page of a scope.
pub(crate) async fn list_items(
    snapshot: Arc<dyn Snapshot>,
    container: &Container,
    scope: &Scope,
    page: &PageRequest,
    now: u64,
) -> Result<ItemPage, Error> {
    let settings = container.settings();
    let mut range = key_range(container, &settings, scope)?;
    if let Some(token) = &page.continuation {
        resume(&mut range, container, &continuation::decode(token, Kind::List, container, 0)?);
    }
    let visitor = PageOfItems { max_items: page.max_items.max(1), items: Vec::new(), bytes: 0, more: false };
    let rows = RowScan { range, reverse: false, settings, now };
    let page = rows.run(&*snapshot, visitor).await?;
    let continuation = match page.items.last() {
        Some(last) if page.more => Some(continuation::encode(Kind::List, container, 0, &last.0)),
        _ => None,
    };
    let charge_ru = request_charge::page(page.items.len(), page.bytes);
    Ok(ItemPage { items: page.items.into_iter().map(|(_, item)| item).collect(), continuation, charge_ru })
}

/// Moves the start of a range behind the key (without the container's number) that a page ended with.
pub(crate) fn resume(range: &mut KeyRange, container: &Container, rest: &[u8]) {
    let mut after = key::join(container.number(), rest);
    after.push(0);
    if after > range.start {
        range.start = after;
    }
}

/// A scan over the items of a range that hands on only living ones.
pub(crate) struct RowScan {
    pub range: KeyRange,
    pub reverse: bool,
    pub settings: Arc<ContainerSettings>,
    pub now: u64,
}

/// Work brought to items instead of keys and values.
pub(crate) trait ItemVisitor: Send + 'static {
    /// `rest` is the item's key without the container's number.
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error>;
}

impl RowScan {
    /// Runs the scan to its end and returns the visitor.
    pub async fn run<V: ItemVisitor>(self, snapshot: &dyn Snapshot, visitor: V) -> Result<V, Error> {
        if self.range.is_empty() {
            return Ok(visitor);
        }
        let request = Scan { space: Space::Items, range: self.range, reverse: self.reverse };
        let rows = LivingItems { visitor, settings: self.settings, now: self.now, error: None };
        let done = scan(snapshot, request, rows).await?;
        match done.error {
            Some(error) => Err(error),
            None => Ok(done.visitor),
        }
    }
}

struct LivingItems<V> {
    visitor: V,
    settings: Arc<ContainerSettings>,
    now: u64,
    error: Option<Error>,
}

impl<V: ItemVisitor> Visitor for LivingItems<V> {
    fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
        let step = Item::from_stored(value.clone()).and_then(|item| {
            if item.is_expired(&self.settings, self.now) {
                Ok(Visit::Continue)
            } else {
                self.visitor.visit(&key[4..], &item)
            }
        });
        step.unwrap_or_else(|error| {
            self.error = Some(error);
            Visit::Stop
        })
    }
}

struct PageOfItems {
    max_items: usize,
    items: Vec<(Vec<u8>, Item)>,
    bytes: usize,
    more: bool,
}

impl ItemVisitor for PageOfItems {
    fn visit(&mut self, rest: &[u8], item: &Item) -> Result<Visit, Error> {
        if self.items.len() == self.max_items || self.bytes >= MAX_PAGE_BYTES {
            self.more = true;
            return Ok(Visit::Stop);
        }
        self.bytes += item.size_bytes();
        self.items.push((rest.to_vec(), item.clone()));
        Ok(Visit::Continue)
    }
}
