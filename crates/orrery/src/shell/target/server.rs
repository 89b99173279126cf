//! A server, through its SQL API.

use std::time::Duration;

use anyhow::Context;
use http::HeaderValue;
use serde_json::Value as Json;

use super::{
    ContainerEntry, DatabaseEntry, Holds, Page, PageEffort, RangeEntry, Touched, description, no_container,
    no_database, partition_key, throughput,
};
use crate::remote::{Answer, Client, Connection, ContainerLink, Description, QueryRequest, RemoteError};
use crate::shell::fault::QueryFault;

/// A connection to a server.
pub struct ServerTarget {
    connection: Connection,
}

/// A query's text and where its next page begins.
pub struct ServerCursor {
    container: ContainerLink,
    text: String,
    continuation: Option<HeaderValue>,
}

impl ServerCursor {
    pub fn new(container: &ContainerLink, text: &str) -> ServerCursor {
        ServerCursor { container: container.clone(), text: text.to_owned(), continuation: None }
    }
}

impl ServerTarget {
    pub fn new(client: Client) -> ServerTarget {
        ServerTarget { connection: client.connection() }
    }

    /// Leaves the connection and what runs on it.
    pub fn reconnect(&mut self) {
        self.connection = self.connection.client().connection();
    }

    pub async fn databases(&mut self) -> anyhow::Result<Vec<DatabaseEntry>> {
        let databases = self.connection.databases().await?;
        let offers = self.connection.offers().await?;
        let entry = |body: &Description| DatabaseEntry {
            name: text(body, "id"),
            throughput: throughput_of(&offers, &text(body, "_rid")),
        };
        Ok(databases.iter().map(entry).collect())
    }

    pub async fn container_names(&mut self, database: &str) -> anyhow::Result<Vec<String>> {
        Ok(self.list(database).await?.iter().map(|body| text(body, "id")).collect())
    }

    pub async fn containers(&mut self, database: &str) -> anyhow::Result<Vec<ContainerEntry>> {
        let bodies = self.list(database).await?;
        let offers = self.connection.offers().await?;
        let mut entries = Vec::with_capacity(bodies.len());
        for body in bodies {
            let name = text(&body, "id");
            let link = ContainerLink { database: database.to_owned(), container: name.clone() };
            let items = match self.connection.describe(&link).await {
                // It was dropped meanwhile.
                Err(error) if error.is_not_found() => continue,
                described => described?.usage.as_deref().and_then(|usage| usage_of(usage, "documentsCount")),
            };
            let throughput = throughput_of(&offers, &text(&body, "_rid"));
            entries.push(ContainerEntry { name, partition_key: partition_key(&body), throughput, items });
        }
        Ok(entries)
    }

