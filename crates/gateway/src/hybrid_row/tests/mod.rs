//! Tests over whole bodies, and the other half of the codec they need: the client's.

mod malformed;
mod round_trip;
mod vectors;

use bytes::Bytes;

use super::batch_schema::{BATCH_OPERATION, BATCH_RESULT};
use super::layout::Value;
use super::record_io::{Records, write_record, write_segment};
use super::row_reader::Row;
use super::row_writer::{RowValues, write_row};
use super::{
    BatchOperation, BatchResult, DecodeLimits, HybridRowError, IndexingDirective, OperationType, ResourceType,
    decode_request,
};

const LIMITS: DecodeLimits = DecodeLimits { max_operations: 100, max_body_bytes: 2 * 1024 * 1024 };

fn decode(body: &[u8]) -> Result<Vec<BatchOperation>, HybridRowError> {
    decode_request(&Bytes::copy_from_slice(body), LIMITS)
}

/// An operation with nothing but its type.
fn operation(operation_type: OperationType) -> BatchOperation {
    BatchOperation {
        operation_type,
        resource_type: ResourceType::Document,
        partition_key: None,
        effective_partition_key: None,
        id: None,
        binary_id: None,
        resource_body: None,
        indexing_directive: None,
        if_match: None,
        if_none_match: None,
        time_to_live_in_seconds: None,
        minimal_return_preference: None,
    }
}

/// Writes a request as the client does.
fn encode_request(operations: &[BatchOperation]) -> Vec<u8> {
    let mut out = Vec::new();
    write_segment(&mut out);
    for operation in operations {
        write_record(&operation_row(operation), &mut out);
    }
    out
}

fn operation_row(operation: &BatchOperation) -> Vec<u8> {
    let code = match operation.operation_type {
        OperationType::Create => 0,
        OperationType::Patch => 1,
        OperationType::Read => 2,
        OperationType::Delete => 4,
        OperationType::Replace => 5,
        OperationType::Upsert => 20,
    };
    let directive = operation.indexing_directive.map(|directive| match directive {
        IndexingDirective::Default => "Default",
        IndexingDirective::Include => "Include",
        IndexingDirective::Exclude => "Exclude",
    });
    let values = RowValues {
        fixed: &[Some(code), Some(2)],
        variable: &[
            operation.partition_key.as_deref().map(str::as_bytes),
            operation.effective_partition_key.as_deref(),
            operation.id.as_deref().map(str::as_bytes),
            operation.binary_id.as_deref(),
            operation.resource_body.as_deref(),
        ],
        sparse: &[
            directive.map(Value::Utf8),
            operation.if_match.as_deref().map(Value::Utf8),
            operation.if_none_match.as_deref().map(Value::Utf8),
            operation.time_to_live_in_seconds.map(Value::Int32),
            operation.minimal_return_preference.map(Value::Bool),
        ],
    };
    let mut row = Vec::new();
    write_row(&BATCH_OPERATION, &values, &mut row);
    row
}

/// Reads a reply as the client does: columns it does not find keep their defaults.
fn decode_response(body: &[u8]) -> Result<Vec<BatchResult>, HybridRowError> {
    let mut records = Records::open(body)?;
    let mut results = Vec::new();
    while let Some(row) = records.next_row()? {
        results.push(read_result(&Row::read(&BATCH_RESULT, row)?));
    }
    Ok(results)
}

fn read_result(row: &Row<'_>) -> BatchResult {
    BatchResult {
        status_code: row.int32(0).unwrap().try_into().unwrap(),
        sub_status_code: row.int32(1).map(i32::cast_unsigned),
        etag: row.utf8(2).map(str::to_owned),
        resource_body: row.binary(3).map(Bytes::copy_from_slice),
        retry_after_ms: match row.value(4) {
            Some(Value::UInt32(value)) => Some(value),
            _ => None,
        },
        request_charge: match row.value(5) {
            Some(Value::Float64(value)) => value,
            _ => 0.0,
        },
    }
}

/// Reads hexadecimal digits; blanks and what follows `|` on a line are for the reader.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .lines()
        .filter_map(|line| line.split('|').next())
        .flat_map(str::chars)
        .filter_map(|digit| digit.to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
