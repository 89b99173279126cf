//! Permissions of users, and the resource tokens that come with them.

use std::time::{SystemTime, UNIX_EPOCH};

use orrery_engine::{JsonMap, Resource, rid};
use orrery_value::PartitionKey;
use serde_json::Value as Json;

use super::authorize::GrantedLink;
use super::error::ApiError;
use super::header_names as names;
use super::json_body::invalid;
use super::path::Path;
use super::request::RequestContext;
use crate::auth::{Grant, PermissionMode};

/// How long a token is good unless the client asks for another time.
const DEFAULT_EXPIRY_SECONDS: i64 = 3_600;
/// Shortest time a client can ask for.
const MIN_EXPIRY_SECONDS: i64 = 10;
/// Longest time on the service.
const STRICT_MAX_EXPIRY_SECONDS: i64 = 18_000;
/// Longest time here.
const MAX_EXPIRY_SECONDS: i64 = 86_400;

/// Checks a permission's definition, and the expiry that is asked for: after the write it would be too late. The mode is taken in any
/// case and shown as it came, as on the service.
///
/// # Errors
/// 400 naming the part that is wrong.
pub(crate) fn check(cx: &RequestContext<'_>, definition: &JsonMap) -> Result<(), ApiError> {
    expiry_seconds(cx)?;
    check_definition(definition)
}

fn check_definition(definition: &JsonMap) -> Result<(), ApiError> {
    mode(definition)?;
    resource(definition)?;
    partition_key(definition)?;
    Ok(())
}

/// A new token for a permission of the user `user_rid`. If what the permission is on does not exist, it grants nothing.
///
/// # Errors
/// 400 for a wrong expiry header.
pub(crate) fn token(cx: &RequestContext<'_>, permission: &Resource, user_rid: &str) -> Result<String, ApiError> {
    let definition = permission.body();
    let (resource_link, resource_rid) = resolve(cx, resource(definition)?);
    let grant = Grant {
        permission_rid: permission.rid(),
        user_rid: user_rid.to_owned(),
        resource_link,
        resource_rid,
        mode: mode(definition)?,
        partition_key: partition_key(definition)?,
        expires: unix_seconds().saturating_add(expiry_seconds(cx)?),
    };
    Ok(cx.api.authenticator.tokens().issue(&grant))
}

fn mode(definition: &JsonMap) -> Result<PermissionMode, ApiError> {
    match definition.get("permissionMode").and_then(Json::as_str) {
        Some(mode) if mode.eq_ignore_ascii_case("read") => Ok(PermissionMode::Read),
        Some(mode) if mode.eq_ignore_ascii_case("all") => Ok(PermissionMode::All),
        _ => Err(invalid("a permission needs 'permissionMode', \"Read\" or \"All\"")),
    }
}

fn resource(definition: &JsonMap) -> Result<&str, ApiError> {
    let link = definition.get("resource").and_then(Json::as_str).filter(|link| !link.is_empty());
    link.ok_or_else(|| invalid("a permission needs 'resource', a link such as \"dbs/x/colls/y\""))
}

fn partition_key(definition: &JsonMap) -> Result<Option<String>, ApiError> {
    let Some(key) = definition.get("resourcePartitionKey").filter(|key| !key.is_null()) else { return Ok(None) };
    let text = key.to_string();
    let parsed =
        PartitionKey::parse_header(&text).map_err(|error| invalid(&format!("'resourcePartitionKey': {error}")))?;
    if parsed.components().is_empty() {
        return Err(invalid("'resourcePartitionKey' must not be empty"));
    }
    Ok(Some(text))
}

fn expiry_seconds(cx: &RequestContext<'_>) -> Result<i64, ApiError> {
    let longest = if cx.is_strict() { STRICT_MAX_EXPIRY_SECONDS } else { MAX_EXPIRY_SECONDS };
    match cx.integer(&names::EXPIRY_SECONDS)? {
        None => Ok(DEFAULT_EXPIRY_SECONDS),
        Some(seconds) if (MIN_EXPIRY_SECONDS..=longest).contains(&seconds) => Ok(seconds),
        Some(seconds) => Err(invalid(&format!(
            "the header '{}' must be from {MIN_EXPIRY_SECONDS} to {longest}, and is {seconds}",
            names::EXPIRY_SECONDS
        ))),
    }
}

/// The link by names and the rid that the token is bound to: the container's, or the item's if the link is by rids.
fn resolve(cx: &RequestContext<'_>, link: &str) -> (String, String) {
    let nothing = || (link.to_owned(), String::new());
    let Some(granted) = GrantedLink::parse(link) else { return nothing() };
    let Ok(container) = cx.engine().container(granted.database, granted.container) else { return nothing() };
    let owner = format!("dbs/{}/colls/{}", container.database().id(), container.id());
    match granted.item {
        None => (owner, container.rid().to_owned()),
        Some(item) => {
            let by_rid = Path::parse(link).is_ok_and(|path| path.is_by_rid()) && rid::decode(item).is_some();
            let bound_to = if by_rid { item } else { container.rid() };
            (format!("{owner}/docs/{item}"), bound_to.to_owned())
        }
    }
}

fn unix_seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.map_or(0, |elapsed| i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::json_body::object;
    use super::*;

    #[test]
    fn definitions_are_checked_part_by_part() {
        let good = r#"{"id":"p","permissionMode":"all","resource":"dbs/a/colls/b","resourcePartitionKey":[1]}"#;
        check_definition(&object(good.as_bytes()).unwrap()).unwrap();
        for bad in [
            r#"{"permissionMode":"Write","resource":"dbs/a/colls/b"}"#,
            r#"{"permissionMode":"Read"}"#,
            r#"{"permissionMode":"Read","resource":""}"#,
            r#"{"permissionMode":"Read","resource":"dbs/a/colls/b","resourcePartitionKey":"x"}"#,
            r#"{"permissionMode":"Read","resource":"dbs/a/colls/b","resourcePartitionKey":[]}"#,
        ] {
            assert!(check_definition(&object(bad.as_bytes()).unwrap()).is_err(), "{bad}");
        }
    }
}
