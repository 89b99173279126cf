//! `orrery serve`: opens the data, listens, and stops in good order.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use orrery_engine::Engine;
use orrery_gateway::auth::{AadMode, Authenticator, Key, Keys};
use orrery_gateway::gremlin_api::{self, GremlinApi, GremlinApiConfig};
use orrery_gateway::health::{Health, Probe, ROUTES as HEALTH_ROUTES};
use orrery_gateway::listen::certificate::Certificate;
use orrery_gateway::listen::{App, Limits, Listener, Options, Shutdown, ShutdownTrigger, Tls, Workers, serve};
use orrery_gateway::metrics::{ApiMetrics, Gauge, Metrics};
use orrery_gateway::sql_api::{ROUTE_NAMES, SqlApi, SqlApiConfig};
use orrery_gateway::table_api::{self, TableApi, TableApiConfig, TableCatalog};
use tokio::task::JoinSet;

use crate::cli::{Port, ServeArgs};
use crate::ready::{ACCOUNT, Addresses, Ready};
use crate::table_ports::{self, TablePortKind};
use crate::{data_folder, stop};

/// Runs the server until it is told to stop.
///
/// # Errors
/// If the data cannot be opened, a port is taken, or a key is no base64.
pub async fn run(arguments: ServeArgs) -> anyhow::Result<ExitCode> {
    let server = Server::start(&arguments).await?;
    if arguments.ready_json {
        server.ready.print_json()?;
    } else {
        server.ready.print_banner(&where_data_is(&arguments))?;
    }
    let signal = stop::requested().await?;
    tracing::info!(signal, "stopping: finishing what is in flight");
    server.stop().await?;
    Ok(ExitCode::SUCCESS)
}

/// A server that accepts on all its ports.
pub struct Server {
    /// Its data.
    pub engine: Engine,
    /// Where it listens.
    pub ready: Ready,
    trigger: ShutdownTrigger,
    ports: JoinSet<()>,
}

impl Server {
    /// Opens the data and every port.
    ///
    /// # Errors
    /// As for [`run`].
    pub async fn start(arguments: &ServeArgs) -> anyhow::Result<Server> {
        let keys = keys(arguments)?;
        let aad = if arguments.allow_aad { AadMode::AllowUnverified } else { AadMode::Off };
        // The certificate takes milliseconds of computing, opening the data takes some of waiting: both at once.
        let (engine, certificate) = tokio::join!(data_folder::open(arguments), certificate(arguments));
        let (engine, certificate) = (engine?, certificate?);
        let metrics = Arc::new(Metrics::default());
        let catalog = TableCatalog::new(engine.clone());
        let (trigger, shutdown) = Shutdown::channel();
        let ready = Ready::new(&arguments.key, Addresses::default());
        let mut server = Server { engine: engine.clone(), ready, trigger, ports: JoinSet::new() };
        let mut addresses = Addresses::default();
        let tls = Tls::try_new(&certificate)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = Arc::new(Workers::start(processors).context("cannot start the threads for connections")?);
        let options = |api: Arc<ApiMetrics>| Options {
            tls: Some(tls.clone()),
            limits: Limits::default(),
            metrics: api,
            workers: Some(workers.clone()),
        };
        if let Some(address) = address(arguments, arguments.sql_port) {
            let app = SqlApi::new(SqlApiConfig {
                engine: engine.clone(),
                authenticator: Authenticator::new(keys.clone(), aad),
                account_name: ACCOUNT.to_owned(),
                public_url: arguments.public_url.clone(),
                certificate_pem: Some(certificate.pem().to_owned()),
                strict: arguments.strict,
            });
            let options = options(metrics.api("sql", &ROUTE_NAMES));
            addresses.sql = Some(server.listen("--sql-port", address, Arc::new(app), options, shutdown.clone()).await?);
        }
        let gremlin_port = arguments.gremlin_port.unwrap_or(Port::On(DEFAULT_GREMLIN_PORT));
        if let Some(address) = address(arguments, gremlin_port) {
            let options = options(metrics.api("gremlin", &gremlin_api::ROUTE_NAMES));
            let app = GremlinApi::new(GremlinApiConfig {
                engine: engine.clone(),
                authenticator: Authenticator::new(keys.clone(), aad),
                strict: arguments.strict,
                graph_bytes: usize::try_from(arguments.graph_mb << 20).unwrap_or(usize::MAX),
                metrics: options.metrics.clone(),
            });
            let is_asked_for = arguments.gremlin_port.is_some();
            let bound = server.listen("--gremlin-port", address, Arc::new(app), options, shutdown.clone()).await;
            addresses.gremlin = unless_default(bound, is_asked_for)?;
        }
        for port in table_ports::of(arguments, keys)? {
            let options = options(metrics.api(port.metrics_label, &table_api::ROUTE_NAMES));
            let app = TableApi::new(TableApiConfig { catalog: catalog.clone(), account: port.account, aad });
            let bound = server.listen(port.flag, port.address, Arc::new(app), options, shutdown.clone()).await;
            let bound = unless_default(bound, port.is_asked_for)?;
            match port.kind {
                TablePortKind::Own => addresses.table = bound,
                TablePortKind::StorageEmulator => addresses.azurite = bound,
            }
        }
        if let Some(address) = address(arguments, arguments.health_port) {
            let options = Options {
                tls: None,
                limits: Limits::default(),
                metrics: metrics.api("health", &HEALTH_ROUTES),
                workers: None,
            };
            let app = Health::new(env!("CARGO_PKG_VERSION"), metrics, Arc::new(EngineProbe { engine }));
            let bound = server.listen("--health-port", address, Arc::new(app), options, shutdown).await?;
            addresses.health = Some(bound);
        }
        server.ready = Ready::new(&arguments.key, addresses);
        Ok(server)
    }

