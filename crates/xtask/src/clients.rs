//! The official clients, in pinned versions, kept below `target/xtask`.

use std::path::PathBuf;
use std::process::Command;

use crate::command::{at_root, cache, must, root};

/// A Python with the packages of `tests/python/requirements.txt`.
///
/// # Errors
/// If there is no Python, or a package cannot be installed.
pub fn python() -> anyhow::Result<PathBuf> {
    let folder = cache().join("python");
    let python = folder.join("bin").join("python");
    let requirements = root().join("tests/python/requirements.txt");
    let stamp = folder.join("requirements.txt");
    let wanted = std::fs::read(&requirements)?;
    if std::fs::read(&stamp).ok().as_ref() == Some(&wanted) {
        return Ok(python);
    }
    must(at_root("python3").args(["-m", "venv"]).arg(&folder))?;
    must(
        at_root(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
            .arg(&requirements),
    )?;
    std::fs::write(&stamp, wanted)?;
    Ok(python)
}

/// Installs the packages of `tests/node/package-lock.json` and returns that folder.
///
/// # Errors
/// If there is no Node, or a package cannot be installed.
pub fn node() -> anyhow::Result<PathBuf> {
    let folder = root().join("tests/node");
    let stamp = folder.join("node_modules/.orrery-lock");
    let wanted = std::fs::read(folder.join("package-lock.json"))?;
    if std::fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        must(Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder))?;
        std::fs::write(&stamp, wanted)?;
    }
    Ok(folder)
}
