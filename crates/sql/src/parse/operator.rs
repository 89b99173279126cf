//! Operators: how tightly they bind, and what becomes of their operands.

use orrery_value::Number;

use super::input::Tokens;
use crate::ast::{BinaryOperator, Comparison, Expr, ExprKind, Literal, Span, UnaryOperator};
use crate::token::{Keyword, Symbol, TokenKind};

/// How tightly an operator binds. The order is that of the service's own grammar, which its query editor documents.
pub(super) type Level = u8;

pub(super) const CONDITIONAL: Level = 0;
const COALESCE: Level = 1;
const OR: Level = 2;
const AND: Level = 3;
/// IN, LIKE and BETWEEN, whose operands and bounds bind tighter.
pub(super) const COMPARE: Level = 4;
/// Comparisons by sign, and shifts: the loosest operators that may stand in an operand of [`COMPARE`].
pub(super) const RELATION: Level = 5;
const CONCAT: Level = 6;
/// Sums and the operations on bits are one level.
const SUM: Level = 7;
const PRODUCT: Level = 8;
pub(super) const SIGN: Level = 9;

const BINARY_OPERATORS: &[(Symbol, BinaryOperator, Level)] = &[
    (Symbol::Equal, BinaryOperator::Equal, RELATION),
    (Symbol::NotEqual, BinaryOperator::NotEqual, RELATION),
    (Symbol::NotEqualSql, BinaryOperator::NotEqual, RELATION),
    (Symbol::Less, BinaryOperator::Less, RELATION),
    (Symbol::LessOrEqual, BinaryOperator::LessOrEqual, RELATION),
    (Symbol::Greater, BinaryOperator::Greater, RELATION),
    (Symbol::GreaterOrEqual, BinaryOperator::GreaterOrEqual, RELATION),
    (Symbol::ShiftLeft, BinaryOperator::ShiftLeft, RELATION),
    (Symbol::ShiftRight, BinaryOperator::ShiftRight, RELATION),
    (Symbol::ShiftRightZero, BinaryOperator::ShiftRightZero, RELATION),
    (Symbol::Concat, BinaryOperator::Concat, CONCAT),
    (Symbol::Bar, BinaryOperator::BitOr, SUM),
    (Symbol::Caret, BinaryOperator::BitXor, SUM),
    (Symbol::Ampersand, BinaryOperator::BitAnd, SUM),
    (Symbol::Plus, BinaryOperator::Add, SUM),
    (Symbol::Minus, BinaryOperator::Subtract, SUM),
    (Symbol::Star, BinaryOperator::Multiply, PRODUCT),
    (Symbol::Slash, BinaryOperator::Divide, PRODUCT),
    (Symbol::Percent, BinaryOperator::Modulo, PRODUCT),
];

/// What may stand behind an operand.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Question,
    Colon,
    Join(Join),
    /// IN, LIKE or BETWEEN, perhaps with NOT before it.
    Compare {
        word: Keyword,
        negated: bool,
    },
    Escape,
}

/// An operator between two operands.
#[derive(Clone, Copy)]
pub(super) enum Join {
    Coalesce,
    Or,
    And,
    Binary(BinaryOperator, Level),
}

impl Infix {
    /// The one that comes next.
    pub fn of(input: Tokens<'_>) -> Option<Infix> {
        match input.kind() {
            TokenKind::Symbol(Symbol::Question) => Some(Infix::Question),
            TokenKind::Symbol(Symbol::Colon) => Some(Infix::Colon),
            TokenKind::Symbol(Symbol::Coalesce) => Some(Infix::Join(Join::Coalesce)),
            TokenKind::Symbol(symbol) => {
                let found = BINARY_OPERATORS.iter().find(|(known, ..)| known == symbol);
                found.map(|(_, operator, level)| Infix::Join(Join::Binary(*operator, *level)))
            }
            TokenKind::Keyword(Keyword::Or) => Some(Infix::Join(Join::Or)),
            TokenKind::Keyword(Keyword::And) => Some(Infix::Join(Join::And)),
            TokenKind::Keyword(Keyword::Escape) => Some(Infix::Escape),
            TokenKind::Keyword(Keyword::Not) => compare(input.second(), true),
            kind => compare(kind, false),
        }
    }

    /// Whether its left operand cannot be a comparison by a word.
    pub fn is_tight(self) -> bool {
        match self {
            Infix::Join(join) => join.level() > COMPARE,
            Infix::Compare { .. } | Infix::Escape => true,
            Infix::Question | Infix::Colon => false,
        }
    }
}

fn compare(kind: &TokenKind<'_>, negated: bool) -> Option<Infix> {
    match kind {
        TokenKind::Keyword(word @ (Keyword::In | Keyword::Like | Keyword::Between)) => {
            Some(Infix::Compare { word: *word, negated })
        }
        _ => None,
    }
}

