//! Logs: to standard error, so that standard output stays for results.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::cli::LogFormat;

/// Starts logging. `filter` is a level, or directives such as `info,orrery_engine=debug`.
///
/// # Errors
/// If the filter cannot be read.
pub fn start(filter: &str, format: LogFormat) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)
        .with_context(|| format!("--log '{filter}' is no filter: try 'info' or 'info,orrery_engine=debug'"))?;
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(color);
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}
