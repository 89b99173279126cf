//! The topology of one container, brought up to date when it is asked.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError};

use orrery_engine::{Container, Engine, Error, Item, Versions};
use tokio::runtime::Handle;

use super::entry::Entry;
use super::finds::ByText;
use super::topology::{Loaded, Topology};
use crate::graph::document::Layout;
use crate::value::VertexReference;

/// Items read at a time.
const BATCH_ITEMS: usize = 1_024;
/// Versions that a request reads itself; more are read in the background, and the index answers meanwhile.
const MAX_INLINE_VERSIONS: u64 = 20_000;
/// The part of the bound that vertices with their properties may take: one in so many.
const LOADED_SHARE: usize = 2;
/// What an item takes in memory at the least.
const MIN_ITEM_BYTES: u64 = 128;

/// The topology of one container.
pub(in super::super) struct Adjacency {
    /// The container's name.
    name: String,
    layout: Layout,
    limit_bytes: usize,
    state: RwLock<State>,
    /// Held by whoever brings it up to date.
    following: Mutex<()>,
    /// Somebody does so in the background.
    is_building: AtomicBool,
    size_bytes: AtomicUsize,
    /// When it was last asked, by the registry's count.
    pub(super) used: AtomicU64,
}

enum State {
    /// Nothing is in memory.
    Empty,
    Ready(Box<Topology>),
    /// With so many items it took too much memory.
    TooLarge {
        items: u64,
    },
}

/// What happened between two moments.
struct Happened {
    /// The properties of which the new entries have the values.
    keys: Vec<Arc<str>>,
    dead: Vec<u64>,
    new: Vec<Entry>,
    /// The later moment.
    reached: u64,
    /// How many items there are then.
    items: u64,
}

/// A topology that is up to date, and stays as it is while this lives.
pub(in super::super) struct Current<'a>(RwLockReadGuard<'a, State>);

impl Current<'_> {
    pub fn topology(&self) -> &Topology {
        match &*self.0 {
            State::Ready(topology) => topology,
            State::Empty | State::TooLarge { .. } => unreachable!("it was checked when this was made"),
        }
    }
}

impl Adjacency {
    pub(super) fn new(name: &str, layout: Layout, limit_bytes: usize) -> Self {
        Adjacency {
            name: name.to_owned(),
            layout,
            limit_bytes,
            state: RwLock::new(State::Empty),
            following: Mutex::new(()),
            is_building: AtomicBool::new(false),
            size_bytes: AtomicUsize::new(0),
            used: AtomicU64::new(0),
        }
    }

    /// Bytes that it takes now.
    pub(super) fn size_bytes(&self) -> usize {
        // Every request asks, and none may wait for a graph that is being changed: that one counts without its vertices.
        let loaded = self.state.try_read().map_or(0, |state| match &*state {
            State::Ready(topology) => topology.loaded_bytes(),
            State::Empty | State::TooLarge { .. } => 0,
        });
        self.size_bytes.load(Ordering::Relaxed) + loaded
    }

