//! Members of documents that are no properties.

use orrery_value::document::is_system_property;

use super::invalid;
use crate::graph::GraphError;

/// The label of a vertex that has none.
pub const DEFAULT_VERTEX_LABEL: &str = "vertex";
/// The label of an edge that has none.
pub const DEFAULT_EDGE_LABEL: &str = "edge";

pub(crate) const ID: &str = "id";
pub(crate) const LABEL: &str = "label";
pub(crate) const IS_EDGE: &str = "_isEdge";
pub(crate) const VERTEX_ID: &str = "_vertexId";
pub(crate) const VERTEX_LABEL: &str = "_vertexLabel";
pub(crate) const SINK: &str = "_sink";
pub(crate) const SINK_LABEL: &str = "_sinkLabel";
pub(crate) const SINK_PARTITION: &str = "_sinkPartition";
pub(crate) const IS_PARTITION_SHOWN: &str = "_isPkEdgeProperty";
pub(crate) const TYPES: &str = "_types";
pub(crate) const VALUE: &str = "_value";
pub(crate) const TYPE: &str = "_type";
pub(crate) const META: &str = "_meta";
pub(crate) const META_TYPES: &str = "_metaTypes";
/// Seconds to live: a property that the engine reads, so that it is a plain member of vertices too.
pub(crate) const TIME_TO_LIVE: &str = "ttl";

/// Whether a member of the root has a meaning of its own.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        ID | LABEL
            | IS_EDGE
            | VERTEX_ID
            | VERTEX_LABEL
            | SINK
            | SINK_LABEL
            | SINK_PARTITION
            | IS_PARTITION_SHOWN
            | TYPES
    ) || is_system_property(name)
}

/// Whether a property may have this name.
///
/// # Errors
/// [`GraphError::Invalid`]
pub fn check_key(key: &str) -> Result<(), GraphError> {
    if key.is_empty() {
        return Err(invalid("Property key can not be the empty string"));
    }
    if key.starts_with('~') {
        return Err(invalid(format!("Property key can not be a hidden key: {key}")));
    }
    if is_reserved(key) {
        return Err(invalid(format!("the property name '{key}' is reserved: it cannot be written as a property")));
    }
    Ok(())
}
