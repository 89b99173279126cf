//! A real server process for tests, started on free ports and a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use serde::Deserialize;

/// What the server prints when it is ready.
#[derive(Debug, Deserialize)]
pub struct Ready {
    /// Base64 account key.
    pub key: String,
    /// Address of the SQL API.
    pub sql: String,
    /// Address of the Table API.
    pub table: String,
    /// Address of the Table API under the storage emulators' account.
    pub azurite: String,
    /// Address of the Gremlin API, for WebSockets.
    pub gremlin: String,
}

/// A running server; it is stopped, and its folder removed, when this is dropped.
pub struct Server {
    /// Where it listens.
    pub ready: Ready,
    process: Process,
    /// Kept open: a server whose standard output is closed could not print.
    _stdout: BufReader<ChildStdout>,
    path: PathBuf,
    /// Removed at the end, if it is this server's own.
    _folder: Option<tempfile::TempDir>,
}

impl Server {
    /// Starts `binary serve` with further flags on a folder of its own.
    ///
    /// # Errors
    /// If it does not become ready.
    pub fn start(binary: &Path, flags: &[&str]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let server = Server::start_in(binary, folder.path(), flags)?;
        Ok(Server { _folder: Some(folder), ..server })
    }

    /// Starts it on a folder that stays.
    ///
    /// # Errors
    /// If it does not become ready.
    pub fn start_in(binary: &Path, folder: &Path, flags: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command.arg("serve").arg("--data-dir").arg(folder).args(["--ready-json", "--log", "warn"]).args(flags);
        // Flags may say otherwise.
        let mut child = command
            .env("ORRERY_TABLE_PORT", "0")
            .env("ORRERY_AZURITE_PORT", "0")
            .env("ORRERY_GREMLIN_PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {command:?}"))?;
        let mut stdout = BufReader::new(child.stdout.take().context("the server has no standard output")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        match serde_json::from_str(&line) {
            Ok(ready) => {
                Ok(Server { ready, process: Process(child), _stdout: stdout, path: folder.to_owned(), _folder: None })
            }
            Err(error) => {
                drop(child.kill());
                bail!("the server did not become ready ({error}); it printed {line:?}")
            }
        }
    }

    /// Kills it as a crash would: SIGKILL, with no chance to finish anything.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn kill_now(&mut self) -> anyhow::Result<()> {
        self.process.0.kill()?;
        self.process.0.wait()?;
        Ok(())
    }

    /// The process's number.
    #[cfg(feature = "bench")]
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// The server's certificate, to be trusted by clients.
    pub fn certificate(&self) -> PathBuf {
        self.path.join("cert.pem")
    }

    /// The variables under which test clients find the server.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("ORRERY_ENDPOINT", self.ready.sql.clone()),
            ("ORRERY_HTTPS_ENDPOINT", self.ready.sql.replacen("http://127.0.0.1", "https://localhost", 1)),
            ("ORRERY_TABLE", self.ready.table.clone()),
            ("ORRERY_AZURITE", self.ready.azurite.clone()),
            ("ORRERY_GREMLIN", self.ready.gremlin.clone()),
            ("ORRERY_KEY", self.ready.key.clone()),
            ("ORRERY_CA", self.certificate().display().to_string()),
        ]
    }
}

/// The process, asked to stop in good order when this is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        // SIGTERM through the shell's kill: the standard library only knows SIGKILL.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status().is_ok_and(|status| status.success());
        if !asked {
            drop(self.0.kill());
        }
        drop(self.0.wait());
    }
}
