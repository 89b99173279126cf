//! Azurite's table service, pinned, kept below `target/xtask`.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::command::{at_root, cache, must};

const VERSION: &str = "3.37.0";
/// How long it may take to listen: it is slow to load on a busy machine.
const START: Duration = Duration::from_secs(60);

/// The running service; killed when this is dropped, for it keeps nothing.
pub struct Azurite {
    /// Address of its account.
    pub endpoint: String,
    process: Child,
}

impl Azurite {
    /// Installs it if need be and starts it on a free port, with its data in memory.
    ///
    /// # Errors
    /// If it cannot be installed, or does not listen in time.
    pub fn start() -> anyhow::Result<Self> {
        let main = install()?;
        // It does not tell which port it got when it was told to choose.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new("node")
            .arg(main)
            .args(["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"])
            .args(["--tableHost", "127.0.0.1", "--tablePort", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let mut azurite = Azurite { endpoint: format!("http://127.0.0.1:{port}/devstoreaccount1"), process };
        let until = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if azurite.process.try_wait()?.is_some() || Instant::now() > until {
                bail!("Azurite does not listen");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(azurite)
    }

    /// The process's number.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Azurite {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Installs the package and returns the program of its table service.
fn install() -> anyhow::Result<PathBuf> {
    let folder = cache().join("azurite");
    let package = folder.join("node_modules/azurite");
    let wanted = format!("\"version\": \"{VERSION}\"");
    if !std::fs::read_to_string(package.join("package.json")).is_ok_and(|manifest| manifest.contains(&wanted)) {
        std::fs::create_dir_all(&folder)?;
        let mut npm = at_root("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&folder);
        must(npm.arg(format!("azurite@{VERSION}")).stdout(Stdio::null()))?;
    }
    Ok(package.join("dist/src/table/main.js"))
}
