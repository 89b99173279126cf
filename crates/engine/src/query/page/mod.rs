//! How a page is made of what the operators collect, and what follows it.

pub(super) mod cursor;
pub(super) mod cursor_value;
pub(super) mod fold;
pub(super) mod scan;
pub(super) mod sort;
