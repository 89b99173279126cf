//! Containers: their definitions, and finding the one that a request on items addresses.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, Database, Error as EngineError, JsonMap, request_charge};
use serde_json::{Value as Json, json};

use super::error::{ApiError, CONTAINER_RID_MISMATCH, OWNER_NOT_FOUND};
use super::feed::{Entry, Feed};
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;
use super::route::ContainerPath;
use super::{json_body, throughput};

/// Largest size of a logical partition on the service, in KB: what clients see as a container's limit.
const COLLECTION_QUOTA_KB: u64 = 20 * 1024 * 1024;

/// The container that holds what a request addresses.
///
/// # Errors
/// 404/1003 if it or its database is missing; 400/1024 if the client means an earlier container of that name.
pub(crate) fn find_owner(cx: &RequestContext<'_>, place: &ContainerPath<'_>) -> Result<Arc<Container>, ApiError> {
    find(cx, place).map_err(|error| match error.status {
        StatusCode::NOT_FOUND => error.with_sub_status(OWNER_NOT_FOUND),
        _ => error,
    })
}

/// `GET /dbs/{id}/colls`.
pub(crate) fn list(cx: &RequestContext<'_>, database: &str) -> Result<Reply, ApiError> {
    let database = find_database(cx, database)?;
    feed(cx, &database).list(cx)
}

/// `POST /dbs/{id}/colls`: a query, or a container to create.
pub(crate) async fn post(cx: &RequestContext<'_>, database: &str, body: &[u8]) -> Result<Reply, ApiError> {
    let database = find_database(cx, database)?;
    if cx.is_query() {
        return feed(cx, &database).query(cx, body);
    }
    let definition = json_body::object(body)?;
    json_body::id(&definition)?;
    check_definition(&definition)?;
    if cx.is_strict() {
        check_key_paths(&definition)?;
    }
    let throughput = throughput::from_headers(cx)?;
    let container = cx.engine().create_container(&database, &definition, throughput).await?;
    Ok(reply(StatusCode::CREATED, &container).charge(request_charge::METADATA_WRITE_RU))
}

/// `GET /dbs/{id}/colls/{id}`.
pub(crate) fn read(cx: &RequestContext<'_>, place: &ContainerPath<'_>) -> Result<Reply, ApiError> {
    let container = find(cx, place)?;
    cx.check_not_modified(&container.etag())?;
    let mut body = container.to_json();
    if cx.flag(&names::POPULATE_PARTITION_STATISTICS) {
        body.insert("statistics".into(), statistics(&container));
    }
    let mut reply = Reply::json(StatusCode::OK, &Json::Object(body))
        .etag(&container.etag())
        .container_paths(&container)
        .number(names::INDEX_TRANSFORMATION_PROGRESS, u64::from(container.index_progress()));
    if cx.flag(&names::POPULATE_QUOTA_INFO) {
        let (quota, usage) = quota(&container);
        reply = reply.header(names::RESOURCE_QUOTA, quota).header(names::RESOURCE_USAGE, usage);
    }
    Ok(reply)
}

/// `PUT /dbs/{id}/colls/{id}`.
pub(crate) async fn replace(
    cx: &RequestContext<'_>,
    place: &ContainerPath<'_>,
    body: &[u8],
) -> Result<Reply, ApiError> {
    let container = find(cx, place)?;
    let definition = json_body::object(body)?;
    json_body::id(&definition)?;
    check_definition(&definition)?;
    cx.engine().replace_container(&container, &definition, &cx.condition()?).await?;
    Ok(reply(StatusCode::OK, &container).charge(request_charge::METADATA_WRITE_RU))
}

/// `DELETE /dbs/{id}/colls/{id}`.
pub(crate) async fn delete(cx: &RequestContext<'_>, place: &ContainerPath<'_>) -> Result<Reply, ApiError> {
    let container = find(cx, place)?;
    cx.engine().delete_container(&container, &cx.condition()?).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT).charge(request_charge::METADATA_WRITE_RU))
}

