//! Start to ready, idle memory and the size of the program.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{report, resident_mib};
use crate::server::Server;

const STARTS: usize = 7;

pub fn run(binary: &Path) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let started = Instant::now();
        let server = Server::start(binary, &["--sql-port", "0", "--health-port", "0"])?;
        times.push(started.elapsed());
        drop(server);
    }
    times.sort_unstable();
    report(
        "start to ready on an empty folder, median",
        &format!("{:.0} ms", times[STARTS / 2].as_secs_f64() * 1e3),
        "<= 100 ms",
    );
    let server = Server::start(binary, &["--sql-port", "0", "--health-port", "0"])?;
    std::thread::sleep(Duration::from_secs(1));
    report("idle memory", &format!("{:.0} MiB", resident_mib(server.pid())?), "<= 50 MiB");
    let size = std::fs::metadata(binary)?.len() as f64 / f64::from(1 << 20);
    report("stripped program", &format!("{size:.1} MiB"), "<= 30 MiB");
    Ok(())
}
