//! Waking the callers of a group at the price of one for each thread.
//!
//! To wake a task of a runtime that has one thread costs a system call from any other thread, for each task anew: with thirty
//! callers that takes longer than writing their group. A task of that runtime wakes its neighbours for nothing.

use tokio::runtime::{Handle, RuntimeFlavor};

/// What remains to be done where the callers wait.
pub(super) struct Answers<F> {
    by_runtime: Vec<(Handle, Vec<F>)>,
}

impl<F> Default for Answers<F> {
    fn default() -> Self {
        Answers { by_runtime: Vec::new() }
    }
}

impl<F: FnOnce() + Send + 'static> Answers<F> {
    /// Adds what answers one `caller`. A runtime of many threads finds a free one by itself: there it is done at once.
    pub(super) fn add(&mut self, caller: Option<Handle>, answer: F) {
        let Some(caller) = caller.filter(|caller| caller.runtime_flavor() == RuntimeFlavor::CurrentThread) else {
            answer();
            return;
        };
        match self.by_runtime.iter_mut().find(|(runtime, _)| runtime.id() == caller.id()) {
            Some((_, answers)) => answers.push(answer),
            None => self.by_runtime.push((caller, vec![answer])),
        }
    }

    /// Answers them all. If a runtime has ended, its callers have as well, and the answers are dropped.
    pub(super) fn give(self) {
        for (runtime, answers) in self.by_runtime {
            runtime.spawn(async move { answers.into_iter().for_each(|answer| answer()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::current;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn each_is_answered_where_it_waits() {
        let alone = Builder::new_current_thread().build().unwrap();
        let shared = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (sender, answered) = channel();
        let mut answers = Answers::default();
        let callers = [Some(alone.handle()), None, Some(shared.handle()), Some(alone.handle())];
        for (number, caller) in callers.into_iter().enumerate() {
            let sender = sender.clone();
            answers.add(caller.cloned(), move || sender.send((number, current().id())).unwrap());
        }
        let here = current().id();
        assert_eq!(answered.try_iter().collect::<Vec<_>>(), [(1, here), (2, here)]);
        answers.give();
        assert!(answered.try_recv().is_err(), "the runtime of one thread is not driven yet");
        let driver = std::thread::spawn(move || {
            alone.block_on(async { tokio::task::yield_now().await });
            current().id()
        });
        let there = driver.join().unwrap();
        assert_eq!(answered.try_iter().collect::<Vec<_>>(), [(0, there), (3, there)]);
    }
}
