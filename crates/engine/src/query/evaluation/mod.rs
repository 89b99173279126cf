//! What expressions and subqueries give on stored documents, of which only what is asked for is read.

pub(super) mod body_rows;
pub(super) mod compare;
pub(super) mod datum;
pub(super) mod effort;
pub(super) mod evaluate;
pub(super) mod fold;
pub(super) mod project;
pub(super) mod row;
pub(super) mod subquery;
