//! Queries: their cost against the size of the container, a scan against its ceilings, and what the index costs writes.

mod cost;
pub mod data;
mod hostile;
mod load_rate;
mod postgres;
mod scan;

use std::path::Path;

/// Items in the large container.
const MANY: usize = 1_000_000;
/// Items in the small one.
const FEW: usize = 10_000;

/// Runs the parts whose name contains `only`, as far as that names any of them.
pub fn run(binary: &Path, only: &str, seconds: u64) -> anyhow::Result<()> {
    let wanted = |name: &str| format!("queries-{name}").contains(only);
    if wanted("cost") || wanted("scan") {
        let folder = tempfile::tempdir()?;
        cost::run(binary, folder.path())?;
        scan::run(binary, folder.path())?;
    }
    if wanted("hostile") {
        hostile::run(binary, seconds)?;
    }
    if wanted("load") {
        load_rate::run(binary, seconds)?;
    }
    if wanted("postgres") {
        postgres::run(binary, seconds)?;
    }
    Ok(())
}
