//! Entity group transactions: after a crash all entities of one are as it left them, or none is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::writer::{Model, Name};
use super::{Random, audit};
use crate::http::Client;
use crate::server::Server;
use crate::tables::{Account, EMULATOR_KEY, batch_is_done};

const TABLE: &str = "crash";
/// Partitions that the entities are spread over.
const PARTITIONS: u64 = 3;
/// Row keys that each writer uses over and over in a partition.
const ROWS: u64 = 60;
/// Most writes of one batch here.
const MAX_WRITES: u64 = 30;

/// The account whose tables are written.
pub fn account(server: &Server) -> anyhow::Result<Account> {
    Account::of_emulator(&server.ready.azurite)
}

/// Creates the table.
pub fn set_up(account: &Account) -> anyhow::Result<()> {
    let made = client(account)?.send(&account.request("POST", "Tables", "", Some(&json!({"TableName": TABLE})))?)?;
    ensure!(made.status == 204, "the table was not created: {} {}", made.status, made.body);
    Ok(())
}

/// Compares the table with what the clients know of it.
pub fn check(account: &Account, model: &mut Model) -> anyhow::Result<()> {
    let entities = list(account)?;
    audit::compare(model, &entities).context("entities")?;
    Ok(())
}

fn client(account: &Account) -> anyhow::Result<Client> {
    Client::new(account.authority(), EMULATOR_KEY)
}

fn list(account: &Account) -> anyhow::Result<BTreeMap<Name, u64>> {
    let mut client = client(account)?;
    let mut entities = BTreeMap::new();
    let mut query = String::new();
    loop {
        let page = client.send(&account.request("GET", &format!("{TABLE}()"), &query, None)?)?;
        ensure!(page.status == 200, "listing entities failed: {} {}", page.status, page.body);
        for entity in page.body["value"].as_array().context("a page without entities")? {
            let key = |name: &str| entity[name].as_str().map(String::from).context("an entity without a key");
            let name = (key("PartitionKey")?, key("RowKey")?);
            let version = entity["n"].as_u64().context("an entity without n")?;
            ensure!(entities.insert(name.clone(), version).is_none(), "{name:?} is listed twice");
        }
        let Some(partition) = page.header("x-ms-continuation-nextpartitionkey") else { return Ok(entities) };
        query = format!("?NextPartitionKey={partition}");
        if let Some(row) = page.header("x-ms-continuation-nextrowkey") {
            query.push_str(&format!("&NextRowKey={row}"));
        }
    }
}

/// A client that writes batches.
pub struct EntityWriter {
    number: u64,
    account: Account,
    client: Client,
    random: Random,
}

impl EntityWriter {
    /// `number` tells its entities from those of others.
    pub fn new(number: u64, account: Account, random: Random) -> anyhow::Result<Self> {
        let client = client(&account)?;
        Ok(EntityWriter { number, account, client, random })
    }

    /// Writes until `stop`, or until the server is gone.
    pub fn write_until(mut self, model: &mut Model, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) && self.write(model) {}
    }

    /// One batch; false once the server is gone.
    fn write(&mut self, model: &mut Model) -> bool {
        model.next += 1;
        let change = self.choose(model);
        let writes: Vec<_> = change.iter().map(|(name, version)| write_of(model, name, *version)).collect();
        let request = match self.account.batch(TABLE, &writes) {
            Ok(request) => request,
            Err(error) => {
                println!("no batch: {error:#}");
                return false;
            }
        };
        match self.client.send(&request) {
            Ok(reply) if batch_is_done(&reply, writes.len()) => {
                model.known.extend(change);
                true
            }
            Ok(reply) => {
                // Nothing in these batches may be refused; the audit reports what it finds instead.
                println!("unexpected {}: {}", reply.status, reply.body);
                true
            }
            Err(_) => {
                model.pending.push(change);
                false
            }
        }
    }

    /// A run of rows of one partition with the versions they shall have; one in four of those that are there is deleted.
    fn choose(&mut self, model: &Model) -> Vec<(Name, Option<u64>)> {
        let partition = self.random.below(PARTITIONS);
        let (first, count) = (self.random.below(ROWS), self.random.below(MAX_WRITES) + 1);
        (0..count)
            .map(|more| {
                let row = (first + more) % ROWS;
                let name = (format!("p{partition}"), format!("{}-{row}", self.number));
                let is_there = matches!(model.known.get(&name), Some(Some(_)));
                let is_kept = !is_there || self.random.below(4) > 0;
                (name, is_kept.then_some(model.next))
            })
            .collect()
    }
}

/// The write that gives an entity a version: what is not there is inserted, what is there is replaced.
fn write_of(model: &Model, name: &Name, version: Option<u64>) -> (&'static str, Value) {
    let keys = json!({"PartitionKey": name.0, "RowKey": name.1});
    let Some(version) = version else { return ("DELETE", keys) };
    let verb = if matches!(model.known.get(name), Some(Some(_))) { "PUT" } else { "POST" };
    let pad = "x".repeat((version % 700) as usize);
    (verb, json!({"PartitionKey": name.0, "RowKey": name.1, "n": version, "pad": pad}))
}
