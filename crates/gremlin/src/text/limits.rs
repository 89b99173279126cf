//! Bounds of a text.

/// Longest text in bytes.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Most items that the ranges of a text make together.
pub const MAX_RANGE_ITEMS: usize = 1_000_000;
