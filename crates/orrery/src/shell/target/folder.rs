//! A data folder, through the engine in this process.

use std::sync::Arc;

use anyhow::Context;
use orrery_engine::query::ScopeTaken;
use orrery_engine::{Container, Database, Engine, Error, Offer, PageRequest, Query, Scope};
use serde_json::Value as Json;

use super::{
    ContainerEntry, DatabaseEntry, Holds, Page, PageEffort, RangeEntry, Touched, description, no_container,
    no_database, partition_key, throughput,
};
use crate::remote::ContainerLink;
use crate::shell::fault::QueryFault;

/// Rows of the page that an explanation runs.
const EXPLAINED_ROWS: usize = 1_000;

/// The engine on a data folder.
pub struct FolderTarget {
    engine: Engine,
}

/// A compiled query and where its next page begins.
pub struct FolderCursor {
    container: Arc<Container>,
    query: Query,
    continuation: Option<String>,
}

impl FolderTarget {
    pub fn new(engine: Engine) -> FolderTarget {
        FolderTarget { engine }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn databases(&self) -> Vec<DatabaseEntry> {
        let offers = self.engine.offers();
        let entry = |database: &Arc<Database>| DatabaseEntry {
            name: database.id().to_owned(),
            throughput: throughput_of(&offers, database.rid()),
        };
        self.engine.databases().iter().map(entry).collect()
    }

    pub fn container_names(&self, database: &str) -> anyhow::Result<Vec<String>> {
        let containers = self.engine.containers(&*self.database(database)?);
        Ok(containers.iter().map(|container| container.id().to_owned()).collect())
    }

    pub fn containers(&self, database: &str) -> anyhow::Result<Vec<ContainerEntry>> {
        let offers = self.engine.offers();
        let entry = |container: &Arc<Container>| ContainerEntry {
            name: container.id().to_owned(),
            partition_key: partition_key(&container.settings().body),
            throughput: throughput_of(&offers, container.rid()),
            items: Some(container.usage().items),
        };
        Ok(self.engine.containers(&*self.database(database)?).iter().map(entry).collect())
    }

    pub fn has_container(&self, link: &ContainerLink) -> bool {
        self.container(link).is_ok()
    }

    pub fn describe(&self, link: &ContainerLink) -> anyhow::Result<Json> {
        let container = self.container(link)?;
        let usage = container.usage();
        let holds = Holds {
            items: Some(usage.items),
            size_kb: Some(usage.bytes.div_ceil(1024)),
            ranges: Some(container.partitions().ranges().len() as u64),
            throughput: throughput_of(&self.engine.offers(), container.rid()),
        };
        Ok(description(link, &container.to_json(), &holds))
    }

    pub fn ranges(&self, link: &ContainerLink) -> anyhow::Result<Vec<RangeEntry>> {
        let partitions = self.container(link)?.partitions();
        let entry = |range: &orrery_engine::PartitionRange| RangeEntry {
            id: range.id,
            min: range.epk.min.to_string(),
            max: range.epk.max.to_string(),
            parents: range.parents.clone(),
        };
        Ok(partitions.ranges().iter().map(entry).collect())
    }

    pub fn query(&self, link: &ContainerLink, text: &str) -> anyhow::Result<FolderCursor> {
        let container = self.container(link)?;
        let context = orrery_sql::Context::of_definition(&container.settings().body);
        let query = orrery_sql::compile(text, &[], &context).map_err(QueryFault::from)?;
        Ok(FolderCursor { container, query, continuation: None })
    }

    pub async fn page(&self, cursor: &mut FolderCursor, max_items: u32) -> anyhow::Result<Page> {
        let max_items = usize::try_from(max_items).unwrap_or(usize::MAX);
        let request = PageRequest::new(max_items, cursor.continuation.take());
        let page = self.engine.query(&cursor.container, &Scope::Container, &cursor.query, &request).await?;
        cursor.continuation = page.continuation;
        Ok(Page {
            rows: page.rows,
            charge_ru: page.charge_ru,
            touched: touched(page.metrics.scope, &cursor.container),
            more: cursor.continuation.is_some(),
            effort: Some(PageEffort {
                run: page.metrics.elapsed,
                compile: page.metrics.compile_time,
                items_examined: page.metrics.items_examined,
            }),
        })
    }

    /// Runs the first page and tells what it took.
    pub async fn explain(&self, link: &ContainerLink, text: &str) -> anyhow::Result<Json> {
        let cursor = self.query(link, text)?;
        let request = PageRequest { explain: true, ..PageRequest::new(EXPLAINED_ROWS, None) };
        let page = self.engine.query(&cursor.container, &Scope::Container, &cursor.query, &request).await?;
        page.explain.map(|explain| explain.to_json()).context("the engine does not explain this query")
    }

    pub async fn close(self) -> anyhow::Result<()> {
        self.engine.close().await.context("closing the data folder")
    }

    fn database(&self, name: &str) -> anyhow::Result<Arc<Database>> {
        match self.engine.database(name) {
            // The engine finds databases by their resource ids as well.
            Ok(database) if database.id() == name => Ok(database),
            Ok(_) | Err(Error::NotFound { .. }) => Err(no_database(name)),
            Err(error) => Err(error.into()),
        }
    }

    fn container(&self, link: &ContainerLink) -> anyhow::Result<Arc<Container>> {
        self.database(&link.database)?;
        match self.engine.container(&link.database, &link.container) {
            Ok(container) if container.id() == link.container => Ok(container),
            Ok(_) | Err(Error::NotFound { .. }) => Err(no_container(link)),
            Err(error) => Err(error.into()),
        }
    }
}

fn throughput_of(offers: &[Offer], rid: &str) -> Option<Json> {
    throughput(&offers.iter().find(|offer| offer.resource_rid() == rid)?.to_json())
}

fn touched(scope: ScopeTaken, container: &Container) -> Touched {
    match scope {
        ScopeTaken::Nothing => Touched::Nothing,
        ScopeTaken::Point => Touched::Item,
        ScopeTaken::Partition => Touched::Logical,
        ScopeTaken::Prefix => Touched::Prefix,
        ScopeTaken::Ranges => Touched::Physical(container.partitions().ranges().len()),
    }
}
