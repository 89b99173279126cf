//! Expressions, by climbing over levels of precedence: one loop and one rule for all operators, so that what is not nested in the
//! text takes no stack.

use nom::Parser;
use nom::combinator::{cut, map, opt};
use nom::sequence::{delimited, preceded, separated_pair, terminated};
use orrery_value::Number;

use super::clause::list;
use super::input::{FaultKind, Parsed, Tokens, identifier, keyword, parameter, symbol};
use crate::ast::{Accessor, BinaryOperator, Comparison, Expr, ExprKind, Literal, Name, UnaryOperator};
use crate::limits::{MAX_IN_ITEMS, MAX_NESTING};
use crate::token::{Keyword, Symbol, TokenKind};

/// How tightly an operator binds.
type Level = u8;

const CONDITIONAL: Level = 0;
const COALESCE: Level = 1;
const OR: Level = 2;
const AND: Level = 3;
const COMPARE: Level = 4;
/// The loosest operator whose operands and result are no conditions.
const BINARY: Level = 5;

/// The operators with two operands, as the service's clients order them: comparisons bind tighter than `&`, `^`, `|` and `||`.
const BINARY_OPERATORS: &[(Symbol, BinaryOperator, Level)] = &[
    (Symbol::Concat, BinaryOperator::Concat, BINARY),
    (Symbol::Bar, BinaryOperator::BitOr, 6),
    (Symbol::Caret, BinaryOperator::BitXor, 7),
    (Symbol::Ampersand, BinaryOperator::BitAnd, 8),
    (Symbol::Equal, BinaryOperator::Equal, 9),
    (Symbol::NotEqual, BinaryOperator::NotEqual, 9),
    (Symbol::NotEqualSql, BinaryOperator::NotEqual, 9),
    (Symbol::Less, BinaryOperator::Less, 10),
    (Symbol::LessOrEqual, BinaryOperator::LessOrEqual, 10),
    (Symbol::Greater, BinaryOperator::Greater, 10),
    (Symbol::GreaterOrEqual, BinaryOperator::GreaterOrEqual, 10),
    (Symbol::ShiftLeft, BinaryOperator::ShiftLeft, 11),
    (Symbol::ShiftRight, BinaryOperator::ShiftRight, 11),
    (Symbol::ShiftRightZero, BinaryOperator::ShiftRightZero, 11),
    (Symbol::Plus, BinaryOperator::Add, 12),
    (Symbol::Minus, BinaryOperator::Subtract, 12),
    (Symbol::Star, BinaryOperator::Multiply, 13),
    (Symbol::Slash, BinaryOperator::Divide, 13),
    (Symbol::Percent, BinaryOperator::Modulo, 13),
];

/// What may stand between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Conditional,
    Coalesce,
    Or,
    And,
    /// IN, LIKE or BETWEEN, perhaps with NOT before it.
    Compare {
        negated: bool,
        word: Keyword,
    },
    Binary(BinaryOperator, Level),
}

impl Infix {
    fn level(self) -> Level {
        match self {
            Infix::Conditional => CONDITIONAL,
            Infix::Coalesce => COALESCE,
            Infix::Or => OR,
            Infix::And => AND,
            Infix::Compare { .. } => COMPARE,
            Infix::Binary(_, level) => level,
        }
    }
}

