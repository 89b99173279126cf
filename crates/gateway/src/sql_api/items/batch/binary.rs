//! The binary form of batch and bulk bodies, which the .NET SDK sends and expects back.

use bytes::Bytes;

use super::{BatchError, BatchKind, BatchOperation, BatchResult, MAX_BODY_BYTES};
use crate::hybrid_row::{self, DecodeLimits, HybridRowError, IndexingDirective, OperationType};

/// Reads the operations of a body, in order.
///
/// # Errors
/// [`BatchError`] for a damaged body and for one with more than `max_operations`.
pub(super) fn parse(body: &Bytes, max_operations: usize) -> Result<Vec<BatchOperation>, BatchError> {
    let limits = DecodeLimits { max_operations, max_body_bytes: MAX_BODY_BYTES };
    let decoded = hybrid_row::decode_request(body, limits).map_err(|error| match error {
        HybridRowError::BodyTooLarge { size_bytes, .. } => BatchError::TooLarge { size_bytes },
        HybridRowError::TooManyOperations { limit, .. } => BatchError::TooManyOperations { limit },
        other => BatchError::Malformed { reason: other.to_string() },
    })?;
    Ok(decoded.into_iter().map(operation).collect())
}

/// Writes the results as records of a HybridRow stream.
pub(super) fn render(results: Vec<BatchResult>) -> Vec<u8> {
    let rows: Vec<_> = results.into_iter().map(row).collect();
    hybrid_row::encode_response(&rows)
}

fn operation(row: hybrid_row::BatchOperation) -> BatchOperation {
    let names_internal_columns =
        row.binary_id.is_some() || row.effective_partition_key.is_some() && row.partition_key.is_none();
    let indexing_directive = row.indexing_directive.map(|directive| match directive {
        IndexingDirective::Default => "Default",
        IndexingDirective::Include => "Include",
        IndexingDirective::Exclude => "Exclude",
    });
    BatchOperation {
        kind: match row.operation_type {
            OperationType::Create => BatchKind::Create,
            OperationType::Upsert => BatchKind::Upsert,
            OperationType::Read => BatchKind::Read,
            OperationType::Replace => BatchKind::Replace,
            OperationType::Patch => BatchKind::Patch,
            OperationType::Delete => BatchKind::Delete,
        },
        id: row.id,
        partition_key: row.partition_key,
        if_match: row.if_match,
        if_none_match: row.if_none_match,
        indexing_directive: indexing_directive.map(str::to_owned),
        time_to_live_in_seconds: row.time_to_live_in_seconds.map(i64::from),
        names_internal_columns,
        minimal: row.minimal_return_preference.unwrap_or(false),
        body: row.resource_body,
    }
}

/// The client takes a result's body for the item, so that a failure's reason stays out of it.
fn row(result: BatchResult) -> hybrid_row::BatchResult {
    hybrid_row::BatchResult {
        status_code: result.status,
        sub_status_code: (result.sub_status != 0).then_some(result.sub_status),
        etag: result.etag,
        resource_body: result.body,
        retry_after_ms: result.retry_after_ms.map(|wait| u32::try_from(wait).unwrap_or(u32::MAX)),
        request_charge: result.charge_ru,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn results_come_in_the_requests_form() {
        let bytes = render(vec![BatchResult { status: 424, ..BatchResult::default() }]);
        assert_eq!(bytes.first(), Some(&hybrid_row::FORMAT_VERSION));
    }

    proptest! {
        #[test]
        fn parsing_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let body = [&[hybrid_row::FORMAT_VERSION][..], &bytes].concat();
            let _ = parse(&Bytes::from(body), 3);
        }
    }
}
