//! The snapshot that readers get.
//!
//! fjall numbers a batch when it begins to write it and shows a reader all that is numbered below the newest batch that is
//! finished. But flushes and compactions take numbers too, and finish in between: a snapshot opened while a batch is being synced
//! can be numbered above that batch, and see it appear later, half of it first. So snapshots are opened only while no batch is in
//! progress, and whoever wants one meanwhile gets the one opened last.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::spaces::Spaces;

/// The newest state that is complete and durable.
pub(super) struct Published {
    current: RwLock<Arc<fjall::Snapshot>>,
    /// Held while a batch is in progress, and while a snapshot is opened.
    writing: Mutex<()>,
}

impl Published {
    pub(super) fn new(spaces: &Spaces) -> Self {
        Published { current: RwLock::new(Arc::new(spaces.open_snapshot())), writing: Mutex::new(()) }
    }

    /// The state after the last batch.
    pub(super) fn current(&self, spaces: &Spaces) -> Arc<fjall::Snapshot> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        if current.seqno() == spaces.newest_visible() {
            return current;
        }
        // A flush or a compaction is newer. Its tables have the same content in fewer places, and what they replaced is kept
        // for as long as there are snapshots as old as this one.
        match self.writing.try_lock() {
            Ok(_no_batch_in_progress) => self.refresh(spaces),
            Err(_) => current,
        }
    }

    /// Has `write` write a batch, and publishes the state after it.
    pub(super) fn after<E>(&self, spaces: &Spaces, write: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        // It is poisoned if a batch panicked half way, and then no state after that one may be published.
        let _batch_in_progress = self.writing.lock().expect("nothing is written after a batch has panicked");
        write()?;
        self.refresh(spaces);
        Ok(())
    }

    fn refresh(&self, spaces: &Spaces) -> Arc<fjall::Snapshot> {
        let snapshot = Arc::new(spaces.open_snapshot());
        let outdated =
            std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), snapshot.clone());
        // Closing it takes fjall's locks: not while readers wait for ours.
        drop(outdated);
        snapshot
    }
}
