//! Every broken body is refused by name and place; none of them panics.

use proptest::prelude::*;

use super::*;

/// Size of a record row.
const RECORD_ROW: usize = 13;

/// Offset of the first record's row: behind the segment row and the record row.
const ROW: usize = 10 + RECORD_ROW;

/// Offset of the first column behind version, schema id, presence bits and the two fixed columns.
const COLUMNS: usize = ROW + 14;

/// A request of one record, its checksum right.
pub(super) fn body_of(row: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_segment(&mut out);
    write_record(row, &mut out);
    out
}

/// The row of a read of nothing, with more behind it.
fn read_row_with(more: &[u8]) -> Vec<u8> {
    [operation_row(&operation(OperationType::Read)), more.to_vec()].concat()
}

/// The same with one byte of the row replaced.
fn read_row_but(offset: usize, byte: u8) -> Vec<u8> {
    let mut row = read_row_with(&[]);
    row[offset] = byte;
    row
}

/// A body of one read with one byte of the body replaced.
fn body_but(offset: usize, byte: u8) -> Vec<u8> {
    let mut body = body_of(&read_row_with(&[]));
    body[offset] = byte;
    body
}

#[track_caller]
fn refused(body: &[u8], expected: HybridRowError) {
    assert_eq!(decode(body), Err(expected));
}

#[test]
fn limits_are_the_callers() {
    let body = Bytes::from(encode_request(&[operation(OperationType::Read), operation(OperationType::Read)]));
    let size_bytes = body.len();
    let limits = |max_operations, max_body_bytes| DecodeLimits { max_operations, max_body_bytes };
    assert!(decode_request(&body, limits(2, size_bytes)).is_ok());
    let too_large = HybridRowError::BodyTooLarge { size_bytes, limit_bytes: size_bytes - 1 };
    assert_eq!(decode_request(&body, limits(2, size_bytes - 1)), Err(too_large));
    let too_many = HybridRowError::TooManyOperations { limit: 1, at: COLUMNS + RECORD_ROW };
    assert_eq!(decode_request(&body, limits(1, size_bytes)), Err(too_many));
}

#[test]
fn something_else_than_a_stream() {
    refused(b"", HybridRowError::Truncated { needed: 1, left: 0, at: 0 });
    refused(b"[{}]", HybridRowError::UnknownVersion { found: b'[', at: 0 });
    let record_schema = 2_147_473_649;
    let wrong = |found, expected, at| HybridRowError::UnexpectedSchema { found, expected, at };
    refused(&body_but(1, 0xF1), wrong(record_schema, "Segment", 1));
    refused(&body_but(11, 0xF2), wrong(record_schema + 1, "Record", 11));
    refused(&body_but(10, 0x80), HybridRowError::UnknownVersion { found: 0x80, at: 10 });
}

#[test]
fn segment_and_record_headers() {
    refused(&body_but(5, 0), HybridRowError::MissingColumn { column: "length", at: 0 });
    refused(&body_but(5, 3), HybridRowError::UnknownPresenceBits { bits: 3, at: 5 });
    refused(&body_but(6, 9), HybridRowError::BadLength { row: "segment", length: 9, at: 6 });
    refused(&body_but(6, 200), HybridRowError::Truncated { needed: 190, left: 27, at: 10 });
    let negative = i32::from_le_bytes([14, 0, 0, 0x80]);
    refused(&body_but(18, 0x80), HybridRowError::BadLength { row: "record", length: negative, at: 15 });
    refused(&body_but(15, 15), HybridRowError::Truncated { needed: 15, left: 14, at: ROW });
}

#[test]
fn damage_is_seen_by_the_checksum() {
    for offset in ROW..COLUMNS {
        let damaged = body_but(offset, 0x55);
        assert!(
            matches!(decode(&damaged), Err(HybridRowError::ChecksumMismatch { at: ROW, .. })),
            "byte {offset} changed unnoticed"
        );
    }
}

#[test]
fn row_headers() {
    refused(&body_of(&[]), HybridRowError::Truncated { needed: 1, left: 0, at: ROW });
    refused(&body_of(&read_row_but(0, 0x82)), HybridRowError::UnknownVersion { found: 0x82, at: ROW });
    let result_row = HybridRowError::UnexpectedSchema { found: 2_145_473_649, expected: "BatchOperation", at: ROW + 1 };
    refused(&body_of(&read_row_but(1, 0x71)), result_row);
    let unknown_bits = HybridRowError::UnknownPresenceBits { bits: 0x83, at: ROW + 5 };
    refused(&body_of(&read_row_but(5, 0x83)), unknown_bits);
}

