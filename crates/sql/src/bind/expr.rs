//! Expressions.

use orrery_engine::query::{Expr, InList, Like, LikePattern, Member, UnaryOperator};
use orrery_value::Value;

use super::{Binder, Place};
use crate::ast::{self, Accessor, Comparison, ExprKind, Literal, Name, Span};
use crate::error::{ErrorCode, SqlError};

impl Binder<'_> {
    /// Binds an expression, and computes it if it is constant. Recurses once per level of the tree.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Result<Expr, SqlError> {
        let bound = match &expr.kind {
            ExprKind::Literal(literal) => Expr::Constant(value_of(literal)),
            ExprKind::Parameter(name) => Expr::Constant(self.parameters.copy(name, expr.span)?),
            ExprKind::Identifier(name) => self.identifier(name, expr.span)?,
            ExprKind::Access { base, steps } => self.access(base, steps)?,
            ExprKind::Array(elements) => Expr::Array(self.exprs(elements)?),
            ExprKind::Object(members) => self.object(members)?,
            ExprKind::Unary(operator, operand) => Expr::Unary(*operator, self.boxed(operand)?),
            ExprKind::Binary(operator, a, b) => Expr::Binary(*operator, self.boxed(a)?, self.boxed(b)?),
            ExprKind::And(operands) => Expr::And(self.exprs(operands)?),
            ExprKind::Or(operands) => Expr::Or(self.exprs(operands)?),
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                Expr::Conditional {
                    condition: self.boxed(condition)?,
                    then: self.boxed(then)?,
                    otherwise: self.boxed(otherwise)?,
                }
            }
            ExprKind::Coalesce(a, b) => Expr::Coalesce(self.boxed(a)?, self.boxed(b)?),
            ExprKind::Compare { operand, negated, comparison } => self.compare(operand, *negated, comparison)?,
            ExprKind::Call { name, arguments } => self.call(name, arguments, expr.span)?,
        };
        Ok(bound.folded(&self.effort))
    }

    pub(super) fn exprs(&mut self, exprs: &[ast::Expr]) -> Result<Vec<Expr>, SqlError> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Result<Box<Expr>, SqlError> {
        self.expr(expr).map(Box::new)
    }

    fn identifier(&mut self, name: &str, span: Span) -> Result<Expr, SqlError> {
        if self.alias != Some(name) {
            return Err(SqlError::new(
                ErrorCode::UnknownName,
                span.range(),
                format!("Identifier '{name}' could not be resolved."),
            ));
        }
        if self.place == Place::SelectList {
            self.bare_property.get_or_insert(span);
        }
        Ok(Expr::Source(0))
    }

    /// Constant string indexes are properties like the others.
    fn access(&mut self, base: &ast::Expr, steps: &[Accessor]) -> Result<Expr, SqlError> {
        let mut bound = self.expr(base)?;
        let mut names = Vec::new();
        for step in steps {
            let index = match step {
                Accessor::Member(name) => Expr::Constant(Value::from(name.text.as_str())),
                Accessor::Index(index) => self.expr(index)?,
            };
            match index {
                Expr::Constant(Value::String(name)) => names.push(name),
                index => {
                    let base = Box::new(path(bound, &mut names));
                    bound = Expr::Element { base, index: Box::new(index) }.folded(&self.effort);
                }
            }
        }
        Ok(path(bound, &mut names))
    }

    fn object(&mut self, members: &[(Name, ast::Expr)]) -> Result<Expr, SqlError> {
        check_names(members.iter().map(|(name, _)| (name.text.as_str(), name.span)))?;
        let members = members.iter().map(|(name, value)| Ok(Member::new(name.text.as_str(), self.expr(value)?)));
        Ok(Expr::Object(members.collect::<Result<_, SqlError>>()?))
    }

    fn compare(&mut self, operand: &ast::Expr, negated: bool, comparison: &Comparison) -> Result<Expr, SqlError> {
        let operand = self.boxed(operand)?;
        let bound = match comparison {
            Comparison::In(items) => Expr::In { needle: operand, list: InList::new(self.exprs(items)?) },
            Comparison::Between(low, high) => {
                Expr::Between { value: operand, low: self.boxed(low)?, high: self.boxed(high)? }
            }
            Comparison::Like(pattern, escape) => {
                let pattern = match self.expr(pattern)? {
                    Expr::Constant(Value::String(text)) => LikePattern::Fixed(Like::new(&text, *escape)),
                    pattern => LikePattern::Computed { pattern: Box::new(pattern), escape: *escape },
                };
                Expr::Like { text: operand, pattern }
            }
        };
        let bound = bound.folded(&self.effort);
        Ok(if negated { Expr::Unary(UnaryOperator::Not, Box::new(bound)) } else { bound })
    }
}

/// Follows the names gathered so far, which are none then.
fn path(base: Expr, names: &mut Vec<String>) -> Expr {
    if names.is_empty() {
        return base;
    }
    Expr::Path { base: Box::new(base), path: names.drain(..).collect() }
}

fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::Undefined => Value::Undefined,
        Literal::Null => Value::Null,
        Literal::Bool(bool) => Value::Bool(*bool),
        Literal::Number(number) => Value::Number(*number),
        Literal::String(string) => Value::String(string.clone()),
    }
}

/// Names of one object or select list differ from each other.
pub(super) fn check_names<'n>(names: impl Iterator<Item = (&'n str, Span)>) -> Result<(), SqlError> {
    let mut seen = std::collections::HashSet::new();
    for (name, span) in names {
        if !seen.insert(name) {
            return Err(SqlError::new(
                ErrorCode::DuplicateName,
                span.range(),
                format!("The name '{name}' is used more than once."),
            ));
        }
    }
    Ok(())
}
