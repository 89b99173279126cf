//! The progress bar: on standard error, and only where somebody watches.

use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// Shows how far a transfer is. Cloning it is cheap, and all clones are one.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar over the bytes of the files to read; without a total, as for standard input, a line that counts.
    pub fn of_bytes(total_bytes: Option<u64>, shown: bool) -> Progress {
        let counted = "{spinner} {msg}, {bytes} read, {elapsed}";
        Progress::new(total_bytes, shown, "{bytes}/{total_bytes} {msg}, ETA {eta}", counted)
    }

    /// A bar over items; without a total, a line that counts.
    pub fn of_items(total: Option<u64>, shown: bool) -> Progress {
        Progress::new(
            total,
            shown,
            "{human_pos}/{human_len} items, {per_sec}, ETA {eta}",
            "{spinner} {human_pos} items, {per_sec}, {elapsed}",
        )
    }

    fn new(total: Option<u64>, shown: bool, measured: &str, counted: &str) -> Progress {
        // Hides itself where standard error is no terminal.
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(total, target);
        let template = match total {
            Some(_) if std::env::var_os("NO_COLOR").is_some() => format!("[{{bar:30}}] {measured}"),
            Some(_) => format!("[{{bar:30.cyan}}] {measured}"),
            None => counted.to_owned(),
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        if shown {
            bar.enable_steady_tick(REDRAW_INTERVAL);
        }
        Progress { bar }
    }

    /// Moves the bar on.
    pub fn add(&self, amount: u64) {
        self.bar.inc(amount);
    }

    /// Says how many items went in, how many were rejected, and how many a second that is.
    pub fn show_counts(&self, imported: u64, rejected: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let rate = imported as f64 / self.bar.elapsed().as_secs_f64().max(0.001);
        let rejected = if rejected > 0 { format!(", {} rejected", HumanCount(rejected)) } else { String::new() };
        self.bar.set_message(format!("{} imported{rejected}, {}/s", HumanCount(imported), HumanCount(rate as u64)));
    }

    /// Prints a line to standard error without tearing the bar.
    pub fn print(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
