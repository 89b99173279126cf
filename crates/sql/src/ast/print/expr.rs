//! Printing expressions.

use std::fmt::{self, Write as _};

use orrery_value::Number;

use super::{Printer, Quoted};
use crate::ast::{BinaryOperator, Comparison, Expr, ExprKind, Literal, Name, SubqueryKind, UnaryOperator};
use crate::limits::MAX_NESTING;

impl Printer<'_, '_> {
    /// Recurses once per level of the tree.
    pub(super) fn expr(&mut self, expr: &Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Literal(literal) => write!(self.f, "{literal}"),
            ExprKind::Parameter(name) => write!(self.f, "@{name}"),
            ExprKind::Identifier(name) => self.f.write_str(name),
            ExprKind::Access { base, steps } => {
                self.base(base)?;
                self.steps(steps)
            }
            ExprKind::Array(elements) => self.enclosed('[', elements, ']', Self::expr),
            ExprKind::Object(members) => self.enclosed('{', members, '}', Self::member),
            ExprKind::And(operands) => self.chain(operands, " AND "),
            ExprKind::Or(operands) => self.chain(operands, " OR "),
            ExprKind::Subquery(kind, query) => {
                self.f.write_str(word(*kind))?;
                self.subquery(query)
            }
            ExprKind::Call { udf, name, arguments } => {
                write!(self.f, "{}{}", if *udf { "udf." } else { "" }, name.text)?;
                self.enclosed('(', arguments, ')', Self::expr)
            }
            operation => self.parenthesised(|printer| printer.operation(operation)),
        }
    }

    /// What stands before a step. A sign would apply to the steps too.
    fn base(&mut self, base: &Expr) -> fmt::Result {
        match &base.kind {
            ExprKind::Literal(Literal::Number(number)) if is_negative(*number) => {
                self.parenthesised(|printer| printer.expr(base))
            }
            _ => self.expr(base),
        }
    }

    fn member(&mut self, (name, value): &(Name, Expr)) -> fmt::Result {
        write!(self.f, "{}: ", Quoted(&name.text))?;
        self.expr(value)
    }

    /// What is printed in parentheses, without them.
    fn operation(&mut self, kind: &ExprKind) -> fmt::Result {
        match kind {
            ExprKind::Unary(operator, operand) => {
                // Without the space two minus signs would begin a comment.
                write!(self.f, "{} ", unary_sign(*operator))?;
                self.expr(operand)
            }
            ExprKind::Binary(operator, a, b) => self.joined(a, binary_sign(*operator), b),
            ExprKind::Coalesce(a, b) => self.joined(a, "??", b),
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.joined(condition, "?", then)?;
                self.f.write_str(" : ")?;
                self.expr(otherwise)
            }
            ExprKind::Compare { operand, negated, comparison } => {
                self.expr(operand)?;
                self.f.write_str(if *negated { " NOT " } else { " " })?;
                self.comparison(comparison)
            }
            _ => Ok(()),
        }
    }

    fn comparison(&mut self, comparison: &Comparison) -> fmt::Result {
        match comparison {
            Comparison::In(items) => {
                self.f.write_str("IN ")?;
                self.enclosed('(', items, ')', Self::expr)
            }
            Comparison::Between(low, high) => {
                self.f.write_str("BETWEEN ")?;
                self.joined(low, "AND", high)
            }
            Comparison::Like(pattern, escape) => {
                self.f.write_str("LIKE ")?;
                self.expr(pattern)?;
                match escape {
                    Some(escape) => write!(self.f, " ESCAPE {}", Quoted(escape.encode_utf8(&mut [0; 4]))),
                    None => Ok(()),
                }
            }
        }
    }

    /// Operands of AND or OR. The service puts each pair in parentheses; these are left out where they would nest too deep.
    fn chain(&mut self, operands: &[Expr], sign: &str) -> fmt::Result {
        let deepest = operands.iter().map(|operand| operand.depth).max().unwrap_or(0);
        let pairs = operands.len().saturating_sub(1);
        let parentheses = if self.levels + pairs + deepest <= MAX_NESTING { pairs } else { 1 };
        for _ in 0..parentheses {
            self.f.write_char('(')?;
        }
        self.within(parentheses, |printer| {
            for (i, operand) in operands.iter().enumerate() {
                if i > 0 {
                    printer.f.write_str(sign)?;
                }
                printer.expr(operand)?;
                if parentheses == pairs && i > 0 {
                    printer.f.write_char(')')?;
                }
            }
            Ok(())
        })?;
        if parentheses == pairs { Ok(()) } else { self.f.write_char(')') }
    }

    fn joined(&mut self, a: &Expr, sign: &str, b: &Expr) -> fmt::Result {
        self.expr(a)?;
        write!(self.f, " {sign} ")?;
        self.expr(b)
    }

    fn parenthesised(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.f.write_char('(')?;
        self.within(1, write)?;
        self.f.write_char(')')
    }
}

fn is_negative(number: Number) -> bool {
    match number {
        Number::Int(int) => int < 0,
        Number::Float(float) => float.is_sign_negative(),
    }
}

fn word(kind: SubqueryKind) -> &'static str {
    match kind {
        SubqueryKind::Scalar => "",
        SubqueryKind::Exists => "EXISTS",
        SubqueryKind::Array => "ARRAY",
        SubqueryKind::First => "FIRST",
        SubqueryKind::Last => "LAST",
        SubqueryKind::All => "ALL",
    }
}

fn unary_sign(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Not => "NOT",
        UnaryOperator::Negate => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::BitNot => "~",
    }
}

fn binary_sign(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::ShiftRightZero => ">>>",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Equal => "=",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::BitAnd => "&",
        BinaryOperator::BitXor => "^",
        BinaryOperator::BitOr => "|",
        BinaryOperator::Concat => "||",
    }
}
