//! Versions that were replaced or removed lately, remembered in memory for those who follow a container.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Deaths remembered per container: 1 MiB.
pub(crate) const MAX_DEATHS: usize = 65_536;

/// The latest deaths of a container's versions. Nothing is remembered until somebody asks for it.
///
/// A transaction notes a death while it runs, before anybody can see it. So the notes of a transaction that fails remain: a note is a
/// hint, and the feed of a snapshot says whether it is true.
#[derive(Debug, Default)]
pub(crate) struct Deaths {
    are_kept: AtomicBool,
    latest: Mutex<VecDeque<Death>>,
}

#[derive(Clone, Copy, Debug)]
struct Death {
    /// The number that was given for it.
    at: u64,
    /// The version.
    number: u64,
}

impl Deaths {
    /// From now on, deaths are remembered.
    pub fn keep(&self) {
        self.are_kept.store(true, Ordering::Release);
    }

    /// The version `number` dies with what gets the number `at`.
    pub fn note(&self, at: u64, number: u64) {
        if !self.are_kept.load(Ordering::Acquire) {
            return;
        }
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.len() == MAX_DEATHS {
            latest.pop_front();
        }
        latest.push_back(Death { at, number });
    }

    /// Versions up to `after` that may have died behind it, as far as they are remembered.
    pub fn since(&self, after: u64) -> Vec<u64> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let behind = latest.iter().rev().take_while(|death| death.at > after);
        behind.map(|death| death.number).filter(|number| *number <= after).collect()
    }
}
