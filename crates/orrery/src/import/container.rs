//! The container that items go into: found, or made.

use anyhow::{Context, bail, ensure};
use orrery_engine::{Engine, Error, JsonMap, Throughput};
use orrery_value::{PartitionKeyDefinition, PropertyPath};
use serde_json::json;

use super::args::ImportArgs;
use super::destination::Destination;
use crate::remote::{Client, ContainerLink};
use crate::transfer::Location;

/// Finds the container that the arguments name, and makes it if they say how.
///
/// # Errors
/// If it is missing and no partition key is given, or exists with another one.
pub(super) async fn find_or_make(location: Location, args: &ImportArgs) -> anyhow::Result<Destination> {
    let destination = match location {
        Location::Folder(engine) => in_folder(engine, args).await?,
        Location::Server(client) => on_server(client, args).await?,
    };
    if !args.partition_key.is_empty() {
        check_same(&destination.partition_key(), &paths(args)?)?;
    }
    Ok(destination)
}

async fn in_folder(engine: Engine, args: &ImportArgs) -> anyhow::Result<Destination> {
    let link = args.location.link();
    let (database, container) = (&*link.database, &*link.container);
    let container = match engine.container(database, container) {
        Ok(found) => found,
        Err(Error::NotFound { .. } | Error::OwnerNotFound { .. }) if args.partition_key.is_empty() => {
            bail!(missing(args))
        }
        Err(Error::NotFound { .. } | Error::OwnerNotFound { .. }) => {
            let database = match engine.database(database) {
                Err(Error::NotFound { .. }) => engine.create_database(database, None).await?,
                found => found?,
            };
            let throughput = args.throughput.map(|ru| Throughput::manual(ru.into())).transpose()?;
            engine
                .create_container(&database, &definition(args)?, throughput)
                .await
                .context("cannot make the container")?
        }
        Err(error) => return Err(error.into()),
    };
    Ok(Destination::Folder { engine, container, is_table: args.location.table.is_some() })
}

async fn on_server(client: Client, args: &ImportArgs) -> anyhow::Result<Destination> {
    let link = args.location.link();
    let mut connection = client.connection();
    let facts = match connection.container(&link).await {
        Err(error) if error.is_not_found() && args.partition_key.is_empty() => bail!(missing(args)),
        Err(error) if error.is_not_found() => {
            connection.ensure_database(&link).await.context("cannot make the database")?;
            connection
                .create_container(&link, &definition(args)?, args.throughput)
                .await
                .context("cannot make the container")?;
            connection.container(&link).await?
        }
        found => found?,
    };
    Ok(Destination::Server { client, link, partition_key: facts.partition_key })
}

fn missing(args: &ImportArgs) -> String {
    let ContainerLink { database, container } = args.location.link();
    format!("there is no container '{container}' in a database '{database}': --partition-key PATH makes both")
}

fn paths(args: &ImportArgs) -> anyhow::Result<Vec<PropertyPath>> {
    let parse = |path: &String| PropertyPath::parse(path).with_context(|| format!("--partition-key '{path}'"));
    args.partition_key.iter().map(parse).collect()
}

fn definition(args: &ImportArgs) -> anyhow::Result<JsonMap> {
    let kind = if args.partition_key.len() > 1 { "MultiHash" } else { "Hash" };
    PartitionKeyDefinition::try_new(kind, Some(2), paths(args)?).context("--partition-key")?;
    let mut definition = JsonMap::new();
    definition.insert("id".into(), json!(args.location.link().container));
    definition.insert("partitionKey".into(), json!({"paths": args.partition_key, "kind": kind, "version": 2}));
    Ok(definition)
}

fn check_same(existing: &PartitionKeyDefinition, wanted: &[PropertyPath]) -> anyhow::Result<()> {
    let existing_paths = existing.paths.iter().map(PropertyPath::to_string).collect::<Vec<_>>().join(", ");
    ensure!(
        existing.paths == wanted,
        "the container exists, and its partition key is {existing_paths}: leave --partition-key out to import into it"
    );
    Ok(())
}
