//! Databases, containers and their settings: loaded at start, kept in memory, written through the store.

mod container;
mod database;
mod full_text_policy;
mod offer;
mod partition_map;
mod policy;
mod resource;
pub mod rid;
mod settings;
mod state;
mod vector_policy;

use orrery_value::PropertyPath;

pub use container::{Container, Usage};
pub use database::Database;
pub use offer::{AUTOSCALE_MIN_RU, MANUAL_MIN_RU, Offer, Throughput};
pub use partition_map::{MAX_PARTITIONS, PartitionMap, PartitionRange, RU_PER_PARTITION};
pub use resource::{Parent, Resource, ResourceKind};
pub use settings::{ContainerSettings, MAX_TTL_SECONDS, UniqueKey};

pub(crate) use container::ContainerRecord;
pub(crate) use database::DatabaseRecord;
pub(crate) use offer::OfferRecord;
pub(crate) use resource::{ResourceRecord, key as resource_key, prefix as resource_prefix};
pub(crate) use state::Catalog;

use crate::Error;

/// A JSON object whose properties keep their order.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;

/// Longest name of a database or container, in characters.
pub const MAX_RESOURCE_ID_CHARS: usize = 255;

/// Checks the name of a control-plane resource.
///
/// # Errors
/// [`Error::Invalid`] with the rule it breaks.
pub(crate) fn check_resource_id(kind: &str, id: &str) -> Result<(), Error> {
    if id.is_empty() {
        return Err(Error::invalid(format!(
            "One of the specified inputs is invalid: the id of a {kind} must not be empty"
        )));
    }
    if id.chars().count() > MAX_RESOURCE_ID_CHARS {
        return Err(Error::invalid(format!(
            "One of the specified inputs is invalid: the id of a {kind} is too long. Ensure to provide a unique non-empty string less than '{}' characters.",
            MAX_RESOURCE_ID_CHARS + 1
        )));
    }
    if let Some(bad) = id.chars().find(|c| matches!(c, '/' | '\\' | '?' | '#' | '\r' | '\n' | '\t')) {
        return Err(Error::invalid(format!(
            "One of the specified inputs is invalid: the id of a {kind} must not contain {bad:?}"
        )));
    }
    if id.ends_with(' ') {
        return Err(Error::invalid(format!(
            "One of the specified inputs is invalid: the id of a {kind} must not end with a space"
        )));
    }
    Ok(())
}

/// The paths of a unique key as one text, for messages.
pub(crate) fn join_paths(paths: &[PropertyPath]) -> String {
    paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
