//! The part of an index that is not on disk: sorted chunks in tiers, and the states that queries may still need.

use std::collections::VecDeque;
use std::sync::Arc;

use super::chunk::Chunk;

/// States kept beside the newest: for queries whose snapshot was opened just before the tail went on.
const MAX_HISTORY: usize = 8;

/// Neighbouring chunks of like size that are merged into one.
const TIER_WIDTH: usize = 4;

/// The tail at some moment.
pub(super) struct TailState {
    /// Up to here the index is on disk.
    pub base: u64,
    /// Up to here it is on disk or in the chunks.
    pub reached: u64,
    /// The newest number in any snapshot that chunks were read from. Versions that were superseded then are not in the chunks, so
    /// that older snapshots cannot be answered from them. It is less than `reached` where chunks were not read but made of new items:
    /// what is newer than a snapshot in these is no more in its feed than what is dead.
    pub seen: u64,
    /// Oldest first.
    pub chunks: Vec<Arc<Chunk>>,
}

/// The newest state and some before it.
pub(super) struct Tail {
    /// Newest last; never empty.
    states: VecDeque<Arc<TailState>>,
    /// Chunks up to here are being written and stay as they are.
    frozen: u64,
}

impl Tail {
    /// Nothing in memory, and everything up to `mark` on disk.
    pub fn new(mark: u64) -> Self {
        let state = TailState { base: mark, reached: mark, seen: mark, chunks: Vec::new() };
        Tail { states: VecDeque::from([Arc::new(state)]), frozen: mark }
    }

    pub fn newest(&self) -> &Arc<TailState> {
        self.states.back().expect("there is always a state")
    }

    /// The newest state that tells the truth to a snapshot whose index on disk ends at `mark` and whose newest number is `head`.
    pub fn state_for(&self, mark: u64, head: u64) -> Option<&Arc<TailState>> {
        self.states.iter().rev().find(|state| state.base <= mark && state.seen <= head && state.reached >= mark)
    }

    /// Goes on to `reached`, with the versions in `chunk`, as a snapshot with the newest number `seen` showed them, or, if that is zero,
    /// all that there ever were.
    pub fn push(&mut self, chunk: Option<Chunk>, reached: u64, seen: u64) {
        let newest = self.newest();
        let mut chunks = newest.chunks.clone();
        chunks.extend(chunk.map(Arc::new));
        let state = TailState { base: newest.base, reached, seen: newest.seen.max(seen), chunks };
        self.install(state);
    }

    /// Neighbours of the same tier that should be one chunk of at most `max_rows`, if there are any.
    pub fn mergeable(&self, max_rows: u64, max_bytes: usize) -> Option<Vec<Arc<Chunk>>> {
        let chunks = &self.newest().chunks;
        let free = &chunks[chunks.partition_point(|chunk| chunk.after < self.frozen)..];
        // What follows the last larger chunk, if enough of it are of this tier.
        let tail_of = |tier: u32| {
            let start = free.iter().rposition(|chunk| tier_of(chunk) > tier).map_or(0, |index| index + 1);
            let group = &free[start..];
            (group.iter().filter(|chunk| tier_of(chunk) == tier).count() >= TIER_WIDTH).then_some(group)
        };
        let candidates = free.iter().filter_map(|chunk| tail_of(tier_of(chunk)));
        let fits = |group: &&[Arc<Chunk>]| {
            group.iter().map(|chunk| chunk.rows).sum::<u64>() <= max_rows
                && group.iter().map(|chunk| chunk.size_bytes()).sum::<usize>() <= max_bytes
        };
        candidates.filter(fits).min_by_key(|group| group.len()).map(<[_]>::to_vec)
    }

    /// Puts `merged` in the place of chunks that [`mergeable`](Self::mergeable) gave.
    pub fn replace(&mut self, merged: Chunk) {
        let newest = self.newest();
        let (mut chunks, merged) = (newest.chunks.clone(), Arc::new(merged));
        let from = chunks.partition_point(|chunk| chunk.after < merged.after);
        let to = chunks.partition_point(|chunk| chunk.last <= merged.last);
        chunks.splice(from..to, [merged]);
        let state = TailState { base: newest.base, reached: newest.reached, seen: newest.seen, chunks };
        self.install(state);
    }

    /// The newest state, whose chunks stay as they are until [`sealed`](Self::sealed) or [`thaw`](Self::thaw).
    pub fn freeze(&mut self) -> Arc<TailState> {
        let state = self.newest().clone();
        self.frozen = state.reached;
        state
    }

    /// The chunks up to `mark` are on disk now.
    pub fn sealed(&mut self, mark: u64) {
        let newest = self.newest();
        let chunks = newest.chunks.iter().filter(|chunk| chunk.last > mark).cloned().collect();
        let state = TailState { base: mark, reached: newest.reached, seen: newest.seen, chunks };
        self.install(state);
    }

    /// The chunks that were frozen are not on disk after all.
    pub fn thaw(&mut self) {
        self.frozen = self.newest().base;
    }

    /// Gives up all but the newest state.
    pub fn forget_history(&mut self) {
        let outdated = self.states.len() - 1;
        self.states.drain(..outdated);
    }

    /// Versions in the chunks, and their bytes.
    pub fn size(&self) -> (u64, usize) {
        let chunks = &self.newest().chunks;
        (chunks.iter().map(|chunk| chunk.rows).sum(), chunks.iter().map(|chunk| chunk.size_bytes()).sum())
    }

    fn install(&mut self, state: TailState) {
        self.states.push_back(Arc::new(state));
        if self.states.len() > MAX_HISTORY {
            self.states.pop_front();
        }
    }
}

/// Grows by one when a chunk is as large as those of a whole tier together.
fn tier_of(chunk: &Arc<Chunk>) -> u32 {
    chunk.rows.max(1).ilog2() / TIER_WIDTH.ilog2()
}
