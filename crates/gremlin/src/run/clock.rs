//! When a run has taken too long.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The time of a run.
pub(super) struct Clock {
    deadline: Option<Instant>,
    began: Instant,
    /// How much of its thread's time it may take.
    most: Option<Duration>,
    /// The thread's time when half of that had passed.
    at_half: Cell<Option<Duration>>,
}

impl Clock {
    pub fn new(deadline: Option<Instant>, most: Option<Duration>) -> Self {
        Clock { deadline, began: Instant::now(), most, at_half: Cell::new(None) }
    }

    pub fn is_over(&self) -> bool {
        let now = Instant::now();
        self.deadline.is_some_and(|deadline| now >= deadline)
            || self.most.is_some_and(|most| self.has_worked(now.duration_since(self.began), most))
    }

    /// Whether the thread has worked for so long. Most runs end before it is asked, which costs a system call: the first half counts
    /// as work, whatever the thread did.
    fn has_worked(&self, passed: Duration, most: Duration) -> bool {
        if passed < most / 2 {
            return false;
        }
        let worked = self.at_half.get().map(|at_half| thread_time(self.began).saturating_sub(at_half));
        if worked.is_none() {
            self.at_half.set(Some(thread_time(self.began)));
        }
        worked.is_some_and(|worked| worked >= most / 2)
    }
}

/// How long this thread has had a processor.
#[cfg(target_os = "linux")]
fn thread_time(_began: Instant) -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// As if it had had one all the time.
#[cfg(not(target_os = "linux"))]
fn thread_time(began: Instant) -> Duration {
    began.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_counts_behind_the_first_half() {
        let most = Duration::from_millis(40);
        let clock = Clock::new(None, Some(most));
        assert!(!clock.is_over());
        std::thread::sleep(2 * most);
        assert!(!clock.is_over(), "it has slept");
        #[cfg(target_os = "linux")]
        {
            std::thread::sleep(2 * most);
            assert!(!clock.is_over(), "it has slept again");
        }
        let started = Instant::now();
        while !clock.is_over() {
            assert!(started.elapsed() < Duration::from_secs(60));
        }
        assert!(started.elapsed() >= most / 4);
    }
}
