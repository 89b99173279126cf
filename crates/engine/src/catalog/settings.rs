//! What a container's definition says, typed, beside the body that is echoed to clients.

use std::sync::Arc;

use orrery_value::document::is_system_property;
use orrery_value::{PartitionKeyDefinition, PropertyPath};
use serde_json::{Value as Json, json};

use super::{JsonMap, full_text_policy, policy, vector_policy};
use crate::Error;
use crate::index::IndexPolicy;

/// Largest time to live, in seconds.
pub const MAX_TTL_SECONDS: i64 = i32::MAX as i64;
/// Unique keys of one container, as on the service.
pub const MAX_UNIQUE_KEYS: usize = 10;
/// Paths in all unique keys of one container, as on the service.
pub const MAX_UNIQUE_KEY_PATHS: usize = 16;

/// The typed settings of a container.
#[derive(Clone, Debug)]
pub struct ContainerSettings {
    /// How items are placed.
    pub partition_key: PartitionKeyDefinition,
    /// `None`: time to live is off. -1: on, with no default. Otherwise the default in seconds.
    pub default_ttl: Option<i64>,
    /// Constraints within a logical partition.
    pub unique_keys: Vec<UniqueKey>,
    /// Whether items are indexed at all; decides what a write is charged.
    pub indexed: bool,
    /// Which paths are indexed.
    pub index_policy: Arc<IndexPolicy>,
    /// The definition with every default filled in, without system properties.
    pub body: JsonMap,
}

/// Paths whose values together occur once in a logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueKey {
    /// The paths, in order.
    pub paths: Vec<PropertyPath>,
}

impl ContainerSettings {
    /// Reads and completes the definition a client sent.
    ///
    /// # Errors
    /// [`Error::Invalid`] naming the part that is wrong.
    pub fn parse(definition: &JsonMap) -> Result<Self, Error> {
        let mut body = JsonMap::new();
        let id = definition.get("id").and_then(Json::as_str).ok_or_else(|| wrong("'id' must be a string"))?;
        super::check_resource_id("container", id)?;
        body.insert("id".into(), json!(id));
        let indexing = policy::indexing(definition.get("indexingPolicy"))?;
        let indexed = indexing["indexingMode"] != "none";
        let index_policy = Arc::new(indexing.as_object().map(IndexPolicy::compile).unwrap_or_default());
        body.insert("indexingPolicy".into(), indexing);
        let (partition_key, shown) = partition_key(definition.get("partitionKey"))?;
        body.insert("partitionKey".into(), shown);
        let default_ttl = default_ttl(definition.get("defaultTtl"))?;
        if let Some(seconds) = default_ttl {
            body.insert("defaultTtl".into(), json!(seconds));
        }
        let unique_keys = unique_keys(definition.get("uniqueKeyPolicy"))?;
        body.insert(
            "uniqueKeyPolicy".into(),
            definition.get("uniqueKeyPolicy").filter(|v| !v.is_null()).cloned().unwrap_or(json!({"uniqueKeys": []})),
        );
        let conflict = policy::conflict_resolution(definition.get("conflictResolutionPolicy"))?;
        body.insert("conflictResolutionPolicy".into(), conflict);
        body.insert("geospatialConfig".into(), policy::geospatial(definition.get("geospatialConfig"))?);
        policy::copy_optional(definition, &mut body)?;
        Ok(ContainerSettings { partition_key, default_ttl, unique_keys, indexed, index_policy, body })
    }

    /// Checks what the definition says of vectors and full texts. Apart from [`ContainerSettings::parse`], which stored definitions
    /// must always pass.
    ///
    /// # Errors
    /// [`Error::Invalid`] naming what is wrong.
    pub fn check_search_policies(&self) -> Result<(), Error> {
        vector_policy::check(&self.body)?;
        full_text_policy::check(&self.body)
    }

    /// Checks that `next` changes nothing that is fixed at creation.
    ///
    /// # Errors
    /// [`Error::Invalid`] naming what cannot change.
    pub fn check_replacement(&self, next: &Self) -> Result<(), Error> {
        let changed = [
            ("id", self.body.get("id") != next.body.get("id")),
            ("partitionKey", self.partition_key != next.partition_key),
            ("uniqueKeyPolicy", self.unique_keys != next.unique_keys),
        ];
        match changed.into_iter().find(|(_, changed)| *changed) {
            Some((name, _)) => Err(wrong(&format!("'{name}' cannot change after the container was created"))),
            None => vector_policy::check_replacement(&self.body, &next.body),
        }
    }

    /// Seconds after which an item with the `ttl` property `own` expires; `None` if it never does.
    pub fn effective_ttl(&self, own: Option<i32>) -> Option<u32> {
        let seconds = match (self.default_ttl?, own) {
            (_, Some(own)) => i64::from(own),
            (default, None) => default,
        };
        u32::try_from(seconds).ok()
    }
}

