//! SQL over resources that are in memory: databases, containers, offers, users and the like.

use orrery_engine::JsonMap;
use orrery_value::Value;
use serde_json::Value as Json;

use super::error::ApiError;
use super::json_body::{self, invalid};

/// Runs the query in a request's body over `resources`; each result is JSON text.
///
/// # Errors
/// 400 for a body that is no query, and for a query that does not compile or run.
pub(crate) fn run(body: &[u8], resources: impl Iterator<Item = JsonMap>) -> Result<Vec<Vec<u8>>, ApiError> {
    let body = json_body::object(body)?;
    let text = body.get("query").and_then(Json::as_str).ok_or_else(|| invalid("a query needs 'query', a string"))?;
    let query = orrery_sql::compile(text, &parameters(&body)?)?;
    let rows = resources.map(|resource| to_value(&Json::Object(resource))).collect::<Result<Vec<Value>, ApiError>>()?;
    Ok(query.run_in_memory(&rows)?.iter().map(Value::to_json).collect())
}

/// The values bound to `@name`s.
fn parameters(body: &JsonMap) -> Result<Vec<(String, Value)>, ApiError> {
    let wrong = || invalid("'parameters' must be an array of objects with 'name', a string, and 'value'");
    let Some(given) = body.get("parameters").filter(|given| !given.is_null()) else { return Ok(Vec::new()) };
    let given = given.as_array().ok_or_else(wrong)?;
    given
        .iter()
        .map(|parameter| {
            let name = parameter.get("name").and_then(Json::as_str).ok_or_else(wrong)?;
            let value = parameter.get("value").map_or(Ok(Value::Undefined), to_value)?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

fn to_value(json: &Json) -> Result<Value, ApiError> {
    Value::parse(json.to_string().as_bytes()).map_err(|error| invalid(&error.to_string()))
}
