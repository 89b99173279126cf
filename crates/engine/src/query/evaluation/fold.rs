//! Computing what does not depend on the row once, when the query is bound.

use super::row::Row;
use crate::query::function::shifted_from_now;
use crate::query::{Datum, Effort, Expr, LikePattern};

impl Expr {
    /// The constant that this expression is, if its operands are constants; else the expression. Operands are taken to be folded
    /// already. `effort` bounds the work of folding a whole query; once it is used up, nothing is folded any more.
    ///
    /// The time at which the query began is the one at which `effort` began, so that it is the same for all rows: whoever keeps a
    /// bound query to run it again keeps its time too.
    #[must_use]
    pub fn folded(self, effort: &Effort) -> Expr {
        let this = shifted_from_now(self, effort);
        if !this.has_constant_operands() {
            return this;
        }
        let value = this.evaluate(&Row::empty(effort));
        if effort.is_exhausted() {
            return this;
        }
        let value = match value {
            Datum::Owned(value) => value,
            // It is one of the operands, so that its copy is paid for like a new one.
            other if effort.spend(other.weight()) => other.into_value(),
            _ => return this,
        };
        Expr::Constant(value)
    }

    fn has_constant_operands(&self) -> bool {
        let constant = |expr: &Expr| matches!(expr, Expr::Constant(_));
        match self {
            Expr::Constant(_) | Expr::Source(_) | Expr::GroupKey(_) | Expr::Aggregate(_) | Expr::Subquery(..) => false,
            Expr::Call(function, _) if function.varies => false,
            Expr::Path { base, .. } => constant(base),
            Expr::Element { base, index } => constant(base) && constant(index),
            Expr::Array(elements) | Expr::And(elements) | Expr::Or(elements) => elements.iter().all(constant),
            Expr::Call(function, arguments) => !function.varies && arguments.iter().all(constant),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::function;

    #[test]
    fn calls_of_constants_are_computed_once_unless_their_value_varies() {
        let folded = |name| Expr::Call(function(name).unwrap(), Vec::new()).folded(&Effort::for_row());
        assert!(folded("PI").as_constant().is_some());
        assert!(folded("RAND").as_constant().is_none());
    }

    #[test]
    fn what_is_refused_is_left_to_the_rows() {
        let text = |text: &str| Expr::Constant(text.into());
        let effort = Effort::for_row();
        let call = Expr::Call(function("REGEXMATCH").unwrap(), vec![text("ab"), text("a(?=b)")]).folded(&effort);
        assert!(call.as_constant().is_none());
        assert!(effort.check().is_err());
    }
}
