//! How much of everything a query may have.

/// Longest query text, as on the service.
pub const MAX_QUERY_BYTES: usize = 512 * 1024;

/// Levels that expressions may nest, brackets, operators and subqueries counted. It bounds the stack of parsing, printing, binding and
/// evaluation.
pub const MAX_NESTING: usize = 128;

/// Levels that a subquery counts for: its clauses take more stack than an operator does.
pub(crate) const SUBQUERY_LEVELS: usize = 4;

/// JOINs in one FROM clause, as on the service.
pub const MAX_JOINS: usize = 10;

/// Items in the list of one IN, as on the service.
pub const MAX_IN_ITEMS: usize = 16_000;

/// Largest count of TOP, OFFSET and LIMIT. Clients send sums of two counts in the queries that plans give them, so that it is more than
/// [`MAX_PLANNED_ROW_COUNT`].
pub const MAX_ROW_COUNT: u64 = u32::MAX as u64;

/// Largest count of TOP, OFFSET and LIMIT in a query to plan, as on the service.
pub const MAX_PLANNED_ROW_COUNT: u64 = i32::MAX as u64;

/// Bytes of parameters and constants in a bound plan, each use counted.
pub const MAX_BOUND_BYTES: usize = 16 * 1024 * 1024;

/// Computed properties of a container, as on the service.
pub const MAX_COMPUTED_PROPERTIES: usize = 20;

/// Longest definition of a computed property.
pub const MAX_COMPUTED_PROPERTY_BYTES: usize = 16 * 1024;

/// Compiled queries that are kept.
pub const MAX_CACHED_QUERIES: usize = 4096;

/// Memory for compiled queries that are kept, as estimated from their texts.
pub const MAX_CACHED_BYTES: usize = 64 * 1024 * 1024;
