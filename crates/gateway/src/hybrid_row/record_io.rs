//! The stream around the rows: a segment row, then a record row with size and checksum before each row.

use super::HybridRowError;
use super::crc::crc32;
use super::cursor::Cursor;
use super::row_reader::{expect_header, read_header};
use super::row_writer::write_header;

/// Schema of the row that opens a segment.
const SEGMENT_SCHEMA_ID: i32 = 2_147_473_648;

/// Schema of the row before each record.
const RECORD_SCHEMA_ID: i32 = 2_147_473_649;

/// Size of a segment row without sparse columns: version, schema id, presence bits, length.
const SEGMENT_SIZE: i32 = 10;

/// Presence bits of a segment row: its length is there.
const SEGMENT_PRESENCE: u8 = 1;

/// The rows of a RecordIO stream, their checksums verified.
#[derive(Debug)]
pub(super) struct Records<'a> {
    input: Cursor<'a>,
}

impl<'a> Records<'a> {
    /// Opens a stream, which must begin with a segment.
    pub(super) fn open(body: &'a [u8]) -> Result<Self, HybridRowError> {
        let mut input = Cursor::new(body);
        let start = input.at();
        expect_header(&mut input, SEGMENT_SCHEMA_ID, "Segment")?;
        skip_segment(start, &mut input)?;
        Ok(Self { input })
    }

    /// Returns the next record's row, or `None` at the end of the stream. Further segments in between are skipped.
    pub(super) fn next_row(&mut self) -> Result<Option<Cursor<'a>>, HybridRowError> {
        while !self.input.is_empty() {
            let start = self.input.at();
            match read_header(&mut self.input)? {
                SEGMENT_SCHEMA_ID => skip_segment(start, &mut self.input)?,
                RECORD_SCHEMA_ID => return read_record(&mut self.input).map(Some),
                found => {
                    let expected = "Record";
                    return Err(HybridRowError::UnexpectedSchema { found, expected, at: start + 1 });
                }
            }
        }
        Ok(None)
    }
}

/// Appends the segment row every stream begins with.
pub(super) fn write_segment(out: &mut Vec<u8>) {
    write_header(SEGMENT_SCHEMA_ID, out);
    out.push(SEGMENT_PRESENCE);
    out.extend(SEGMENT_SIZE.to_le_bytes());
}

/// Appends a record row and `row`.
pub(super) fn write_record(row: &[u8], out: &mut Vec<u8>) {
    let length = i32::try_from(row.len()).expect("rows hold one item each, and items are far below 2 GiB");
    write_header(RECORD_SCHEMA_ID, out);
    out.extend(length.to_le_bytes());
    out.extend(crc32(row).to_le_bytes());
    out.extend_from_slice(row);
}

/// Passes over a segment row that began at `start` and whose header is read. What it says beyond its length is a comment
/// and a copy of the schema, both of no use to a reader that knows the schema.
fn skip_segment(start: usize, input: &mut Cursor<'_>) -> Result<(), HybridRowError> {
    let presence_at = input.at();
    let presence = input.u8()?;
    if presence & !SEGMENT_PRESENCE != 0 {
        return Err(HybridRowError::UnknownPresenceBits { bits: presence, at: presence_at });
    }
    let length_at = input.at();
    let length = input.i32()?;
    if presence == 0 {
        return Err(HybridRowError::MissingColumn { column: "length", at: start });
    }
    let beyond_the_length = length.checked_sub(SEGMENT_SIZE).and_then(|rest| usize::try_from(rest).ok());
    let Some(size) = beyond_the_length else {
        return Err(HybridRowError::BadLength { row: "segment", length, at: length_at });
    };
    input.take(size).map(|_| ())
}

/// Reads a record row whose header is read, and cuts off the row it announces.
fn read_record<'a>(input: &mut Cursor<'a>) -> Result<Cursor<'a>, HybridRowError> {
    let length_at = input.at();
    let length = input.i32()?;
    let stored = input.u32()?;
    let Ok(size) = usize::try_from(length) else {
        return Err(HybridRowError::BadLength { row: "record", length, at: length_at });
    };
    let row = input.split(size)?;
    match crc32(row.rest()) {
        computed if computed == stored => Ok(row),
        computed => Err(HybridRowError::ChecksumMismatch { stored, computed, at: row.at() }),
    }
}
