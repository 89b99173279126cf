//! Runs reclaiming on a background thread that exists only while there is some to do.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Numbers waiting to be reclaimed, and whether a thread is at it.
#[derive(Default)]
pub(crate) struct Reclaimer {
    queue: Mutex<Queue>,
    idle: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeSet<u32>,
    running: bool,
    stopped: bool,
}

impl Reclaimer {
    /// Has `work` called with `container`, together with others that were asked for meanwhile. Returns at once.
    pub(crate) fn request(self: &Arc<Self>, container: u32, work: impl FnMut(BTreeSet<u32>) + Send + 'static) {
        let mut queue = self.lock();
        if queue.stopped {
            return;
        }
        queue.waiting.insert(container);
        if queue.running {
            return;
        }
        let reclaimer = self.clone();
        match std::thread::Builder::new().name("store-reclaim".into()).spawn(move || reclaimer.run(work)) {
            Ok(_detached) => queue.running = true,
            Err(error) => tracing::warn!(%error, "cannot start a thread to reclaim space; it is left to compaction"),
        }
    }

    /// Takes no more work and waits until none runs.
    pub(crate) fn stop(&self) {
        let mut queue = self.lock();
        queue.stopped = true;
        queue.waiting.clear();
        while queue.running {
            queue = self.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until all that was asked for is done.
    pub(crate) fn wait_until_idle(&self) {
        let mut queue = self.lock();
        while queue.running {
            queue = self.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, mut work: impl FnMut(BTreeSet<u32>)) {
        // `work` holds the store open: it must be gone before anyone waiting for idleness goes on.
        struct Finished<'a>(&'a Reclaimer);
        impl Drop for Finished<'_> {
            fn drop(&mut self) {
                self.0.lock().running = false;
                self.0.idle.notify_all();
            }
        }
        let _finished = Finished(self);
        loop {
            let batch = std::mem::take(&mut self.lock().waiting);
            if batch.is_empty() {
                drop(work);
                return;
            }
            work(batch);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
