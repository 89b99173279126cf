//! Expressions.

use orrery_engine::query::{Expr, InList, Like, LikePattern, Member, UnaryOperator};
use orrery_value::Value;

use super::fold::{nested_aggregate, not_aggregated};
use super::scope::{Alias, folded_outside, unknown};
use super::source::Start;
use super::{Binder, Place};
use crate::ast::{self, Accessor, Comparison, ExprKind, Literal, Name, Span, SubqueryKind};
use crate::error::{ErrorCode, SqlError};

impl<'q> Binder<'q> {
    /// Binds an expression, and computes it if it is constant. Recurses once per level of the tree.
    pub(super) fn expr(&mut self, expr: &'q ast::Expr) -> Result<Expr, SqlError> {
        if self.place == Place::Folded
            && let Some(key) = self.group_key(expr)
        {
            return Ok(Expr::GroupKey(key));
        }
        self.descend(1, expr.span)?;
        let bound = self.unfolded(expr)?;
        self.depth -= 1;
        Ok(bound.folded(&self.effort))
    }

    fn unfolded(&mut self, expr: &'q ast::Expr) -> Result<Expr, SqlError> {
        Ok(match &expr.kind {
            ExprKind::Literal(literal) => Expr::Constant(value_of(literal)),
            ExprKind::Parameter(name) => Expr::Constant(self.parameters.copy(name, expr.span)?),
            ExprKind::Identifier(name) => Expr::Source(self.alias(name, expr.span, expr)?.source),
            ExprKind::Access { base, steps } => self.access(base, steps, expr)?,
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
            ExprKind::Subquery(kind, query) => self.subquery_value(*kind, query, expr.span)?,
            ExprKind::Call { udf, name, arguments } => self.call(*udf, name, arguments, expr.span)?,
        })
    }

    pub(super) fn exprs(&mut self, exprs: &'q [ast::Expr]) -> Result<Vec<Expr>, SqlError> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn boxed(&mut self, expr: &'q ast::Expr) -> Result<Box<Expr>, SqlError> {
        self.expr(expr).map(Box::new)
    }

    fn subquery_value(&mut self, kind: SubqueryKind, query: &'q ast::Query, span: Span) -> Result<Expr, SqlError> {
        if let Place::Argument(around) = self.place {
            return Err(nested_aggregate(around));
        }
        Ok(Expr::Subquery(kind, self.subquery(query, Start::Outer, span)?.into()))
    }

    /// What a name stands for where rows still have it. `whole` is the expression that the name begins.
    fn alias(&self, name: &str, span: Span, whole: &ast::Expr) -> Result<Alias, SqlError> {
        let found = self.find(name).ok_or_else(|| unknown(name, span))?;
        match (found.is_own, self.place) {
            (true, Place::Folded) => Err(not_aggregated(whole)),
            (false, _) if found.is_folded => Err(folded_outside(name, span)),
            _ => Ok(found.alias),
        }
    }

    fn access(&mut self, base: &'q ast::Expr, steps: &'q [Accessor], whole: &'q ast::Expr) -> Result<Expr, SqlError> {
        if self.place == Place::Folded
            && let Some((key, after)) = self.longest_key(base, steps)
        {
            return self.steps(Expr::GroupKey(key), &steps[after..]);
        }
        match &base.kind {
            ExprKind::Identifier(name) => {
                // The key of a group may be the alias itself.
                if self.place == Place::Folded
                    && let Some(key) = self.group_key(base)
                {
                    return self.steps(Expr::GroupKey(key), steps);
                }
                let alias = self.alias(name, base.span, whole)?;
                self.follow(alias, steps)
            }
            _ => {
                let base = self.expr(base)?;
                self.steps(base, steps)
            }
        }
    }

    /// The key of GROUP BY that the longest beginning of a path is, and how many steps that is.
    fn longest_key(&mut self, base: &'q ast::Expr, steps: &'q [Accessor]) -> Option<(usize, usize)> {
        if self.level().keys.is_empty() {
            return None;
        }
        let mut shape = self.shape(base);
        let mut longest = None;
        for (number, step) in steps.iter().enumerate() {
            shape = self.step_shape(shape, step);
            if let Some(key) = self.level().keys.get(&shape) {
                longest = Some((*key, number + 1));
            }
        }
        longest
    }

    /// Goes into what an alias stands for; an item has computed properties beside its own.
    pub(super) fn follow(&mut self, alias: Alias, steps: &'q [Accessor]) -> Result<Expr, SqlError> {
        if alias.is_item
            && let Some((first, rest)) = steps.split_first()
            && let Some((name, span)) = step_name(first)
            && let Some(computed) = self.computed_property(name, span)?
        {
            return self.steps(computed, rest);
        }
        self.steps(Expr::Source(alias.source), steps)
    }

    /// Constant string indexes are properties like the others.
    fn steps(&mut self, base: Expr, steps: &'q [Accessor]) -> Result<Expr, SqlError> {
        let mut bound = base;
        let mut names = Vec::new();
        let depth = self.depth;
        for step in steps {
            let index = match step {
                Accessor::Member(name) => Expr::Constant(Value::from(name.text.as_str())),
                Accessor::Index(index) => self.expr(index)?,
            };
            match index {
                Expr::Constant(Value::String(name)) => names.push(name),
                index => {
                    let Accessor::Index(place) = step else { unreachable!("a member's name is a constant string") };
                    self.descend(1, place.span)?;
                    let base = Box::new(path(bound, &mut names));
                    bound = Expr::Element { base, index: Box::new(index) }.folded(&self.effort);
                }
            }
        }
        self.depth = depth;
        Ok(path(bound, &mut names))
    }

    fn object(&mut self, members: &'q [(Name, ast::Expr)]) -> Result<Expr, SqlError> {
        check_names(members.iter().map(|(name, _)| (name.text.as_str(), name.span)))?;
        let members = members.iter().map(|(name, value)| Ok(Member::new(name.text.as_str(), self.expr(value)?)));
        Ok(Expr::Object(members.collect::<Result<_, SqlError>>()?))
    }

    fn compare(&mut self, operand: &'q ast::Expr, negated: bool, comparison: &'q Comparison) -> Result<Expr, SqlError> {
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

/// The property that a step goes to, if the text says it.
pub(crate) fn step_name(step: &Accessor) -> Option<(&str, Span)> {
    match step {
        Accessor::Member(name) => Some((&name.text, name.span)),
        Accessor::Index(ast::Expr { kind: ExprKind::Literal(Literal::String(name)), span, .. }) => Some((name, *span)),
        Accessor::Index(_) => None,
    }
}

/// Follows the names gathered so far, which are none then.
fn path(base: Expr, names: &mut Vec<String>) -> Expr {
    if names.is_empty() {
        return base;
    }
    match base {
        // One path is followed faster than two.
        Expr::Path { base, path } => {
            let before = path.segments().iter().map(|name| name.as_str().to_owned());
            Expr::Path { path: before.chain(names.drain(..)).collect(), base }
        }
        base => Expr::Path { base: Box::new(base), path: names.drain(..).collect() },
    }
}

/// The value of a constant.
pub(crate) fn value_of(literal: &Literal) -> Value {
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
