//! Databases and containers: read, and made.

use http::HeaderValue;
use orrery_value::{PartitionKeyDefinition, PropertyPath};
use serde::Deserialize;
use serde_json::json;

use super::link::ContainerLink;
use super::request::Request;
use super::{Connection, RemoteError};

/// What a transfer needs to know of a container.
#[derive(Debug)]
pub struct ContainerFacts {
    /// Where its items carry their partition key.
    pub partition_key: PartitionKeyDefinition,
    /// Items in it, if the server says.
    pub items: Option<u64>,
}

impl Connection {
    /// Reads a container.
    ///
    /// # Errors
    /// [`RemoteError`]; see [`RemoteError::is_not_found`].
    pub async fn container(&mut self, container: &ContainerLink) -> Result<ContainerFacts, RemoteError> {
        let request = Request::get(container.path(), "colls", container.link())
            .with("x-ms-documentdb-populatequotainfo", HeaderValue::from_static("true"));
        let reply = self.call(&request).await?;
        let items = reply.header("x-ms-resource-usage").and_then(document_count);
        let partition_key = parse_definition(&reply.body).map_err(|reason| self.unreadable(reason))?;
        Ok(ContainerFacts { partition_key, items })
    }

    /// Makes a database, unless it exists.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn ensure_database(&mut self, container: &ContainerLink) -> Result<(), RemoteError> {
        let found = self.call(&Request::get(container.database_path(), "dbs", container.database_link())).await;
        match found {
            Err(error) if error.is_not_found() => {}
            found => return found.map(drop),
        }
        let body = json!({"id": container.database}).to_string();
        match self.call(&Request::post("/dbs".into(), "dbs", String::new(), body)).await {
            Err(error) if !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes a container with this definition, unless one of that name exists.
    ///
    /// # Errors
    /// [`RemoteError`]
    pub async fn create_container(
        &mut self,
        container: &ContainerLink,
        definition: &serde_json::Map<String, serde_json::Value>,
        throughput_ru: Option<u32>,
    ) -> Result<(), RemoteError> {
        let path = format!("{}/colls", container.database_path());
        let body = serde_json::Value::Object(definition.clone()).to_string();
        let mut request = Request::post(path, "colls", container.database_link(), body);
        if let Some(ru) = throughput_ru {
            request = request.with("x-ms-offer-throughput", HeaderValue::from(ru));
        }
        match self.call(&request).await {
            Err(error) if !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }
}

fn parse_definition(body: &[u8]) -> Result<PartitionKeyDefinition, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        partition_key: Definition,
    }
    #[derive(Deserialize)]
    struct Definition {
        paths: Vec<String>,
        #[serde(default = "hash")]
        kind: String,
        version: Option<u8>,
    }
    fn hash() -> String {
        "Hash".into()
    }
    let Body { partition_key } =
        serde_json::from_slice(body).map_err(|error| format!("the container's definition: {error}"))?;
    let paths: Result<Vec<_>, _> = partition_key.paths.iter().map(|path| PropertyPath::parse(path)).collect();
    let paths = paths.map_err(|error| error.to_string())?;
    PartitionKeyDefinition::try_new(&partition_key.kind, partition_key.version, paths)
        .map_err(|error| error.to_string())
}

/// Reads `documentsCount` out of `documentSize=0;documentsCount=5;…`.
fn document_count(usage: &str) -> Option<u64> {
    usage.split(';').find_map(|pair| pair.trim().strip_prefix("documentsCount="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_as_the_server_writes_them() {
        let parse = |body: &str| {
            parse_definition(body.as_bytes()).map(|found| (found.kind.name(), found.kind.version(), found.paths.len()))
        };
        assert_eq!(
            parse(r#"{"id":"c","partitionKey":{"paths":["/a"],"kind":"Hash","version":2}}"#),
            Ok(("Hash", 2, 1))
        );
        assert_eq!(parse(r#"{"partitionKey":{"paths":["/a"]}}"#), Ok(("Hash", 1, 1)));
        assert_eq!(
            parse(r#"{"partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}}"#),
            Ok(("MultiHash", 2, 2))
        );
        assert!(parse(r#"{"id":"c"}"#).is_err());
    }

    #[test]
    fn the_number_of_items_is_found() {
        assert_eq!(document_count("documentSize=0;documentsSize=12;documentsCount=34;collectionSize=12"), Some(34));
        assert_eq!(document_count("documentSize=0"), None);
    }
}
