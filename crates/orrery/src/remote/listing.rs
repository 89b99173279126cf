//! What there is on a server: databases, containers, their throughput and their ranges, as the server describes them.

use http::HeaderValue;
use serde_json::{Map, Value as Json};

use super::link::{ContainerLink, database_path_of};
use super::request::Request;
use super::{Connection, RemoteError};

/// Resources of one list that are read at the most.
const MAX_LISTED: usize = 100_000;
/// Resources of one page.
const PAGE_RESOURCES: u32 = 1_000;

/// A resource as the server describes it.
pub type Description = Map<String, Json>;

/// A container as the server describes it, and what it holds.
#[derive(Debug)]
pub struct ContainerDescription {
    /// Its definition.
    pub body: Description,
    /// `documentsCount=5;documentsSize=1;…`, if the server says.
    pub usage: Option<String>,
}

impl Connection {
    /// All databases.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn databases(&mut self) -> Result<Vec<Description>, RemoteError> {
        self.list("Databases", || Request::get("/dbs".into(), "dbs", String::new())).await
    }

    /// The containers of a database.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_not_found`].
    pub async fn containers(&mut self, database: &str) -> Result<Vec<Description>, RemoteError> {
        let (path, link) = (format!("{}/colls", database_path_of(database)), format!("dbs/{database}"));
        self.list("DocumentCollections", || Request::get(path.clone(), "colls", link.clone())).await
    }

    /// The provisioned throughput of all databases and containers.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn offers(&mut self) -> Result<Vec<Description>, RemoteError> {
        self.list("Offers", || Request::get("/offers".into(), "offers", String::new())).await
    }

    /// The partition key ranges of a container.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_not_found`].
    pub async fn range_descriptions(&mut self, container: &ContainerLink) -> Result<Vec<Description>, RemoteError> {
        let path = format!("{}/pkranges", container.path());
        self.list("PartitionKeyRanges", || Request::get(path.clone(), "pkranges", container.link())).await
    }

    /// One container.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_not_found`].
    pub async fn describe(&mut self, container: &ContainerLink) -> Result<ContainerDescription, RemoteError> {
        let request = Request::get(container.path(), "colls", container.link())
            .with("x-ms-documentdb-populatequotainfo", HeaderValue::from_static("true"));
        let reply = self.call(&request).await?;
        let usage = reply.header("x-ms-resource-usage").map(str::to_owned);
        let body = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
        Ok(ContainerDescription { body, usage })
    }

    async fn list(&mut self, plural: &str, request: impl Fn() -> Request) -> Result<Vec<Description>, RemoteError> {
        let mut listed = Vec::new();
        let mut continuation: Option<HeaderValue> = None;
        loop {
            let mut request = request().with("x-ms-max-item-count", HeaderValue::from(PAGE_RESOURCES));
            if let Some(continuation) = continuation.take() {
                request = request.with("x-ms-continuation", continuation);
            }
            let reply = self.call(&request).await?;
            let mut feed: Description = serde_json::from_slice(&reply.body).map_err(|error| self.unreadable(error))?;
            let page = feed.remove(plural).unwrap_or_default();
            let page: Vec<Description> = serde_json::from_value(page).map_err(|error| self.unreadable(error))?;
            listed.extend(page);
            continuation = reply.headers.get("x-ms-continuation").cloned();
            if continuation.is_none() {
                return Ok(listed);
            }
            if listed.len() >= MAX_LISTED {
                return Err(self.unreadable(format!("a list of {plural} has more than {MAX_LISTED} entries")));
            }
        }
    }
}
