//! The task that keeps indexes near the feed: it extracts what is new, writes runs, makes indexes anew and frees memory.
//!
//! It is the only one that writes runs and that changes which index serves. It goes from container to container, a slice of work at a
//! time, so that a large one does not keep the others waiting.

use std::collections::HashMap;
use std::sync::Arc;

use orrery_store::Space;
use tokio::sync::{mpsc, watch};

use super::container_index::{IndexRecord, IndexRecords};
use super::generation::{Generation, Stride};
use super::shared::Indexes;
use crate::catalog::Container;
use crate::item::{Counters, key};
use crate::{Engine, Error};

/// Batches of one container before another one's turn.
const BATCHES_PER_SLICE: usize = 8;

/// Ticks without a write after which an index counts as idle.
const IDLE_TICKS: u32 = 2;

/// Ticks until what failed is tried again.
const RETRY_TICKS: u32 = 10;

/// Idle ticks between two looks at whether something was left undone.
const RECHECK_TICKS: u32 = 4;

/// Runs until the engine is dropped or stopped; then writes what would take long to index again.
pub(crate) async fn run(
    engine: impl Fn() -> Option<Engine>,
    shared: Arc<Indexes>,
    mut wanting: mpsc::UnboundedReceiver<Arc<Container>>,
    mut stop: watch::Receiver<bool>,
) {
    let mut ticks = tokio::time::interval(shared.options.tick);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut seen, mut ticked) = (HashMap::new(), 0u32);
    loop {
        let event = tokio::select! {
            biased;
            () = async { drop(stop.wait_for(|stop| *stop).await) } => Event::Stop,
            _ = ticks.tick() => Event::Tick,
            Some(container) = wanting.recv() => Event::Wanted(container),
        };
        let Some(engine) = engine() else { return };
        let follower = Follower { engine, shared: &shared };
        match event {
            Event::Stop => return follower.finish().await,
            Event::Tick => {
                follower.tick(&mut seen).await;
                ticked += 1;
                if ticked.is_multiple_of(RETRY_TICKS) {
                    follower.retry();
                }
            }
            Event::Wanted(container) => follower.serve(&container).await,
        }
    }
}

enum Event {
    Stop,
    Tick,
    Wanted(Arc<Container>),
}

/// What is known of a container's index at the last tick.
#[derive(Clone, Copy, Default)]
struct Seen {
    reached: u64,
    idle_ticks: u32,
}

struct Follower<'a> {
    engine: Engine,
    shared: &'a Indexes,
}

/// Which of a container's indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Serving,
    Building,
}