#[test]
fn operations_no_batch_may_hold() {
    let missing = |column| HybridRowError::MissingColumn { column, at: ROW };
    refused(&body_of(&read_row_but(5, 2)), missing("operationType"));
    refused(&body_of(&read_row_but(5, 1)), missing("resourceType"));
    let read_feed = HybridRowError::UnknownOperationType { code: 3, at: ROW + 6 };
    refused(&body_of(&read_row_but(6, 3)), read_feed);
    let database = HybridRowError::UnknownResourceType { code: 0, at: ROW + 10 };
    refused(&body_of(&read_row_but(10, 0)), database);
}

#[test]
fn variable_columns() {
    let row = |presence, more: &[u8]| {
        let mut row = read_row_with(more);
        row[5] = presence;
        body_of(&row)
    };
    let id_past_the_end = HybridRowError::Truncated { needed: 3, left: 2, at: COLUMNS + 1 };
    refused(&row(0b1_0011, &[3, b'a', b'b']), id_past_the_end);
    let no_size = HybridRowError::Truncated { needed: 1, left: 0, at: COLUMNS };
    refused(&row(0b1_0011, &[]), no_size);
    let huge = HybridRowError::Truncated { needed: u64::MAX, left: 0, at: COLUMNS + 10 };
    refused(&row(0b1_0011, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), huge);
    let endless = HybridRowError::VaruintTooLong { at: COLUMNS };
    refused(&row(0b1_0011, &[255; 16]), endless);
    let not_text = HybridRowError::InvalidUtf8 { column: "id", at: COLUMNS + 1 };
    refused(&row(0b1_0011, &[2, b'a', 0xFF]), not_text);
}

#[test]
fn sparse_columns() {
    let row = |more: &[u8]| body_of(&read_row_with(more));
    let unknown = |path| HybridRowError::UnknownColumn { path, at: COLUMNS + 1 };
    refused(&row(&[20, 0]), unknown(0));
    refused(&row(&[20, 5, 1, b'a']), unknown(5));
    refused(&row(&[20, 13]), unknown(13));
    refused(&row(&[20, 15, b'n', b'o']), unknown(15));
    let name_past_the_end = HybridRowError::Truncated { needed: 7, left: 2, at: COLUMNS + 2 };
    refused(&row(&[20, 20, b'i', b'f']), name_past_the_end);
    let number = HybridRowError::WrongType { column: "ifMatch", type_code: 7, at: COLUMNS };
    refused(&row(&[7, 9, 0, 0, 0, 0]), number);
    let short = HybridRowError::Truncated { needed: 4, left: 3, at: COLUMNS + 2 };
    refused(&row(&[7, 11, 0, 0, 0]), short);
    let repeated = HybridRowError::DuplicateColumn { column: "minimalReturnPreference", at: COLUMNS + 2 };
    refused(&row(&[3, 12, 3, 12]), repeated);
    let not_text = HybridRowError::InvalidUtf8 { column: "ifMatch", at: COLUMNS + 3 };
    refused(&row(&[20, 9, 1, 0xFF]), not_text);
    let directive = HybridRowError::UnknownIndexingDirective { at: COLUMNS + 2 };
    refused(&row(&[20, 8, 3, b'A', b'l', b'l']), directive);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(decode(&body).is_err());
    }

    /// With the checksum right, random bytes reach the row reader.
    #[test]
    fn random_rows_never_panic(
        presence in any::<u8>(),
        columns in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut row = read_row_with(&columns);
        row[5] = presence;
        let _ = decode(&body_of(&row));
    }

    /// Rows that were whole and then changed and cut get deeper into the reader than random ones.
    #[test]
    fn changed_rows_never_panic(
        operation in round_trip::any_operation(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut row = operation_row(&operation);
        for (index, byte) in changes {
            let index = index.index(row.len());
            row[index] = byte;
        }
        row.truncate(cut.index(row.len()) + 1);
        let _ = decode(&body_of(&row));
    }

    /// Where a body is cut between two records there are fewer operations; anywhere else it is refused.
    #[test]
    fn a_body_cut_short_is_refused(operations in proptest::collection::vec(round_trip::any_operation(), 1..3)) {
        let body = encode_request(&operations);
        let ends: Vec<usize> = (0..operations.len()).map(|count| encode_request(&operations[..count]).len()).collect();
        for cut in 0..body.len() {
            let decoded = decode(&body[..cut]);
            match ends.iter().position(|&end| end == cut) {
                Some(count) => prop_assert_eq!(decoded.map(|decoded| decoded.len()), Ok(count)),
                None => prop_assert!(decoded.is_err(), "cut at {} of {}", cut, body.len()),
            }
        }
    }

    #[test]
    fn one_changed_byte_in_a_row_is_seen(
        operation in round_trip::any_operation(),
        place in any::<proptest::sample::Index>(),
        change in 1u8..,
    ) {
        let mut body = encode_request(&[operation]);
        let place = ROW + place.index(body.len() - ROW);
        body[place] ^= change;
        let seen = matches!(decode(&body), Err(HybridRowError::ChecksumMismatch { at: ROW, .. }));
        prop_assert!(seen, "byte {} changed unnoticed", place);
    }
}
