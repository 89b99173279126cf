//! The items of a container, page by page, from wherever it is.

use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;
use http::HeaderValue;
use orrery_engine::{Container, Engine, Error, PageRequest, Scope};
use orrery_value::PartitionKeyDefinition;

use crate::remote::{Client, Connection, ContainerLink, EntityQuery, Metadata, Tables};
use crate::transfer::{Location, LocationArgs};

/// Items of a page; it ends sooner where it reaches [`orrery_engine::MAX_PAGE_BYTES`].
const PAGE_ITEMS: usize = 1_000;

/// A container to read.
pub(super) enum Pages {
    /// Of an engine in this process.
    Folder { engine: Engine, container: Arc<Container> },
    /// Of a server.
    Server {
        connection: Box<Connection>,
        link: ContainerLink,
        items: Option<u64>,
        partition_key: PartitionKeyDefinition,
    },
    /// Of the Table API, whose entities have times that documents lack.
    Table { tables: Box<Tables>, table: String, engine: Option<Engine> },
}

/// Where a reader is.
pub(super) enum Place {
    Start,
    Folder(String),
    Server(HeaderValue),
    Table(String),
    End,
}

impl Pages {
    /// Finds the container.
    ///
    /// # Errors
    /// If it is not there.
    pub async fn find(location: Location, args: &LocationArgs) -> anyhow::Result<Pages> {
        if let Some(table) = &args.table {
            let engine = match location {
                Location::Folder(engine) => Some(engine),
                Location::Server(_) => None,
            };
            let tables = Box::new(args.place.tables(engine.as_ref())?);
            return Ok(Pages::Table { tables, table: table.clone(), engine });
        }
        let ContainerLink { database, container } = &args.link();
        match location {
            Location::Folder(engine) => match engine.container(database, container) {
                Err(Error::NotFound { .. } | Error::OwnerNotFound { .. }) => Err(missing(database, container)),
                found => Ok(Pages::Folder { container: found?, engine }),
            },
            Location::Server(client) => Pages::on_server(&client, database, container).await,
        }
    }

    async fn on_server(client: &Client, database: &str, container: &str) -> anyhow::Result<Pages> {
        let link = ContainerLink { database: database.to_owned(), container: container.to_owned() };
        let mut connection = Box::new(client.connection());
        match connection.container(&link).await {
            Err(error) if error.is_not_found() => Err(missing(database, container)),
            found => {
                let facts = found?;
                Ok(Pages::Server { items: facts.items, partition_key: facts.partition_key, connection, link })
            }
        }
    }

    /// How many items there are, if that is known.
    pub fn items(&self) -> Option<u64> {
        match self {
            Pages::Folder { container, .. } => Some(container.usage().items),
            Pages::Server { items, .. } => *items,
            Pages::Table { .. } => None,
        }
    }

    /// Where items carry their partition key; a table has none of its own.
    pub fn partition_key(&self) -> Option<PartitionKeyDefinition> {
        match self {
            Pages::Folder { container, .. } => Some(container.settings().partition_key.clone()),
            Pages::Server { partition_key, .. } => Some(partition_key.clone()),
            Pages::Table { .. } => None,
        }
    }

    /// The page at `place`, which moves on; none at the end.
    ///
    /// # Errors
    /// If the container cannot be read.
    pub async fn next(&mut self, place: &mut Place) -> anyhow::Result<Option<Vec<Bytes>>> {
        let (items, next) = match self {
            Pages::Folder { engine, container } => {
                let continuation = match std::mem::replace(place, Place::End) {
                    Place::Start => None,
                    Place::Folder(continuation) => Some(continuation),
                    Place::Server(_) | Place::Table(_) | Place::End => return Ok(None),
                };
                let request = PageRequest::new(PAGE_ITEMS, continuation);
                let page = engine.list_items(container, &Scope::Container, &request).await?;
                (page.items.iter().map(|item| item.text()).collect(), page.continuation.map(Place::Folder))
            }
            Pages::Server { connection, link, .. } => {
                let continuation = match std::mem::replace(place, Place::End) {
                    Place::Start => None,
                    Place::Server(continuation) => Some(continuation),
                    Place::Folder(_) | Place::Table(_) | Place::End => return Ok(None),
                };
                let page = connection.page(link, continuation).await?;
                (page.items, page.continuation.map(Place::Server))
            }
            Pages::Table { tables, table, .. } => {
                let from = match std::mem::replace(place, Place::End) {
                    Place::Start => None,
                    Place::Table(from) => Some(from),
                    Place::Folder(_) | Place::Server(_) | Place::End => return Ok(None),
                };
                match tables.query(table, EntityQuery::default(), from.as_deref(), Metadata::Types).await {
                    Err(error) if error.is_not_found() => return Err(anyhow::anyhow!("there is no table '{table}'")),
                    page => {
                        let page = page?;
                        (page.rows, page.next.map(Place::Table))
                    }
                }
            }
        };
        *place = next.unwrap_or(Place::End);
        Ok(Some(items))
    }

    /// Ends reading.
    ///
    /// # Errors
    /// If the data folder cannot be closed.
    pub async fn close(self) -> anyhow::Result<()> {
        match self {
            Pages::Folder { engine, .. } | Pages::Table { engine: Some(engine), .. } => {
                engine.close().await.context("closing the data folder")
            }
            Pages::Server { .. } | Pages::Table { engine: None, .. } => Ok(()),
        }
    }
}

fn missing(database: &str, container: &str) -> anyhow::Error {
    anyhow::anyhow!("there is no container '{container}' in a database '{database}'")
}