impl Follower<'_> {
    /// A slice of work on a container; it goes to the end of the queue if there is more.
    async fn serve(&self, container: &Arc<Container>) {
        container.index().dequeued();
        if !self.engine.is_live(container) {
            self.forget(container);
            return;
        }
        match self.follow(container).await {
            Ok(more) => {
                self.relieve(container).await;
                if more {
                    container.index().follow_soon(container);
                }
            }
            Err(error) => {
                // Writers must not wait for this, nor try again with every write.
                container.index().set_following(false);
                container.index().hold_back();
                self.shared.failed().push(container.clone());
                tracing::warn!(container = container.id(), %error, "cannot bring the index up to date now");
            }
        }
    }

    fn retry(&self) {
        for failed in std::mem::take(&mut *self.shared.failed()) {
            failed.index().dequeued();
            failed.index().follow_soon(&failed);
        }
    }

    /// Whether there is more to do.
    async fn follow(&self, container: &Arc<Container>) -> Result<bool, Error> {
        let index = container.index();
        if !container.settings().index_policy.is_active() {
            self.retire_all(container).await?;
            index.set_following(false);
            index.set_reached(container.head());
            return Ok(false);
        }
        let Some(serving) = index.serving(container).await? else { return Ok(false) };
        let serving = self.begin_anew_if_needed(container, serving).await?;
        let mut more = self.advance(container, &serving, Role::Serving).await?;
        index.note_reached(&serving);
        if !index.is_behind_by(container, self.shared.options.max_lag_rows / 2 + 1) {
            index.set_following(true);
        }
        let building = index.slots().building.clone();
        if let Some(building) = building {
            let is_behind = self.advance(container, &building, Role::Building).await?;
            more |= is_behind;
            if !is_behind {
                self.take_over(container, building).await?;
            }
        }
        Ok(more)
    }

    /// Indexes some batches and writes a run if the tail is large. True if the index is still behind.
    async fn advance(
        &self,
        container: &Arc<Container>,
        generation: &Arc<Generation>,
        role: Role,
    ) -> Result<bool, Error> {
        let options = &self.shared.options;
        for _ in 0..BATCHES_PER_SLICE {
            let snapshot = self.shared.store.snapshot();
            let counters = snapshot.get(Space::Meta, &key::counters(container.number())).await?;
            let Some(counters) = counters.map(|bytes| Counters::decode(&bytes)) else { return Ok(false) };
            let head = counters.last_number;
            let lag_rows = head.saturating_sub(generation.reached()).min(counters.items);
            // Few rows are left to the next query, or to the next time; but one that is to take over has to be there.
            if generation.reached() >= head || (lag_rows < options.follow_rows && role == Role::Serving) {
                return Ok(false);
            }
            let batch_rows = options.batch_rows;
            let stride = Stride { batch_rows, max_rows: batch_rows, merge_rows: u64::MAX };
            generation.catch_up(&*snapshot, head, stride).await?;
            if generation.tail().size().1 >= options.seal_bytes {
                self.seal(container, generation, role).await?;
            }
        }
        Ok(true)
    }

    /// Writes the tail of an index to disk.
    async fn seal(&self, container: &Arc<Container>, generation: &Arc<Generation>, role: Role) -> Result<(), Error> {
        if generation.owner().is_none() {
            let records = |owner| {
                let record = Some(IndexRecord { owner, policy: generation.policy.source().clone() });
                let IndexRecords { serving, building } = container.index_records();
                match role {
                    Role::Serving => IndexRecords { serving: record, building },
                    Role::Building => IndexRecords { serving, building: record },
                }
            };
            let before = container.index_records();
            generation.set_owner(self.engine.new_index_owner(container, records).await?);
            // Those of an index that could not be read.
            let now: Vec<u32> = container.index_records().owners().collect();
            before
                .owners()
                .filter(|owner| !now.contains(owner))
                .for_each(|owner| self.engine.release_index_owner(owner));
        }
        let rows = generation.seal(&*self.shared.store).await?;
        tracing::debug!(container = container.id(), rows, "wrote a run of the index");
        if !self.engine.is_live(container)
            && let Some(owner) = generation.owner()
        {
            // It was dropped meanwhile, and its rows before these were reclaimed already.
            self.shared.store.reclaim(owner);
        }
        Ok(())
    }

    /// Begins another index if the policy has changed or most versions in this one are dead. Returns the one that serves.
    async fn begin_anew_if_needed(
        &self,
        container: &Arc<Container>,
        serving: Arc<Generation>,
    ) -> Result<Arc<Generation>, Error> {
        let index = container.index();
        let policy = container.settings().index_policy.clone();
        let building = index.slots().building.clone();
        if let Some(building) = &building {
            if building.policy == policy {
                return Ok(serving);
            }
            self.drop_building(container).await?;
        }
        let versions = serving.stats().versions;
        let items = container.usage().items;
        let is_mostly_dead = versions >= self.shared.options.rebuild_min_versions && items < versions / 2;
        if serving.policy == policy && !is_mostly_dead {
            if container.index_records().building.is_some() {
                self.drop_building(container).await?;
            }
            return Ok(serving);
        }
        let record = container.index_records().building.filter(|_| building.is_none());
        let next = match record {
            // It was begun before the server was last stopped.
            Some(record) => {
                Some(index.load(self.shared, container, &record).await?).filter(|next| next.policy == policy)
            }
            None => None,
        };
        let next = Arc::new(match next {
            Some(next) => next,
            None => {
                self.drop_building(container).await?;
                index.empty(self.shared, container, policy)
            }
        });
        if serving.owner().is_none() {
            // Nothing on disk: what it has is soon indexed again, and a policy that was replaced serves nobody.
            let mut slots = index.slots();
            slots.serving = Some(next.clone());
            drop(slots);
            index.set_following(false);
            index.set_reached(next.reached());
            return Ok(next);
        }
        tracing::info!(container = container.id(), versions, items, "making the index anew");
        index.slots().building = Some(next);
        Ok(serving)
    }

    /// Lets an index that is as far as the feed serve instead of the one before it.
    async fn take_over(&self, container: &Arc<Container>, building: Arc<Generation>) -> Result<(), Error> {
        let records = container.index_records();
        let record = building.owner().and(records.building.clone());
        self.engine.change_indexes(container, IndexRecords { serving: record, building: None }).await?;
        let index = container.index();
        {
            let mut slots = index.slots();
            slots.building = None;
            let before = slots.serving.replace(building.clone());
            slots.retired.extend(before);
        }
        index.set_reached(building.reached());
        tracing::info!(container = container.id(), "the new index serves");
        Ok(())
    }

    /// Gives up an index that was being made.
    async fn drop_building(&self, container: &Arc<Container>) -> Result<(), Error> {
        let IndexRecords { serving, building } = container.index_records();
        if building.is_some() {
            self.engine.change_indexes(container, IndexRecords { serving, building: None }).await?;
        }
        let dropped = container.index().slots().building.take();
        if let Some(owner) = building.map(|record| record.owner) {
            // No query ever read it.
            self.engine.release_index_owner(owner);
        }
        drop(dropped);
        Ok(())
    }

    /// Gives up all indexes of a container that has none any more.
    async fn retire_all(&self, container: &Arc<Container>) -> Result<(), Error> {
        self.drop_building(container).await?;
        // A query may still read what is on disk: it must be in memory to know when none does.
        let records = container.index_records();
        if let Some(record) = records.serving {
            let index = container.index();
            let is_loaded = index.slots().serving.is_some();
            let loaded = if is_loaded { None } else { Some(index.load(self.shared, container, &record).await?) };
            self.engine.change_indexes(container, IndexRecords::default()).await?;
            let mut slots = index.slots();
            let retired = loaded.map(Arc::new).or_else(|| slots.serving.take());
            slots.retired.extend(retired);
            self.shared.loaded().insert(container.number(), container.clone());
        }
        container.index().slots().serving = None;
        container.births().forget_index();
        Ok(())
    }

    /// Frees memory if indexes take too much: writes the tail of the container at hand if it is worth a run, else forgets it.
    async fn relieve(&self, container: &Arc<Container>) {
        if self.shared.is_over_memory() {
            self.make_room(container).await;
        }
    }

    async fn make_room(&self, container: &Arc<Container>) {
        let slots = |role| {
            let slots = container.index().slots();
            match role {
                Role::Serving => slots.serving.clone(),
                Role::Building => slots.building.clone(),
            }
        };
        for role in [Role::Serving, Role::Building] {
            let Some(generation) = slots(role) else { continue };
            generation.tail().forget_history();
            if generation.tail().size().0 < self.shared.options.seal_min_rows {
                continue;
            }
            if let Err(error) = self.seal(container, &generation, role).await {
                tracing::warn!(container = container.id(), %error, "cannot write a run of the index now");
            }
            generation.tail().forget_history();
        }
        if self.shared.is_over_memory() {
            container.index().unload();
            self.shared.loaded().remove(&container.number());
        }
    }

    /// Looks at all containers in memory: frees what nobody needs, writes runs of idle ones, and has those followed that are behind.
    async fn tick(&self, seen: &mut HashMap<u32, Seen>) {
        let loaded: Vec<Arc<Container>> = self.shared.loaded().values().cloned().collect();
        seen.retain(|number, _| loaded.iter().any(|container| container.number() == *number));
        for container in &loaded {
            if !self.engine.is_live(container) {
                self.forget(container);
                continue;
            }
            self.release_retired(container);
            let seen = seen.entry(container.number()).or_default();
            self.look_after(container, seen).await;
        }
        if self.shared.is_over_memory() {
            let mut largest: Vec<(usize, &Arc<Container>)> =
                loaded.iter().map(|container| (tail_bytes(container), container)).collect();
            largest.sort_unstable_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
            for (_, container) in largest {
                if !self.shared.is_over_memory() {
                    break;
                }
                self.make_room(container).await;
            }
        }
    }

    async fn look_after(&self, container: &Arc<Container>, seen: &mut Seen) {
        let index = container.index();
        let (serving, is_building) = {
            let slots = index.slots();
            (slots.serving.clone(), slots.building.is_some())
        };
        let Some(serving) = serving else { return };
        serving.tail().forget_history();
        if serving.reached() != seen.reached {
            *seen = Seen { reached: serving.reached(), idle_ticks: 0 };
            return;
        }
        seen.idle_ticks += 1;
        let options = &self.shared.options;
        if seen.idle_ticks == IDLE_TICKS {
            serving.forget_births();
        }
        if seen.idle_ticks == IDLE_TICKS && serving.tail().size().0 >= options.seal_min_rows {
            if let Err(error) = self.seal(container, &serving, Role::Serving).await {
                tracing::warn!(container = container.id(), %error, "cannot write a run of the index now");
            }
            serving.tail().forget_history();
        }
        let is_behind = index.is_behind_by(container, options.follow_rows);
        let has_changed = serving.policy != container.settings().index_policy;
        if seen.idle_ticks.is_multiple_of(RECHECK_TICKS) && (is_behind || has_changed || is_building) {
            index.follow_soon(container);
        }
    }

    /// Frees the rows of indexes that no query reads any more.
    fn release_retired(&self, container: &Arc<Container>) {
        let mut slots = container.index().slots();
        let free: Vec<_> = slots.retired.extract_if(.., |retired| Arc::strong_count(retired) == 1).collect();
        drop(slots);
        free.iter().filter_map(|retired| retired.owner()).for_each(|owner| self.engine.release_index_owner(owner));
    }

    /// A dropped container: its rows went with it, those of retired indexes go now.
    fn forget(&self, container: &Arc<Container>) {
        container.index().unload();
        let retired = std::mem::take(&mut container.index().slots().retired);
        retired.iter().filter_map(|retired| retired.owner()).for_each(|owner| self.engine.release_index_owner(owner));
        self.shared.loaded().remove(&container.number());
    }

    /// Writes the tails that would take long to index again.
    async fn finish(&self) {
        let loaded: Vec<Arc<Container>> = self.shared.loaded().values().cloned().collect();
        for container in loaded.iter().filter(|container| self.engine.is_live(container)) {
            let serving = container.index().slots().serving.clone();
            let Some(serving) = serving else { continue };
            if serving.tail().size().0 >= self.shared.options.seal_min_rows
                && let Err(error) = self.seal(container, &serving, Role::Serving).await
            {
                tracing::warn!(container = container.id(), %error, "cannot write the index; it is made again from the feed");
            }
        }
    }
}

fn tail_bytes(container: &Container) -> usize {
    let slots = container.index().slots();
    [&slots.serving, &slots.building].into_iter().flatten().map(|generation| generation.tail().size().1).sum()
}
