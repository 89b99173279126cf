//! Test data that lies beside the repository on some machines.

use std::path::PathBuf;

/// The text of a shared file; none, with a notice, where it is not there.
pub fn read(relative: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("ORRERY_SHARED_DIR").map_or_else(default_root, PathBuf::from);
    let path = root.join(relative);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            eprintln!("NOTICE: skipped, cannot read {}: {error} (set ORRERY_SHARED_DIR)", path.display());
            None
        }
    }
}

fn default_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}
