//! What standard output and standard error are connected to.

use std::io::{IsTerminal, stderr, stdout};

/// Columns of a terminal that does not tell how many it has.
const DEFAULT_WIDTH: u16 = 80;

/// What the output is shown on.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Whether results go to a terminal.
    pub is_terminal: bool,
    /// Whether messages may be coloured.
    pub color: bool,
}

impl Screen {
    /// What this process writes to.
    pub fn detect() -> Screen {
        let color = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Screen { is_terminal: stdout().is_terminal(), color }
    }

    /// Columns of the terminal now; none elsewhere.
    pub fn width(self) -> Option<u16> {
        let told = || crossterm::terminal::size().map_or(DEFAULT_WIDTH, |(columns, _)| columns.max(1));
        self.is_terminal.then(told)
    }
}
