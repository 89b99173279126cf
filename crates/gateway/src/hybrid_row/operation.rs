//! The operations of a batch or bulk request.

use bytes::Bytes;

use super::HybridRowError;
use super::batch_schema::{BATCH_OPERATION, operation_column as column};
use super::record_io::Records;
use super::row_reader::Row;

/// One operation of a batch or bulk request. Bodies and keys share the request's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchOperation {
    /// What to do.
    pub operation_type: OperationType,
    /// To what: always an item.
    pub resource_type: ResourceType,
    /// The partition key as the JSON array of the partition-key header. Bulk requests give each operation its own; a batch
    /// names its one key in the header instead.
    pub partition_key: Option<String>,
    /// The effective partition key, from callers that route by it and name no partition key.
    pub effective_partition_key: Option<Bytes>,
    /// The item's id; absent for creates and upserts, whose body has it.
    pub id: Option<String>,
    /// The item's id as bytes, from internal callers only.
    pub binary_id: Option<Bytes>,
    /// The item, or for a patch the JSON object with its operations.
    pub resource_body: Option<Bytes>,
    /// Whether to index the item, when the request says so.
    pub indexing_directive: Option<IndexingDirective>,
    /// The etag the item must have.
    pub if_match: Option<String>,
    /// The etag the item must not have.
    pub if_none_match: Option<String>,
    /// The item's time to live, set apart from its body.
    pub time_to_live_in_seconds: Option<i32>,
    /// True when the reply shall leave the item out.
    pub minimal_return_preference: Option<bool>,
}

/// The operations a batch may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationType {
    /// Insert a new item.
    Create,
    /// Change parts of an item.
    Patch,
    /// Read an item.
    Read,
    /// Delete an item.
    Delete,
    /// Replace an existing item.
    Replace,
    /// Insert or replace an item.
    Upsert,
}

impl OperationType {
    /// Every operation and the service's number of it.
    const CODES: [(OperationType, i32); 6] = [
        (OperationType::Create, 0),
        (OperationType::Patch, 1),
        (OperationType::Read, 2),
        (OperationType::Delete, 4),
        (OperationType::Replace, 5),
        (OperationType::Upsert, 20),
    ];

    /// Returns the operation the service gives this number, `None` for those that cannot be part of a batch.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::CODES.iter().find(|&&(_, known)| known == code).map(|&(operation, _)| operation)
    }
}

/// What an operation works on. The service numbers every resource; batches hold items only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceType {
    /// An item of a container.
    Document,
}

impl ResourceType {
    /// The service's number for items.
    const DOCUMENT_CODE: i32 = 2;

    /// Returns the resource type the service gives this number, `None` for those that cannot be part of a batch.
    pub fn from_code(code: i32) -> Option<Self> {
        (code == Self::DOCUMENT_CODE).then_some(Self::Document)
    }
}

/// Whether an item is to be indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexingDirective {
    /// As the container's policy says.
    Default,
    /// Index it although the policy is not automatic.
    Include,
    /// Do not index it.
    Exclude,
}

impl IndexingDirective {
    /// Returns the directive of this exact name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "Default" => Some(Self::Default),
            "Include" => Some(Self::Include),
            "Exclude" => Some(Self::Exclude),
            _ => None,
        }
    }
}

/// What [`decode_request`] accepts at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Operations in one request.
    pub max_operations: usize,
    /// Size of the whole body.
    pub max_body_bytes: usize,
}

/// Reads the operations of a request body, in their order. A well-formed body without operations gives an empty list.
///
/// Time and memory are linear in the body; of the operations, only short texts are copied.
///
/// # Errors
/// [`HybridRowError::BodyTooLarge`] and [`HybridRowError::TooManyOperations`] by `limits`; any other variant names the
/// first thing in the body that breaks the format or that no batch may hold, and where.
pub fn decode_request(body: &Bytes, limits: DecodeLimits) -> Result<Vec<BatchOperation>, HybridRowError> {
    if body.len() > limits.max_body_bytes {
        let limit_bytes = limits.max_body_bytes;
        return Err(HybridRowError::BodyTooLarge { size_bytes: body.len(), limit_bytes });
    }
    let mut records = Records::open(body)?;
    let mut operations = Vec::new();
    while let Some(row) = records.next_row()? {
        if operations.len() == limits.max_operations {
            return Err(HybridRowError::TooManyOperations { limit: limits.max_operations, at: row.at() });
        }
        operations.push(read_operation(&Row::read(&BATCH_OPERATION, row)?, body)?);
    }
    Ok(operations)
}

/// Takes an operation out of `row`, which borrows from `body`.
fn read_operation(row: &Row<'_>, body: &Bytes) -> Result<BatchOperation, HybridRowError> {
    let text = |column| row.utf8(column).map(str::to_owned);
    let bytes = |column| row.binary(column).map(|bytes| body.slice_ref(bytes));
    Ok(BatchOperation {
        operation_type: read_operation_type(row)?,
        resource_type: read_resource_type(row)?,
        partition_key: text(column::PARTITION_KEY),
        effective_partition_key: bytes(column::EFFECTIVE_PARTITION_KEY),
        id: text(column::ID),
        binary_id: bytes(column::BINARY_ID),
        resource_body: bytes(column::RESOURCE_BODY),
        indexing_directive: read_indexing_directive(row)?,
        if_match: text(column::IF_MATCH),
        if_none_match: text(column::IF_NONE_MATCH),
        time_to_live_in_seconds: row.int32(column::TIME_TO_LIVE_IN_SECONDS),
        minimal_return_preference: row.bool(column::MINIMAL_RETURN_PREFERENCE),
    })
}

fn read_operation_type(row: &Row<'_>) -> Result<OperationType, HybridRowError> {
    let code = row.required_int32(column::OPERATION_TYPE)?;
    let at = row.offset_of(column::OPERATION_TYPE);
    OperationType::from_code(code).ok_or(HybridRowError::UnknownOperationType { code, at })
}

fn read_resource_type(row: &Row<'_>) -> Result<ResourceType, HybridRowError> {
    let code = row.required_int32(column::RESOURCE_TYPE)?;
    let at = row.offset_of(column::RESOURCE_TYPE);
    ResourceType::from_code(code).ok_or(HybridRowError::UnknownResourceType { code, at })
}

fn read_indexing_directive(row: &Row<'_>) -> Result<Option<IndexingDirective>, HybridRowError> {
    let Some(name) = row.utf8(column::INDEXING_DIRECTIVE) else {
        return Ok(None);
    };
    let at = row.offset_of(column::INDEXING_DIRECTIVE);
    let unknown = HybridRowError::UnknownIndexingDirective { at };
    IndexingDirective::from_name(name).ok_or(unknown).map(Some)
}
