//! SQL over resources that are in memory: databases, containers, offers, users and the like.

use orrery_engine::JsonMap;
use orrery_sql::Context;
use orrery_value::Value;
use serde_json::Value as Json;

use super::error::ApiError;
use super::json_body::invalid;
use super::query_body::QueryBody;

/// Runs the query in a request's body over `resources`; each result is JSON text.
///
/// # Errors
/// 400 for a body that is no query, and for a query that does not compile or run.
pub(crate) fn run(body: &[u8], resources: impl Iterator<Item = JsonMap>) -> Result<Vec<Vec<u8>>, ApiError> {
    let body = QueryBody::parse(body)?;
    let query = orrery_sql::compile(&body.text, &body.parameters, &Context::default())?;
    let rows = resources.map(to_value).collect::<Result<Vec<Value>, ApiError>>()?;
    Ok(query.run_in_memory(&rows)?.iter().map(Value::to_json).collect())
}

fn to_value(resource: JsonMap) -> Result<Value, ApiError> {
    Value::parse(Json::Object(resource).to_string().as_bytes()).map_err(|error| invalid(&error.to_string()))
}
