//! Memory of queries, counted for the whole server: many queries that each keep their own bound may together be too many.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;

/// Memory that all running queries may hold together, unless the engine's options say otherwise.
pub const DEFAULT_QUERY_MEMORY_BYTES: usize = 512 * 1024 * 1024;

/// What an operator holds without counting it: small queries never touch the shared counter.
const FREE_BYTES: usize = 64 * 1024;

/// Steps in which memory is counted.
const CHUNK_BYTES: usize = 64 * 1024;

/// The shared counter.
#[derive(Debug)]
pub(crate) struct QueryMemory {
    held: AtomicUsize,
    limit_bytes: usize,
}

impl QueryMemory {
    pub fn new(limit_bytes: usize) -> Self {
        QueryMemory { held: AtomicUsize::new(0), limit_bytes }
    }
}

/// What one operator holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    memory: Arc<QueryMemory>,
    counted: usize,
}

impl Held {
    pub fn new(memory: Arc<QueryMemory>) -> Self {
        Held { memory, counted: 0 }
    }

    /// Says that the operator holds `bytes` now.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if all queries together hold too much.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        if bytes <= self.counted + FREE_BYTES { Ok(()) } else { self.count(bytes) }
    }

    #[cold]
    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        let more = (bytes - self.counted).next_multiple_of(CHUNK_BYTES);
        let before = self.memory.held.fetch_add(more, Ordering::Relaxed);
        self.counted += more;
        if before.saturating_add(more) <= self.memory.limit_bytes {
            return Ok(());
        }
        Err(Error::Unavailable {
            reason: format!(
                "the queries running now need more than the server's query memory of {} bytes: repeat the request later, narrow \
                 the query's filter, or give the server more query memory",
                self.memory.limit_bytes
            ),
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_share_one_limit_and_give_back_what_they_held() {
        let memory = Arc::new(QueryMemory::new(1024 * 1024));
        let mut first = Held::new(memory.clone());
        let mut second = Held::new(memory.clone());
        assert!(first.hold(FREE_BYTES).is_ok());
        assert_eq!(memory.held.load(Ordering::Relaxed), 0);
        assert!(first.hold(700 * 1024).is_ok());
        assert!(matches!(second.hold(700 * 1024), Err(Error::Unavailable { .. })));
        drop(second);
        drop(first);
        assert_eq!(memory.held.load(Ordering::Relaxed), 0);
        assert!(Held::new(memory).hold(700 * 1024).is_ok());
    }
}
