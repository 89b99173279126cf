//! Expressions of the syntax tree.

use std::fmt;

use orrery_value::Number;

use super::{BinaryOperator, Name, Span, UnaryOperator};

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
    /// `NAME(a, b)`
    Call {
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
#[derive(Clone)]
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
        let deepest = kind.children().map(|child| child.depth).max();
        Expr { depth: 1 + deepest.unwrap_or(0), kind, span }
    }
}

impl ExprKind {
    /// The expressions directly in this one.
    fn children(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self {
            ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Identifier(_) => Box::new(std::iter::empty()),
            ExprKind::Access { base, steps } => {
                let indexes = steps.iter().filter_map(|step| match step {
                    Accessor::Member(_) => None,
                    Accessor::Index(index) => Some(index),
                });
                Box::new(std::iter::once(&**base).chain(indexes))
            }
            ExprKind::Array(children) | ExprKind::And(children) | ExprKind::Or(children) => Box::new(children.iter()),
            ExprKind::Call { arguments, .. } => Box::new(arguments.iter()),
            ExprKind::Object(members) => Box::new(members.iter().map(|(_, value)| value)),
            ExprKind::Unary(_, operand) => Box::new(std::iter::once(&**operand)),
            ExprKind::Binary(_, a, b) | ExprKind::Coalesce(a, b) => Box::new([&**a, &**b].into_iter()),
            ExprKind::Conditional(parts) => Box::new(parts.iter()),
            ExprKind::Compare { operand, comparison, .. } => {
                Box::new(std::iter::once(&**operand).chain(comparison.children()))
            }
        }
    }
}

impl Comparison {
    fn children(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self {
            Comparison::In(items) => Box::new(items.iter()),
            Comparison::Between(low, high) => Box::new([&**low, &**high].into_iter()),
            Comparison::Like(pattern, _) => Box::new(std::iter::once(&**pattern)),
        }
    }
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
            ExprKind::Call { name, arguments } => list(f, &format!("call {}", name.text), arguments),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, head: &str, items: &[Expr]) -> fmt::Result {
    write!(f, "({head}")?;
    items.iter().try_for_each(|item| write!(f, " {item:?}"))?;
    f.write_str(")")
}
