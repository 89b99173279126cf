//! Bounds of a traversal.

/// Most steps and modulators of a traversal, nested ones included.
pub const MAX_STEPS: usize = 20_000;
