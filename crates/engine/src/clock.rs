//! The time, behind a trait so that tests can fix it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the engine takes the time from.
pub trait Clock: Send + Sync + 'static {
    /// Seconds since 1970.
    fn unix_seconds(&self) -> u64;
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_seconds(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct FixedClock(AtomicU64);

impl FixedClock {
    /// A clock that shows `unix_seconds`.
    pub fn new(unix_seconds: u64) -> Self {
        FixedClock(AtomicU64::new(unix_seconds))
    }

    /// Moves the clock on.
    pub fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn unix_seconds(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