/// The database above the addressed thing: 404/1003 if it is missing.
pub(crate) fn find_database(cx: &RequestContext<'_>, segment: &str) -> Result<Arc<Database>, ApiError> {
    cx.engine().database(segment).map_err(|error| match error {
        EngineError::NotFound { kind, id } => EngineError::OwnerNotFound { kind, id }.into(),
        error => error.into(),
    })
}

fn find(cx: &RequestContext<'_>, place: &ContainerPath<'_>) -> Result<Arc<Container>, ApiError> {
    let container = cx.engine().container(&place.database, &place.container)?;
    match cx.text(&names::INTENDED_CONTAINER_RID)? {
        Some(intended) if intended != container.rid() => Err(ApiError::bad_request(format!(
            "CollectionRid {intended} specified in the request header does not match the container, whose rid is {}",
            container.rid()
        ))
        .with_sub_status(CONTAINER_RID_MISMATCH)),
        _ => Ok(container),
    }
}

fn feed<'d>(cx: &RequestContext<'_>, database: &'d Database) -> Feed<'d> {
    let containers = cx.engine().containers(database);
    let entry =
        |container: &Container| Entry { position: format!("{:010}", container.number()), body: container.to_json() };
    Feed {
        owner_rid: database.rid(),
        plural: "DocumentCollections",
        entries: containers.iter().map(|container| entry(container)).collect(),
    }
}

fn reply(status: StatusCode, container: &Container) -> Reply {
    Reply::json(status, &Json::Object(container.to_json()))
        .etag(&container.etag())
        .container_paths(container)
        .number(names::INDEX_TRANSFORMATION_PROGRESS, u64::from(container.index_progress()))
}

/// Per partition key range, what is known of it: sizes are counted per container, so a container of several ranges tells only
/// which there are.
fn statistics(container: &Container) -> Json {
    let partitions = container.partitions();
    let usage = container.usage();
    let whole = partitions.ranges().len() == 1;
    let of_range = |range: &orrery_engine::PartitionRange| {
        let mut statistics = json!({ "id": range.id.to_string(), "partitionKeys": [] });
        if whole {
            statistics["sizeInKB"] = json!(usage.bytes.div_ceil(1024));
            statistics["documentCount"] = json!(usage.items);
        }
        statistics
    };
    partitions.ranges().iter().map(of_range).collect()
}

/// Limits and use as `key=value;` lists; sizes are in KB except `documentSize`, which is in MB, as on the service.
fn quota(container: &Container) -> (String, String) {
    let usage = container.usage();
    let size_kb = usage.bytes.div_ceil(1024);
    let size_mb = usage.bytes.div_ceil(1024 * 1024);
    let quota = format!(
        "storedProcedures=100;triggers=25;functions=25;documentsCount=-1;documentSize={};documentsSize={COLLECTION_QUOTA_KB};collectionSize={COLLECTION_QUOTA_KB};",
        COLLECTION_QUOTA_KB / 1024
    );
    let usage = format!(
        "documentsCount={};documentSize={size_mb};documentsSize={size_kb};collectionSize={size_kb};",
        usage.items
    );
    (quota, usage)
}

/// Checks what the engine knows nothing of: the parts of a definition that are queries.
fn check_definition(definition: &JsonMap) -> Result<(), ApiError> {
    orrery_sql::check_definition(definition)
        .map_err(|error| ApiError::bad_request(format!("One of the specified inputs is invalid: {}", error.message)))
}

/// The service hashes one path, and takes several only in hierarchical keys.
fn check_key_paths(definition: &JsonMap) -> Result<(), ApiError> {
    let Some(key) = definition.get("partitionKey") else { return Ok(()) };
    let is_hash = key.get("kind").and_then(Json::as_str).is_none_or(|kind| kind == "Hash");
    let paths = key.get("paths").and_then(Json::as_array).map_or(0, Vec::len);
    match is_hash && paths != 1 {
        true => Err(ApiError::bad_request(format!(
            "One of the specified inputs is invalid: a partition key of kind Hash has one path, and this one {paths}; several make a key of kind MultiHash"
        ))),
        false => Ok(()),
    }
}
