//! The parts of a container's definition that are checked, completed with the service's defaults, and echoed.

use serde_json::{Value as Json, json};

use super::JsonMap;
use super::settings::wrong;

use crate::Error;

/// Composite indexes of one container, as on the service.
pub const MAX_COMPOSITE_INDEXES: usize = 100;
/// Paths of one composite index, as on the service.
pub const MAX_COMPOSITE_PATHS: usize = 8;

/// An indexing policy with its defaults filled in: everything but `_etag`, consistent.
pub(super) fn indexing(given: Option<&Json>) -> Result<Json, Error> {
    let Some(given) = given.filter(|v| !v.is_null()) else {
        return Ok(json!({
            "indexingMode": "consistent",
            "automatic": true,
            "includedPaths": [{"path": "/*"}],
            "excludedPaths": [{"path": "/\"_etag\"/?"}],
        }));
    };
    let given = given.as_object().ok_or_else(|| wrong("'indexingPolicy' must be an object"))?;
    let mut policy = given.clone();
    policy.retain(|_, value| !value.is_null());
    let mode = match given.get("indexingMode") {
        None | Some(Json::Null) => "consistent".to_owned(),
        Some(mode) => mode.as_str().map(str::to_lowercase).unwrap_or_default(),
    };
    if !matches!(mode.as_str(), "consistent" | "lazy" | "none") {
        return Err(wrong("'indexingPolicy.indexingMode' must be \"consistent\", \"lazy\" or \"none\""));
    }
    let automatic = match given.get("automatic") {
        None | Some(Json::Null) => mode != "none",
        Some(Json::Bool(automatic)) => *automatic,
        Some(_) => return Err(wrong("'indexingPolicy.automatic' must be true or false")),
    };
    policy.insert("indexingMode".into(), json!(mode));
    policy.insert("automatic".into(), json!(automatic));
    for list in ["includedPaths", "excludedPaths"] {
        check_paths(given.get(list), list)?;
    }
    drop_index_kinds(&mut policy);
    if mode != "none" {
        complete_paths(&mut policy);
    }
    composite(given.get("compositeIndexes"))?;
    for list in ["spatialIndexes", "vectorIndexes", "fullTextIndexes"] {
        check_paths(given.get(list), list)?;
    }
    Ok(Json::Object(policy))
}

/// With no path named at all, everything is indexed; `_etag` never is, unless it is named.
fn complete_paths(policy: &mut JsonMap) {
    let is_empty = |policy: &JsonMap, list: &str| policy.get(list).and_then(Json::as_array).is_none_or(Vec::is_empty);
    if is_empty(policy, "includedPaths") && is_empty(policy, "excludedPaths") {
        policy.insert("includedPaths".into(), json!([{"path": "/*"}]));
    }
    let etag = "/\"_etag\"/?";
    let names_etag = |list: Option<&Json>| {
        list.and_then(Json::as_array)
            .is_some_and(|paths| paths.iter().any(|path| path["path"] == etag || path["path"] == "/*"))
    };
    if !names_etag(policy.get("excludedPaths")) {
        let excluded = policy.entry("excludedPaths").or_insert_with(|| json!([]));
        if let Some(excluded) = excluded.as_array_mut() {
            excluded.push(json!({"path": etag}));
        }
    }
    policy.entry("includedPaths").or_insert_with(|| json!([]));
}

/// Old clients name kinds and precisions of indexes per path; the service has one kind now and drops them.
fn drop_index_kinds(policy: &mut JsonMap) {
    if let Some(paths) = policy.get_mut("includedPaths").and_then(Json::as_array_mut) {
        paths.iter_mut().filter_map(Json::as_object_mut).for_each(|path| {
            path.remove("indexes");
        });
    }
}

fn check_paths(given: Option<&Json>, list: &str) -> Result<(), Error> {
    let Some(given) = given.filter(|v| !v.is_null()) else { return Ok(()) };
    let paths = given.as_array().ok_or_else(|| wrong(&format!("'indexingPolicy.{list}' must be an array")))?;
    for entry in paths {
        let path = entry.get("path").and_then(Json::as_str);
        let path = path.ok_or_else(|| wrong(&format!("each of 'indexingPolicy.{list}' needs a 'path', a string")))?;
        if !path.starts_with('/') {
            return Err(wrong(&format!("the path '{path}' in 'indexingPolicy.{list}' must begin with '/'")));
        }
        let whole = path == "/" || path.ends_with("/?") || path.ends_with('*');
        if matches!(list, "includedPaths" | "excludedPaths") && !whole {
            return Err(wrong(&format!("the path '{path}' in 'indexingPolicy.{list}' must end with '/?' or '/*'")));
        }
    }
    Ok(())
}