    /// Finishes what is in flight, closes the data and returns.
    ///
    /// # Errors
    /// If what is buffered cannot be written.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.trigger.request();
        while let Some(ended) = self.ports.join_next().await {
            ended.context("a port ended by a panic")?;
        }
        self.engine.close().await.context("closing the data")
    }

    async fn listen(
        &mut self,
        flag: &str,
        address: SocketAddr,
        app: Arc<dyn App>,
        options: Options,
        shutdown: Shutdown,
    ) -> anyhow::Result<SocketAddr> {
        let listener = Listener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}; {flag} takes another port, 0 picks a free one"))?;
        let bound = listener.local_addr();
        self.ports.spawn(async move {
            serve(listener, app, options, shutdown).await;
        });
        Ok(bound)
    }
}

/// Where the emulator of Azure Cosmos DB has its Gremlin API.
pub const DEFAULT_GREMLIN_PORT: u16 = 8901;

/// A port that nobody asked for may be taken: the server goes on without it.
fn unless_default(bound: anyhow::Result<SocketAddr>, is_asked_for: bool) -> anyhow::Result<Option<SocketAddr>> {
    match bound {
        Err(error) if !is_asked_for => {
            tracing::warn!("{error:#}; going on without it");
            Ok(None)
        }
        bound => bound.map(Some),
    }
}

/// How the data folder is named to a person.
pub fn where_data_is(arguments: &ServeArgs) -> String {
    if arguments.in_memory { "in memory, gone at the end".into() } else { arguments.data_dir.display().to_string() }
}

pub(crate) fn address(arguments: &ServeArgs, port: Port) -> Option<SocketAddr> {
    match port {
        Port::Off => None,
        Port::On(port) => Some(SocketAddr::new(arguments.host, port)),
    }
}

fn keys(arguments: &ServeArgs) -> anyhow::Result<Keys> {
    let key = |flag: &'static str, text: &str| {
        Key::from_base64(text).with_context(|| format!("{flag} must be base64, as in `openssl rand -base64 64`"))
    };
    let optional = |flag, text: &Option<String>| text.as_deref().map(|text| key(flag, text)).transpose();
    Ok(Keys {
        primary: key("--key", &arguments.key)?,
        secondary: optional("--secondary-key", &arguments.secondary_key)?,
        primary_readonly: optional("--readonly-key", &arguments.readonly_key)?,
        secondary_readonly: optional("--secondary-readonly-key", &arguments.secondary_readonly_key)?,
    })
}

async fn certificate(arguments: &ServeArgs) -> anyhow::Result<Certificate> {
    let (names, folder) = (arguments.tls_name.clone(), (!arguments.in_memory).then(|| arguments.data_dir.clone()));
    let made = tokio::task::spawn_blocking(move || match folder {
        Some(folder) => {
            std::fs::create_dir_all(&folder)
                .map_err(|source| anyhow::anyhow!("cannot make the data folder {}: {source}", folder.display()))?;
            Ok(Certificate::load_or_make(&folder, &names)?)
        }
        None => Ok(Certificate::ephemeral(&names)?),
    });
    made.await?
}

struct EngineProbe {
    engine: Engine,
}

impl Probe for EngineProbe {
    fn readiness(&self) -> Result<(), String> {
        Ok(())
    }

    fn gauges(&self) -> Vec<Gauge> {
        let stats = self.engine.store_stats();
        let gauge = |name, help, value: u64| Gauge { name, help, value: value as f64 };
        vec![
            gauge("store_size_bytes", "Bytes of data on disk, or in memory without one.", stats.size_bytes),
            gauge("store_cache_bytes", "Bytes of blocks in the cache.", stats.cache_bytes),
            gauge("store_cache_capacity_bytes", "Bytes that the cache can hold.", stats.cache_capacity_bytes),
            gauge("store_commits", "Transactions committed since start.", stats.commits),
            gauge("store_commit_groups", "Groups these were written in, one fsync each.", stats.commit_groups),
        ]
    }
}
