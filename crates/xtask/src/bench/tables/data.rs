//! The entities of these measurements, the requests for them, and a loader that sends them in batches.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::PER_PARTITION;
use crate::http::Client;
use crate::tables::{Account, EMULATOR_KEY, batch_is_done, entity_path};

/// Connections that load.
const LOADERS: usize = 8;

/// Entity `number`: 16 properties of every kind that JSON tells apart, about 600 bytes. Partitions are runs of numbers.
pub fn entity(number: usize) -> Value {
    let word = |salt: usize| format!("{:016x}", (number * 31 + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut entity = json!({"PartitionKey": format!("pk-{:06}", number / PER_PARTITION), "RowKey": format!("row-{number:08}"),
        "n": number, "price": number as f64 / 100.0 + 0.001, "active": number.is_multiple_of(2),
        "at@odata.type": "Edm.DateTime", "at": "2024-05-06T07:08:09.1234567Z",
        "large@odata.type": "Edm.Int64", "large": (number as u64 * 9_007_199).to_string()});
    for field in 0..9 {
        entity[format!("field{field}")] = json!(word(field) + &word(field + 100)[..8]);
    }
    entity
}

/// The first entity of each partition of a table.
pub fn partitions(total: usize) -> impl Iterator<Item = usize> {
    (0..total).step_by(PER_PARTITION)
}

/// Creates an empty table.
pub fn create_table(account: &Account, table: &str) -> anyhow::Result<()> {
    let mut client = Client::new(account.authority(), EMULATOR_KEY)?;
    let made = client.send(&account.request("POST", "Tables", "", Some(&json!({"TableName": table})))?)?;
    anyhow::ensure!(made.status == 204, "{} {}", made.status, made.body);
    Ok(())
}

/// The bytes of a read of one entity.
pub fn point_read(account: &Account, table: &str, number: usize) -> anyhow::Result<Vec<u8>> {
    account.request("GET", &entity_path(table, &entity(number))?, "", None)
}

/// The bytes of an insert.
pub fn insert(account: &Account, table: &str, number: usize) -> anyhow::Result<Vec<u8>> {
    account.request("POST", table, "", Some(&entity(number)))
}

/// The bytes of a query of all entities of the partition that `number` is in.
pub fn partition_query(account: &Account, table: &str, number: usize) -> anyhow::Result<Vec<u8>> {
    let query = format!("?$filter=PartitionKey%20eq%20%27pk-{:06}%27", number / PER_PARTITION);
    account.request("GET", &format!("{table}()"), &query, None)
}

/// Inserts entities `0..total`, a partition in a batch, over several connections.
pub fn fill(account: &Account, table: &str, total: usize) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let load = || -> anyhow::Result<()> {
            let mut client = Client::new(account.authority(), EMULATOR_KEY)?;
            loop {
                let first = next.fetch_add(PER_PARTITION, Ordering::Relaxed);
                if first >= total {
                    return Ok(());
                }
                let writes: Vec<_> = (first..first + PER_PARTITION).map(|number| ("POST", entity(number))).collect();
                let reply = client.send(&account.batch(table, &writes)?)?;
                anyhow::ensure!(batch_is_done(&reply, writes.len()), "{} {}", reply.status, reply.body);
            }
        };
        let loaders: Vec<_> = (0..LOADERS).map(|_| scope.spawn(load)).collect();
        loaders
            .into_iter()
            .try_for_each(|loader| loader.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a loader panicked"))))
    })
}
