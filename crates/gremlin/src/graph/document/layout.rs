//! How a graph's elements are placed.

use std::sync::Arc;

use orrery_engine::Container;
use orrery_value::{KeyComponent, PartitionKey, PartitionKeyDefinition};

use super::{Plain, StoredValue, invalid};
use crate::graph::GraphError;
use crate::value::GValue;

/// What of an element decides its logical partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    partition_property: Option<Arc<str>>,
}

impl Layout {
    /// A property of vertices; an edge lies with its out vertex.
    pub fn by_property(name: impl Into<Arc<str>>) -> Self {
        Layout { partition_property: Some(name.into()) }
    }

    /// The id of each element, edges included.
    pub fn by_id() -> Self {
        Layout { partition_property: None }
    }

    /// The layout of a container.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for partition keys that graphs cannot have: of several or nested paths, or of a reserved name.
    pub fn of(container: &Container) -> Result<Self, GraphError> {
        Layout::of_key(&container.settings().partition_key)
    }

    /// The layout of a container with this partition key.
    ///
    /// # Errors
    /// As of [`Layout::of`].
    pub fn of_key(definition: &PartitionKeyDefinition) -> Result<Self, GraphError> {
        let [path] = &definition.paths[..] else {
            return Err(invalid("a graph needs a container with a partition key of one path"));
        };
        match path.segments() {
            [name] if name.as_str() == "id" => Ok(Layout::by_id()),
            [name] => {
                super::check_key(name.as_str())?;
                Ok(Layout::by_property(name.as_str()))
            }
            _ => {
                Err(invalid(format!("a graph cannot have the partition key {path}: it must be a property of vertices")))
            }
        }
    }

    /// The property, if it is one.
    pub fn partition_property(&self) -> Option<&Arc<str>> {
        self.partition_property.as_ref()
    }

    /// The partition key of an element. `None`: the partition is not known.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for a partition that is no value of a property.
    pub fn partition_key(&self, id: &str, partition: Option<&GValue>) -> Result<Option<PartitionKey>, GraphError> {
        let component = match (&self.partition_property, partition) {
            (None, _) => KeyComponent::from(id),
            (Some(_), None) => return Ok(None),
            (Some(_), Some(GValue::Null)) => KeyComponent::Null,
            (Some(_), Some(value)) => match StoredValue::encode(value)?.plain {
                Plain::Bool(truth) => KeyComponent::Bool(truth),
                Plain::Int(number) => KeyComponent::Number(number as f64),
                Plain::Float(number) => KeyComponent::Number(number),
                Plain::Text(text) => KeyComponent::String(text.to_string()),
            },
        };
        Ok(Some(PartitionKey(vec![component])))
    }

    pub(super) fn is_partition_property(&self, name: &str) -> bool {
        self.partition_property.as_deref() == Some(name)
    }
}