fn composite(given: Option<&Json>) -> Result<(), Error> {
    let Some(given) = given.filter(|v| !v.is_null()) else { return Ok(()) };
    let indexes =
        given.as_array().ok_or_else(|| wrong("'indexingPolicy.compositeIndexes' must be an array of arrays"))?;
    if indexes.len() > MAX_COMPOSITE_INDEXES {
        return Err(wrong(&format!("'indexingPolicy.compositeIndexes' has more than {MAX_COMPOSITE_INDEXES} indexes")));
    }
    for index in indexes {
        let paths = index.as_array().ok_or_else(|| wrong("each composite index must be an array of paths"))?;
        if !(2..=MAX_COMPOSITE_PATHS).contains(&paths.len()) {
            return Err(wrong(&format!(
                "a composite index has from 2 to {MAX_COMPOSITE_PATHS} paths, and one has {}",
                paths.len()
            )));
        }
        for entry in paths {
            let order = entry.get("order").and_then(Json::as_str).unwrap_or("ascending");
            let known = order.eq_ignore_ascii_case("ascending") || order.eq_ignore_ascii_case("descending");
            if !known || !entry.get("path").and_then(Json::as_str).is_some_and(|path| path.starts_with('/')) {
                return Err(wrong(
                    "each path of a composite index needs a 'path' and an 'order', \"ascending\" or \"descending\"",
                ));
            }
        }
    }
    Ok(())
}

/// Last writer wins by `_ts`, unless the definition says otherwise.
pub(super) fn conflict_resolution(given: Option<&Json>) -> Result<Json, Error> {
    let default =
        json!({"mode": "LastWriterWins", "conflictResolutionPath": "/_ts", "conflictResolutionProcedure": ""});
    let Some(given) = given.filter(|v| !v.is_null()) else { return Ok(default) };
    let mode = given.get("mode").and_then(Json::as_str).unwrap_or_default();
    if !["LastWriterWins", "Custom", "Manual"].iter().any(|known| known.eq_ignore_ascii_case(mode)) {
        return Err(wrong("'conflictResolutionPolicy.mode' must be \"LastWriterWins\" or \"Custom\""));
    }
    let mut policy = given.clone();
    if policy.get("conflictResolutionPath").is_none() {
        policy["conflictResolutionPath"] = json!(if mode.eq_ignore_ascii_case("LastWriterWins") { "/_ts" } else { "" });
    }
    if policy.get("conflictResolutionProcedure").is_none() {
        policy["conflictResolutionProcedure"] = json!("");
    }
    Ok(policy)
}

/// Coordinates on the globe, unless the definition says "Geometry".
pub(super) fn geospatial(given: Option<&Json>) -> Result<Json, Error> {
    let Some(given) = given.filter(|v| !v.is_null()) else { return Ok(json!({"type": "Geography"})) };
    match given.get("type").and_then(Json::as_str) {
        Some("Geography" | "Geometry") => Ok(given.clone()),
        _ => Err(wrong("'geospatialConfig.type' must be \"Geography\" or \"Geometry\"")),
    }
}

/// Settings with no default: kept as they came if they have the right shape.
pub(super) fn copy_optional(definition: &JsonMap, body: &mut JsonMap) -> Result<(), Error> {
    const OBJECTS: [&str; 5] = [
        "vectorEmbeddingPolicy",
        "fullTextPolicy",
        "clientEncryptionPolicy",
        "changeFeedPolicy",
        "materializedViewDefinition",
    ];
    for name in OBJECTS {
        if let Some(given) = definition.get(name).filter(|v| !v.is_null()) {
            if !given.is_object() {
                return Err(wrong(&format!("'{name}' must be an object")));
            }
            body.insert(name.into(), given.clone());
        }
    }
    if let Some(given) = definition.get("computedProperties").filter(|v| !v.is_null()) {
        let properties = given.as_array().ok_or_else(|| wrong("'computedProperties' must be an array"))?;
        let complete = |property: &Json| property["name"].is_string() && property["query"].is_string();
        if !properties.iter().all(complete) {
            return Err(wrong("each of 'computedProperties' needs a 'name' and a 'query', both strings"));
        }
        body.insert("computedProperties".into(), given.clone());
    }
    if let Some(given) = definition.get("analyticalStorageTtl").filter(|v| !v.is_null()) {
        if !given.is_i64() {
            return Err(wrong("'analyticalStorageTtl' must be a whole number"));
        }
        body.insert("analyticalStorageTtl".into(), given.clone());
    }
    Ok(())
}
