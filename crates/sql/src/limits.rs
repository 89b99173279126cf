//! How much of everything a query may have.

/// Longest query text, as on the service.
pub const MAX_QUERY_BYTES: usize = 512 * 1024;

/// Levels that expressions may nest, brackets and operators counted. It bounds the stack of parsing, binding and evaluation.
pub const MAX_NESTING: usize = 128;

/// Items in the list of one IN, as on the service.
pub const MAX_IN_ITEMS: usize = 16_000;

/// Largest count of TOP, OFFSET and LIMIT, as on the service.
pub const MAX_ROW_COUNT: u64 = i32::MAX as u64;

/// Bytes of parameters and constants in a bound plan, each use counted.
pub const MAX_BOUND_BYTES: usize = 16 * 1024 * 1024;
