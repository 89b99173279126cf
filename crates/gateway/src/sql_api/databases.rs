//! Databases.

use http::StatusCode;
use orrery_engine::{Database, request_charge};
use serde_json::Value as Json;

use super::error::ApiError;
use super::feed::{Entry, Feed};
use super::reply::Reply;
use super::request::RequestContext;
use super::{json_body, throughput};

/// `GET /dbs`.
pub(crate) fn list(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    feed(cx).list(cx)
}

/// `POST /dbs`: a query, or a database to create.
pub(crate) async fn post(cx: &RequestContext<'_>, body: &[u8]) -> Result<Reply, ApiError> {
    if cx.is_query() {
        return feed(cx).query(cx, body);
    }
    let definition = json_body::object(body)?;
    let throughput = throughput::from_headers(cx)?;
    let database = cx.engine().create_database(json_body::id(&definition)?, throughput).await?;
    Ok(reply(StatusCode::CREATED, &database).charge(request_charge::METADATA_WRITE_RU))
}

/// `GET /dbs/{id}`.
pub(crate) fn read(cx: &RequestContext<'_>, segment: &str) -> Result<Reply, ApiError> {
    let database = cx.engine().database(segment)?;
    cx.check_not_modified(&database.etag())?;
    Ok(reply(StatusCode::OK, &database))
}

/// `DELETE /dbs/{id}`.
pub(crate) async fn delete(cx: &RequestContext<'_>, segment: &str) -> Result<Reply, ApiError> {
    let database = cx.engine().database(segment)?;
    cx.engine().delete_database(&database, &cx.condition()?).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT).charge(request_charge::METADATA_WRITE_RU))
}

fn feed(cx: &RequestContext<'_>) -> Feed<'static> {
    let databases = cx.engine().databases();
    let entry =
        |database: &Database| Entry { position: format!("{:010}", database.number()), body: database.to_json() };
    Feed { owner_rid: "", plural: "Databases", entries: databases.iter().map(|database| entry(database)).collect() }
}

fn reply(status: StatusCode, database: &Database) -> Reply {
    Reply::json(status, &Json::Object(database.to_json())).etag(&database.etag())
}
