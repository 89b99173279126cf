//! How a store is opened.

/// What [`crate::FjallStore::open`] may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FjallOptions {
    /// When a commit counts as done.
    pub durability: Durability,
    /// Capacity of the caches: an eighth for items that were read one by one, the rest for decompressed blocks, shared by all spaces.
    pub cache_size_bytes: u64,
    /// Threads that flush and compact.
    pub background_threads: usize,
}

impl FjallOptions {
    pub(super) fn row_cache_bytes(&self) -> usize {
        usize::try_from(self.cache_size_bytes / 8).unwrap_or(usize::MAX)
    }

    pub(super) fn block_cache_bytes(&self) -> u64 {
        self.cache_size_bytes - self.cache_size_bytes / 8
    }
}

/// When a commit counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it is on disk: it survives a loss of power.
    Durable,
    /// When the operating system has it: it survives the end of this process, also by force, but a loss of power takes the
    /// last commits. Those that remain are whole and without gaps, except in a container that was dropped just before: its dropping
    /// may be lost after its space was reclaimed.
    Buffered,
}

impl Default for FjallOptions {
    fn default() -> Self {
        FjallOptions { durability: Durability::Durable, cache_size_bytes: 128 << 20, background_threads: 2 }
    }
}
