//! How long to wait for a group to grow.
//!
//! While a group is synced, the clients that are not in it queue up. If the next one began with these at once, the clients would
//! stay split in two halves that wait for each other's sync. Those just answered come back within a fraction of the time a
//! sync takes, so that waiting for them nearly doubles what a slow disk commits, and a fast one is hardly kept waiting.

use std::time::Duration;

/// The wait is this part of the time that writing a group takes.
const PATIENCE: u32 = 8;

/// What the last groups tell about the next one.
#[derive(Default)]
pub(super) struct Gathering {
    expected: usize,
    write_time: Duration,
}

impl Gathering {
    /// Notes a group of `written` transactions that took `time` to write while `waiting` others queued up.
    pub(super) fn note(&mut self, written: usize, waiting: usize, time: Duration) {
        self.expected = written + waiting;
        self.write_time = (self.write_time * 3 + time) / 4;
    }

    /// How many more transactions a group of `gathered` should wait for, and how long in all; `None` if for none.
    pub(super) fn missing(&self, gathered: usize) -> Option<(usize, Duration)> {
        let missing = self.expected.checked_sub(gathered).filter(|missing| *missing > 0)?;
        Some((missing, self.write_time / PATIENCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_waits_for_those_just_answered_and_for_nobody_else() {
        let mut gathering = Gathering::default();
        assert_eq!(gathering.missing(1), None);
        for _ in 0..50 {
            gathering.note(20, 12, Duration::from_millis(8));
        }
        let (missing, patience) = gathering.missing(30).expect("two clients are about to come back");
        assert_eq!(missing, 2);
        assert!((Duration::from_micros(900)..=Duration::from_millis(1)).contains(&patience));
        assert_eq!(gathering.missing(32), None);
        // A client alone never waits.
        gathering.note(1, 0, Duration::from_millis(8));
        assert_eq!(gathering.missing(1), None);
    }
}