/// The service's words for a wrong definition, which its clients' tests look for, then what is wrong.
pub(super) fn wrong(what: &str) -> Error {
    Error::invalid(format!("One of the specified inputs is invalid: {what}"))
}

fn partition_key(given: Option<&Json>) -> Result<(PartitionKeyDefinition, Json), Error> {
    let given = given.filter(|v| !v.is_null()).ok_or_else(|| {
        wrong("a container needs a 'partitionKey', such as {\"paths\":[\"/pk\"],\"kind\":\"Hash\",\"version\":2}")
    })?;
    let paths: Vec<String> = given
        .get("paths")
        .and_then(Json::as_array)
        .and_then(|paths| paths.iter().map(|path| path.as_str().map(String::from)).collect())
        .ok_or_else(|| wrong("'partitionKey.paths' must be an array of strings"))?;
    let kind = given.get("kind").filter(|v| !v.is_null()).map_or(Some("Hash"), Json::as_str);
    let kind = kind.ok_or_else(|| wrong("'partitionKey.kind' must be \"Hash\" or \"MultiHash\""))?;
    let version = match given.get("version").filter(|v| !v.is_null()) {
        None => None,
        Some(version) => Some(
            version
                .as_u64()
                .and_then(|version| u8::try_from(version).ok())
                .ok_or_else(|| wrong("'partitionKey.version' must be 1 or 2"))?,
        ),
    };
    let parsed = paths.iter().map(|path| PropertyPath::parse(path)).collect::<Result<_, _>>();
    let parsed = parsed.map_err(|error| wrong(&error.to_string()))?;
    let definition =
        PartitionKeyDefinition::try_new(kind, version, parsed).map_err(|error| wrong(&error.to_string()))?;
    let mut shown = json!({"paths": paths, "kind": kind});
    if let Some(version) = version.or((kind == "MultiHash").then_some(2)) {
        shown["version"] = json!(version);
    }
    Ok((definition, shown))
}

fn default_ttl(given: Option<&Json>) -> Result<Option<i64>, Error> {
    let Some(given) = given.filter(|v| !v.is_null()) else { return Ok(None) };
    match given.as_i64() {
        Some(seconds @ (-1 | 1..=MAX_TTL_SECONDS)) => Ok(Some(seconds)),
        _ => Err(wrong(&format!("'defaultTtl' must be -1 or from 1 to {MAX_TTL_SECONDS}, and is {given}"))),
    }
}

fn unique_keys(given: Option<&Json>) -> Result<Vec<UniqueKey>, Error> {
    let Some(policy) = given.filter(|v| !v.is_null()) else { return Ok(Vec::new()) };
    let policy = policy.as_object().ok_or_else(|| wrong("'uniqueKeyPolicy' must be an object"))?;
    let Some(keys) = policy.get("uniqueKeys").filter(|v| !v.is_null()) else { return Ok(Vec::new()) };
    let keys = keys.as_array().ok_or_else(|| wrong("'uniqueKeyPolicy.uniqueKeys' must be an array"))?;
    let parsed: Vec<UniqueKey> = keys.iter().map(unique_key).collect::<Result<_, _>>()?;
    let paths: usize = parsed.iter().map(|key| key.paths.len()).sum();
    if parsed.len() > MAX_UNIQUE_KEYS || paths > MAX_UNIQUE_KEY_PATHS {
        return Err(wrong(&format!(
            "'uniqueKeyPolicy' has more than {MAX_UNIQUE_KEYS} keys or {MAX_UNIQUE_KEY_PATHS} paths"
        )));
    }
    Ok(parsed)
}

fn unique_key(given: &Json) -> Result<UniqueKey, Error> {
    let paths = given.get("paths").and_then(Json::as_array).filter(|paths| !paths.is_empty());
    let paths =
        paths.ok_or_else(|| wrong("each unique key needs 'paths', an array of strings such as [\"/email\"]"))?;
    let parse = |path: &Json| {
        let text = path.as_str().ok_or_else(|| wrong("a unique key's path must be a string"))?;
        let parsed = PropertyPath::parse(text).map_err(|error| wrong(&format!("unique key path {text}: {error}")))?;
        match parsed.segments().first() {
            None => Err(wrong("a unique key's path must name a property")),
            Some(name) if is_system_property(name.as_str()) => {
                Err(wrong(&format!("unique key path {text}: the server sets this property")))
            }
            Some(_) => Ok(parsed),
        }
    };
    Ok(UniqueKey { paths: paths.iter().map(parse).collect::<Result<_, _>>()? })
}
