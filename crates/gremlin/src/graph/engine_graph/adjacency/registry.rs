//! The topologies of all containers, within one bound of memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use orrery_engine::Container;

use super::Adjacency;
use crate::graph::document::Layout;

/// Memory for the neighbourhoods of all graphs together, unless said otherwise: some 1.3 million edges.
pub const DEFAULT_LIMIT_BYTES: usize = 256 << 20;

/// What is in memory of the graphs of a server: who is whose neighbour. Shared by all requests.
pub struct Adjacencies {
    limit_bytes: usize,
    uses: AtomicU64,
    graphs: Mutex<HashMap<u32, Graph>>,
}

struct Graph {
    container: Weak<Container>,
    adjacency: Arc<Adjacency>,
}

impl Default for Adjacencies {
    fn default() -> Self {
        Adjacencies::new(DEFAULT_LIMIT_BYTES)
    }
}

impl Adjacencies {
    /// Nothing yet. A graph that needs more than the bound is read through the property index instead; of several graphs that do, those
    /// that were not asked for the longest time make room.
    pub fn new(limit_bytes: usize) -> Self {
        Adjacencies { limit_bytes, uses: AtomicU64::new(0), graphs: Mutex::default() }
    }

    /// Bytes in use, about.
    pub fn size_bytes(&self) -> usize {
        let graphs = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        graphs.values().map(|graph| graph.adjacency.size_bytes()).sum()
    }

    /// That of a container. Those of dropped containers go.
    pub(in super::super) fn of(&self, container: &Arc<Container>, layout: &Layout) -> Arc<Adjacency> {
        let mut graphs = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        graphs.retain(|_, graph| graph.container.strong_count() > 0);
        let graph = graphs.entry(container.number()).or_insert_with(|| Graph {
            container: Arc::downgrade(container),
            adjacency: Arc::new(Adjacency::new(container.id(), layout.clone(), self.limit_bytes)),
        });
        let adjacency = graph.adjacency.clone();
        adjacency.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.make_room(&graphs);
        adjacency
    }

    fn make_room(&self, graphs: &HashMap<u32, Graph>) {
        let mut size: usize = graphs.values().map(|graph| graph.adjacency.size_bytes()).sum();
        if size <= self.limit_bytes {
            return;
        }
        let mut by_use: Vec<_> = graphs.values().map(|graph| &graph.adjacency).collect();
        by_use.sort_by_key(|adjacency| adjacency.used.load(Ordering::Relaxed));
        // The last one is the one that is asked now.
        by_use.pop();
        for adjacency in by_use {
            if size <= self.limit_bytes {
                return;
            }
            size = size.saturating_sub(adjacency.size_bytes());
            adjacency.clear();
        }
    }
}
