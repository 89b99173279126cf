//! The two ports of the Table API: the server's own account, and that of the storage emulators. Both serve the same tables.

use std::net::SocketAddr;

use orrery_gateway::auth::{EMULATOR_KEY, Key, Keys, STORAGE_EMULATOR_ACCOUNT, STORAGE_EMULATOR_KEY};
use orrery_gateway::table_api::TableAccount;
use orrery_table::Dialect;

use crate::cli::{Port, ServeArgs};
use crate::ready::ACCOUNT;
use crate::serve::address;

/// Where the emulator of Azure Cosmos DB has its Table API.
pub const DEFAULT_TABLE_PORT: u16 = 8902;
/// Where the emulators of Azure Storage have theirs.
const DEFAULT_AZURITE_PORT: u16 = 10002;

/// A port of the Table API.
pub struct TablePort {
    /// Which of the two.
    pub kind: TablePortKind,
    /// Where it listens.
    pub address: SocketAddr,
    /// The flag that says so.
    pub flag: &'static str,
    /// Whether the flag was given, so that the server is no good without the port.
    pub is_asked_for: bool,
    /// Its name in the metrics.
    pub metrics_label: &'static str,
    /// Whose account it is.
    pub account: TableAccount,
}

/// The two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePortKind {
    /// The server's own account, with the rules of Azure Cosmos DB.
    Own,
    /// The account of the storage emulators, with the rules of Azure Storage.
    StorageEmulator,
}

/// The ports that are on. The emulators' key is public, so that a server with a key of its own has that port only if it is asked for.
///
/// # Errors
/// If the emulators' key is none, which it is not.
pub fn of(arguments: &ServeArgs, keys: Keys) -> anyhow::Result<Vec<TablePort>> {
    let own = arguments.table_port.unwrap_or(Port::On(DEFAULT_TABLE_PORT));
    let own = address(arguments, own).map(|address| TablePort {
        kind: TablePortKind::Own,
        address,
        flag: "--table-port",
        is_asked_for: arguments.table_port.is_some(),
        metrics_label: "table",
        account: TableAccount { name: ACCOUNT.to_owned(), keys, dialect: Dialect::Cosmos },
    });
    let by_default = if arguments.key == EMULATOR_KEY { Port::On(DEFAULT_AZURITE_PORT) } else { Port::Off };
    let public_key = Key::from_base64(STORAGE_EMULATOR_KEY)?;
    let emulator = address(arguments, arguments.azurite_port.unwrap_or(by_default)).map(|address| TablePort {
        kind: TablePortKind::StorageEmulator,
        address,
        flag: "--azurite-port",
        is_asked_for: arguments.azurite_port.is_some(),
        metrics_label: "azurite",
        account: TableAccount {
            name: STORAGE_EMULATOR_ACCOUNT.to_owned(),
            keys: Keys::single(public_key),
            dialect: Dialect::Storage,
        },
    });
    Ok(own.into_iter().chain(emulator).collect())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn ports(flags: &[&str]) -> Vec<(TablePortKind, u16, bool)> {
        let line = ["orrery", "serve", "--table-port", "off"].iter().chain(flags);
        let Command::Serve(arguments) = Cli::parse_from(line).command else { panic!("serve was asked for") };
        let keys = Keys::single(Key::from_base64(&arguments.key).unwrap());
        let ports = of(&arguments, keys).unwrap();
        ports.iter().map(|port| (port.kind, port.address.port(), port.is_asked_for)).collect()
    }

    #[test]
    fn a_server_with_a_key_of_its_own_has_the_public_account_only_if_asked() {
        let own_key = ["--key", "b3duIGtleSBvZiBteSBvd24sIGxvbmcgZW5vdWdo"];
        assert_eq!(ports(&[]), [(TablePortKind::StorageEmulator, DEFAULT_AZURITE_PORT, false)]);
        assert_eq!(ports(&own_key), []);
        let asked = [&own_key[..], &["--azurite-port", "7"]].concat();
        assert_eq!(ports(&asked), [(TablePortKind::StorageEmulator, 7, true)]);
        assert_eq!(ports(&["--azurite-port", "off"]), []);
    }
}
