//! From the operations of a request to those of the engine. What is wrong with one of them is its own failure.

use orrery_engine::{Condition, Container, Error, NewItem, Operation, OperationKind, PartitionRange, Target};
use orrery_value::{PartitionKey, PartitionKeyDefinition};

use super::{BatchKind, BatchOperation};
use crate::sql_api::error::ApiError;
use crate::sql_api::items::options::check_indexing_directive;
use crate::sql_api::items::patch;
use crate::sql_api::items::scope::{Reach, missing_key, whole_key};

/// Where the operations' items lie.
#[derive(Debug)]
pub(super) enum Partitioning {
    /// All in the logical partition of the request's header.
    OneKey { key: PartitionKey, reach: Reach },
    /// Each in its own, within the range if the request names one.
    KeyEach { range: Option<PartitionRange> },
}

/// Operations ready to run, and the failures of those that are not.
pub(super) struct Prepared {
    pub operations: Vec<Result<Operation, ApiError>>,
    minimal: Vec<bool>,
}

impl Prepared {
    /// The partition keys of the operations that can run.
    pub fn keys(&self) -> impl Iterator<Item = &PartitionKey> {
        self.operations.iter().flatten().map(|operation| &operation.key)
    }

    /// For each operation whether its item stays out of the reply; `all` is what the request says of all.
    pub fn minimal(&self, all: bool) -> Vec<bool> {
        self.minimal.iter().map(|own| *own || all).collect()
    }
}

/// Prepares every operation, in order.
pub(super) fn all(container: &Container, partitioning: &Partitioning, operations: Vec<BatchOperation>) -> Prepared {
    let minimal = operations.iter().map(|operation| operation.minimal).collect();
    let definition = &container.settings().partition_key;
    let prepare = |operation: BatchOperation| {
        let key = key_of(definition, partitioning, &operation)?;
        one(container, key, operation)
    };
    Prepared { operations: operations.into_iter().map(prepare).collect(), minimal }
}

fn key_of(
    definition: &PartitionKeyDefinition,
    partitioning: &Partitioning,
    operation: &BatchOperation,
) -> Result<PartitionKey, ApiError> {
    match partitioning {
        Partitioning::OneKey { key, .. } => match &operation.partition_key {
            Some(own) if whole_key(definition, own)? != *key => Err(Error::PartitionKeyMismatch {
                message: format!("the operation's partition key {own} differs from the batch's {}", key.to_json()),
            }
            .into()),
            _ => Ok(key.clone()),
        },
        Partitioning::KeyEach { range } => {
            let key = whole_key(definition, operation.partition_key.as_deref().ok_or_else(missing_key)?)?;
            match range {
                Some(range) if !range.epk.contains(&definition.epk(&key)) => {
                    Err(Error::RangeGone { id: range.id.to_string() }.into())
                }
                _ => Ok(key),
            }
        }
    }
}

fn one(container: &Container, key: PartitionKey, operation: BatchOperation) -> Result<Operation, ApiError> {
    check_supported(&operation)?;
    let item = || {
        let body = operation.body.as_deref().ok_or_else(|| lacks(&operation, "resourceBody"))?;
        NewItem::parse(container, body, Some(&key)).map_err(ApiError::from)
    };
    let target = || operation.id.clone().map(Target::Id).ok_or_else(|| lacks(&operation, "id"));
    let kind = match operation.kind {
        BatchKind::Create => OperationKind::Create(item()?),
        BatchKind::Upsert => OperationKind::Upsert(item()?),
        BatchKind::Replace => OperationKind::Replace { target: target()?, item: item()? },
        BatchKind::Read => OperationKind::Read { target: target()? },
        BatchKind::Delete => OperationKind::Delete { target: target()? },
        BatchKind::Patch => {
            let body = operation.body.as_deref().ok_or_else(|| lacks(&operation, "resourceBody"))?;
            OperationKind::Patch { target: target()?, patch: patch::parse(body)? }
        }
    };
    let condition = match (operation.if_match, operation.if_none_match) {
        (Some(etag), _) => Condition::IfMatch(etag),
        (None, Some(etag)) => Condition::IfNoneMatch(etag),
        (None, None) => Condition::None,
    };
    Ok(Operation { kind, key, condition })
}

fn check_supported(operation: &BatchOperation) -> Result<(), ApiError> {
    if operation.names_internal_columns {
        return Err(ApiError::bad_request(
            "Operations addressed by 'effectivePartitionKey' or 'binaryId' are not supported: use 'partitionKey' and 'id'",
        ));
    }
    if operation.time_to_live_in_seconds.is_some() {
        return Err(ApiError::bad_request("'timeToLiveInSeconds' is not supported: set the item's property 'ttl'"));
    }
    match &operation.indexing_directive {
        Some(directive) => check_indexing_directive(directive).map_err(ApiError::bad_request),
        None => Ok(()),
    }
}

fn lacks(operation: &BatchOperation, member: &str) -> ApiError {
    ApiError::bad_request(format!("An operation of type {:?} needs '{member}'", operation.kind))
}
