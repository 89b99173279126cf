//! Loads of a second on two servers in turn: the machine's pace changes within seconds, so each second of one is compared with the
//! second of the other beside it, and the middle of these ratios counts.

use std::time::Duration;

use super::{idle_seconds, load, processor_seconds, report};

/// Rounds for each of both, at the least.
const MIN_ROUNDS: u64 = 5;

/// A second of load, and what the processors did for each request.
pub struct Round {
    /// What the load saw.
    pub load: load::Outcome,
    /// The server's processor time for a request.
    pub server_micros: f64,
    /// The load's.
    pub load_micros: f64,
    /// What the processors, taken together, had nothing to do.
    pub idle_micros: f64,
}

/// A second of `load` on one server.
///
/// # Errors
/// If the load fails.
pub fn round(pid: u32, load: impl FnOnce() -> anyhow::Result<load::Outcome>) -> anyhow::Result<Round> {
    let load_pid = std::process::id();
    let seconds = || anyhow::Ok([processor_seconds(pid)?, processor_seconds(load_pid)?, idle_seconds()?]);
    let before = seconds()?;
    let load = load()?;
    let after = seconds()?;
    let micros = |index: usize| (after[index] - before[index]) * 1e6 / load.per_second;
    Ok(Round { server_micros: micros(0), load_micros: micros(1), idle_micros: micros(2), load })
}

/// The rounds of two servers, as many of each.
#[derive(Default)]
pub struct Pair {
    ours: Vec<Round>,
    theirs: Vec<Round>,
}

impl Pair {
    /// A round of each, again and again for so many seconds of either.
    ///
    /// # Errors
    /// If a round fails.
    pub fn in_turn(
        seconds: u64,
        mut ours: impl FnMut() -> anyhow::Result<Round>,
        mut theirs: impl FnMut() -> anyhow::Result<Round>,
    ) -> anyhow::Result<Self> {
        let mut pair = Pair::default();
        for _ in 0..seconds.max(MIN_ROUNDS) {
            pair.ours.push(ours()?);
            pair.theirs.push(theirs()?);
        }
        Ok(pair)
    }

    /// Prints what the processors did for a request of ours, and of the `peer`'s.
    pub fn report_processors(&self, peer: &str) {
        for (what, figure) in [
            (format!("  processor time of a request, {peer}'s"), (|round| round.server_micros) as fn(&Round) -> f64),
            (format!("  the load's, with {peer}"), |round| round.load_micros),
            (format!("  idle processors', with {peer}"), |round| round.idle_micros),
        ] {
            let (ours, theirs) = self.figure(figure);
            report(&what, &format!("{ours:.1}/{theirs:.1} µs"), "");
        }
    }

    /// Our requests per second for one of theirs.
    pub fn ratio(&self) -> f64 {
        let rounds = self.ours.iter().zip(&self.theirs);
        median(rounds.map(|(ours, theirs)| ours.load.per_second / theirs.load.per_second))
    }

    /// A figure of ours, and theirs.
    pub fn figure(&self, figure: impl Fn(&Round) -> f64) -> (f64, f64) {
        (median(self.ours.iter().map(&figure)), median(self.theirs.iter().map(&figure)))
    }

    /// A time of ours in milliseconds, and theirs.
    pub fn milliseconds(&self, time: impl Fn(&load::Outcome) -> Duration) -> (f64, f64) {
        self.figure(|round| time(&round.load).as_secs_f64() * 1e3)
    }
}

/// The middle of some values; zero of none.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
