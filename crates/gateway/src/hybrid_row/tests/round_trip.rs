//! What is written is read back.

use proptest::prelude::*;

use super::*;
use crate::hybrid_row::encode_response;

fn bytes() -> impl Strategy<Value = Bytes> {
    proptest::collection::vec(any::<u8>(), 0..300).prop_map(Bytes::from)
}

fn maybe_bytes() -> impl Strategy<Value = Option<Bytes>> {
    proptest::option::of(bytes())
}

fn maybe_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(".{0,200}")
}

fn operation_type() -> impl Strategy<Value = OperationType> {
    proptest::sample::select(vec![
        OperationType::Create,
        OperationType::Patch,
        OperationType::Read,
        OperationType::Delete,
        OperationType::Replace,
        OperationType::Upsert,
    ])
}

fn indexing_directive() -> impl Strategy<Value = Option<IndexingDirective>> {
    use IndexingDirective::{Default, Exclude, Include};
    proptest::option::of(proptest::sample::select(vec![Default, Include, Exclude]))
}

prop_compose! {
    pub(super) fn any_operation()(
        operation_type in operation_type(),
        (partition_key, id, if_match, if_none_match) in (maybe_text(), maybe_text(), maybe_text(), maybe_text()),
        (effective_partition_key, binary_id, resource_body) in (maybe_bytes(), maybe_bytes(), maybe_bytes()),
        indexing_directive in indexing_directive(),
        time_to_live_in_seconds in any::<Option<i32>>(),
        minimal_return_preference in any::<Option<bool>>(),
    ) -> BatchOperation {
        BatchOperation {
            operation_type,
            resource_type: ResourceType::Document,
            partition_key,
            effective_partition_key,
            id,
            binary_id,
            resource_body,
            indexing_directive,
            if_match,
            if_none_match,
            time_to_live_in_seconds,
            minimal_return_preference,
        }
    }
}

prop_compose! {
    fn any_result()(
        status_code in 100u16..600,
        sub_status_code in proptest::option::of(0u32..100_000),
        etag in maybe_text(),
        resource_body in maybe_bytes(),
        retry_after_ms in any::<Option<u32>>(),
        request_charge in -1e9..1e9f64,
    ) -> BatchResult {
        BatchResult { status_code, sub_status_code, etag, resource_body, retry_after_ms, request_charge }
    }
}

proptest! {
    #[test]
    fn requests(operations in proptest::collection::vec(any_operation(), 0..8)) {
        prop_assert_eq!(decode(&encode_request(&operations)), Ok(operations));
    }

    #[test]
    fn replies(results in proptest::collection::vec(any_result(), 0..8)) {
        prop_assert_eq!(decode_response(&encode_response(&results)), Ok(results));
    }
}

/// The length needs three varuint bytes and the checksum many steps.
#[test]
fn large_body() {
    let mut create = operation(OperationType::Create);
    create.resource_body = Some(Bytes::from(vec![b'x'; 1_900_000]));
    assert_eq!(decode(&encode_request(std::slice::from_ref(&create))), Ok(vec![create]));
}
