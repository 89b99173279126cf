//! Expressions of the syntax tree.

use std::fmt;

use orrery_value::Number;

use super::{BinaryOperator, Name, Query, Span, SubqueryKind, UnaryOperator};
use crate::limits::SUBQUERY_LEVELS;

/// An expression and its place.
#[derive(Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// Levels of expressions in it, itself included.
    pub(crate) depth: usize,
}

/// What an expression is.
#[derive(Clone)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// `@name`
    Parameter(String),
    /// An alias.
    Identifier(String),
    /// `base.a["b"][0]`
    Access {
        /// What is accessed; no access itself.
        base: Box<Expr>,
        /// The steps, at least one.
        steps: Vec<Accessor>,
    },
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `{"a": b}`
    Object(Vec<(Name, Expr)>),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `a AND b AND c`
    And(Vec<Expr>),
    /// `a OR b OR c`
    Or(Vec<Expr>),
    /// `condition ? then : otherwise`
    Conditional(Box<[Expr; 3]>),
    /// `a ?? b`
    Coalesce(Box<Expr>, Box<Expr>),
    /// `operand [NOT] IN (...)` and its like.
    Compare {
        /// What is compared.
        operand: Box<Expr>,
        /// Whether NOT stands before the word.
        negated: bool,
        /// How and what with.
        comparison: Comparison,
    },
    /// `(SELECT ...)`, `EXISTS(SELECT ...)`, `ARRAY(SELECT ...)` and so on.
    Subquery(SubqueryKind, Box<Query>),
    /// `NAME(a, b)` or `udf.name(a, b)`
    Call {
        /// Whether `udf.` stands before the name.
        udf: bool,
        /// The function.
        name: Name,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
}

/// A constant of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; `NaN` and `Infinity` are too.
    Number(Number),
    /// A string.
    String(String),
}

/// A step of an access.
#[derive(Clone, Debug)]
pub enum Accessor {
    /// `.name`
    Member(Name),
    /// `[index]`
    Index(Expr),
}

/// A comparison that is spelled as a word.
#[derive(Clone)]
pub enum Comparison {
    /// `IN (a, b)`
    In(Vec<Expr>),
    /// `BETWEEN low AND high`
    Between(Box<Expr>, Box<Expr>),
    /// `LIKE pattern [ESCAPE 'c']`
    Like(Box<Expr>, Option<char>),
}

impl Expr {
    pub(crate) fn new(kind: ExprKind, span: Span) -> Self {
        Expr { depth: kind.depth(), kind, span }
    }
}

impl ExprKind {
    /// A level for the node, and those of what is in it.
    fn depth(&self) -> usize {
        1 + match self {
            ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Identifier(_) => 0,
            ExprKind::Access { base, steps } => base.depth.max(deepest(steps.iter().filter_map(Accessor::index))),
            ExprKind::Array(children) | ExprKind::And(children) | ExprKind::Or(children) => deepest(children),
            ExprKind::Call { arguments, .. } => deepest(arguments),
            ExprKind::Object(members) => deepest(members.iter().map(|(_, value)| value)),
            ExprKind::Unary(_, operand) => operand.depth,
            ExprKind::Binary(_, a, b) | ExprKind::Coalesce(a, b) => a.depth.max(b.depth),
            ExprKind::Conditional(parts) => deepest(&parts[..]),
            ExprKind::Compare { operand, comparison, .. } => operand.depth.max(comparison.depth()),
            ExprKind::Subquery(_, query) => SUBQUERY_LEVELS + query.depth(),
        }
    }
}

impl Comparison {
    fn depth(&self) -> usize {
        match self {
            // The list has brackets of its own when it is printed.
            Comparison::In(items) => 1 + deepest(items),
            Comparison::Between(low, high) => low.depth.max(high.depth),
            Comparison::Like(pattern, _) => pattern.depth,
        }
    }
}

impl Accessor {
    fn index(&self) -> Option<&Expr> {
        match self {
            Accessor::Member(_) => None,
            Accessor::Index(index) => Some(index),
        }
    }
}

/// The depth of the deepest of them.
fn deepest<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> usize {
    exprs.into_iter().map(|expr| expr.depth).max().unwrap_or(0)
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(Literal::String(string)) => write!(f, "{string:?}"),
            ExprKind::Literal(Literal::Number(Number::Float(float))) => write!(f, "{float:?}"),
            ExprKind::Literal(literal) => write!(f, "{literal}"),
            ExprKind::Parameter(name) => write!(f, "@{name}"),
            ExprKind::Identifier(name) => f.write_str(name),
            ExprKind::Access { base, steps } => {
                write!(f, "(get {base:?}")?;
                for step in steps {
                    match step {
                        Accessor::Member(name) => write!(f, " .{name:?}")?,
                        Accessor::Index(index) => write!(f, " [{index:?}]")?,
                    }
                }
                f.write_str(")")
            }
            ExprKind::Array(elements) => list(f, "array", elements),
            ExprKind::Object(members) => {
                f.write_str("(object")?;
                members.iter().try_for_each(|(name, value)| write!(f, " ({:?} {value:?})", name.text))?;
                f.write_str(")")
            }
            ExprKind::Unary(operator, operand) => write!(f, "({operator:?} {operand:?})"),
            ExprKind::Binary(operator, a, b) => write!(f, "({operator:?} {a:?} {b:?})"),
            ExprKind::And(operands) => list(f, "and", operands),
            ExprKind::Or(operands) => list(f, "or", operands),
            ExprKind::Conditional(parts) => list(f, "if", &parts[..]),
            ExprKind::Coalesce(a, b) => write!(f, "(?? {a:?} {b:?})"),
            ExprKind::Compare { operand, negated, comparison } => {
                write!(f, "({}", if *negated { "not-" } else { "" })?;
                match comparison {
                    Comparison::In(items) => {
                        write!(f, "in {operand:?}")?;
                        items.iter().try_for_each(|item| write!(f, " {item:?}"))?;
                    }
                    Comparison::Between(low, high) => write!(f, "between {operand:?} {low:?} {high:?}")?,
                    Comparison::Like(pattern, None) => write!(f, "like {operand:?} {pattern:?}")?,
                    Comparison::Like(pattern, Some(escape)) => write!(f, "like {operand:?} {pattern:?} {escape:?}")?,
                }
                f.write_str(")")
            }
            ExprKind::Subquery(kind, query) => write!(f, "({kind:?} {query:?})"),
            ExprKind::Call { udf: true, name, arguments } => list(f, &format!("udf {}", name.text), arguments),
            ExprKind::Call { udf: false, name, arguments } => list(f, &format!("call {}", name.text), arguments),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, head: &str, items: &[Expr]) -> fmt::Result {
    write!(f, "({head}")?;
    items.iter().try_for_each(|item| write!(f, " {item:?}"))?;
    f.write_str(")")
}
