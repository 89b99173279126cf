//! Reading the parts of a scope side by side.
//!
//! Each part has a collector of its own; they are merged in the order of keys, so that what depends on that order (first appearance,
//! the order of lists) does not depend on how the scope was cut. The store bounds how many scans run at once on the whole server.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use orrery_store::{KeyRange, Snapshot};
use orrery_value::{Epk, PartitionKeyKind, even_ranges};
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
    let bounds = fine_bounds(settings.partition_key.kind);
    let inside: Vec<Range<usize>> =
        access.ranges().map(|range| bounds_within(range, container.number(), bounds)).collect();
    let count: usize = inside.iter().map(Range::len).sum();
    let items_inside = items * (count as u64 + 1) / u64::from(FINE_RANGES);
    let parts = (items_inside / spread.items_per_part.max(1)).min(spread.parallelism as u64 * PARTS_PER_SCAN);
    if parts <= 1 {
        return vec![access];
    }
    let step = (count + 1).div_ceil(parts as usize);
    let at = inside.into_iter().flatten().skip(step - 1).step_by(step);
    let at: Vec<Vec<u8>> = at.map(|bound| key::join(container.number(), bounds[bound].as_bytes())).collect();
    access.split(&at)
}

/// Where [`FINE_RANGES`] divisions meet, in ascending order. Made once: queries of one logical partition come here as well.
fn fine_bounds(kind: PartitionKeyKind) -> &'static [Epk] {
    static OF_V1: LazyLock<Vec<Epk>> = LazyLock::new(|| inner_bounds(PartitionKeyKind::HashV1));
    static OF_V2: LazyLock<Vec<Epk>> = LazyLock::new(|| inner_bounds(PartitionKeyKind::HashV2));
    match kind {
        PartitionKeyKind::HashV1 => &OF_V1,
        PartitionKeyKind::HashV2 | PartitionKeyKind::MultiHash => &OF_V2,
    }
}

fn inner_bounds(kind: PartitionKeyKind) -> Vec<Epk> {
    even_ranges(kind, FINE_RANGES).into_iter().skip(1).map(|range| range.min).collect()
}

/// Which of the ascending `bounds` a range of a container's items has keys on both sides of.
fn bounds_within(range: &KeyRange, container: u32, bounds: &[Epk]) -> Range<usize> {
    let prefix = container.to_be_bytes();
    let compare = |bound: &Epk, key: &[u8]| {
        let (head, rest) = key.split_at(key.len().min(prefix.len()));
        prefix.as_slice().cmp(head).then_with(|| bound.as_bytes().cmp(rest))
    };
    let first = bounds.partition_point(|bound| compare(bound, &range.start).is_le());
    let end = range.end.as_deref();
    let last = end.map_or(bounds.len(), |end| bounds.partition_point(|bound| compare(bound, end).is_lt()));
    first..last.max(first)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bounds_within_a_range_are_those_with_keys_on_both_sides(
            start in proptest::collection::vec(0..4u8, 0..7),
            end in proptest::option::of(proptest::collection::vec(0..4u8, 0..7)),
            bounds in proptest::collection::btree_set(proptest::collection::vec(0..4u8, 1..4), 0..20),
        ) {
            // Keys of container 0 begin with four zeros, so that ranges begin and end before, in and behind it.
            let bounds: Vec<Epk> = bounds.into_iter().map(Epk::from_bytes).collect();
            let range = KeyRange { start, end };
            let is_inside = |bound: &Epk| {
                let key = key::join(0, bound.as_bytes());
                range.start < key && range.end.as_ref().is_none_or(|end| *end > key)
            };
            let expected: Vec<usize> = (0..bounds.len()).filter(|number| is_inside(&bounds[*number])).collect();
            prop_assert_eq!(bounds_within(&range, 0, &bounds).collect::<Vec<_>>(), expected);
        }
    }
}
