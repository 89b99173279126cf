//! The time, behind a trait so that tests can fix it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Ticks of 100 nanoseconds in a second: the resolution of the time at which an item was written.
pub const TICKS_PER_SECOND: u64 = 10_000_000;

/// Where the engine takes the time from.
pub trait Clock: Send + Sync + 'static {
    /// Ticks since 1970.
    fn unix_ticks(&self) -> u64;

    /// Seconds since 1970.
    fn unix_seconds(&self) -> u64 {
        self.unix_ticks() / TICKS_PER_SECOND
    }
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_ticks(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_secs() * TICKS_PER_SECOND + u64::from(since.subsec_nanos() / 100)
    }
}

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct FixedClock(AtomicU64);

impl FixedClock {
    /// A clock that shows `unix_seconds`.
    pub fn new(unix_seconds: u64) -> Self {
        FixedClock(AtomicU64::new(unix_seconds * TICKS_PER_SECOND))
    }

    /// Moves the clock on.
    pub fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds * TICKS_PER_SECOND, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn unix_ticks(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
