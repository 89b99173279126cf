//! Where what was typed is kept.

use std::env;
use std::path::PathBuf;

use anyhow::Context;
use reedline::FileBackedHistory;

/// Entries kept; the oldest go first.
const MAX_ENTRIES: usize = 5_000;

/// The history file of this user, made if missing; none if the system names no place for it.
///
/// # Errors
/// If the file cannot be read or made.
pub fn open() -> anyhow::Result<Option<FileBackedHistory>> {
    let Some(folder) = state_folder(|name| env::var_os(name).map(PathBuf::from)) else { return Ok(None) };
    make_private(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("shell_history");
    let history = FileBackedHistory::with_file(MAX_ENTRIES, path.clone());
    history.map(Some).with_context(|| format!("cannot open {}", path.display()))
}

/// The folder for what programs keep between runs, as the system's conventions have it.
fn state_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    let base = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
    Some(base.join("orrery"))
}

/// Queries may hold what others should not read.
fn make_private(folder: &std::path::Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_conventions() {
        let folder = |pairs: &[(&str, &str)]| {
            state_folder(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, path)| PathBuf::from(path)))
        };
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]), Some("/s/orrery".into()));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "relative")]), Some("/h/.local/state/orrery".into()));
        assert_eq!(folder(&[]), None);
    }
}
