//! Bodies worked out by hand from the rules in the module's doc. The checksums come from another implementation of CRC-32.
//! The values of the first request and the reply are those of the .NET SDK's own test of this format; the SDK publishes no
//! bytes.

use super::*;
use crate::hybrid_row::encode_response;

const SEGMENT: &str = "
    81 F0D8FF7F           | version 1, schema 2147473648 = 7FFFD8F0, low byte first
    01 0A000000           | presence: the length is there; length 5 + 1 + 4 = 10
";

const CREATE_AND_REPLACE: &str = "
    81 F1D8FF7F           | record: schema 2147473649; no presence bits as its columns are never absent
    11000000 ED153582     | 17 bytes follow; their CRC-32 is 823515ED
    81 7054E17F           | schema 2145473648 = 7FE15470
    43                    | 1 + 2 + 64: operationType, resourceType, resourceBody
    00000000 02000000     | Create, Document
    02 4142               | resourceBody, 2 bytes

    81 F1D8FF7F
    21000000 A7C795DA     | 33 bytes
    81 7054E17F
    13                    | 1 + 2 + 16: operationType, resourceType, id
    05000000 02000000     | Replace, Document
    03 696432             | id, 3 bytes
    14 09 0C              | utf8 = 20, path 9 = ifMatch, 12 bytes
    746865436F6E646974696F6E
";

