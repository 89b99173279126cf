//! `$filter`: the conditions of a list.
//!
//! The language is `grammars/odata-filter.ebnf`, read by `parse.rs` into the tree of `ast.rs`. `compile.rs` makes an expression of the
//! engine of it, `evaluate.rs` tests an entity in memory, `keys.rs` finds the range of keys that it asks for.

mod ast;
mod compile;
mod evaluate;
mod keys;
mod limits;
mod literal;
mod parse;
mod print;
mod tables;

use orrery_engine::query::Expr;

pub use ast::{Comparison, Condition, Constant, Operator};
pub use keys::{KeyBounds, KeyRange, not_after, not_before};
pub use limits::{MAX_COMPARISONS, MAX_FILTER_BYTES, MAX_NESTING};
pub use tables::TableFilter;

use crate::{Entity, Error};

/// A filter on entities. Printed, it is a text of the same tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    condition: Condition,
}

/// A filter as the engine takes it.
#[derive(Clone, Debug)]
pub struct CompiledFilter {
    /// Exactly `true` on the documents of the entities that pass, and perhaps on some more.
    pub expr: Expr,
    /// Whether it is true on none but these. If not, [`Filter::keeps`] decides on each entity: times of writes and the order of bytes
    /// are nothing that an expression can compare.
    pub is_exact: bool,
    /// The keys that entities that pass have.
    pub keys: KeyBounds,
}

impl Filter {
    /// Reads the text; none if it is empty, as that lets every entity pass.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput), [`ErrorCode::NotImplemented`](crate::ErrorCode::NotImplemented)
    /// for functions of OData that the service does not have; with the offset.
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        Ok(parse::parse(text)?.map(|condition| Filter { condition }))
    }

    /// The tree.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Whether an entity passes.
    pub fn keeps(&self, entity: &Entity) -> bool {
        self.condition.holds(&|comparison| comparison.holds(entity))
    }

    /// The filter as the engine takes it.
    pub fn compile(&self) -> CompiledFilter {
        let (expr, is_exact) = compile::compile(&self.condition);
        CompiledFilter { expr, is_exact, keys: KeyBounds::of(&self.condition) }
    }
}

impl CompiledFilter {
    /// What is left to check of the documents of one partition: nothing, if that they lie there is all that the filter asks for.
    pub fn within_partition(&self, partition_key: &str) -> Option<Expr> {
        let is_told = |expr: &Expr| compile::is_partition_key(expr, partition_key);
        match &self.expr {
            expr if is_told(expr) => None,
            Expr::And(conjuncts) => {
                let mut left: Vec<Expr> = conjuncts.iter().filter(|expr| !is_told(expr)).cloned().collect();
                if left.len() > 1 { Some(Expr::And(left)) } else { left.pop() }
            }
            expr => Some(expr.clone()),
        }
    }
}
