//! What the server says when it is ready: one JSON line for programs, a banner for people.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;

use orrery_gateway::auth::STORAGE_EMULATOR_ACCOUNT;
use serde::Serialize;

/// The account's name in connection strings.
pub const ACCOUNT: &str = "localhost";

/// Where everything listens.
#[derive(Serialize)]
pub struct Ready {
    event: &'static str,
    pid: u32,
    account: &'static str,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    azurite: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gremlin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health: Option<String>,
}

/// Where each API listens, if it does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses {
    /// The SQL API.
    pub sql: Option<SocketAddr>,
    /// The Table API.
    pub table: Option<SocketAddr>,
    /// The Table API under the storage emulators' account.
    pub azurite: Option<SocketAddr>,
    /// The Gremlin API.
    pub gremlin: Option<SocketAddr>,
    /// Liveness and metrics.
    pub health: Option<SocketAddr>,
}

impl Ready {
    /// The addresses that are on.
    pub fn new(key: &str, addresses: Addresses) -> Self {
        let url = |address: SocketAddr| format!("http://{}", reachable(address));
        Ready {
            event: "ready",
            pid: std::process::id(),
            account: ACCOUNT,
            key: key.to_owned(),
            sql: addresses.sql.map(url),
            table: addresses.table.map(url),
            azurite: addresses.azurite.map(|address| format!("{}/{STORAGE_EMULATOR_ACCOUNT}", url(address))),
            gremlin: addresses.gremlin.map(|address| format!("ws://{}/gremlin", reachable(address))),
            health: addresses.health.map(url),
        }
    }

    /// Address of the SQL API, if it is on.
    pub fn sql(&self) -> Option<&str> {
        self.sql.as_deref()
    }

    /// Address of the Table API, if it is on.
    pub fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    /// Address of the Gremlin API, if it is on.
    pub fn gremlin(&self) -> Option<&str> {
        self.gremlin.as_deref()
    }

    /// Writes the JSON line and flushes it.
    ///
    /// # Errors
    /// If standard output is closed.
    pub fn print_json(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(self)?)?;
        Ok(out.flush()?)
    }

    /// Writes what a person needs to connect.
    ///
    /// # Errors
    /// If standard output is closed.
    pub fn print_banner(&self, where_data_is: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let (bold, plain) = if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        writeln!(out, "{bold}orrery {}{plain} is ready; data: {where_data_is}", env!("CARGO_PKG_VERSION"))?;
        if let Some(sql) = &self.sql {
            let tls = sql.replacen("http:", "https:", 1);
            writeln!(out, "  SQL API     {sql}  (and {tls})")?;
            writeln!(out, "  connection  AccountEndpoint={sql}/;AccountKey={};", self.key)?;
            writeln!(out, "  certificate {sql}/_explorer/emulator.pem")?;
        }
        if let Some(table) = &self.table {
            let tls = table.replacen("http:", "https:", 1);
            writeln!(out, "  Table API   {table}  (and {tls})")?;
            let (account, key) = (self.account, &self.key);
            writeln!(
                out,
                "  connection  DefaultEndpointsProtocol=http;AccountName={account};AccountKey={key};TableEndpoint={table}/{account};"
            )?;
        }
        if let Some(azurite) = &self.azurite {
            writeln!(out, "  the same    {azurite}  (UseDevelopmentStorage=true)")?;
        }
        if let Some(gremlin) = &self.gremlin {
            let tls = gremlin.replacen("ws:", "wss:", 1);
            writeln!(out, "  Gremlin API {gremlin}  (and {tls})")?;
            writeln!(out, "  connection  username /dbs/<database>/colls/<graph>, password {}", self.key)?;
        }
        if let Some(health) = &self.health {
            writeln!(out, "  health      {health}/ready  {health}/metrics")?;
        }
        writeln!(out, "  Ctrl-C stops it.")?;
        Ok(out.flush()?)
    }
}

/// An address that a client on this machine can connect to, also when the server listens on all interfaces.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
    }
    address
}