    pub async fn has_container(&mut self, link: &ContainerLink) -> anyhow::Result<bool> {
        match self.connection.describe(link).await {
            // The server finds containers by their resource ids as well.
            Ok(found) => Ok(text(&found.body, "id") == link.container),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub async fn describe(&mut self, link: &ContainerLink) -> anyhow::Result<Json> {
        let found = match self.connection.describe(link).await {
            Err(error) if error.is_not_found() => return Err(no_container(link)),
            found => found?,
        };
        let usage = found.usage.as_deref().unwrap_or_default();
        let holds = Holds {
            items: usage_of(usage, "documentsCount"),
            size_kb: usage_of(usage, "documentsSize"),
            ranges: Some(self.connection.range_descriptions(link).await?.len() as u64),
            throughput: throughput_of(&self.connection.offers().await?, &text(&found.body, "_rid")),
        };
        Ok(description(link, &found.body, &holds))
    }

    pub async fn ranges(&mut self, link: &ContainerLink) -> anyhow::Result<Vec<RangeEntry>> {
        let bodies = match self.connection.range_descriptions(link).await {
            Err(error) if error.is_not_found() => return Err(no_container(link)),
            found => found?,
        };
        bodies.iter().map(range).collect()
    }

    pub async fn page(&mut self, cursor: &mut ServerCursor, max_items: u32) -> anyhow::Result<Page> {
        let request = QueryRequest {
            text: &cursor.text,
            partition_key: None,
            max_items: Some(max_items),
            continuation: cursor.continuation.take(),
            metrics: true,
        };
        let answer = self.connection.query_page(&cursor.container, request).await.map_err(fault)?;
        cursor.continuation = answer.continuation.clone();
        Ok(page(answer))
    }

    pub async fn explain(&mut self, link: &ContainerLink, text: &str) -> anyhow::Result<Json> {
        let explained = self.connection.explain(link, text).await.map_err(fault)?;
        explained.ok_or_else(|| anyhow::anyhow!("this server does not explain queries"))
    }

    async fn list(&mut self, database: &str) -> anyhow::Result<Vec<Description>> {
        match self.connection.containers(database).await {
            Err(error) if error.is_not_found() => Err(no_database(database)),
            found => Ok(found?),
        }
    }
}

fn page(answer: Answer) -> Page {
    Page {
        charge_ru: answer.charge_ru,
        touched: Touched::Asked(answer.ranges),
        more: answer.continuation.is_some(),
        effort: answer.metrics.as_deref().map(effort),
        rows: answer.rows,
    }
}

fn range(body: &Description) -> anyhow::Result<RangeEntry> {
    let id = |text: &str| text.parse::<u32>().with_context(|| format!("'{text}' is no id of a partition key range"));
    let parents = body.get("parents").and_then(Json::as_array);
    let parents = parents.into_iter().flatten().filter_map(Json::as_str).map(id);
    Ok(RangeEntry {
        id: id(&text(body, "id"))?,
        min: text(body, "minInclusive"),
        max: text(body, "maxExclusive"),
        parents: parents.collect::<anyhow::Result<_>>()?,
    })
}

/// What the service's header of query metrics says.
fn effort(metrics: &str) -> PageEffort {
    let number = |name: &str| {
        let value = metrics.split(';').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse::<f64>().ok()).filter(|value| *value >= 0.0).unwrap_or_default()
    };
    let time = |name| Duration::try_from_secs_f64(number(name) / 1e3).unwrap_or_default();
    let compile = time("queryCompileTimeInMs");
    PageEffort {
        run: time("totalExecutionTimeInMs").saturating_sub(compile),
        compile,
        items_examined: number("retrievedDocumentCount") as u64,
    }
}

/// The server's findings about a query's text, if its refusal has some.
fn fault(error: RemoteError) -> anyhow::Error {
    let found = match &error {
        RemoteError::Refused { message, .. } => QueryFault::from_service_json(message),
        _ => None,
    };
    found.map_or_else(|| error.into(), Into::into)
}

fn text(body: &Description, name: &str) -> String {
    body.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn throughput_of(offers: &[Description], rid: &str) -> Option<Json> {
    throughput(offers.iter().find(|offer| text(offer, "offerResourceId") == rid)?)
}

/// Reads a number out of `documentsCount=5;documentsSize=1;…`.
fn usage_of(usage: &str, name: &str) -> Option<u64> {
    usage.split(';').find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_and_metrics_are_read_by_name() {
        let usage = "documentsCount=34;documentSize=0;documentsSize=12;";
        assert_eq!((usage_of(usage, "documentsCount"), usage_of(usage, "documentsSize")), (Some(34), Some(12)));
        assert_eq!(usage_of(usage, "documents"), None);
        let read = effort("totalExecutionTimeInMs=0.33;queryCompileTimeInMs=0.06;retrievedDocumentCount=4");
        assert_eq!(read.items_examined, 4);
        assert_eq!((read.compile.as_micros(), read.run.as_micros()), (60, 270));
        assert_eq!(effort("totalExecutionTimeInMs=x"), PageEffort::default());
    }
}
