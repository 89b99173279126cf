//! Why a batch body could not be read.

use super::FORMAT_VERSION;

/// Why a HybridRow batch body was refused. `at` is a byte offset into the body, of the field at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HybridRowError {
    /// The body is larger than the caller allows; nothing of it was read.
    #[error("batch body has {size_bytes} bytes, more than {limit_bytes}")]
    BodyTooLarge {
        /// Size of the body.
        size_bytes: usize,
        /// The caller's limit.
        limit_bytes: usize,
    },
    /// The body holds more operations than the caller allows.
    #[error("batch has more than {limit} operations at offset {at}")]
    TooManyOperations {
        /// The caller's limit.
        limit: usize,
        /// Where the first operation too many begins.
        at: usize,
    },
    /// The body, or a row inside it, ends too early.
    #[error("{needed} bytes needed at offset {at}, {left} left")]
    Truncated {
        /// Bytes the field takes.
        needed: u64,
        /// Bytes left in the row or body.
        left: usize,
        /// Where the field begins.
        at: usize,
    },
    /// A row does not begin with the one version of the format there is.
    #[error("row version is {found:#04x} instead of {FORMAT_VERSION:#04x} at offset {at}")]
    UnknownVersion {
        /// The byte found.
        found: u8,
        /// Where it is.
        at: usize,
    },
    /// A row has another schema than its place in the stream asks for.
    #[error("row schema is {found} instead of {expected} at offset {at}")]
    UnexpectedSchema {
        /// The schema id found.
        found: i32,
        /// The schema that belongs here.
        expected: &'static str,
        /// Where the schema id is.
        at: usize,
    },
    /// The size field of a segment or record row is impossible.
    #[error("{row} length is {length} at offset {at}")]
    BadLength {
        /// Which row: `segment` or `record`.
        row: &'static str,
        /// The value of its size field.
        length: i32,
        /// Where the size field is.
        at: usize,
    },
    /// A row was damaged on the way.
    #[error("row checksum is {computed:#010x} instead of {stored:#010x} at offset {at}")]
    ChecksumMismatch {
        /// The CRC-32 in the record row.
        stored: u32,
        /// The CRC-32 of the bytes received.
        computed: u32,
        /// Where the row begins.
        at: usize,
    },
    /// A variable-length number does not fit 64 bits.
    #[error("variable-length number is too long at offset {at}")]
    VaruintTooLong {
        /// Where the number begins.
        at: usize,
    },
    /// A presence bit is set that belongs to no column, so the place of what follows is unknown.
    #[error("presence bits {bits:#010b} name an unknown column at offset {at}")]
    UnknownPresenceBits {
        /// The byte of presence bits.
        bits: u8,
        /// Where it is.
        at: usize,
    },
    /// A sparse column's path is none of the schema's sparse columns.
    #[error("sparse path {path} is unknown at offset {at}")]
    UnknownColumn {
        /// The number that stands for the path, or for its length when spelled out.
        path: u64,
        /// Where the path is.
        at: usize,
    },
    /// A sparse column occurs twice.
    #[error("column '{column}' is repeated at offset {at}")]
    DuplicateColumn {
        /// The column's name.
        column: &'static str,
        /// Where the second one begins.
        at: usize,
    },
    /// A sparse column has a value of another type than the schema says.
    #[error("column '{column}' has type code {type_code} at offset {at}")]
    WrongType {
        /// The column's name.
        column: &'static str,
        /// The type code found.
        type_code: u8,
        /// Where it is.
        at: usize,
    },
    /// A text column is not UTF-8.
    #[error("column '{column}' is not utf-8 at offset {at}")]
    InvalidUtf8 {
        /// The column's name.
        column: &'static str,
        /// Where the text begins.
        at: usize,
    },
    /// A column every operation must have is absent.
    #[error("column '{column}' is missing from the row at offset {at}")]
    MissingColumn {
        /// The column's name.
        column: &'static str,
        /// Where the row begins.
        at: usize,
    },
    /// The operation is none that a batch may hold.
    #[error("operation type {code} is not allowed in a batch at offset {at}")]
    UnknownOperationType {
        /// The service's number of the operation.
        code: i32,
        /// Where it is.
        at: usize,
    },
    /// The operation is on something else than an item.
    #[error("resource type {code} is not allowed in a batch at offset {at}")]
    UnknownResourceType {
        /// The service's number of the resource type.
        code: i32,
        /// Where it is.
        at: usize,
    },
    /// The indexing directive is none of `Default`, `Include` and `Exclude`.
    #[error("indexing directive is unknown at offset {at}")]
    UnknownIndexingDirective {
        /// Where the text begins.
        at: usize,
    },
}