const EVERY_COLUMN: &str = "
    81 F1D8FF7F
    38000000 38654A54     | 56 bytes
    81 7054E17F
    7F                    | all seven
    14000000 02000000     | Upsert = 20, Document
    07 5B2270C3A9225D     | partitionKey [\"p\u{e9}\"]: 7 bytes, 6 characters
    02 05C1               | effectivePartitionKey
    01 61                 | id
    03 010203             | binaryId
    02 7B7D               | resourceBody {}
    14 08 07              | utf8, path 8 = indexingDirective, 7 bytes
    4578636C756465
    14 0A 01 2A           | utf8, path 10 = ifNoneMatch, 1 byte: *
    07 0B 3C000000        | int32 = 7, path 11 = timeToLiveInSeconds
    03 0C                 | true = 3, path 12 = minimalReturnPreference, no value
";

const REPLY: &str = "
    81 F1D8FF7F
    1E000000 D38D23D8     | 30 bytes
    81 7154E17F           | schema 2145473649 = 7FE15471
    01                    | statusCode
    99010000 00000000     | 409; the absent subStatusCode keeps its place
    0B 05 00000000        | uint32 = 11, path 5 = retryAfterMilliseconds
    10 06 0000000000000000| float64 = 16, path 6 = requestCharge

    81 F1D8FF7F
    26000000 A2772D8C     | 38 bytes
    81 7154E17F
    0D                    | 1 + 4 + 8: statusCode, eTag, resourceBody
    C8000000 00000000     | 200
    04 31323334           | eTag 1234
    02 4142               | resourceBody
    0B 05 68010000        | 360
    10 06 0000000000000440| 2.5 = 1.25 * 2^1: exponent 1023 + 1, then 01 in the top bits
";

const THROTTLED_REPLY: &str = "
    81 F1D8FF7F
    1E000000 FAC6CDF2     | 30 bytes
    81 7154E17F
    03                    | statusCode, subStatusCode
    AD010000 800C0000     | 429, 3200
    0B 05 D0070000        | 2000
    10 06 0000000000000000
";

fn stream(records: &str) -> Vec<u8> {
    [hex(SEGMENT), hex(records)].concat()
}

fn create_and_replace() -> Vec<BatchOperation> {
    let mut create = operation(OperationType::Create);
    create.resource_body = Some(Bytes::from_static(b"AB"));
    let mut replace = operation(OperationType::Replace);
    replace.id = Some("id2".to_owned());
    replace.if_match = Some("theCondition".to_owned());
    vec![create, replace]
}

fn every_column() -> Vec<BatchOperation> {
    vec![BatchOperation {
        operation_type: OperationType::Upsert,
        resource_type: ResourceType::Document,
        partition_key: Some("[\"p\u{e9}\"]".to_owned()),
        effective_partition_key: Some(Bytes::from_static(&[0x05, 0xC1])),
        id: Some("a".to_owned()),
        binary_id: Some(Bytes::from_static(&[1, 2, 3])),
        resource_body: Some(Bytes::from_static(b"{}")),
        indexing_directive: Some(IndexingDirective::Exclude),
        if_match: None,
        if_none_match: Some("*".to_owned()),
        time_to_live_in_seconds: Some(60),
        minimal_return_preference: Some(true),
    }]
}

fn reply() -> Vec<BatchResult> {
    vec![
        BatchResult { status_code: 409, retry_after_ms: Some(0), ..BatchResult::default() },
        BatchResult {
            status_code: 200,
            etag: Some("1234".to_owned()),
            resource_body: Some(Bytes::from_static(b"AB")),
            retry_after_ms: Some(360),
            request_charge: 2.5,
            ..BatchResult::default()
        },
    ]
}

#[test]
fn requests_decode() {
    assert_eq!(decode(&stream(CREATE_AND_REPLACE)), Ok(create_and_replace()));
    assert_eq!(decode(&stream(EVERY_COLUMN)), Ok(every_column()));
    assert_eq!(decode(&hex(SEGMENT)), Ok(vec![]));
}

#[test]
fn the_tests_own_request_encoder_writes_the_same_bytes() {
    assert_eq!(encode_request(&create_and_replace()), stream(CREATE_AND_REPLACE));
    assert_eq!(encode_request(&every_column()), stream(EVERY_COLUMN));
}

#[test]
fn replies_encode() {
    assert_eq!(encode_response(&reply()), stream(REPLY));
    let throttled = BatchResult {
        status_code: 429,
        sub_status_code: Some(3200),
        retry_after_ms: Some(2000),
        ..BatchResult::default()
    };
    assert_eq!(encode_response(&[throttled]), stream(THROTTLED_REPLY));
    assert_eq!(encode_response(&[]), hex(SEGMENT));
}

/// A segment may carry sparse columns (here a comment, as in the files that come with HybridRow's source), and a stream may
/// have several segments.
#[test]
fn segments_are_passed_over() {
    let commented = hex("
        81 F0D8FF7F 01 0F000000   | length 10 + 5
        14 02 02 6869             | utf8, path 2 = comment, 2 bytes
    ");
    let body = [commented.clone(), hex(CREATE_AND_REPLACE), commented].concat();
    assert_eq!(decode(&body), Ok(create_and_replace()));
}

/// A writer that knows the name but not its number spells it out: first unused number 13, plus the length.
#[test]
fn sparse_names_may_be_spelled_out() {
    let mut row = operation_row(&operation(OperationType::Read));
    row.extend(hex("14 14"));
    row.extend(b"ifMatch\x01x");
    let decoded = decode(&malformed::body_of(&row)).unwrap();
    assert_eq!(decoded[0].if_match.as_deref(), Some("x"));
}

/// Booleans have two type codes; this is the one that no other vector has.
#[test]
fn false_is_a_type_code() {
    let mut row = operation_row(&operation(OperationType::Read));
    row.extend(hex("02 0C"));
    let decoded = decode(&malformed::body_of(&row)).unwrap();
    assert_eq!(decoded[0].minimal_return_preference, Some(false));
}

#[test]
fn bodies_share_the_requests_memory() {
    let body = Bytes::from(stream(CREATE_AND_REPLACE));
    let operations = decode_request(&body, LIMITS).unwrap();
    let resource_body = operations[0].resource_body.as_ref().unwrap();
    assert!(body.as_ptr_range().contains(&resource_body.as_ptr()));
}
