//! Where steps from many vertices lead to together.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

/// Nodes, each once, in the order in which they were reached first.
#[derive(Default)]
pub(in super::super) struct Reached {
    places: HashMap<u32, usize, RandomState>,
    nodes: Vec<(u32, u64)>,
    edges: usize,
}

impl Reached {
    /// How many edges led to them.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// They, and how many times each was reached.
    pub fn nodes(&self) -> &[(u32, u64)] {
        &self.nodes
    }

    /// Edges lead to these nodes, each of them `count` times.
    pub fn add(&mut self, nodes: impl Iterator<Item = u32>, count: u64) {
        for node in nodes {
            self.edges += 1;
            match self.places.entry(node) {
                Entry::Occupied(place) => {
                    let (_, times) = &mut self.nodes[*place.get()];
                    *times = times.saturating_add(count);
                }
                Entry::Vacant(place) => {
                    place.insert(self.nodes.len());
                    self.nodes.push((node, count));
                }
            }
        }
    }
}
