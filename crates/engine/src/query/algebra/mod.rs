//! What a query is: the plan of its clauses, and expressions.

pub(super) mod expr;
pub(super) mod like;
pub(super) mod operator;
pub(super) mod plan;
pub(super) mod predicate;
