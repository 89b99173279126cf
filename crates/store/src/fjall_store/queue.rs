//! The queue to the committing thread: bounded, filled by async tasks, emptied by a thread that knows how much is worth waking up
//! for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Semaphore;

/// Waiting items, in the order they came.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    /// Told when as many wait as the taker wants, or the queue is closed.
    enough: Condvar,
    room: Semaphore,
}

struct State<T> {
    waiting: Vec<T>,
    /// How many the taker waits for.
    wanted: usize,
    closed: bool,
}

/// The queue takes nothing any more.
#[derive(Debug)]
pub(super) struct Closed;

impl<T> Queue<T> {
    /// A queue of at most `capacity` items.
    pub(super) fn new(capacity: usize) -> Self {
        let state = State { waiting: Vec::new(), wanted: usize::MAX, closed: false };
        Queue { state: Mutex::new(state), enough: Condvar::new(), room: Semaphore::new(capacity) }
    }

    /// Adds an item once there is room for it.
    pub(super) async fn push(&self, item: T) -> Result<(), Closed> {
        self.room.acquire().await.map_err(|_| Closed)?.forget();
        let mut state = self.lock();
        if state.closed {
            return Err(Closed);
        }
        state.waiting.push(item);
        if state.waiting.len() >= state.wanted {
            // Not while the taker would at once wait for this lock.
            drop(state);
            self.enough.notify_one();
        }
        Ok(())
    }

    /// Waits for an item; afterwards `taken` holds all that wait. `false` if the queue is closed and empty.
    pub(super) fn take(&self, taken: &mut Vec<T>) -> bool {
        let mut state = self.lock();
        state.wanted = 1;
        while state.waiting.is_empty() && !state.closed {
            state = self.enough.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.empty(state, taken)
    }

    /// Like [`Queue::take`], but waits until `wanted` items wait or it is `until`. `false` if nothing came.
    pub(super) fn take_until(&self, taken: &mut Vec<T>, wanted: usize, until: Instant) -> bool {
        let mut state = self.lock();
        state.wanted = wanted;
        while state.waiting.len() < wanted && !state.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.enough.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.empty(state, taken)
    }

    /// How many items wait.
    pub(super) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Refuses items from now on; those that wait can still be taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.room.close();
        self.enough.notify_one();
    }

    fn empty(&self, mut state: MutexGuard<'_, State<T>>, taken: &mut Vec<T>) -> bool {
        let count = state.waiting.len();
        taken.append(&mut state.waiting);
        // The taker is away now, and there is nobody to be told.
        state.wanted = usize::MAX;
        drop(state);
        self.room.add_permits(count);
        count > 0
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn items_are_taken_in_order_and_make_room() {
        let queue = Queue::new(2);
        queue.push(1).await.unwrap();
        queue.push(2).await.unwrap();
        let full = tokio::time::timeout(Duration::from_millis(20), queue.push(3)).await;
        assert!(full.is_err(), "a third one has to wait");
        let mut taken = Vec::new();
        assert!(queue.take(&mut taken));
        assert_eq!(taken, [1, 2]);
        queue.push(3).await.unwrap();
        assert_eq!(queue.len(), 1);
    }

    #[tokio::test]
    async fn closing_refuses_new_items_and_leaves_the_old_ones() {
        let queue = Queue::new(2);
        queue.push(1).await.unwrap();
        queue.close();
        assert!(queue.push(2).await.is_err());
        let mut taken = Vec::new();
        assert!(queue.take(&mut taken));
        assert!(!queue.take(&mut taken));
        assert_eq!(taken, [1]);
    }

    #[test]
    fn waiting_for_several_ends_with_the_last_of_them_or_in_time() {
        let queue = Arc::new(Queue::new(9));
        let filler = queue.clone();
        let filling = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            for item in 0..3 {
                std::thread::sleep(Duration::from_millis(5));
                runtime.block_on(filler.push(item)).unwrap();
            }
        });
        let mut taken = Vec::new();
        assert!(queue.take_until(&mut taken, 3, Instant::now() + Duration::from_secs(20)));
        assert_eq!(taken, [0, 1, 2]);
        assert!(!queue.take_until(&mut taken, 3, Instant::now() + Duration::from_millis(5)));
        filling.join().unwrap();
    }
}
