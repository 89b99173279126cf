//! `cargo xtask bench`: what the server does, as ratios to a ceiling measured in the same run.
//!
//! The load comes from this process over loopback, so on a small machine server and load share the cores; so do the ceilings and
//! their loads, which is why only ratios are reported as results.

mod bare;
mod containers;
mod floor;
pub mod gremlin;
mod load;
mod queries;
mod raw_store;
mod read;
mod rounds;
mod start;
mod tables;
mod write;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::BenchArgs;
use crate::command::{at_root, must, target};

/// Connections that the load keeps open.
pub const CONNECTIONS: usize = 32;

/// Runs the measurements and prints a line for each figure.
///
/// # Errors
/// If the server cannot be built or started, or answers with an error.
pub fn run(arguments: &BenchArgs) -> anyhow::Result<()> {
    if let Some(reply) = &arguments.serve_bare {
        return bare::serve(reply);
    }
    if let Some(work) = arguments.serve_bare_socket {
        return gremlin::bare::serve(work);
    }
    must(at_root(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "orrery",
    ]))?;
    let binary = target().join("release/orrery");
    let wanted = |name: &str| name.contains(&arguments.only);
    println!("{:52} {:>12} {:>12}", "measurement", "value", "goal");
    if wanted("start") {
        start::run(&binary)?;
    }
    if wanted("read") {
        read::run(&binary, arguments.seconds)?;
    }
    if wanted("write") {
        write::run(&binary, arguments.seconds)?;
    }
    if wanted("containers") {
        containers::run(&binary)?;
    }
    if wanted("tables") {
        tables::run(&binary, arguments.seconds)?;
    }
    gremlin::run(&binary, &arguments.only, arguments.seconds)?;
    queries::run(&binary, &arguments.only, arguments.seconds)
}

/// Prints one figure beside its goal.
pub fn report(name: &str, value: &str, goal: &str) {
    println!("{name:52} {value:>12} {goal:>12}");
}

/// The middle of some times.
pub fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The unit of processor times on Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time that a process has used, in seconds: less at the mercy of what else the machine does than a rate.
pub fn processor_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string(PathBuf::from("/proc").join(pid.to_string()).join("stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(11).zip(ticks(12)).context("no processor times in stat")?;
    Ok((user + system) / TICKS_PER_SECOND)
}

/// Waits until a process hardly works any more: what a load leaves to be done is not what is measured.
pub fn wait_until_calm(pid: u32) -> anyhow::Result<()> {
    /// How long what follows a load may take.
    const CALM: Duration = Duration::from_secs(300);
    const PACE: Duration = Duration::from_secs(1);
    /// Of one processor.
    const CALM_SHARE: f64 = 0.05;
    /// Calm turns one after the other: our server writes what is left of an index after a second of calm.
    const TURNS: usize = 2;
    let until = Instant::now() + CALM;
    let mut turns = 0;
    loop {
        let before = processor_seconds(pid)?;
        std::thread::sleep(PACE);
        let is_calm = processor_seconds(pid)? - before <= CALM_SHARE * PACE.as_secs_f64();
        turns = if is_calm { turns + 1 } else { 0 };
        if turns == TURNS {
            return Ok(());
        }
        anyhow::ensure!(Instant::now() < until, "the server is still at work {} s after the load", CALM.as_secs());
    }
}

/// How long the machine's processors, taken together, had nothing to do since it started.
pub fn idle_seconds() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let idle = stat.lines().next().and_then(|all| all.split_whitespace().nth(4));
    let ticks: f64 = idle.context("no idle time in /proc/stat")?.parse()?;
    Ok(ticks / TICKS_PER_SECOND)
}

/// Resident memory of a process, in MiB.
pub fn resident_mib(pid: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(PathBuf::from("/proc").join(pid.to_string()).join("status"))?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .context("the system does not tell how much memory a process has")?;
    let kib: f64 = line.split_whitespace().nth(1).context("no figure for VmRSS")?.parse()?;
    Ok(kib / 1024.0)
}
