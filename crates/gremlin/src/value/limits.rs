//! Bounds of a single value.

/// Deepest nesting of lists, maps, predicates and traversals. Readers stop there, so that walking, comparing and dropping a value
/// never run out of stack.
pub const MAX_NESTING: usize = 100;

/// Most digits of a number in a text: reading and printing them costs their square.
pub const MAX_NUMBER_DIGITS: usize = 2_000;

/// Largest scale of a decimal, either way. Arithmetic brings scales in line by writing zeros out.
pub const MAX_DECIMAL_SCALE: i32 = 10_000;
