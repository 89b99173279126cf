//! The binary batch bodies of the .NET SDK.
//!
//! Every SDK but one sends transactional batches and bulk requests as JSON. The .NET SDK sends a *HybridRow RecordIO*
//! stream, told apart by its first byte, [`FORMAT_VERSION`], and accepts only the same format in the reply.
//! [`decode_request`] reads such a body into [`BatchOperation`]s and [`encode_response`] writes the [`BatchResult`]s.
//!
//! The format is Microsoft's open HybridRow, of which this module holds the part that the two batch schemas use. All
//! numbers are little-endian; *varuint* is seven bits a byte, low bits first, high bit set on all but the last.
//!
//! ```text
//! stream    segment row, then per operation: record row, operation row
//!
//! segment   81 │ F0 D8 FF 7F │ 01       │ 0A 00 00 00    │ sparse columns, if any
//!              │ schema id   │ presence │ size of this   │ (comment, schema: skipped)
//!              │ 2147473648  │          │ row, i32       │
//!
//! record    81 │ F1 D8 FF 7F │ length of the row that follows, i32 │ CRC-32 of that row, u32
//!              │ 2147473649  │
//!
//! row       81 │ schema id   │ presence bits │ fixed columns │ variable columns   │ sparse columns
//!              │ i32         │ 1 byte        │ i32 each      │ varuint size,bytes │ type, path, value
//! ```
//!
//! * **Presence bits** go to the fixed columns and then the variable ones, lowest bit first. An absent fixed column keeps its
//!   place (zeros); an absent variable column takes no bytes.
//! * **Sparse columns** follow in any order until the row ends: a type code, a path and the value. A path is a varuint: the
//!   column's number (counted from 1 over fixed, variable and sparse columns; 0 is the empty path) or, from the first
//!   unused number on, that number plus the length of a name spelled out in UTF-8. Booleans live in the type code.
//!
//! ```text
//!        operation row, schema 2145473648              result row, schema 2145473649
//! fixed     1 operationType          bit 0      i32       1 statusCode              bit 0   i32
//!           2 resourceType           bit 1      i32       2 subStatusCode           bit 1   i32
//! variable  3 partitionKey           bit 2      utf8      3 eTag                    bit 2   utf8
//!           4 effectivePartitionKey  bit 3      binary    4 resourceBody            bit 3   binary
//!           5 id                     bit 4      utf8
//!           6 binaryId               bit 5      binary
//!           7 resourceBody           bit 6      binary
//! sparse    8 indexingDirective      type 20    utf8      5 retryAfterMilliseconds  type 11 u32
//!           9 ifMatch                type 20    utf8      6 requestCharge           type 16 f64
//!          10 ifNoneMatch            type 20    utf8
//!          11 timeToLiveInSeconds    type 7     i32
//!          12 minimalReturnPreference type 3/2  true/false
//! ```

mod batch_schema;
mod crc;
mod cursor;
mod error;
mod layout;
mod operation;
mod record_io;
mod result;
mod row_reader;
mod row_writer;
#[cfg(test)]
mod tests;

pub use error::HybridRowError;
pub use operation::{BatchOperation, DecodeLimits, IndexingDirective, OperationType, ResourceType, decode_request};
pub use result::{BatchResult, encode_response};

/// The first byte of every row and so of every body in this format: version 1 of HybridRow.
pub const FORMAT_VERSION: u8 = 0x81;
