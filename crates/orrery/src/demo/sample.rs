//! The sample data: airports, their countries and the routes between them, built into the program.

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use orrery_value::{Document, NewDocument, PartitionKey};

use crate::remote::{BulkItem, BulkOutcome, Connection, ContainerLink, MAX_BULK_ITEMS, RemoteError, Retry};

const FILES: [&str; 3] = [
    include_str!("../../../../examples/data/countries.json"),
    include_str!("../../../../examples/data/airports.json"),
    include_str!("../../../../examples/data/routes.json"),
];
/// Enough for two physical partitions, so that queries have something to fan out over.
const THROUGHPUT_RU: u32 = 20_000;
/// Requests in flight.
const CONCURRENCY: usize = 4;

/// Where the sample is loaded into.
pub fn container() -> ContainerLink {
    ContainerLink { database: "demo".into(), container: "world".into() }
}

/// Creates the container if it is missing and upserts the sample; returns the number of items.
///
/// # Errors
/// If the server refuses.
pub async fn load(connection: &mut Connection, container: &ContainerLink) -> anyhow::Result<usize> {
    let definition =
        json!({"id": container.container, "partitionKey": {"paths": ["/country"], "kind": "Hash", "version": 2}});
    let Value::Object(definition) = definition else { anyhow::bail!("a definition is an object") };
    connection.ensure_database(container).await?;
    connection.create_container(container, &definition, Some(THROUGHPUT_RU)).await?;
    let facts = connection.container(container).await?;
    let ranges = connection.ranges(container).await?;
    let mut by_range = std::collections::BTreeMap::<String, Vec<(&str, String)>>::new();
    let mut count = 0;
    for file in FILES {
        for item in serde_json::from_str::<Vec<&RawValue>>(file)? {
            let document = NewDocument::from_json(item.get().as_bytes())?;
            let key = key_of(&facts.partition_key, document.document())?;
            let range = ranges.id_of(&facts.partition_key, &key).to_owned();
            by_range.entry(range).or_default().push((item.get(), key.to_json()));
            count += 1;
        }
    }
    let client = connection.client();
    let mut tasks = tokio::task::JoinSet::new();
    for (range, items) in by_range {
        for chunk in items.chunks(MAX_BULK_ITEMS) {
            while tasks.len() >= CONCURRENCY {
                finish(tasks.join_next().await)?;
            }
            let (mut connection, container, range) = (client.connection(), container.clone(), range.clone());
            let chunk: Vec<(&'static str, String)> = chunk.to_vec();
            tasks.spawn(async move { write(&mut connection, &container, &range, &chunk).await });
        }
    }
    while !tasks.is_empty() {
        finish(tasks.join_next().await)?;
    }
    Ok(count)
}

fn key_of(definition: &orrery_value::PartitionKeyDefinition, document: Document<'_>) -> anyhow::Result<PartitionKey> {
    Ok(definition.extract(&document)?)
}

fn finish(ended: Option<Result<anyhow::Result<()>, tokio::task::JoinError>>) -> anyhow::Result<()> {
    ended.map_or(Ok(()), |ended| ended?)
}

async fn write(
    connection: &mut Connection,
    container: &ContainerLink,
    range: &str,
    chunk: &[(&str, String)],
) -> anyhow::Result<()> {
    let mut pending: Vec<&(&str, String)> = chunk.iter().collect();
    let mut retry = Retry::default();
    loop {
        let items: Vec<_> = pending.iter().map(|(text, key)| BulkItem { text: text.as_bytes(), key }).collect();
        let outcomes = connection.bulk_upsert(container, range, &items).await?;
        let (mut later, mut pause) = (Vec::new(), None);
        for (outcome, item) in outcomes.into_iter().zip(pending) {
            match outcome {
                BulkOutcome::Done => {}
                BulkOutcome::Rejected(reason) => anyhow::bail!("the server refused {}: {reason}", item.0),
                BulkOutcome::Later(asked) => {
                    pause = pause.max(asked);
                    later.push(item);
                }
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        if !retry.pause(pause).await {
            let status = http::StatusCode::TOO_MANY_REQUESTS;
            return Err(RemoteError::Busy { status, waited_s: retry.waited().as_secs() }.into());
        }
        pending = later;
    }
}