impl Join {
    pub fn level(self) -> Level {
        match self {
            Join::Coalesce => COALESCE,
            Join::Or => OR,
            Join::And => AND,
            Join::Binary(_, level) => level,
        }
    }

    /// The loosest operator on the left whose operand ends here. `??` groups from the right, all others from the left.
    pub fn closes(self) -> Level {
        match self {
            Join::Coalesce => COALESCE + 1,
            join => join.level(),
        }
    }

    /// Joins two operands, at a cost that does not grow with a list.
    fn apply(self, mut left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
        let span = left.span.to(right.span);
        let kind = match (self, &mut left.kind) {
            // Which of them are in parentheses makes no difference from the left, so that all spellings are one list.
            (Join::And, ExprKind::And(operands)) | (Join::Or, ExprKind::Or(operands)) => {
                left.depth = left.depth.max(right.depth + 1);
                left.span = span;
                operands.push(*right);
                return left;
            }
            (Join::And, _) => ExprKind::And(vec![*left, *right]),
            (Join::Or, _) => ExprKind::Or(vec![*left, *right]),
            (Join::Binary(operator, _), _) => ExprKind::Binary(operator, left, right),
            (Join::Coalesce, _) => ExprKind::Coalesce(left, right),
        };
        boxed(kind, span)
    }
}

/// An operator and the operands that stand before the one being read.
pub(super) enum Pending {
    Sign(UnaryOperator, Span),
    Join(Join, Box<Expr>),
    /// `text [NOT] LIKE`
    Like {
        text: Box<Expr>,
        negated: bool,
    },
    /// `operand [NOT] BETWEEN`, where the lower bound is read up to AND.
    Low {
        operand: Box<Expr>,
        negated: bool,
    },
    /// `operand [NOT] BETWEEN low AND`
    High {
        operand: Box<Expr>,
        low: Box<Expr>,
        negated: bool,
    },
    /// `condition ?`, where any expression is read up to the colon.
    Then(Box<Expr>),
    /// `condition ? then :`
    Else(Box<Expr>, Box<Expr>),
}

impl Pending {
    /// Its level; none for one whose operand ends in a mark of its own.
    pub fn level(&self) -> Option<Level> {
        match self {
            Pending::Sign(..) => Some(SIGN),
            Pending::Join(join, _) => Some(join.level()),
            Pending::Like { .. } | Pending::High { .. } => Some(COMPARE),
            Pending::Else(..) => Some(CONDITIONAL),
            Pending::Low { .. } | Pending::Then(_) => None,
        }
    }

    /// The operation, now that its last operand is known. One that has a mark to come is not applied.
    pub fn apply(self, last: Box<Expr>) -> Box<Expr> {
        match self {
            Pending::Sign(operator, span) => signed(operator, span, last),
            Pending::Join(join, left) => join.apply(left, last),
            Pending::Like { text, negated } => {
                let span = text.span.to(last.span);
                compared(text, negated, Comparison::Like(last, None), span)
            }
            Pending::High { operand, low, negated } => {
                let span = operand.span.to(last.span);
                compared(operand, negated, Comparison::Between(low, last), span)
            }
            Pending::Else(condition, then) => {
                let span = condition.span.to(last.span);
                boxed(ExprKind::Conditional(Box::new([*condition, *then, *last])), span)
            }
            Pending::Low { .. } | Pending::Then(_) => last,
        }
    }
}

/// A minus before a number is part of it.
fn signed(operator: UnaryOperator, span: Span, operand: Box<Expr>) -> Box<Expr> {
    let span = span.to(operand.span);
    match (operator, &operand.kind) {
        (UnaryOperator::Negate, ExprKind::Literal(Literal::Number(number))) => {
            boxed(ExprKind::Literal(Literal::Number(negative(*number))), span)
        }
        _ => boxed(ExprKind::Unary(operator, operand), span),
    }
}

/// The number with the other sign. Only a double has a negative zero, and only with its minus does the lowest integer fit one.
fn negative(number: Number) -> Number {
    const BEYOND_INTEGERS: f64 = -(i64::MIN as f64);
    match number {
        Number::Int(0) => Number::Float(-0.0),
        Number::Int(int) => int.checked_neg().map_or(Number::Float(BEYOND_INTEGERS), Number::Int),
        Number::Float(BEYOND_INTEGERS) => Number::Int(i64::MIN),
        Number::Float(float) => Number::Float(-float),
    }
}

pub(super) fn compared(operand: Box<Expr>, negated: bool, comparison: Comparison, span: Span) -> Box<Expr> {
    boxed(ExprKind::Compare { operand, negated, comparison }, span)
}

pub(super) fn boxed(kind: ExprKind, span: Span) -> Box<Expr> {
    Box::new(Expr::new(kind, span))
}
