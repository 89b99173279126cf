//! A bound on the time that one input may take.

use std::time::{Duration, Instant};

/// Far above what any input of libFuzzer's default size takes on a busy machine, and far below what quadratic work on a large one does.
const BUDGET: Duration = Duration::from_secs(2);

/// Runs `work` and fails if it takes too long.
pub fn within_budget<T>(work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    let taken = started.elapsed();
    assert!(taken < BUDGET, "one input took {taken:?}");
    done
}
