//! Reading the parts of a scope side by side.
//!
//! Each part has a collector of its own; they are merged in the order of keys, so that what depends on that order (first appearance,
//! the order of lists) does not depend on how the scope was cut. The store bounds how many scans run at once on the whole server.

use std::collections::BTreeMap;
use std::sync::Arc;

use orrery_store::Snapshot;
use tokio::task::JoinSet;

use super::access::Access;
use super::item_walk::{ItemWalk, WalkContext};
use crate::Error;
use crate::catalog::{Container, ContainerSettings};
use crate::item::key;
use crate::query::collect::feed::{Collector, Examined};

/// Divisions of the hash space from which the cuts of a scope are taken.
const FINE_RANGES: u32 = 1024;

/// Parts for each scan that may run at once, so that parts of unequal size still end at about the same time.
const PARTS_PER_SCAN: u64 = 4;

/// A collector whose parts can be put together.
pub(in crate::query) trait Merge: Collector + Sized {
    /// Adds what was gathered from items after those of this one.
    fn merge(&mut self, later: Self) -> Result<(), Error>;
}

/// How a query is spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// Parts of one query that are read at once.
    pub parallelism: usize,
    /// A part with fewer items is not worth cutting off.
    pub items_per_part: u64,
}

/// Cuts what is to be read into parts in the order of keys, each worth a scan of its own. A small scope stays whole.
pub(in crate::query) fn cut(
    access: Access,
    container: &Container,
    settings: &ContainerSettings,
    spread: Spread,
) -> Vec<Access> {
    let items = access.index_weight_items().unwrap_or(container.usage().items);
    if spread.parallelism <= 1 || items < 2 * spread.items_per_part || !access.has_ranges() {
        return vec![access];
    }
    let bounds = orrery_value::even_ranges(settings.partition_key.kind, FINE_RANGES);
    let bounds = bounds.iter().skip(1).map(|range| key::join(container.number(), range.min.as_bytes()));
    let inside: Vec<Vec<u8>> = bounds.filter(|bound| access.reaches_over(bound)).collect();
    let items_inside = items * (inside.len() as u64 + 1) / u64::from(FINE_RANGES);
    let parts = (items_inside / spread.items_per_part.max(1)).min(spread.parallelism as u64 * PARTS_PER_SCAN);
    if parts <= 1 {
        return vec![access];
    }
    let step = (inside.len() + 1).div_ceil(parts as usize);
    let at: Vec<Vec<u8>> = inside.into_iter().skip(step - 1).step_by(step).collect();
    access.split(&at)
}

/// Reads parts, at most `parallelism` at once, and merges their collectors.
pub(in crate::query) async fn run_merged<C: Merge>(
    snapshot: &Arc<dyn Snapshot>,
    parts: Vec<Access>,
    context: &WalkContext,
    parallelism: usize,
    make: impl Fn() -> C,
) -> Result<(C, Examined), Error> {
    if parts.len() <= 1 {
        return run_one(snapshot, parts, context, make()).await;
    }
    let mut merged: Option<C> = None;
    let mut examined = Examined::default();
    let mut running = Running::new(snapshot, context, parts.into_iter());
    (0..parallelism).for_each(|_| running.start_next(&make));
    while let Some(walk) = running.next_in_order(&make).await? {
        examined.add(&walk.examined);
        match &mut merged {
            None => merged = Some(walk.collector),
            Some(merged) => merged.merge(walk.collector)?,
        }
    }
    Ok((merged.unwrap_or_else(make), examined))
}

/// Reads a part on the caller's task, which costs nothing for a small one.
async fn run_one<C: Collector>(
    snapshot: &Arc<dyn Snapshot>,
    mut parts: Vec<Access>,
    context: &WalkContext,
    collector: C,
) -> Result<(C, Examined), Error> {
    let walk = ItemWalk::new(context.clone(), collector);
    let walk = parts.pop().unwrap_or_default().run(&**snapshot, walk).await?;
    Ok((walk.collector, walk.examined))
}

/// Reads parts all at once; their collectors are returned in order.
pub(in crate::query) async fn run_side_by_side<C: Collector>(
    snapshot: &Arc<dyn Snapshot>,
    parts: Vec<Access>,
    context: &WalkContext,
    make: impl Fn() -> C,
) -> Result<Vec<(C, Examined)>, Error> {
    if parts.len() == 1 {
        let (collector, examined) = run_one(snapshot, parts, context, make()).await?;
        return Ok(vec![(collector, examined)]);
    }
    let mut running = Running::new(snapshot, context, parts.into_iter());
    while !running.waiting.as_slice().is_empty() {
        running.start_next(&make);
    }
    let mut done = Vec::new();
    while let Some(walk) = running.next_in_order(&make).await? {
        done.push((walk.collector, walk.examined));
    }
    Ok(done)
}

/// Parts being read. Dropping it ends their scans.
struct Running<'r, C> {
    snapshot: &'r Arc<dyn Snapshot>,
    context: &'r WalkContext,
    waiting: std::vec::IntoIter<Access>,
    started: usize,
    tasks: JoinSet<(usize, Result<ItemWalk<C>, Error>)>,
    /// Parts that are done before one in front of them.
    early: BTreeMap<usize, ItemWalk<C>>,
    taken: usize,
}

impl<'r, C: Collector> Running<'r, C> {
    fn new(snapshot: &'r Arc<dyn Snapshot>, context: &'r WalkContext, waiting: std::vec::IntoIter<Access>) -> Self {
        let (tasks, early) = (JoinSet::new(), BTreeMap::new());
        Running { snapshot, context, waiting, started: 0, tasks, early, taken: 0 }
    }

    fn start_next(&mut self, make: &impl Fn() -> C) {
        let Some(access) = self.waiting.next() else { return };
        let (snapshot, number) = (self.snapshot.clone(), self.started);
        let walk = ItemWalk::new(self.context.clone(), make());
        self.started += 1;
        self.tasks.spawn(async move { (number, access.run(&*snapshot, walk).await) });
    }

    /// The next part in the order of keys; none once all are taken.
    async fn next_in_order(&mut self, make: &impl Fn() -> C) -> Result<Option<ItemWalk<C>>, Error> {
        loop {
            if let Some(walk) = self.early.remove(&self.taken) {
                self.taken += 1;
                return Ok(Some(walk));
            }
            let Some(done) = self.tasks.join_next().await else { return Ok(None) };
            let (number, walk) =
                done.map_err(|error| Error::Unavailable { reason: format!("a part of the query was lost: {error}") })?;
            self.early.insert(number, walk?);
            self.start_next(make);
        }
    }
}
