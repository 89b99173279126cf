//! Which containers exist, as far as the store has been told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use crate::PREFIX_LEN;

/// The answer given to [`crate::Store::retain`], shared with the background work that acts on it.
#[derive(Default)]
pub(crate) struct Liveness {
    live: RwLock<Live>,
}

/// Answers whether containers are live.
#[derive(Clone, Default)]
pub(crate) struct Live(Option<Arc<dyn Fn(u32) -> bool + Send + Sync>>);

impl Liveness {
    pub(crate) fn set(&self, live: Box<dyn Fn(u32) -> bool + Send + Sync>) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Live(Some(Arc::from(live)));
    }

    pub(crate) fn current(&self) -> Live {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Live {
    /// Whether the container may still be read or written. Until the store was told, and if it cannot be told, all may.
    pub(crate) fn is_live(&self, container: u32) -> bool {
        let Some(live) = &self.0 else { return true };
        // A panic on one of fjall's threads would end all writing.
        catch_unwind(AssertUnwindSafe(|| live(container))).unwrap_or(true)
    }
}

/// The number of the container that owns a key; `None` for a key too short to have one.
pub(crate) fn container_of(key: &[u8]) -> Option<u32> {
    key.first_chunk::<PREFIX_LEN>().map(|prefix| u32::from_be_bytes(*prefix))
}
