//! Where a container is: on a server, or in a data folder that no server has open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use orrery_engine::{Engine, EngineOptions};
use orrery_store::{FjallOptions, FjallStore};

use crate::remote::{Client, ClientOptions};

/// The endpoint of a server that was started without options.
const DEFAULT_ENDPOINT: &str = "http://localhost:8081";

/// What to work on.
#[derive(Args, Debug, Clone)]
pub struct LocationArgs {
    /// Name of the database
    #[arg(long, short, value_name = "NAME")]
    pub database: String,
    /// Name of the container
    #[arg(long, short, value_name = "NAME")]
    pub container: String,
    /// Address of the running server; http://localhost:8081 if neither this nor --data-dir is given
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub endpoint: Option<String>,
    /// Account key of the server, in base64. The default is the public one of the official emulator
    #[arg(long, env = "ORRERY_KEY", default_value = orrery_gateway::auth::EMULATOR_KEY, value_name = "KEY", hide_env_values = true, hide_default_value = true)]
    pub key: String,
    /// Trust the certificates in this PEM file, such as cert.pem in the server's data folder
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Take any certificate; for https to this machine only
    #[arg(long, conflicts_with = "ca")]
    pub insecure: bool,
    /// Work on this data folder itself, which no server may have open
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

/// Where a container is, opened.
pub enum Location {
    /// On a server.
    Server(Client),
    /// In a data folder.
    Folder(Engine),
}

impl LocationArgs {
    /// Opens the location; a data folder that does not exist is made.
    ///
    /// # Errors
    /// If the options contradict each other, or the folder is in use or damaged. A server is not asked anything yet.
    pub async fn open_or_make(&self) -> anyhow::Result<Location> {
        match &self.data_dir {
            Some(folder) => open_folder(folder).await,
            None => self.client(),
        }
    }

    /// Opens the location, which must be there.
    ///
    /// # Errors
    /// As for [`LocationArgs::open_or_make`], and if the data folder does not exist.
    pub async fn open(&self) -> anyhow::Result<Location> {
        match &self.data_dir {
            Some(folder) if !folder.is_dir() => bail!("there is no data folder {}", folder.display()),
            _ => self.open_or_make().await,
        }
    }

    fn client(&self) -> anyhow::Result<Location> {
        let options = ClientOptions {
            endpoint: self.endpoint.as_deref().unwrap_or(DEFAULT_ENDPOINT),
            key: &self.key,
            ca: self.ca.as_deref(),
            insecure: self.insecure,
        };
        Ok(Location::Server(Client::new(&options)?))
    }
}

async fn open_folder(folder: &Path) -> anyhow::Result<Location> {
    let path = folder.to_owned();
    let store = match tokio::task::spawn_blocking(move || FjallStore::open(path, FjallOptions::default())).await? {
        Err(orrery_store::Error::Locked { path }) => bail!(
            "the data folder {path} is in use, most likely by a running server: use --endpoint URL instead of --data-dir, or stop the server"
        ),
        opened => opened?,
    };
    let engine = Engine::open(Arc::new(store), EngineOptions::default()).await;
    Ok(Location::Folder(engine.with_context(|| format!("cannot open the data folder {}", folder.display()))?))
}
