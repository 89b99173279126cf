//! Where a container is: on a server, or in a data folder that no server has open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use orrery_engine::{Engine, EngineOptions};
use orrery_gateway::table_api::TABLES_DATABASE;
use orrery_store::{FjallOptions, FjallStore};

use crate::remote::{Client, ClientOptions, ContainerLink, Graphs, Tables};

/// The endpoint of a server that was started without options.
const DEFAULT_ENDPOINT: &str = "http://localhost:8081";

/// What to work on.
#[derive(Args, Debug, Clone)]
pub struct LocationArgs {
    /// Name of the database
    #[arg(long, short, value_name = "NAME", required_unless_present = "table", conflicts_with = "table")]
    database: Option<String>,
    /// Name of the container
    #[arg(long, short, value_name = "NAME", required_unless_present = "table", conflicts_with = "table")]
    container: Option<String>,
    /// Name of a table of the Table API, instead of --database and --container: items are entities
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// The server or the data folder.
#[derive(Args, Debug, Clone)]
pub struct PlaceArgs {
    /// Address of the running server; http://localhost:8081 if neither this nor --data-dir is given
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub endpoint: Option<String>,
    /// Address of the server's Table API, with the account as its path if it is not the server's own; by default port 8902 of the server
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub table_endpoint: Option<String>,
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

/// A server or a data folder, opened.
pub enum Location {
    /// A server.
    Server(Client),
    /// The engine on a data folder.
    Folder(Engine),
}

impl LocationArgs {
    /// The container that is meant; that of a table is in the database of all tables.
    pub fn link(&self) -> ContainerLink {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        match &self.table {
            Some(table) => ContainerLink { database: TABLES_DATABASE.to_owned(), container: table.clone() },
            None => ContainerLink { database: name(&self.database), container: name(&self.container) },
        }
    }
}

impl PlaceArgs {
    /// Opens the place; a data folder that does not exist is made.
    ///
    /// # Errors
    /// If the options contradict each other, or the folder is in use or damaged. A server is not asked anything yet.
    pub async fn open_or_make(&self) -> anyhow::Result<Location> {
        match &self.data_dir {
            Some(folder) => open_folder(folder).await,
            None => self.client(),
        }
    }

    /// Opens the place, which must be there.
    ///
    /// # Errors
    /// As for [`PlaceArgs::open_or_make`], and if the data folder does not exist.
    pub async fn open(&self) -> anyhow::Result<Location> {
        match &self.data_dir {
            Some(folder) if !folder.is_dir() => bail!("there is no data folder {}", folder.display()),
            _ => self.open_or_make().await,
        }
    }

    /// The tables of the opened place.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn tables(&self, engine: Option<&Engine>) -> anyhow::Result<Tables> {
        match engine {
            Some(engine) => Tables::in_process(engine.clone()),
            None => Tables::on_server(&self.options(), self.table_endpoint.as_deref()),
        }
    }

    /// The graphs of the server, or of the engine on the data folder. `gremlin_endpoint` is where the server has them, if not on the
    /// usual port.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn graphs(&self, engine: Option<&Engine>, gremlin_endpoint: Option<&str>) -> anyhow::Result<Graphs> {
        match engine {
            Some(engine) => Graphs::in_process(engine.clone()),
            None => Graphs::on_server(&self.options(), gremlin_endpoint),
        }
    }

    fn client(&self) -> anyhow::Result<Location> {
        Ok(Location::Server(Client::new(&self.options())?))
    }

    fn options(&self) -> ClientOptions<'_> {
        ClientOptions {
            endpoint: self.endpoint.as_deref().unwrap_or(DEFAULT_ENDPOINT),
            key: &self.key,
            ca: self.ca.as_deref(),
            insecure: self.insecure,
        }
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
