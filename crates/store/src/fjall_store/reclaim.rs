//! How the keys of dropped containers go: compaction leaves them out, and tables with nothing else in them are dropped whole.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use fjall::{AbstractTree, Keyspace};
use lsm_tree::compaction::filter::Context;
use lsm_tree::compaction::{CompactionFilter, Factory, ItemAccessor, Verdict};

use super::spaces::Spaces;
use crate::Space;
use crate::liveness::{Live, Liveness, container_of};

/// Makes the filter of each compaction.
pub(super) struct DeadKeyFilters {
    // Its panics are caught where it is called.
    liveness: AssertUnwindSafe<Arc<Liveness>>,
}

impl DeadKeyFilters {
    pub(super) fn new(liveness: Arc<Liveness>) -> Self {
        DeadKeyFilters { liveness: AssertUnwindSafe(liveness) }
    }
}

impl Factory for DeadKeyFilters {
    fn name(&self) -> &str {
        "dead-containers"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        Box::new(DeadKeyFilter { live: self.liveness.current(), last: None })
    }
}

/// Destroys keys of dead containers. No tombstone is left: nobody will read what an older table may still have of them.
struct DeadKeyFilter {
    live: Live,
    /// The container of the key before, and whether it is live: keys come in order.
    last: Option<(u32, bool)>,
}

impl CompactionFilter for DeadKeyFilter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _: &Context) -> lsm_tree::Result<Verdict> {
        let Some(container) = container_of(item.key()) else { return Ok(Verdict::Keep) };
        let live = match self.last {
            Some((last, live)) if last == container => live,
            _ => self.live.is_live(container),
        };
        self.last = Some((container, live));
        Ok(if live { Verdict::Keep } else { Verdict::Destroy })
    }
}

/// A table may hold keys of more containers than this only if these are too small to be worth its own look.
const MAX_CONTAINERS_PER_TABLE: u32 = 1 << 20;

/// Drops all tables that hold keys of dead containers only. What dead containers have in tables that they share with live ones,
/// at most two of them at each level, goes when those are compacted.
pub(super) fn drop_dead_tables(spaces: &Spaces, liveness: &Liveness) {
    let live = liveness.current();
    for space in Space::ALL.into_iter().filter(|space| *space != Space::Meta) {
        let keyspace = spaces.keyspace(space);
        for (first, last) in dead_ranges(keyspace, &live) {
            if let Err(error) = keyspace.tree.drop_range(&first[..]..=&last[..]) {
                tracing::warn!(?space, %error, "cannot drop tables of a dropped container; they are left to compaction");
            }
        }
    }
}

/// The key ranges of the tables that can be dropped.
fn dead_ranges(keyspace: &Keyspace, live: &Live) -> Vec<(lsm_tree::Slice, lsm_tree::Slice)> {
    let version = keyspace.tree.current_version();
    // fjall keeps a journal until the newest table is newer than all of it: the newest table must stay.
    let newest = version.iter_tables().max_by_key(|table| table.get_highest_seqno());
    let Some(newest) = newest.map(|table| &table.metadata.key_range) else { return Vec::new() };
    let tables = version.iter_tables().map(|table| &table.metadata.key_range);
    let droppable = tables.filter(|range| !(range.min() <= newest.min() && newest.max() <= range.max()));
    let dead = droppable.filter(|range| match (container_of(range.min()), container_of(range.max())) {
        (Some(first), Some(last)) => are_dead(first, last, live),
        _ => false,
    });
    dead.map(|range| (range.min().clone(), range.max().clone())).collect()
}

fn are_dead(first: u32, last: u32, live: &Live) -> bool {
    last.saturating_sub(first) < MAX_CONTAINERS_PER_TABLE && (first..=last).all(|container| !live.is_live(container))
}
