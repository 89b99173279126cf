//! The results of a batch or bulk request.

use bytes::Bytes;

use super::batch_schema::BATCH_RESULT;
use super::layout::Value;
use super::record_io::{write_record, write_segment};
use super::row_writer::{RowValues, write_row};

/// Bytes of a result beside its etag and body, rounded up: record row, fixed part and sparse columns.
const RESULT_OVERHEAD_BYTES: usize = 64;

/// What became of one operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchResult {
    /// HTTP status of the operation. The client takes 0 for a broken reply.
    pub status_code: u16,
    /// The service's finer status, if any.
    pub sub_status_code: Option<u32>,
    /// The item's etag, quotes and all as in the `etag` header of a single request: clients compare the two.
    pub etag: Option<String>,
    /// The item, or what a failed operation has to say.
    pub resource_body: Option<Bytes>,
    /// How long to wait before a retry, for status 429.
    pub retry_after_ms: Option<u32>,
    /// Request units the operation took.
    pub request_charge: f64,
}

/// Writes the body of a reply: one record per result, in the order of the request's operations. The client refuses a
/// successful reply that has not as many results as the request has operations.
pub fn encode_response(results: &[BatchResult]) -> Vec<u8> {
    let mut out = Vec::with_capacity(results.iter().map(size_estimate).sum());
    let mut row = Vec::new();
    write_segment(&mut out);
    for result in results {
        row.clear();
        write_result(result, &mut row);
        write_record(&row, &mut out);
    }
    out
}

fn write_result(result: &BatchResult, row: &mut Vec<u8>) {
    let values = RowValues {
        // Sub-status codes are far below the sign bit of the signed column.
        fixed: &[Some(i32::from(result.status_code)), result.sub_status_code.map(u32::cast_signed)],
        variable: &[result.etag.as_deref().map(str::as_bytes), result.resource_body.as_deref()],
        sparse: &[result.retry_after_ms.map(Value::UInt32), Some(Value::Float64(result.request_charge))],
    };
    write_row(&BATCH_RESULT, &values, row);
}

fn size_estimate(result: &BatchResult) -> usize {
    let etag = result.etag.as_ref().map_or(0, String::len);
    let body = result.resource_body.as_ref().map_or(0, Bytes::len);
    RESULT_OVERHEAD_BYTES + etag + body
}
