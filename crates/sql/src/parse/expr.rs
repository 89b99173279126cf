//! Expressions, by climbing over levels of precedence: one loop and one rule for all operators, so that what is not nested in the
//! text takes no stack.

use nom::combinator::{cut, map, opt};
use nom::sequence::preceded;
use nom::{Err, Parser};
use orrery_value::Number;

use super::input::{FaultKind, Parsed, Tokens, identifier, keyword, symbol};
use crate::ast::{Accessor, BinaryOperator, Comparison, Expr, ExprKind, Literal, Name, Span, UnaryOperator};
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
    /// The question mark of `?:`.
    Conditional,
    /// IN, LIKE or BETWEEN, perhaps with NOT before it.
    Compare { negated: bool, word: Keyword },
    /// Whatever groups from the left and takes two operands.
    Join(Join),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Coalesce,
    Or,
    And,
    Binary(BinaryOperator, Level),
}

impl Infix {
    fn level(self) -> Level {
        match self {
            Infix::Conditional => CONDITIONAL,
            Infix::Compare { .. } => COMPARE,
            Infix::Join(join) => join.level(),
        }
    }
}

impl Join {
    fn level(self) -> Level {
        match self {
            Join::Coalesce => COALESCE,
            Join::Or => OR,
            Join::And => AND,
            Join::Binary(_, level) => level,
        }
    }
}

/// An expression on its way up. Boxed, so that the frames of the recursion stay small.
type Parsing<'t> = Parsed<'t, Box<Expr>>;

