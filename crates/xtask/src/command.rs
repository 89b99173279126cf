//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    // Joining an absolute path gives that path.
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Where clients and their packages are kept between runs.
pub fn cache() -> PathBuf {
    target().join("xtask")
}

/// A command that runs at the root of the repository.
pub fn at_root(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a command whose failure ends everything: set-up.
pub fn must(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Runs a command, shows what it prints and returns it, with whether it succeeded.
pub fn shown(command: &mut Command) -> anyhow::Result<(bool, String)> {
    use std::io::{BufRead, BufReader, Write};
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let mut text = String::new();
    if let Some(out) = child.stdout.take() {
        let mut shown = std::io::stdout().lock();
        for line in BufReader::new(out).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            writeln!(shown, "{line}")?;
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok((child.wait()?.success(), text))
}
