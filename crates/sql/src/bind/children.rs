//! The parts of an expression.

use crate::ast::{Accessor, Comparison, Expr, ExprKind};

/// Calls `visit` with each expression directly in this one, in the order of the text; subqueries are not gone into.
pub(crate) fn each_child<'t>(kind: &'t ExprKind, visit: &mut dyn FnMut(&'t Expr)) {
    match kind {
        ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Identifier(_) | ExprKind::Subquery(..) => {}
        ExprKind::Access { base, steps } => {
            visit(base);
            for step in steps {
                if let Accessor::Index(index) = step {
                    visit(index);
                }
            }
        }
        ExprKind::Array(children) | ExprKind::And(children) | ExprKind::Or(children) => children.iter().for_each(visit),
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(visit),
        ExprKind::Object(members) => members.iter().for_each(|(_, value)| visit(value)),
        ExprKind::Unary(_, operand) => visit(operand),
        ExprKind::Binary(_, a, b) | ExprKind::Coalesce(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Conditional(parts) => parts.iter().for_each(visit),
        ExprKind::Compare { operand, comparison, .. } => {
            visit(operand);
            match comparison {
                Comparison::In(items) => items.iter().for_each(visit),
                Comparison::Between(low, high) => {
                    visit(low);
                    visit(high);
                }
                Comparison::Like(pattern, _) => visit(pattern),
            }
        }
    }
}
