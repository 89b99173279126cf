//! The program as a server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that is ready; killed when dropped.
pub struct Running {
    process: Child,
    ready: Value,
}

impl Running {
    /// Runs `orrery serve` with these flags.
    pub fn start(flags: &[&str]) -> Running {
        let mut process = Command::new(env!("CARGO_BIN_EXE_orrery"))
            .env_remove("ORRERY_KEY")
            .args(["serve", "--ready-json"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Running { ready: serde_json::from_str(&line).unwrap(), process }
    }

    /// The address of an API, as the server says it.
    pub fn url(&self, api: &str) -> String {
        self.ready[api].as_str().unwrap().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
