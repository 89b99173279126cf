//! Where items go: into a data folder, or to a server.

use std::sync::Arc;

use orrery_engine::{Condition, Container, Engine, NewItem, Operation, OperationKind, WriteMode};
use orrery_value::PartitionKeyDefinition;

use super::record::Record;
use super::server_writer::ServerWriter;
use crate::remote::{Client, ContainerLink};

/// Records of one write at the most: both ways have the same limit.
pub(super) const MAX_BATCH_RECORDS: usize = orrery_engine::MAX_BATCH_OPERATIONS;
const _: () = assert!(MAX_BATCH_RECORDS <= crate::remote::MAX_BULK_ITEMS);

/// A container that items go into.
#[derive(Clone)]
pub(super) enum Destination {
    /// Of an engine in this process.
    Folder {
        /// The engine.
        engine: Engine,
        /// The container.
        container: Arc<Container>,
        /// Whether ids are RowKeys, which have rules of their own.
        is_table: bool,
    },
    /// Of a server.
    Server {
        /// The server.
        client: Client,
        /// The container's names.
        link: ContainerLink,
        /// Where its items carry their partition key.
        partition_key: PartitionKeyDefinition,
    },
}

/// What one worker writes through.
pub(super) enum Writer {
    Folder { engine: Engine, container: Arc<Container>, is_table: bool },
    Server(ServerWriter),
}

impl Destination {
    /// Where items carry their partition key.
    pub fn partition_key(&self) -> PartitionKeyDefinition {
        match self {
            Destination::Folder { container, .. } => container.settings().partition_key.clone(),
            Destination::Server { partition_key, .. } => partition_key.clone(),
        }
    }

    /// A writer, with a connection of its own.
    pub fn writer(&self) -> Writer {
        match self.clone() {
            Destination::Folder { engine, container, is_table } => Writer::Folder { engine, container, is_table },
            Destination::Server { client, link, partition_key } => {
                Writer::Server(ServerWriter::new(client.connection(), link, partition_key))
            }
        }
    }
}

impl Writer {
    /// Creates or replaces an item for each record, at most [`MAX_BATCH_RECORDS`]; for each, in order, the reason if it was rejected.
    ///
    /// # Errors
    /// If writing as such fails; a part may have been written then.
    pub async fn upsert(&mut self, records: &[Record]) -> anyhow::Result<Vec<Option<String>>> {
        match self {
            Writer::Folder { engine, container, is_table } => upsert_into(engine, container, *is_table, records).await,
            Writer::Server(writer) => Ok(writer.upsert(records).await?),
        }
    }
}

async fn upsert_into(
    engine: &Engine,
    container: &Arc<Container>,
    is_table: bool,
    records: &[Record],
) -> anyhow::Result<Vec<Option<String>>> {
    let mut reasons = vec![None; records.len()];
    let (mut operations, mut indexes) = (Vec::with_capacity(records.len()), Vec::with_capacity(records.len()));
    for (index, record) in records.iter().enumerate() {
        let item = if is_table {
            // The keys were checked when the record was read.
            NewItem::parse_with(container, &record.text, Some(&record.key), |_| Ok(()))
        } else {
            NewItem::parse(container, &record.text, Some(&record.key))
        };
        match item {
            Ok(item) => {
                operations.push(Operation {
                    kind: OperationKind::Upsert(item),
                    key: record.key.clone(),
                    condition: Condition::None,
                });
                indexes.push(index);
            }
            Err(error) => reasons[index] = Some(error.to_string()),
        }
    }
    if operations.is_empty() {
        return Ok(reasons);
    }
    let outcomes = engine.write(container, operations, WriteMode::Independent).await?;
    for (index, outcome) in indexes.into_iter().zip(outcomes) {
        reasons[index] = outcome.result.err().map(|error| error.to_string());
    }
    Ok(reasons)
}
