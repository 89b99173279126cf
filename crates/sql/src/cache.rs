//! Compiled queries, kept for the next request with the same text, parameters and container.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use orrery_engine::query::Query;
use orrery_value::Value;

use crate::bind::context::Context;
use crate::compile::{compiled, source_hash};
use crate::error::SqlError;
use crate::limits::{MAX_CACHED_BYTES, MAX_CACHED_QUERIES};

/// Locks that requests spread over.
const SHARDS: usize = 16;

/// Bytes of a plan for each byte of the text it was made of, roughly.
const PLAN_BYTES_PER_TEXT_BYTE: usize = 64;

/// Bytes of a value for each byte of its JSON, roughly.
const VALUE_BYTES_PER_JSON_BYTE: usize = 16;

/// What any entry takes beside its plan.
const ENTRY_BYTES: usize = 512;

/// Compiled queries by all that decides them. Texts that say what time it is are compiled each time, errors too.
///
/// Entries are evicted in the order in which they came, but those used since get another round.
pub struct QueryCache {
    shards: [Mutex<Shard>; SHARDS],
    /// Makes it impossible to prepare two texts with one hash.
    seed: u64,
    max_queries: usize,
    max_bytes: usize,
}

#[derive(Default)]
struct Shard {
    entries: HashMap<u128, Entry>,
    /// Keys of all entries, the next to look at for eviction first.
    order: VecDeque<u128>,
    bytes: usize,
}

struct Entry {
    query: Query,
    bytes: usize,
    is_used: bool,
}

impl QueryCache {
    /// An empty cache of the usual size.
    pub fn new() -> Self {
        QueryCache::with_limits(MAX_CACHED_QUERIES, MAX_CACHED_BYTES)
    }

    /// An empty cache of at most so many queries and estimated bytes, both rounded up to a multiple of the number of its parts.
    pub fn with_limits(max_queries: usize, max_bytes: usize) -> Self {
        QueryCache {
            shards: Default::default(),
            seed: RandomState::new().build_hasher().finish(),
            max_queries: max_queries.div_ceil(SHARDS),
            max_bytes: max_bytes.div_ceil(SHARDS),
        }
    }

    /// The query of a text, as [`crate::compile`] gives it.
    ///
    /// # Errors
    /// What is wrong with the text or its use of the parameters and the container, and where.
    pub fn compile(&self, text: &str, parameters: &[(String, Value)], context: &Context) -> Result<Query, SqlError> {
        let started = Instant::now();
        let key = source_hash(self.seed, text, parameters, context).digest128();
        let shard = &self.shards[key as usize % SHARDS];
        if let Some(query) = lock(shard).find(key) {
            return Ok(query.with_compile_time(started.elapsed()));
        }
        let compiled = compiled(text, parameters, context)?;
        let bytes = ENTRY_BYTES
            + text.len() * PLAN_BYTES_PER_TEXT_BYTE
            + compiled.copied_bytes.saturating_mul(VALUE_BYTES_PER_JSON_BYTE);
        if compiled.is_repeatable && bytes <= self.max_bytes && self.max_queries > 0 {
            let entry = Entry { query: compiled.query.clone(), bytes, is_used: false };
            lock(shard).insert(key, entry, self.max_queries, self.max_bytes);
        }
        Ok(compiled.query)
    }

    /// Queries that are kept now.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).entries.len()).sum()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for QueryCache {
    fn default() -> Self {
        QueryCache::new()
    }
}

impl Shard {
    fn find(&mut self, key: u128) -> Option<Query> {
        let entry = self.entries.get_mut(&key)?;
        entry.is_used = true;
        Some(entry.query.clone())
    }

    fn insert(&mut self, key: u128, entry: Entry, max_queries: usize, max_bytes: usize) {
        if self.entries.contains_key(&key) {
            return;
        }
        while self.entries.len() + 1 > max_queries || self.bytes + entry.bytes > max_bytes {
            let Some(oldest) = self.order.pop_front() else { break };
            self.evict_unless_used(oldest);
        }
        self.bytes += entry.bytes;
        self.order.push_back(key);
        self.entries.insert(key, entry);
    }

    /// Every entry is unused the second time round, so that this ends.
    fn evict_unless_used(&mut self, key: u128) {
        match self.entries.get_mut(&key) {
            Some(entry) if entry.is_used => {
                entry.is_used = false;
                self.order.push_back(key);
            }
            _ => {
                let removed = self.entries.remove(&key);
                self.bytes -= removed.map_or(0, |entry| entry.bytes);
            }
        }
    }
}

/// A shard is whole between any two statements that could panic.
fn lock(shard: &Mutex<Shard>) -> std::sync::MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