/// Any expression.
pub(super) fn expr(input: Tokens<'_>) -> Parsed<'_, Expr> {
    match climb(input, CONDITIONAL) {
        Ok((input, expr)) => Ok((input, *expr)),
        Err(fault) => Err(fault),
    }
}

/// An expression of operators that bind at least as tightly as `loosest`.
fn climb(input: Tokens<'_>, loosest: Level) -> Parsing<'_> {
    let depth = input.depth;
    let (mut input, mut left) = unary(input.deeper()?)?;
    let mut tightest = Level::MAX;
    // The operator whose list of operands `left` is, so that `a AND b AND c` becomes one list.
    let mut gathered = None;
    while let Some(infix) = infix(input).filter(|infix| (loosest..=tightest).contains(&infix.level())) {
        (input, left) = apply(input.advance(), infix, left, gathered == Some(infix))?;
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
        TokenKind::Symbol(Symbol::Coalesce) => Some(Infix::Join(Join::Coalesce)),
        TokenKind::Symbol(symbol) => {
            let found = BINARY_OPERATORS.iter().find(|(known, ..)| known == symbol);
            found.map(|(_, operator, level)| Infix::Join(Join::Binary(*operator, *level)))
        }
        TokenKind::Keyword(Keyword::Or) => Some(Infix::Join(Join::Or)),
        TokenKind::Keyword(Keyword::And) => Some(Infix::Join(Join::And)),
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

/// Reads what stands on the right of an operator. `gathers`: whether `left` is a list of the same operator's operands.
fn apply<'t>(input: Tokens<'t>, infix: Infix, left: Box<Expr>, gathers: bool) -> Parsing<'t> {
    match infix {
        Infix::Conditional => conditional(input, *left),
        Infix::Compare { negated, word } => compare(if negated { input.advance() } else { input }, left, negated, word),
        Infix::Join(join) => {
            let (input, right) = must(climb(input, join.level() + 1))?;
            Ok((input, combine(join, left, right, gathers)))
        }
    }
}

/// Joins two operands at a cost that does not grow with a list.
fn combine(join: Join, mut left: Box<Expr>, right: Box<Expr>, gathers: bool) -> Box<Expr> {
    let span = left.span.to(right.span);
    let kind = match (join, &mut left.kind) {
        (_, ExprKind::And(operands) | ExprKind::Or(operands)) if gathers => {
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

/// `left` and its question mark are read; it groups from the right.
fn conditional(input: Tokens<'_>, left: Expr) -> Parsing<'_> {
    let (input, then) = must(climb(input, CONDITIONAL))?;
    let (input, _) = must(symbol(Symbol::Colon)(input))?;
    let (input, otherwise) = must(climb(input, CONDITIONAL))?;
    let span = left.span.to(otherwise.span);
    Ok((input, boxed(ExprKind::Conditional(Box::new([left, *then, *otherwise])), span)))
}

/// `operand` and the word, with NOT before it if `negated`, are read.
fn compare(input: Tokens<'_>, operand: Box<Expr>, negated: bool, word: Keyword) -> Parsing<'_> {
    let (input, comparison) = must(match word {
        Keyword::In => in_list(input),
        Keyword::Between => between(input),
        _ => like(input),
    })?;
    let span = operand.span.to(input.previous);
    Ok((input, boxed(ExprKind::Compare { operand, negated, comparison }, span)))
}

fn in_list(input: Tokens<'_>) -> Parsed<'_, Comparison> {
    let (after, items) = bracketed(input, Symbol::OpenParenthesis, expr, Symbol::CloseParenthesis)?;
    match items.len() {
        0 => Err(input.advance().unexpected()),
        1..=MAX_IN_ITEMS => Ok((after, Comparison::In(items))),
        _ => Err(input.fail(FaultKind::TooManyItems)),
    }
}

fn between(input: Tokens<'_>) -> Parsed<'_, Comparison> {
    let (input, low) = climb(input, BINARY)?;
    let (input, _) = keyword(Keyword::And)(input)?;
    let (input, high) = climb(input, BINARY)?;
    Ok((input, Comparison::Between(low, high)))
}

fn like(input: Tokens<'_>) -> Parsed<'_, Comparison> {
    let (input, pattern) = climb(input, BINARY)?;
    let (input, escape) = opt(preceded(keyword(Keyword::Escape), cut(one_character))).parse(input)?;
    Ok((input, Comparison::Like(pattern, escape)))
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
fn unary(mut input: Tokens<'_>) -> Parsing<'_> {
    let mut signs = Vec::new();
    while let Some(operator) = sign(input) {
        if signs.len() == MAX_NESTING {
            return Err(input.fail(FaultKind::TooDeep));
        }
        signs.push((operator, input.span()));
        input = input.advance();
    }
    if signs.is_empty() {
        return accessed(input);
    }
    let (input, mut operand) = must(accessed(input))?;
    while let Some((operator, span)) = signs.pop() {
        let span = span.to(operand.span);
        operand = boxed(ExprKind::Unary(operator, operand), span);
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
fn accessed(input: Tokens<'_>) -> Parsing<'_> {
    let (mut input, base) = primary(input)?;
    let start = base.span;
    let mut steps = Vec::new();
    loop {
        let (after, step) = match input.kind() {
            TokenKind::Symbol(Symbol::Dot) => must(map(identifier, Accessor::Member).parse(input.advance()))?,
            TokenKind::Symbol(Symbol::OpenBracket) => index(input)?,
            _ if steps.is_empty() => return Ok((input, base)),
            _ => return Ok((input, access(*base, steps, start.to(input.previous)))),
        };
        steps.push(step);
        input = after;
    }
}

/// `(c.a).b` is the path `c.a.b`.
fn access(base: Expr, mut steps: Vec<Accessor>, span: Span) -> Box<Expr> {
    match base.kind {
        ExprKind::Access { base, steps: mut first } => {
            first.append(&mut steps);
            boxed(ExprKind::Access { base, steps: first }, span)
        }
        kind => boxed(ExprKind::Access { base: Box::new(Expr { kind, ..base }), steps }, span),
    }
}

fn index(input: Tokens<'_>) -> Parsed<'_, Accessor> {
    let (input, index) = must(climb(input.advance(), CONDITIONAL))?;
    let (input, _) = must(symbol(Symbol::CloseBracket)(input))?;
    Ok((input, Accessor::Index(*index)))
}

fn primary(input: Tokens<'_>) -> Parsing<'_> {
    let opens = matches!(input.second(), TokenKind::Symbol(Symbol::OpenParenthesis));
    match input.kind() {
        TokenKind::Identifier(_) | TokenKind::Keyword(Keyword::Left | Keyword::Right) if opens => call(input),
        TokenKind::Keyword(Keyword::Exists) if opens => input.refuse("EXISTS"),
        TokenKind::Keyword(Keyword::Array) if opens => input.refuse("ARRAY of a subquery"),
        TokenKind::Keyword(Keyword::Udf) => input.refuse("a user-defined function"),
        TokenKind::Symbol(Symbol::OpenBracket) => array(input),
        TokenKind::Symbol(Symbol::OpenBrace) => object(input),
        TokenKind::Symbol(Symbol::OpenParenthesis) => parenthesised(input),
        _ => atom(input),
    }
}

/// A primary of one token.
fn atom(input: Tokens<'_>) -> Parsing<'_> {
    let kind = match input.kind() {
        TokenKind::Identifier("NaN") => ExprKind::Literal(Literal::Number(Number::Float(f64::NAN))),
        TokenKind::Identifier("Infinity") => ExprKind::Literal(Literal::Number(Number::Float(f64::INFINITY))),
        TokenKind::Identifier(name) => ExprKind::Identifier((*name).to_owned()),
        TokenKind::Parameter(name) => ExprKind::Parameter((*name).to_owned()),
        TokenKind::String(string) => ExprKind::Literal(Literal::String(string.clone())),
        TokenKind::Number(number) => ExprKind::Literal(Literal::Number(*number)),
        TokenKind::Keyword(Keyword::True) => ExprKind::Literal(Literal::Bool(true)),
        TokenKind::Keyword(Keyword::False) => ExprKind::Literal(Literal::Bool(false)),
        TokenKind::Keyword(Keyword::Null) => ExprKind::Literal(Literal::Null),
        TokenKind::Keyword(Keyword::Undefined) => ExprKind::Literal(Literal::Undefined),
        _ => return Err(input.unexpected()),
    };
    Ok((input.advance(), boxed(kind, input.span())))
}

fn parenthesised(input: Tokens<'_>) -> Parsing<'_> {
    if *input.second() == TokenKind::Keyword(Keyword::Select) {
        return input.refuse("a subquery");
    }
    let (input, inside) = must(climb(input.advance(), CONDITIONAL))?;
    let (input, _) = must(symbol(Symbol::CloseParenthesis)(input))?;
    Ok((input, inside))
}

/// The next two tokens are a name and an opening parenthesis.
fn call(input: Tokens<'_>) -> Parsing<'_> {
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
    let (input, arguments) = bracketed(open, Symbol::OpenParenthesis, expr, Symbol::CloseParenthesis)?;
    let span = name.span.to(input.previous);
    Ok((input, boxed(ExprKind::Call { name, arguments }, span)))
}

fn array(input: Tokens<'_>) -> Parsing<'_> {
    let (after, elements) = bracketed(input, Symbol::OpenBracket, expr, Symbol::CloseBracket)?;
    Ok((after, boxed(ExprKind::Array(elements), input.span().to(after.previous))))
}

fn object(input: Tokens<'_>) -> Parsing<'_> {
    let (after, members) = bracketed(input, Symbol::OpenBrace, member, Symbol::CloseBrace)?;
    Ok((after, boxed(ExprKind::Object(members), input.span().to(after.previous))))
}

fn member(input: Tokens<'_>) -> Parsed<'_, (Name, Expr)> {
    let (input, name) = match input.kind() {
        TokenKind::String(text) => (input.advance(), Name { text: text.clone(), span: input.span() }),
        _ => identifier(input)?,
    };
    let (input, _) = must(symbol(Symbol::Colon)(input))?;
    let (input, value) = must(climb(input, CONDITIONAL))?;
    Ok((input, (name, *value)))
}

/// Any number of items, with commas between them, in brackets.
fn bracketed<'t, T>(
    input: Tokens<'t>,
    open: Symbol,
    item: fn(Tokens<'t>) -> Parsed<'t, T>,
    close: Symbol,
) -> Parsed<'t, Vec<T>> {
    let (mut input, _) = symbol(open)(input)?;
    let mut items = Vec::new();
    if let Ok((after, _)) = symbol(close)(input) {
        return Ok((after, items));
    }
    loop {
        let (after, next) = must(item(input))?;
        items.push(next);
        match symbol(Symbol::Comma)(after) {
            Ok((after, _)) => input = after,
            Err(_) => return must(symbol(close)(after)).map(|(after, _)| (after, items)),
        }
    }
}

fn boxed(kind: ExprKind, span: Span) -> Box<Expr> {
    Box::new(Expr::new(kind, span))
}

/// Once the beginning of a construct is read, no other rule can be meant.
fn must<T>(parsed: Parsed<'_, T>) -> Parsed<'_, T> {
    match parsed {
        Err(Err::Error(fault)) => Err(Err::Failure(fault)),
        parsed => parsed,
    }
}
