//! Binary batches: no body is read beyond its bounds or the limits, and what is read shares the body's memory.
//!
//! The input is read as it is, and as a list of rows (two bytes of length before each) put into a stream with the checksums that it
//! takes to get past the framing.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use orrery_fuzz::within_budget;
use orrery_gateway::hybrid_row::{
    BatchOperation, BatchResult, DecodeLimits, FORMAT_VERSION, decode_request, encode_response,
};

const LIMITS: DecodeLimits = DecodeLimits { max_operations: 10, max_body_bytes: 64 * 1024 };
const SEGMENT: [u8; 10] = [0x81, 0xF0, 0xD8, 0xFF, 0x7F, 1, 10, 0, 0, 0];
const RECORD: [u8; 5] = [0x81, 0xF1, 0xD8, 0xFF, 0x7F];

fuzz_target!(|input: &[u8]| {
    decode(input.to_vec().into());
    decode(framed(input).into());
});

fn decode(body: Bytes) {
    let Ok(operations) = within_budget(|| decode_request(&body, LIMITS)) else { return };
    assert!(operations.len() <= LIMITS.max_operations && body.len() <= LIMITS.max_body_bytes);
    assert_eq!(body[0], FORMAT_VERSION);
    operations.iter().for_each(|operation| check(operation, &body));
    let results: Vec<BatchResult> = operations
        .into_iter()
        .map(|operation| BatchResult {
            status_code: 200,
            etag: operation.if_match,
            resource_body: operation.resource_body,
            ..BatchResult::default()
        })
        .collect();
    let reply = encode_response(&results);
    assert!(reply.starts_with(&SEGMENT));
    assert_eq!(records(&reply[SEGMENT.len()..]), results.len());
}

fn check(operation: &BatchOperation, body: &Bytes) {
    let inside = body.as_ptr_range();
    let parts = [&operation.resource_body, &operation.effective_partition_key, &operation.binary_id];
    for part in parts.into_iter().flatten().filter(|part| !part.is_empty()) {
        let part = part.as_ptr_range();
        assert!(inside.start <= part.start && part.end <= inside.end);
    }
}

/// Counts the records of a stream by their lengths.
fn records(mut rest: &[u8]) -> usize {
    let mut count = 0;
    while let Some(record) = rest.strip_prefix(&RECORD) {
        let (length, after) = record.split_first_chunk::<4>().expect("a record has a length");
        rest = &after[4 + u32::from_le_bytes(*length) as usize..];
        count += 1;
    }
    assert!(rest.is_empty());
    count
}

fn framed(mut input: &[u8]) -> Vec<u8> {
    let mut out = SEGMENT.to_vec();
    while let Some((length, rest)) = input.split_first_chunk::<2>() {
        let (row, rest) = rest.split_at(rest.len().min(u16::from_le_bytes(*length).into()));
        out.extend(RECORD);
        out.extend((row.len() as u32).to_le_bytes());
        out.extend(crc32(row).to_le_bytes());
        out.extend(row);
        input = rest;
    }
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
    })
}