    /// The topology, if it has every acknowledged write already or lacks nothing but new items that are in memory. Does not block for long.
    pub fn at_hand(&self, container: &Container) -> Option<Current<'_>> {
        let wanted = container.head();
        self.ready(wanted).or_else(|| {
            let following = match self.following.try_lock() {
                Ok(following) => following,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            };
            self.extend(container, &following);
            self.ready(wanted)
        })
    }

    /// Adds the new items that are in memory, if there was nothing else lately.
    fn extend(&self, container: &Container, _following: &MutexGuard<'_, ()>) {
        let (head, keys) = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(topology) => (topology.head(), topology.found_keys()),
            State::Empty | State::TooLarge { .. } => return,
        };
        let Some(items) = container.new_items_behind(head) else { return };
        let Some(reached) = items.last().map(Item::lsn) else { return };
        let new = items.iter().map(|item| Entry::of(&self.layout, item, &keys)).collect();
        self.apply(head, Happened { keys, dead: Vec::new(), new, reached, items: container.usage().items });
    }

    /// Whether the topology fits in memory, as far as is known.
    pub fn is_of_use(&self, container: &Container) -> bool {
        self.lag(container).is_some()
    }

    /// Keeps vertices that were read, each with the number of its version.
    pub fn keep(&self, vertices: Vec<(u64, Loaded)>) {
        if vertices.is_empty() {
            return;
        }
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let State::Ready(topology) = &*state {
            let limit_bytes = self.loaded_limit_bytes(topology);
            vertices.into_iter().for_each(|(number, loaded)| topology.keep(number, loaded, limit_bytes));
        }
    }

    /// Keeps what a look-up by a text has found, if the topology is still of the moment `head`; see [`Topology::keep_found`].
    pub fn keep_found(&self, head: u64, by: ByText<'_>, vertices: &[VertexReference]) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let State::Ready(topology) = &*state
            && topology.head() == head
        {
            topology.keep_found(by, vertices, self.loaded_limit_bytes(topology));
        }
    }

    /// What vertices with their properties may take: a share of the bound, and no more than the rest leaves.
    fn loaded_limit_bytes(&self, topology: &Topology) -> usize {
        (self.limit_bytes / LOADED_SHARE).min(self.limit_bytes.saturating_sub(topology.size_bytes()))
    }

    /// Takes everything out of memory.
    pub(super) fn clear(&self) {
        self.put(State::Empty);
    }

    /// The topology with every write that was acknowledged before; `None` while it is being read or if it is too large. Blocks.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub fn current(
        self: &Arc<Self>,
        engine: &Engine,
        container: &Arc<Container>,
        runtime: &Handle,
    ) -> Result<Option<Current<'_>>, Error> {
        let wanted = container.head();
        // Two rounds and more are needed only if memory is taken away in between.
        for _ in 0..3 {
            if let Some(current) = self.ready(wanted) {
                return Ok(Some(current));
            }
            if self.is_building.load(Ordering::Acquire) {
                return Ok(None);
            }
            let following = self.following.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever held it may have brought what was waited for.
            if let Some(current) = self.ready(wanted) {
                return Ok(Some(current));
            }
            self.extend(container, &following);
            if let Some(current) = self.ready(wanted) {
                return Ok(Some(current));
            }
            match self.lag(container) {
                None => return Ok(None),
                Some(0) => {}
                Some(lag) if lag <= MAX_INLINE_VERSIONS => runtime.block_on(self.follow(engine, container))?,
                Some(_) => {
                    self.build_aside(engine, container, runtime);
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn ready(&self, wanted: u64) -> Option<Current<'_>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        matches!(&*state, State::Ready(topology) if topology.head() >= wanted).then(|| Current(state))
    }

    /// How many versions are missing at the most; `None` if there is no use in reading them.
    fn lag(&self, container: &Container) -> Option<u64> {
        let items = container.usage().items;
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let reached = match &*state {
            State::Ready(topology) => topology.head(),
            State::TooLarge { items: too_many } if items >= *too_many => return None,
            State::Empty | State::TooLarge { .. } => 0,
        };
        if items.saturating_mul(MIN_ITEM_BYTES) > self.limit_bytes as u64 {
            return None;
        }
        // Each living item has one version at the most.
        let lag = container.head().saturating_sub(reached).min(items.max(1));
        Some(if matches!(&*state, State::Ready(_)) { lag } else { lag.max(1) })
    }

    /// Reads what is missing on a thread of its own, unless somebody does already.
    fn build_aside(self: &Arc<Self>, engine: &Engine, container: &Arc<Container>, runtime: &Handle) {
        if self.is_building.swap(true, Ordering::AcqRel) {
            return;
        }
        let (adjacency, engine, container) = (self.clone(), engine.clone(), container.clone());
        let waiting = runtime.clone();
        runtime.spawn_blocking(move || {
            if let Err(error) = waiting.block_on(adjacency.follow(&engine, &container)) {
                tracing::warn!(container = container.id(), %error, "cannot read who is whose neighbour now");
            }
            adjacency.is_building.store(false, Ordering::Release);
        });
    }

    /// Brings the topology to the newest moment. Only one at a time does this.
    async fn follow(&self, engine: &Engine, container: &Arc<Container>) -> Result<(), Error> {
        let versions = engine.versions(container).await?;
        let reached = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(topology) => Some((topology.head(), topology.count() as u64)),
            State::Empty | State::TooLarge { .. } => None,
        };
        match reached {
            Some((head, _)) if head >= versions.head() => Ok(()),
            // What is new is held twice for a moment: rather begin anew than hold much.
            Some((head, count)) if versions.head() - head <= MAX_INLINE_VERSIONS.max(count / 4) => {
                self.advance(&versions, head, count).await
            }
            _ => self.build(&versions).await,
        }
    }

    /// Applies what happened behind `head`.
    async fn advance(&self, versions: &Versions, head: u64, count: u64) -> Result<(), Error> {
        let keys = self.found_keys();
        let mut new = Vec::new();
        let mut after = head;
        loop {
            let items = versions.behind(after, BATCH_ITEMS).await?;
            let Some(last) = items.last() else { break };
            after = last.lsn();
            new.extend(items.iter().map(|item| Entry::of(&self.layout, item, &keys)));
            if items.len() < BATCH_ITEMS {
                break;
            }
        }
        let mut dead = versions.died_since(head).await?;
        if count + new.len() as u64 != versions.count() + dead.len() as u64 {
            // Some deaths are not remembered, or were not remembered yet.
            let living = versions.numbers().await?;
            dead = self.known_numbers().into_iter().filter(|number| !living.contains(number)).collect();
        }
        self.apply(head, Happened { keys, dead, new, reached: versions.head(), items: versions.count() });
        Ok(())
    }

    /// Brings the topology from the moment `head`, if it is still of that, to a later one.
    fn apply(&self, head: u64, happened: Happened) {
        let Happened { keys, dead, new, reached, items } = happened;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let State::Ready(topology) = &mut *state
            && topology.head() == head
        {
            if topology.found_keys() != keys {
                // The entries do not have these properties.
                topology.forget_found();
            }
            dead.iter().for_each(|number| topology.remove(*number));
            new.into_iter().for_each(|entry| topology.insert(entry));
            topology.set_head(reached);
            if topology.loaded_bytes() > self.loaded_limit_bytes(topology) / 8 * 7 {
                // Others may be wanted by now.
                topology.unload();
            }
            let (size, labels) = (topology.size_bytes(), topology.has_too_many_labels());
            self.size_bytes.store(size, Ordering::Relaxed);
            if size > self.limit_bytes || labels {
                drop(state);
                self.put(State::TooLarge { items });
            }
        }
    }

    fn found_keys(&self) -> Vec<Arc<str>> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(topology) => topology.found_keys(),
            State::Empty | State::TooLarge { .. } => Vec::new(),
        }
    }

    fn known_numbers(&self) -> Vec<u64> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(topology) => topology.numbers().collect(),
            State::Empty | State::TooLarge { .. } => Vec::new(),
        }
    }

    /// Reads everything.
    async fn build(&self, versions: &Versions) -> Result<(), Error> {
        let mut topology = Box::<Topology>::default();
        let mut after = 0;
        loop {
            let items = versions.behind(after, BATCH_ITEMS).await?;
            let Some(last) = items.last() else { break };
            after = last.lsn();
            items.iter().for_each(|item| topology.insert(Entry::of(&self.layout, item, &[])));
            if topology.size_bytes() > self.limit_bytes || topology.has_too_many_labels() {
                self.put(State::TooLarge { items: versions.count() });
                return Ok(());
            }
            if items.len() < BATCH_ITEMS {
                break;
            }
        }
        topology.set_head(versions.head());
        self.put(State::Ready(topology));
        Ok(())
    }

    fn put(&self, new: State) {
        let size = match &new {
            State::Ready(topology) => topology.size_bytes(),
            State::Empty => 0,
            State::TooLarge { items } => {
                let limit_mib = self.limit_bytes >> 20;
                let what =
                    "the graph is too large for the memory of graphs and slower from now on; --graph-mb gives more";
                tracing::warn!(container = self.name, items, limit_mib, "{what}");
                0
            }
        };
        let old = std::mem::replace(&mut *self.state.write().unwrap_or_else(PoisonError::into_inner), new);
        self.size_bytes.store(size, Ordering::Relaxed);
        // Outside of the lock: it may be large.
        drop(old);
    }
}
