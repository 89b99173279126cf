//! Computing what does not depend on the row once, when the query is bound.

use super::row::Row;
use super::{Datum, Effort, Expr, LikePattern};

impl Expr {
    /// The constant that this expression is, if its operands are constants; else the expression. Operands are taken to be folded
    /// already. `effort` bounds the work of folding a whole query; once it is used up, nothing is folded any more.
    #[must_use]
    pub fn folded(self, effort: &Effort) -> Expr {
        if !self.has_constant_operands() {
            return self;
        }
        let value = self.evaluate(&Row::new(&[], effort));
        if effort.is_exhausted() {
            return self;
        }
        let value = match value {
            Datum::Owned(value) => value,
            // It is one of the operands, so that its copy is paid for like a new one.
            other if effort.spend(other.weight()) => other.into_value(),
            _ => return self,
        };
        Expr::Constant(value)
    }

    fn has_constant_operands(&self) -> bool {
        let constant = |expr: &Expr| matches!(expr, Expr::Constant(_));
        match self {
            Expr::Constant(_) | Expr::Source(_) | Expr::Aggregate(_) => false,
            Expr::Path { base, .. } => constant(base),
            Expr::Element { base, index } => constant(base) && constant(index),
            Expr::Array(elements) | Expr::And(elements) | Expr::Or(elements) | Expr::Call(_, elements) => {
                elements.iter().all(constant)
            }
            Expr::Object(members) => members.iter().all(|member| constant(&member.value)),
            Expr::Unary(_, operand) => constant(operand),
            Expr::Binary(_, a, b) | Expr::Coalesce(a, b) => constant(a) && constant(b),
            Expr::Conditional { condition, then, otherwise } => {
                constant(condition) && constant(then) && constant(otherwise)
            }
            Expr::In { needle, list } => constant(needle) && list.others.iter().all(constant),
            Expr::Between { value, low, high } => constant(value) && constant(low) && constant(high),
            Expr::Like { text, pattern: LikePattern::Fixed(_) } => constant(text),
            Expr::Like { text, pattern: LikePattern::Computed { pattern, .. } } => constant(text) && constant(pattern),
        }
    }
}
