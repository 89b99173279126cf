//! The index of one container: which one serves, which one is being built, and how far they are.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use orrery_store::{Snapshot, Space};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::generation::{Generation, Stride};
use super::policy::IndexPolicy;
use super::run::Header;
use super::shared::Indexes;
use super::view::{IndexView, Moment};
use crate::Error;
use crate::catalog::{Container, JsonMap};
use crate::item::{Counters, key};

/// Versions up to which a query merges chunks: about a millisecond of work.
const QUERY_MERGE_ROWS: u64 = 1024;

/// An index that has rows in the store, as the catalog remembers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndexRecord {
    /// The number in front of its rows.
    pub owner: u32,
    /// The indexing policy it was made under.
    pub policy: JsonMap,
}

/// The indexes of a container that have rows in the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndexRecords {
    /// The one that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving: Option<IndexRecord>,
    /// The one that is to take its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub building: Option<IndexRecord>,
}

impl IndexRecords {
    /// The numbers of both.
    pub fn owners(&self) -> impl Iterator<Item = u32> + use<> {
        let owner = |record: &Option<IndexRecord>| record.as_ref().map(|record| record.owner);
        [owner(&self.serving), owner(&self.building)].into_iter().flatten()
    }
}

/// The index of one container. Costs a few words until it is used.
#[derive(Default)]
pub(crate) struct ContainerIndex {
    /// Weak, since it holds the containers that are in use.
    shared: OnceLock<Weak<Indexes>>,
    slots: Mutex<Slots>,
    /// Held while an index is read from the store.
    loading: tokio::sync::Mutex<()>,
    /// Up to here versions are indexed, as far as is known while nothing is in memory.
    reached: AtomicU64,
    is_queued: AtomicBool,
    /// The index was up to date once, so that writers wait when it falls behind.
    is_following: AtomicBool,
    caught_up: Notify,
}

/// What is in memory.
#[derive(Default)]
pub(super) struct Slots {
    pub serving: Option<Arc<Generation>>,
    pub building: Option<Arc<Generation>>,
    /// Those that no new query gets.
    pub retired: Vec<Arc<Generation>>,
}

impl std::fmt::Debug for ContainerIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContainerIndex").field("reached", &self.reached).finish_non_exhaustive()
    }
}

impl ContainerIndex {
    /// Makes it one of a server's indexes; before that it has none.
    pub fn attach(&self, shared: &Arc<Indexes>) {
        let _ = self.shared.set(Arc::downgrade(shared));
    }

    fn shared(&self) -> Option<Arc<Indexes>> {
        self.shared.get()?.upgrade()
    }