/// Any expression.
pub(super) fn expr(input: Tokens<'_>) -> Parsed<'_, Expr> {
    climb(input, CONDITIONAL)
}

/// An expression of operators that bind at least as tightly as `loosest`.
fn climb(input: Tokens<'_>, loosest: Level) -> Parsed<'_, Expr> {
    let depth = input.depth;
    let (mut input, mut left) = unary(input.deeper()?)?;
    let mut tightest = Level::MAX;
    // The operator whose list of operands `left` is, so that `a AND b AND c` becomes one list.
    let mut gathered = None;
    while let Some(infix) = infix(input).filter(|infix| (loosest..=tightest).contains(&infix.level())) {
        (input, left) = apply(input, infix, left, gathered == Some(infix))?;
        if left.depth > MAX_NESTING {
            return Err(input.fail(FaultKind::TooDeep));
        }
        gathered = Some(infix);
        // A comparison is no operand of another one.
        tightest = if infix.level() == COMPARE { AND } else { infix.level() };
    }
    Ok((input.at_depth(depth), left))
}

/// The operator that comes next.
fn infix(input: Tokens<'_>) -> Option<Infix> {
    match input.kind() {
        TokenKind::Symbol(Symbol::Question) => Some(Infix::Conditional),
        TokenKind::Symbol(Symbol::Coalesce) => Some(Infix::Coalesce),
        TokenKind::Symbol(symbol) => {
            let found = BINARY_OPERATORS.iter().find(|(known, ..)| known == symbol);
            found.map(|(_, operator, level)| Infix::Binary(*operator, *level))
        }
        TokenKind::Keyword(Keyword::Or) => Some(Infix::Or),
        TokenKind::Keyword(Keyword::And) => Some(Infix::And),
        TokenKind::Keyword(word @ (Keyword::In | Keyword::Like | Keyword::Between)) => {
            Some(Infix::Compare { negated: false, word: *word })
        }
        TokenKind::Keyword(Keyword::Not) => match input.second() {
            TokenKind::Keyword(word @ (Keyword::In | Keyword::Like | Keyword::Between)) => {
                Some(Infix::Compare { negated: true, word: *word })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Reads an operator and what stands on its right. `gathers`: whether `left` is a list of the same operator's operands.
fn apply(input: Tokens<'_>, infix: Infix, left: Expr, gathers: bool) -> Parsed<'_, Expr> {
    let input = input.advance();
    let start = left.span;
    let (input, kind) = match infix {
        Infix::Or | Infix::And => {
            let (input, right) = operand(input, infix.level())?;
            return Ok((input, gather(infix, left, right, gathers)));
        }
        Infix::Conditional => {
            let (input, (then, otherwise)) = cut(separated_pair(expr, symbol(Symbol::Colon), expr)).parse(input)?;
            (input, ExprKind::Conditional(Box::new([left, then, otherwise])))
        }
        Infix::Coalesce => {
            let (input, right) = operand(input, COALESCE)?;
            (input, ExprKind::Coalesce(Box::new(left), Box::new(right)))
        }
        Infix::Binary(operator, level) => {
            let (input, right) = operand(input, level)?;
            (input, ExprKind::Binary(operator, Box::new(left), Box::new(right)))
        }
        Infix::Compare { negated, word } => {
            let input = if negated { input.advance() } else { input };
            let (input, comparison) = cut(|input| comparison(input, word)).parse(input)?;
            (input, ExprKind::Compare { operand: Box::new(left), negated, comparison })
        }
    };
    Ok((input, Expr::new(kind, start.to(input.previous))))
}

/// The right operand of an operator that groups from the left.
fn operand(input: Tokens<'_>, level: Level) -> Parsed<'_, Expr> {
    cut(|input| climb(input, level + 1)).parse(input)
}

/// One more operand of AND or OR, at a cost that does not grow with the list.
fn gather(infix: Infix, mut left: Expr, right: Expr, gathers: bool) -> Expr {
    let span = left.span.to(right.span);
    match left.kind {
        ExprKind::And(ref mut operands) | ExprKind::Or(ref mut operands) if gathers => {
            left.depth = left.depth.max(right.depth + 1);
            left.span = span;
            operands.push(right);
            left
        }
        _ if infix == Infix::And => Expr::new(ExprKind::And(vec![left, right]), span),
        _ => Expr::new(ExprKind::Or(vec![left, right]), span),
    }
}

fn comparison(input: Tokens<'_>, word: Keyword) -> Parsed<'_, Comparison> {
    let bound = |input| climb(input, BINARY);
    match word {
        Keyword::In => {
            let (after, items) =
                delimited(symbol(Symbol::OpenParenthesis), list(expr), symbol(Symbol::CloseParenthesis))
                    .parse(input)?;
            if items.len() > MAX_IN_ITEMS {
                return Err(input.fail(FaultKind::TooManyItems));
            }
            Ok((after, Comparison::In(items)))
        }
        Keyword::Between => {
            let (input, (low, high)) = separated_pair(bound, keyword(Keyword::And), bound).parse(input)?;
            Ok((input, Comparison::Between(Box::new(low), Box::new(high))))
        }
        _ => {
            let (input, pattern) = bound(input)?;
            let (input, escape) = opt(preceded(keyword(Keyword::Escape), cut(one_character))).parse(input)?;
            Ok((input, Comparison::Like(Box::new(pattern), escape)))
        }
    }
}

fn one_character(input: Tokens<'_>) -> Parsed<'_, char> {
    let TokenKind::String(string) = input.kind() else { return Err(input.unexpected()) };
    let mut characters = string.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok((input.advance(), character)),
        _ => Err(input.fail(FaultKind::BadEscape)),
    }
}

/// Signs before an operand, the nearest applied first.
fn unary(mut input: Tokens<'_>) -> Parsed<'_, Expr> {
    let mut signs = Vec::new();
    while let Some(operator) = sign(input) {
        if signs.len() == MAX_NESTING {
            return Err(input.fail(FaultKind::TooDeep));
        }
        signs.push((operator, input.span()));
        input = input.advance();
    }
    let (input, mut operand) = if signs.is_empty() { accessed(input)? } else { cut(accessed).parse(input)? };
    while let Some((operator, span)) = signs.pop() {
        let span = span.to(operand.span);
        operand = Expr::new(ExprKind::Unary(operator, Box::new(operand)), span);
    }
    if operand.depth > MAX_NESTING {
        return Err(input.fail(FaultKind::TooDeep));
    }
    Ok((input, operand))
}

fn sign(input: Tokens<'_>) -> Option<UnaryOperator> {
    match input.kind() {
        TokenKind::Symbol(Symbol::Minus) => Some(UnaryOperator::Negate),
        TokenKind::Symbol(Symbol::Plus) => Some(UnaryOperator::Plus),
        TokenKind::Symbol(Symbol::Tilde) => Some(UnaryOperator::BitNot),
        TokenKind::Keyword(Keyword::Not) => Some(UnaryOperator::Not),
        _ => None,
    }
}

/// A primary and the steps into it.
fn accessed(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let (mut input, base) = primary(input)?;
    let start = base.span;
    let mut end = start;
    let mut steps = Vec::new();
    loop {
        match input.kind() {
            TokenKind::Symbol(Symbol::Dot) => {
                let (after, name) = cut(identifier).parse(input.advance())?;
                end = name.span;
                steps.push(Accessor::Member(name));
                input = after;
            }
            TokenKind::Symbol(Symbol::OpenBracket) => {
                let (after, index) = cut(expr).parse(input.advance())?;
                let (after, closing) = cut(symbol(Symbol::CloseBracket)).parse(after)?;
                end = closing;
                steps.push(Accessor::Index(index));
                input = after;
            }
            _ if steps.is_empty() => return Ok((input, base)),
            _ => return Ok((input, Expr::new(ExprKind::Access { base: Box::new(base), steps }, start.to(end)))),
        }
    }
}

fn primary(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let span = input.span();
    let opens = matches!(input.second(), TokenKind::Symbol(Symbol::OpenParenthesis));
    let literal = |literal| Ok((input.advance(), Expr::new(ExprKind::Literal(literal), span)));
    match input.kind() {
        TokenKind::Identifier(_) if opens => call(input),
        TokenKind::Identifier("NaN") => literal(Literal::Number(Number::Float(f64::NAN))),
        TokenKind::Identifier("Infinity") => literal(Literal::Number(Number::Float(f64::INFINITY))),
        TokenKind::Identifier(name) => Ok((input.advance(), Expr::new(ExprKind::Identifier((*name).to_owned()), span))),
        TokenKind::Parameter(_) => map(parameter, |name| Expr::new(ExprKind::Parameter(name), span)).parse(input),
        TokenKind::String(string) => literal(Literal::String(string.clone())),
        TokenKind::Number(number) => literal(Literal::Number(*number)),
        TokenKind::Keyword(Keyword::True) => literal(Literal::Bool(true)),
        TokenKind::Keyword(Keyword::False) => literal(Literal::Bool(false)),
        TokenKind::Keyword(Keyword::Null) => literal(Literal::Null),
        TokenKind::Keyword(Keyword::Undefined) => literal(Literal::Undefined),
        TokenKind::Keyword(Keyword::Left | Keyword::Right) if opens => call(input),
        TokenKind::Keyword(Keyword::Exists) if opens => input.refuse("EXISTS"),
        TokenKind::Keyword(Keyword::Array) if opens => input.refuse("ARRAY of a subquery"),
        TokenKind::Keyword(Keyword::Udf) => input.refuse("a user-defined function"),
        TokenKind::Symbol(Symbol::OpenBracket) => array(input),
        TokenKind::Symbol(Symbol::OpenBrace) => object(input),
        TokenKind::Symbol(Symbol::OpenParenthesis) => parenthesised(input),
        _ => Err(input.unexpected()),
    }
}

fn parenthesised(input: Tokens<'_>) -> Parsed<'_, Expr> {
    if *input.second() == TokenKind::Keyword(Keyword::Select) {
        return input.refuse("a subquery");
    }
    cut(delimited(symbol(Symbol::OpenParenthesis), expr, symbol(Symbol::CloseParenthesis))).parse(input)
}

/// The next two tokens are a name and an opening parenthesis.
fn call(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let text = match input.kind() {
        TokenKind::Identifier(text) => *text,
        TokenKind::Keyword(Keyword::Left) => "LEFT",
        _ => "RIGHT",
    };
    let name = Name { text: text.to_owned(), span: input.span() };
    let open = input.advance();
    if *open.second() == TokenKind::Keyword(Keyword::Select) {
        return input.refuse("a subquery");
    }
    let arguments = preceded(symbol(Symbol::OpenParenthesis), terminated(opt(list(expr)), peek_close));
    let (input, arguments) = cut(arguments).parse(open)?;
    let span = name.span.to(input.span());
    Ok((input.advance(), Expr::new(ExprKind::Call { name, arguments: arguments.unwrap_or_default() }, span)))
}

/// A closing parenthesis comes next; it is not read.
fn peek_close(input: Tokens<'_>) -> Parsed<'_, ()> {
    symbol(Symbol::CloseParenthesis)(input).map(|_| (input, ()))
}

fn array(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let (after, elements) = cut(preceded(symbol(Symbol::OpenBracket), opt(list(expr)))).parse(input)?;
    let (after, closing) = cut(symbol(Symbol::CloseBracket)).parse(after)?;
    Ok((after, Expr::new(ExprKind::Array(elements.unwrap_or_default()), input.span().to(closing))))
}

fn object(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let (after, members) = cut(preceded(symbol(Symbol::OpenBrace), opt(list(member)))).parse(input)?;
    let (after, closing) = cut(symbol(Symbol::CloseBrace)).parse(after)?;
    Ok((after, Expr::new(ExprKind::Object(members.unwrap_or_default()), input.span().to(closing))))
}

fn member(input: Tokens<'_>) -> Parsed<'_, (Name, Expr)> {
    let (after, name) = match input.kind() {
        TokenKind::String(text) => (input.advance(), Name { text: text.clone(), span: input.span() }),
        _ => identifier(input)?,
    };
    preceded(cut(symbol(Symbol::Colon)), cut(expr)).map(|value| (name.clone(), value)).parse(after)
}
