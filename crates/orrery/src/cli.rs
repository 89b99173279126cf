//! What the program can be told on its command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::export::ExportArgs;
use crate::import::ImportArgs;
use crate::shell::ShellArgs;

/// A server that speaks the wire protocols of Azure Cosmos DB.
#[derive(Parser, Debug)]
#[command(name = "orrery", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The program's commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the server
    #[command(after_help = "Examples:\n  \
        orrery serve\n  \
        orrery serve --data-dir /var/lib/orrery --host 0.0.0.0 --tls-name db.example.org --key \"$KEY\"\n  \
        orrery serve --in-memory --sql-port 0 --table-port off --azurite-port off --gremlin-port off --health-port off --ready-json")]
    Serve(ServeArgs),
    /// Load sample data, show what each API answers, and keep serving
    #[command(after_help = "Examples:\n  \
        orrery demo\n  \
        orrery demo --data volcanoes.json --partition-key /Country\n  \
        orrery demo --in-memory --sql-port 0 --exit")]
    Demo(DemoArgs),
    /// Load JSON, JSON lines or CSV into a container, on a server or straight into a data folder
    Import(ImportArgs),
    /// Write a container's items as JSON, JSON lines or CSV, from a server or straight from a data folder
    Export(ExportArgs),
    /// Query a server or a data folder: a prompt with history and completion, or statements from a pipe
    Shell(ShellArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  orrery completions bash > /etc/bash_completion.d/orrery")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How the server runs. Each flag is also an environment variable.
#[derive(Args, Debug, Clone)]
pub struct ServeArgs {
    /// Folder that holds the data; made if missing
    #[arg(long, env = "ORRERY_DATA_DIR", default_value = "./orrery-data", value_name = "FOLDER")]
    pub data_dir: PathBuf,
    /// Keep the data in memory only; it is gone when the server stops
    #[arg(long, env = "ORRERY_IN_MEMORY", conflicts_with = "data_dir")]
    pub in_memory: bool,
    /// Address to listen on; 0.0.0.0 opens the server to the network, so give it a --key of your own then
    #[arg(long, env = "ORRERY_HOST", default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub host: std::net::IpAddr,
    /// Port of the SQL API, HTTP and HTTPS alike; 0 picks a free one, "off" turns it off
    #[arg(long, env = "ORRERY_SQL_PORT", default_value = "8081", value_name = "PORT|off")]
    pub sql_port: Port,
    /// Port of the Table API, HTTP and HTTPS alike; 0 picks a free one, "off" turns it off. By default 8902 if it is free
    #[arg(long, env = "ORRERY_TABLE_PORT", value_name = "PORT|off")]
    pub table_port: Option<Port>,
    /// Port of the Table API under the storage emulators' public account and key, for UseDevelopmentStorage=true; 0 picks a free one,
    /// "off" turns it off. By default 10002 if it is free and --key is the public one as well
    #[arg(long, env = "ORRERY_AZURITE_PORT", value_name = "PORT|off")]
    pub azurite_port: Option<Port>,
    /// Port of the Gremlin API, WebSockets and HTTP, with TLS and without; 0 picks a free one, "off" turns it off. By default 8901 if it is
    /// free
    #[arg(long, env = "ORRERY_GREMLIN_PORT", value_name = "PORT|off")]
    pub gremlin_port: Option<Port>,
    /// Port of /alive, /ready, /status and /metrics; 0 picks a free one, "off" turns it off
    #[arg(long, env = "ORRERY_HEALTH_PORT", default_value = "8080", value_name = "PORT|off")]
    pub health_port: Port,
    /// Primary account key, in base64. The default is the public one of the official emulator
    #[arg(long, env = "ORRERY_KEY", default_value = orrery_gateway::auth::EMULATOR_KEY, value_name = "KEY", hide_env_values = true, hide_default_value = true)]
    pub key: String,
    /// A second key with all rights, to change keys without a pause
    #[arg(long, env = "ORRERY_SECONDARY_KEY", value_name = "KEY", hide_env_values = true)]
    pub secondary_key: Option<String>,
    /// A key that only reads
    #[arg(long, env = "ORRERY_READONLY_KEY", value_name = "KEY", hide_env_values = true)]
    pub readonly_key: Option<String>,
    /// A second key that only reads
    #[arg(long, env = "ORRERY_SECONDARY_READONLY_KEY", value_name = "KEY", hide_env_values = true)]
    pub secondary_readonly_key: Option<String>,
    /// Take Entra ID tokens without checking their signature; for tests of code that sends them
    #[arg(long, env = "ORRERY_ALLOW_AAD")]
    pub allow_aad: bool,
    /// Refuse what the service refuses, even where this server could do it
    #[arg(long, env = "ORRERY_STRICT")]
    pub strict: bool,
    /// A further name that the certificate is valid for; may be repeated
    #[arg(long, env = "ORRERY_TLS_NAME", value_name = "NAME", value_delimiter = ',')]
    pub tls_name: Vec<String>,
    /// Address that clients are told to use, such as https://db.example.org:8081/; by default the one they came by
    #[arg(long, env = "ORRERY_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// When a write is acknowledged
    #[arg(long, env = "ORRERY_DURABILITY", value_enum, default_value_t = DurabilityChoice::Durable)]
    pub durability: DurabilityChoice,
    /// Memory for data at hand, in MiB: an eighth for items that were read one by one, the rest for blocks
    #[arg(long, env = "ORRERY_CACHE_MB", default_value_t = 128, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub cache_mb: u64,
    /// Memory for who is whose neighbour in graphs, in MiB: some 5,000 edges each. Graphs that need more are answered from their index,
    /// which takes several times as long; 0 leaves all to it
    #[arg(long, env = "ORRERY_GRAPH_MB", default_value_t = 256, value_name = "MIB", value_parser = clap::value_parser!(u64).range(..=1 << 20))]
    pub graph_mb: u64,
    /// What to log: error, warn, info, debug, trace, or directives such as info,orrery_engine=debug
    #[arg(long, env = "ORRERY_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// How log lines look
    #[arg(long, env = "ORRERY_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Print one JSON line on standard output once every port accepts, instead of the banner
    #[arg(long, env = "ORRERY_READY_JSON")]
    pub ready_json: bool,
}

/// How the demonstration runs.
#[derive(Args, Debug, Clone)]
pub struct DemoArgs {
    /// Load this file (a JSON array, JSON lines or CSV) instead of the built-in airports and routes
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Partition key path of the container that --data is loaded into
    #[arg(long, default_value = "/id", value_name = "PATH", requires = "data")]
    pub partition_key: String,
    /// Stop after the demonstration instead of serving on
    #[arg(long)]
    pub exit: bool,
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// A port number, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Nothing listens.
    Off,
    /// This port; 0 means any free one.
    On(u16),
}

impl std::str::FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Port::Off);
        }
        text.parse().map(Port::On).map_err(|_| "a port is a number from 0 (any free one) to 65535, or \"off\"".into())
    }
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DurabilityChoice {
    /// When it is on disk; survives a loss of power
    Durable,
    /// When the operating system has it; survives a crash of this program, but a loss of power takes the last writes
    Buffered,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_flag_says_what_it_does() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn a_port_is_a_number_or_off() {
        assert_eq!("off".parse(), Ok(Port::Off));
        assert_eq!("0".parse(), Ok(Port::On(0)));
        assert!("65536".parse::<Port>().is_err() && "http".parse::<Port>().is_err());
    }
}