    pub(super) fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index as of a snapshot. What the snapshot has and the index has not is indexed first if it is little; if it is much,
    /// the view says that it cannot answer yet.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn view(&self, container: &Arc<Container>, snapshot: Arc<dyn Snapshot>) -> Result<IndexView, Error> {
        let is_active = container.settings().index_policy.is_active();
        let Some(generation) = (if is_active { self.serving(container).await? } else { None }) else {
            return Ok(IndexView::without_index(snapshot));
        };
        let counters = snapshot.get(Space::Meta, &key::counters(container.number())).await?;
        let counters = counters.map(|bytes| Counters::decode(&bytes)).unwrap_or_default();
        let mark = match generation.owner() {
            None => 0,
            Some(owner) => {
                let header = snapshot.get(Space::Index, &Header::key(owner)).await?;
                header.and_then(|bytes| Header::decode(&bytes)).map_or(0, |header| header.mark)
            }
        };
        let moment = Moment { mark, head: counters.last_number, items: counters.items };
        let chunks = self.chunks_at(&generation, &*snapshot, moment).await?;
        if chunks.is_none() || self.wants_following(container) || self.is_large(&generation) {
            self.follow_soon(container);
        }
        Ok(IndexView::new(snapshot, generation, moment, chunks))
    }

    /// The tail of a moment; `None` if too much of it is not indexed.
    async fn chunks_at(
        &self,
        generation: &Generation,
        snapshot: &dyn Snapshot,
        moment: Moment,
    ) -> Result<Option<Vec<Arc<super::chunk::Chunk>>>, Error> {
        let Some(shared) = self.shared() else { return Ok(None) };
        let Moment { mark, head, items } = moment;
        let limit = shared.options.max_lag_rows;
        let is_little = |reached: u64| head.saturating_sub(reached).min(items) <= limit;
        let mut state = generation.state_for(mark, head);
        if state.as_ref().is_some_and(|state| state.reached < head && is_little(state.reached)) {
            let stride = Stride {
                batch_rows: shared.options.batch_rows,
                max_rows: usize::try_from(limit).unwrap_or(usize::MAX),
                merge_rows: QUERY_MERGE_ROWS,
            };
            generation.catch_up(snapshot, head, stride).await?;
            self.note_reached(generation);
            state = generation.state_for(mark, head);
        }
        let reached = state.as_ref().map_or(mark, |state| state.reached);
        if reached < head && !is_little(reached) {
            return Ok(None);
        }
        let chunks = state.map(|state| state.chunks.clone()).unwrap_or_default();
        let mut chunks: Vec<_> = chunks.into_iter().filter(|chunk| chunk.last > mark).collect();
        if reached < head {
            // Older than what the tail has come to, or overtaken just now.
            chunks.extend(generation.extract_privately(snapshot, reached, head).await?);
        }
        Ok(Some(chunks))
    }

    /// The index that answers, read from the store if it is not in memory; `None` if nothing is indexed.
    pub(super) async fn serving(&self, container: &Arc<Container>) -> Result<Option<Arc<Generation>>, Error> {
        if let Some(serving) = &self.slots().serving {
            return Ok(Some(serving.clone()));
        }
        let Some(shared) = self.shared() else { return Ok(None) };
        let _one_at_a_time = self.loading.lock().await;
        if let Some(serving) = &self.slots().serving {
            return Ok(Some(serving.clone()));
        }
        let settings = container.settings();
        if !settings.index_policy.is_active() {
            return Ok(None);
        }
        let record = container.index_records().serving;
        let serving = Arc::new(match record {
            None => self.empty(&shared, container, settings.index_policy.clone()),
            Some(record) => self.load(&shared, container, &record).await?,
        });
        self.slots().serving = Some(serving.clone());
        self.note_reached(&serving);
        shared.loaded().insert(container.number(), container.clone());
        Ok(Some(serving))
    }

    /// An index of nothing, under a policy.
    pub(super) fn empty(&self, shared: &Indexes, container: &Container, policy: Arc<IndexPolicy>) -> Generation {
        Generation::new(container, policy, 0, shared.memory.clone())
    }

    /// The index of a record, as the store has it now.
    pub(super) async fn load(
        &self,
        shared: &Indexes,
        container: &Container,
        record: &IndexRecord,
    ) -> Result<Generation, Error> {
        let policy = Arc::new(IndexPolicy::compile(&record.policy));
        let snapshot = shared.store.snapshot();
        Generation::load(&*snapshot, container, policy, record.owner, shared.memory.clone()).await
    }

    /// Percent of the index that is made; 100 unless it is behind by much or being made anew.
    pub fn progress(&self, container: &Container) -> u8 {
        let slots = self.slots();
        let reached = match (&slots.building, &slots.serving) {
            (Some(building), _) => building.reached(),
            (None, _) if !self.is_behind_by(container, self.max_lag_rows().saturating_add(1)) => return 100,
            (None, Some(serving)) => serving.reached(),
            (None, None) if !container.settings().index_policy.is_active() => return 100,
            (None, None) => self.reached.load(Ordering::Acquire),
        };
        let percent = reached.saturating_mul(100) / container.head().max(1);
        u8::try_from(percent.min(99)).unwrap_or(99)
    }

    /// Called after each write: has the index follow if it is behind by enough.
    pub fn note_written(&self, container: &Arc<Container>) {
        if self.wants_following(container) {
            self.follow_soon(container);
        }
    }

    /// Called before each write: waits while the index is behind by too much.
    pub async fn admit(&self, container: &Arc<Container>) {
        let Some(shared) = self.shared() else { return };
        let limit = shared.options.max_lag_rows.saturating_add(1);
        let is_behind = || self.is_following.load(Ordering::Acquire) && self.is_behind_by(container, limit);
        if !is_behind() {
            return;
        }
        let wait = async {
            while is_behind() {
                let mut caught_up = pin!(self.caught_up.notified());
                caught_up.as_mut().enable();
                self.follow_soon(container);
                if is_behind() {
                    caught_up.await;
                }
            }
        };
        if tokio::time::timeout(shared.options.max_write_wait, wait).await.is_err() {
            tracing::warn!(container = container.id(), lag = self.lag(container), "the index does not keep up");
        }
    }

    /// Whether at least so many versions may be missing. Each living item has one at the most.
    pub(super) fn is_behind_by(&self, container: &Container, rows: u64) -> bool {
        self.lag(container) >= rows && container.usage().items >= rows
    }

    /// Numbers behind the index, those of dead versions and of deletions included.
    fn lag(&self, container: &Container) -> u64 {
        container.head().saturating_sub(self.reached.load(Ordering::Acquire))
    }

    fn max_lag_rows(&self) -> u64 {
        self.shared().map_or(u64::MAX, |shared| shared.options.max_lag_rows)
    }

    fn wants_following(&self, container: &Container) -> bool {
        let Some(shared) = self.shared() else { return false };
        !self.is_queued.load(Ordering::Relaxed) && self.is_behind_by(container, shared.options.follow_rows)
    }

    /// Whether the follower should make room.
    fn is_large(&self, generation: &Generation) -> bool {
        let Some(shared) = self.shared() else { return false };
        generation.tail().size().1 >= shared.options.seal_bytes || shared.is_over_memory()
    }

    /// Puts the container into the follower's queue, unless it is there.
    pub fn follow_soon(&self, container: &Arc<Container>) {
        if let Some(shared) = self.shared()
            && !self.is_queued.swap(true, Ordering::AcqRel)
        {
            shared.enqueue(container.clone());
        }
    }

    /// The follower has taken the container out of its queue.
    pub(super) fn dequeued(&self) {
        self.is_queued.store(false, Ordering::Release);
    }

    /// Keeps the container out of the queue until [`dequeued`](Self::dequeued) is called.
    pub(super) fn hold_back(&self) {
        self.is_queued.store(true, Ordering::Release);
    }

    /// Remembers how far the serving index is.
    pub(super) fn note_reached(&self, serving: &Generation) {
        self.reached.fetch_max(serving.reached(), Ordering::AcqRel);
        serving.await_births();
        self.caught_up.notify_waiters();
    }

    /// Another index serves now, which may be less far.
    pub(super) fn set_reached(&self, reached: u64) {
        self.reached.store(reached, Ordering::Release);
        self.caught_up.notify_waiters();
    }

    /// Whether writers wait for the index from now on.
    pub(super) fn set_following(&self, following: bool) {
        self.is_following.store(following, Ordering::Release);
        self.caught_up.notify_waiters();
    }

    /// Takes out of memory what the store can give back.
    pub(super) fn unload(&self) {
        let mut slots = self.slots();
        slots.serving.take().inspect(|serving| serving.forget_births());
        slots.building = None;
    }
}
