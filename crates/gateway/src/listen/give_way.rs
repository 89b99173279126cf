//! When a thread that has answered all it had lets others run before it sleeps.
//!
//! A thread that sleeps must be woken, and where the processor went idle meanwhile that takes longer than a point read. If clients
//! on the same machine wait for this processor, they are better let run first: they bring the next requests, and the thread finds these at
//! hand without having slept (figures in ARCHITECTURE.md). A thread that waits for more than clients, the committer say, sleeps at once: it
//! would be late for what comes next. Those that compute for long would keep the processor for a whole slice of time each time,
//! so the thread waits for others no longer than it has worked itself.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

/// A thread that had less to do since it woke serves a client or two, which wait for it and not it for them.
const MIN_WORK: Duration = Duration::from_micros(40);
/// The most waiting that is saved up, so that after hours of calm it is not hours either.
const MAX_CREDIT: Duration = Duration::from_millis(5);

/// Makes the thread of a runtime give way while none of its requests is unanswered.
pub(super) fn install(runtime: &mut Builder, unanswered: Arc<AtomicUsize>) {
    thread_local! {
        static TURNS: RefCell<Turns> = RefCell::new(Turns::new(Instant::now()));
    }
    runtime.on_thread_unpark(|| TURNS.with_borrow_mut(|turns| turns.woke = Instant::now()));
    runtime.on_thread_park(move || {
        TURNS.with_borrow_mut(|turns| {
            let now = Instant::now();
            if turns.may_give_way(now) && unanswered.load(Relaxed) == 0 {
                std::thread::yield_now();
                turns.waited += now.elapsed();
            }
        });
    });
}

/// What a thread did with its time.
struct Turns {
    woke: Instant,
    worked: Duration,
    waited: Duration,
}

impl Turns {
    fn new(now: Instant) -> Turns {
        Turns { woke: now, worked: Duration::ZERO, waited: Duration::ZERO }
    }

    /// Counts the work up to `now`, and whether others may run before the thread sleeps.
    fn may_give_way(&mut self, now: Instant) -> bool {
        let work = now.duration_since(self.woke);
        self.worked = (self.worked + work).min(self.waited + MAX_CREDIT);
        work >= MIN_WORK && self.waited < self.worked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: Duration = Duration::from_micros(300);

    /// The thread works for `work`, lets others run for `wait` if it may, and sleeps for a second.
    fn turn(turns: &mut Turns, now: &mut Instant, work: Duration, wait: Duration) -> bool {
        turns.woke = *now;
        *now += work;
        let gives_way = turns.may_give_way(*now);
        if gives_way {
            turns.waited += wait;
        }
        *now += Duration::from_secs(1);
        gives_way
    }

    #[test]
    fn little_work_gives_way_to_nobody() {
        let mut now = Instant::now();
        let mut turns = Turns::new(now);
        for _ in 0..100 {
            assert!(!turn(&mut turns, &mut now, MIN_WORK - Duration::from_nanos(1), Duration::ZERO));
        }
        assert!(turn(&mut turns, &mut now, MIN_WORK, Duration::ZERO));
    }

    #[test]
    fn others_get_no_more_than_the_thread_had() {
        let mut now = Instant::now();
        let mut turns = Turns::new(now);
        let given = (0..1_000).filter(|_| turn(&mut turns, &mut now, BATCH, BATCH * 10)).count();
        assert_eq!(given, 100);
        let given = (0..1_000).filter(|_| turn(&mut turns, &mut now, BATCH, BATCH / 2)).count();
        assert!(given > 980, "{given}");
    }

    #[test]
    fn calm_saves_up_a_little_only() {
        let mut now = Instant::now();
        let mut turns = Turns::new(now);
        for _ in 0..1_000 {
            turn(&mut turns, &mut now, BATCH, Duration::ZERO);
        }
        let given = (0..30).filter(|_| turn(&mut turns, &mut now, BATCH, BATCH * 10)).count();
        assert!((2..=5).contains(&given), "{given}");
    }
}
