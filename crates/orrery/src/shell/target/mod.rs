//! What the shell works on: a server, or a data folder through the engine in this process.

mod folder;
mod server;

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use orrery_engine::Engine;
use serde_json::{Map, Value as Json, json};

use crate::remote::ContainerLink;
use crate::transfer::Location;
use folder::{FolderCursor, FolderTarget};
use server::{ServerCursor, ServerTarget};

/// Where queries go.
pub enum Target {
    /// To a server.
    Server(ServerTarget),
    /// To the engine in this process.
    Folder(FolderTarget),
}

/// A query on its way: what its next page needs.
pub enum Cursor {
    /// On a server.
    Server(ServerCursor),
    /// In this process.
    Folder(FolderCursor),
}

/// One page of a query's rows.
pub struct Page {
    /// JSON texts.
    pub rows: Vec<Bytes>,
    /// Request units.
    pub charge_ru: f64,
    /// Which partitions had a part in it.
    pub touched: Touched,
    /// Whether another page follows.
    pub more: bool,
    /// What running it took, if that was asked for.
    pub effort: Option<PageEffort>,
}

/// What running a page took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageEffort {
    /// Time to run it.
    pub run: Duration,
    /// Time to compile the query.
    pub compile: Duration,
    /// Items that were looked at.
    pub items_examined: u64,
}

/// Which partitions had a part in a query, from the fewest up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// None: nothing can pass the filter.
    Nothing,
    /// One item, by its key.
    Item,
    /// One logical partition.
    Logical,
    /// The logical partitions below a prefix of a hierarchical key.
    Prefix,
    /// So many physical partitions.
    Physical(usize),
    /// All partitions, however many there are.
    Every,
    /// The query was meant for so many physical partitions; which of them the server did read is not known.
    Asked(usize),
    /// So many partitions, counted once for each look-up of a traversal.
    LookedAt(usize),
}

impl fmt::Display for Touched {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Touched::Nothing => out.write_str("no partition"),
            Touched::Item => out.write_str("1 item of 1 logical partition"),
            Touched::Logical => out.write_str("1 logical partition"),
            Touched::Prefix => out.write_str("the logical partitions of a prefix"),
            Touched::Every => out.write_str("all partitions"),
            Touched::Asked(count) => write!(out, "{} asked", Touched::Physical(*count)),
            Touched::LookedAt(1) => out.write_str("1 partition looked at"),
            Touched::LookedAt(count) => write!(out, "{count} partitions looked at in turn"),
            Touched::Physical(1) => out.write_str("1 physical partition"),
            Touched::Physical(count) => write!(out, "{count} physical partitions"),
        }
    }
}

/// A database in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseEntry {
    /// Its name.
    pub name: String,
    /// Throughput that its containers share.
    pub throughput: Option<Json>,
}

/// A container in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerEntry {
    /// Its name.
    pub name: String,
    /// The paths of its partition key.
    pub partition_key: Vec<String>,
    /// Its throughput.
    pub throughput: Option<Json>,
    /// Items in it.
    pub items: Option<u64>,
}

/// A physical partition in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeEntry {
    /// Its id.
    pub id: u32,
    /// First effective partition key, hexadecimal.
    pub min: String,
    /// End of them, exclusive.
    pub max: String,
    /// The ranges it came from by splits.
    pub parents: Vec<u32>,
}

impl Target {
    /// The target on an opened place.
    pub fn new(location: Location) -> Target {
        match location {
            Location::Server(client) => Target::Server(ServerTarget::new(client)),
            Location::Folder(engine) => Target::Folder(FolderTarget::new(engine)),
        }
    }

    /// The engine, if the target is a data folder.
    pub fn engine(&self) -> Option<&Engine> {
        match self {
            Target::Server(_) => None,
            Target::Folder(folder) => Some(folder.engine()),
        }
    }

    /// All databases.
    ///
    /// # Errors
    /// If the server does not answer or refuses.
    pub async fn databases(&mut self) -> anyhow::Result<Vec<DatabaseEntry>> {
        match self {
            Target::Server(server) => server.databases().await,
            Target::Folder(folder) => Ok(folder.databases()),
        }
    }

    /// The names of a database's containers, the database being there.
    ///
    /// # Errors
    /// If there is no such database.
    pub async fn container_names(&mut self, database: &str) -> anyhow::Result<Vec<String>> {
        match self {
            Target::Server(server) => server.container_names(database).await,
            Target::Folder(folder) => folder.container_names(database),
        }
    }

    /// The containers of a database with what they hold; on a server, a request for each of them.
    ///
    /// # Errors
    /// If there is no such database.
    pub async fn containers(&mut self, database: &str) -> anyhow::Result<Vec<ContainerEntry>> {
        match self {
            Target::Server(server) => server.containers(database).await,
            Target::Folder(folder) => folder.containers(database),
        }
    }

    /// Whether there is a container of that name.
    ///
    /// # Errors
    /// If the server does not answer or refuses.
    pub async fn has_container(&mut self, container: &ContainerLink) -> anyhow::Result<bool> {
        match self {
            Target::Server(server) => server.has_container(container).await,
            Target::Folder(folder) => Ok(folder.has_container(container)),
        }
    }

