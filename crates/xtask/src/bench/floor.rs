//! What a write takes at the least: its way over the network, as a read's, and its rows in the bare store. Nothing in it is evaluated,
//! checked or indexed.

use super::rounds::Pair;
use super::{CONNECTIONS, processor_seconds, raw_store, report};

/// Prints it beside what a write may take at a goal of so many `times` the peer's pace. `values` are the bytes of a write's items.
///
/// # Errors
/// If the bare store cannot be written.
pub fn compare(read: &Pair, write: &Pair, values: &'static [usize], times: f64, seconds: u64) -> anyhow::Result<()> {
    let own = std::process::id();
    let before = processor_seconds(own)?;
    let commits = raw_store::writes_per_second(CONNECTIONS, seconds, values)?;
    let commit_micros = (processor_seconds(own)? - before) * 1e6 / (commits * seconds as f64);
    let read_micros = read.figure(|round| round.server_micros + round.load_micros).0;
    let processors = std::thread::available_parallelism()?.get();
    let goal_micros = processors as f64 * 1e6 / (times * write.figure(|round| round.load.per_second).1);
    report("such rows into bare fjall, per second", &format!("{commits:.0}"), "");
    report("  processor time of that", &format!("{commit_micros:.1} µs"), "");
    report("  with that of a read and its load", &format!("{:.1} µs", commit_micros + read_micros), "");
    report(&format!("  all that there is at {times} times the peer's pace"), &format!("{goal_micros:.1} µs"), "");
    Ok(())
}
