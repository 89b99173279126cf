//! How large a filter may be.

/// Longest text.
pub const MAX_FILTER_BYTES: usize = 32 * 1024;
/// Most comparisons.
pub const MAX_COMPARISONS: usize = 2_000;
/// Deepest nesting of parentheses and `not`.
pub const MAX_NESTING: usize = 100;