    /// Everything that is known of a container, as an object to show.
    ///
    /// # Errors
    /// If there is no such container.
    pub async fn describe(&mut self, container: &ContainerLink) -> anyhow::Result<Json> {
        match self {
            Target::Server(server) => server.describe(container).await,
            Target::Folder(folder) => folder.describe(container),
        }
    }

    /// The physical partitions of a container.
    ///
    /// # Errors
    /// If there is no such container.
    pub async fn ranges(&mut self, container: &ContainerLink) -> anyhow::Result<Vec<RangeEntry>> {
        match self {
            Target::Server(server) => server.ranges(container).await,
            Target::Folder(folder) => folder.ranges(container),
        }
    }

    /// Begins a query; nothing runs yet.
    ///
    /// # Errors
    /// In a folder, what is wrong with the text.
    pub fn query(&self, container: &ContainerLink, text: &str) -> anyhow::Result<Cursor> {
        match self {
            Target::Server(_) => Ok(Cursor::Server(ServerCursor::new(container, text))),
            Target::Folder(folder) => Ok(Cursor::Folder(folder.query(container, text)?)),
        }
    }

    /// The next page of a query, of at most `max_items` rows.
    ///
    /// # Errors
    /// What is wrong with the query, or why it could not run.
    pub async fn page(&mut self, cursor: &mut Cursor, max_items: u32) -> anyhow::Result<Page> {
        match (self, cursor) {
            (Target::Server(server), Cursor::Server(cursor)) => server.page(cursor, max_items).await,
            (Target::Folder(folder), Cursor::Folder(cursor)) => folder.page(cursor, max_items).await,
            _ => anyhow::bail!("the query belongs to another target"),
        }
    }

    /// How a query runs: an object of any shape.
    ///
    /// # Errors
    /// What is wrong with the query, or that the server explains none.
    pub async fn explain(&mut self, container: &ContainerLink, text: &str) -> anyhow::Result<Json> {
        match self {
            Target::Server(server) => server.explain(container, text).await,
            Target::Folder(folder) => folder.explain(container, text).await,
        }
    }

    /// Forgets what was cancelled half-way, so that the next request does not wait for it.
    pub fn cancel(&mut self) {
        if let Target::Server(server) = self {
            server.reconnect();
        }
    }

    /// Ends the work.
    ///
    /// # Errors
    /// If the data folder cannot be closed.
    pub async fn close(self) -> anyhow::Result<()> {
        match self {
            Target::Server(_) => Ok(()),
            Target::Folder(folder) => folder.close().await,
        }
    }
}

fn no_database(name: &str) -> anyhow::Error {
    anyhow::anyhow!("there is no database '{name}': \\l lists those that are there")
}

fn no_container(link: &ContainerLink) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no container '{}' in database '{}': \\d lists those that are there",
        link.container,
        link.database
    )
}

/// Throughput from the body of an offer: a number of RU/s, or a few words.
fn throughput(offer: &Map<String, Json>) -> Option<Json> {
    let content = offer.get("content")?;
    let number = |path| content.pointer(path).and_then(Json::as_u64);
    match number("/offerAutopilotSettings/maxThroughput") {
        Some(max) => Some(json!(format!("{}-{max} autoscale", max / 10))),
        None => number("/offerThroughput").map(Json::from),
    }
}

/// The paths of the partition key in a container's definition.
fn partition_key(body: &Map<String, Json>) -> Vec<String> {
    let paths = body.get("partitionKey").and_then(|key| key.get("paths")).and_then(Json::as_array);
    paths.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// What is known of a container as one object: first what people ask for, then the rest of its definition.
fn description(link: &ContainerLink, body: &Map<String, Json>, holds: &Holds) -> Json {
    let mut shown = Map::new();
    shown.insert("container".into(), json!(link.container));
    shown.insert("database".into(), json!(link.database));
    for (name, value) in [("items", holds.items), ("sizeKB", holds.size_kb), ("physicalPartitions", holds.ranges)] {
        if let Some(value) = value {
            shown.insert(name.into(), json!(value));
        }
    }
    if let Some(throughput) = &holds.throughput {
        shown.insert("throughput".into(), throughput.clone());
    }
    let of_the_service = |name: &str| name == "id" || name.starts_with('_');
    shown.extend(
        body.iter().filter(|(name, _)| !of_the_service(name)).map(|(name, value)| (name.clone(), value.clone())),
    );
    Json::Object(shown)
}

/// What a container holds, as far as it is known.
#[derive(Default)]
struct Holds {
    items: Option<u64>,
    size_kb: Option<u64>,
    ranges: Option<u64>,
    throughput: Option<Json>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_tell_manual_and_autoscale_throughput() {
        let told = |offer: Json| offer.as_object().and_then(throughput);
        assert_eq!(told(json!({"content": {"offerThroughput": 400}})), Some(json!(400)));
        let autoscale = json!({"content": {"offerThroughput": 400, "offerAutopilotSettings": {"maxThroughput": 4000}}});
        assert_eq!(told(autoscale), Some(json!("400-4000 autoscale")));
        assert_eq!(told(json!({"content": {}})), None);
    }
}
