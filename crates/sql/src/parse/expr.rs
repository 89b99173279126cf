//! Expressions: operators by precedence, on a stack of their own, so that only brackets of the text take any of the thread's.

use nom::Err;

use super::input::{Fault, FaultKind, Parsed, Tokens, must, symbol};
use super::operator::{COMPARE, CONDITIONAL, Infix, Join, Level, Pending, RELATION, SIGN, compared};
use super::primary::{primary, steps};
use crate::ast::{Comparison, Expr, UnaryOperator};
use crate::limits::{MAX_IN_ITEMS, MAX_NESTING};
use crate::token::{Keyword, Symbol, TokenKind};

/// An expression on its way up. Boxed, so that the frames of the recursion stay small.
pub(super) type Parsing<'t> = Parsed<'t, Box<Expr>>;

/// Any expression.
pub(super) fn expr(input: Tokens<'_>) -> Parsed<'_, Expr> {
    let (input, expr) = operation(input)?;
    Ok((input, *expr))
}

/// Any expression. Recurses once per pair of brackets.
pub(super) fn operation(input: Tokens<'_>) -> Parsing<'_> {
    let depth = input.depth;
    let mut input = input.deeper(1)?;
    let mut operators = Operators { pending: Vec::new() };
    loop {
        let (after, base) = primary(operators.signs(input)?)?;
        let (after, operand) = steps(after, base)?;
        let mut step = operators.step(after, operand, Operand::Any)?;
        input = loop {
            step = match step {
                Step::Operand(input) => break input,
                Step::Operator(input, comparison) => operators.step(input, comparison, Operand::Comparison)?,
                Step::End(input, expr) => return Ok((input.at_depth(depth), expr)),
            };
        };
    }
}

/// What comes next.
enum Step<'t> {
    /// An operand must follow.
    Operand(Tokens<'t>),
    /// A comparison by a word is complete; an operator may follow.
    Operator(Tokens<'t>, Box<Expr>),
    /// Nothing: the expression is complete.
    End(Tokens<'t>, Box<Expr>),
}

/// What an operator finds on its left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Any,
    /// A comparison by a word, which is an operand of conditions only.
    Comparison,
}

/// The operators that wait for their last operand, the tightest last. Each will be a level of the tree.
struct Operators {
    pending: Vec<Pending>,
}

impl Operators {
    /// Signs before an operand, the nearest applied first.
    fn signs<'t>(&mut self, mut input: Tokens<'t>) -> Result<Tokens<'t>, Err<Fault>> {
        while let Some(operator) = sign(input) {
            self.push(input, Pending::Sign(operator, input.span()))?;
            input = input.advance();
        }
        Ok(input)
    }

    /// Reads the operator behind an operand, if there is one.
    fn step<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>, kind: Operand) -> Result<Step<'t>, Err<Fault>> {
        let left = self.reduce(input, left, SIGN)?;
        match Infix::of(input) {
            Some(infix) if kind == Operand::Comparison && infix.is_tight() => self.end(input, left),
            Some(Infix::Join(Join::And)) => self.and(input, left),
            Some(Infix::Join(join)) => self.join(input, left, join),
            Some(Infix::Question) => self.question(input, left),
            Some(Infix::Colon) => self.colon(input, left),
            Some(Infix::Compare { word, negated }) => self.compare(input, left, word, negated),
            Some(Infix::Escape) => self.escape(input, left),
            None => self.end(input, left),
        }
    }

    /// AND joins conditions, except before the upper bound of BETWEEN.
    fn and<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>) -> Result<Step<'t>, Err<Fault>> {
        let left = self.reduce(input, left, RELATION)?;
        match self.pending.pop() {
            Some(Pending::Low { operand, negated }) => {
                self.pending.push(Pending::High { operand, low: left, negated });
                Ok(Step::Operand(input.advance()))
            }
            other => {
                self.pending.extend(other);
                self.join(input, left, Join::And)
            }
        }
    }

    fn join<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>, join: Join) -> Result<Step<'t>, Err<Fault>> {
        let left = self.reduce(input, left, join.closes())?;
        if join.level() < COMPARE && matches!(self.pending.last(), Some(Pending::Low { .. })) {
            return Err(input.unexpected());
        }
        self.push(input, Pending::Join(join, left))?;
        Ok(Step::Operand(input.advance()))
    }

    fn question<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>) -> Result<Step<'t>, Err<Fault>> {
        let condition = self.reduce(input, left, CONDITIONAL + 1)?;
        if matches!(self.pending.last(), Some(Pending::Low { .. })) {
            return Err(input.unexpected());
        }
        self.push(input, Pending::Then(condition))?;
        Ok(Step::Operand(input.advance()))
    }

    /// A colon belongs to the last question mark that has none; without one it is not of this expression.
    fn colon<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>) -> Result<Step<'t>, Err<Fault>> {
        let then = self.reduce(input, left, CONDITIONAL)?;
        match self.pending.pop() {
            Some(Pending::Then(condition)) => {
                self.pending.push(Pending::Else(condition, then));
                Ok(Step::Operand(input.advance()))
            }
            other => {
                self.pending.extend(other);
                self.end(input, then)
            }
        }
    }

    fn compare<'t>(
        &mut self,
        input: Tokens<'t>,
        left: Box<Expr>,
        word: Keyword,
        negated: bool,
    ) -> Result<Step<'t>, Err<Fault>> {
        let left = self.reduce(input, left, RELATION)?;
        if matches!(self.pending.last(), Some(Pending::Like { .. } | Pending::Low { .. } | Pending::High { .. })) {
            return Err(input.unexpected());
        }
        let after = if negated { input.advance().advance() } else { input.advance() };
        match word {
            Keyword::Like => self.push(input, Pending::Like { text: left, negated })?,
            Keyword::Between => self.push(input, Pending::Low { operand: left, negated })?,
            _ => return in_list(after, left, negated),
        }
        Ok(Step::Operand(after))
    }

    /// ESCAPE and its character end a LIKE.
    fn escape<'t>(&mut self, input: Tokens<'t>, left: Box<Expr>) -> Result<Step<'t>, Err<Fault>> {
        let pattern = self.reduce(input, left, RELATION)?;
        let Some(Pending::Like { text, negated }) = self.pending.pop() else { return Err(input.unexpected()) };
        let (input, escape) = must(one_character(input.advance()))?;
        let span = text.span.to(input.previous());
        let comparison = Comparison::Like(pattern, Some(escape));
        Ok(Step::Operator(input, checked(input, compared(text, negated, comparison, span))?))
    }

    fn end<'t>(&mut self, input: Tokens<'t>, last: Box<Expr>) -> Result<Step<'t>, Err<Fault>> {
        let expr = self.reduce(input, last, CONDITIONAL)?;
        // What is left waits for the AND of BETWEEN or for a colon.
        if self.pending.is_empty() { Ok(Step::End(input, expr)) } else { Err(input.unexpected()) }
    }

    fn push(&mut self, input: Tokens<'_>, pending: Pending) -> Result<(), Err<Fault>> {
        if self.pending.len() >= MAX_NESTING {
            return Err(input.fail(FaultKind::TooDeep));
        }
        self.pending.push(pending);
        Ok(())
    }

    /// Applies the operators that bind at least as tightly as `loosest` to the operand behind them.
    fn reduce(&mut self, input: Tokens<'_>, operand: Box<Expr>, loosest: Level) -> Result<Box<Expr>, Err<Fault>> {
        let mut operand = checked(input, operand)?;
        while let Some(top) = self.pending.pop_if(|top| top.level().is_some_and(|level| level >= loosest)) {
            operand = checked(input, top.apply(operand))?;
        }
        Ok(operand)
    }
}

/// The expression, unless it is too deep a tree.
fn checked(input: Tokens<'_>, expr: Box<Expr>) -> Result<Box<Expr>, Err<Fault>> {
    if expr.depth > MAX_NESTING { Err(input.fail(FaultKind::TooDeep)) } else { Ok(expr) }
}

/// Expressions with commas between them, up to a closing bracket, whose opening one is read. There may be none.
pub(super) fn exprs(mut input: Tokens<'_>, close: Symbol) -> Parsed<'_, Vec<Expr>> {
    let mut exprs = Vec::new();
    let closing = TokenKind::Symbol(close);
    while *input.kind() != closing || !exprs.is_empty() {
        let (after, expr) = operation(input)?;
        exprs.push(*expr);
        input = after.advance();
        match after.kind() {
            kind if *kind == closing => return Ok((input, exprs)),
            TokenKind::Symbol(Symbol::Comma) => {}
            _ => return Err(after.unexpected()),
        }
    }
    Ok((input.advance(), exprs))
}

fn in_list(input: Tokens<'_>, operand: Box<Expr>, negated: bool) -> Result<Step<'_>, Err<Fault>> {
    let (first, _) = symbol(Symbol::OpenParenthesis)(input)?;
    let (after, items) = exprs(first, Symbol::CloseParenthesis)?;
    if items.is_empty() {
        return Err(first.unexpected());
    }
    if items.len() > MAX_IN_ITEMS {
        return Err(input.fail(FaultKind::TooManyItems));
    }
    let span = operand.span.to(after.previous());
    Ok(Step::Operator(after, checked(after, compared(operand, negated, Comparison::In(items), span))?))
}

fn one_character(input: Tokens<'_>) -> Parsed<'_, char> {
    let TokenKind::String(string) = input.kind() else { return Err(input.unexpected()) };
    let mut characters = string.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok((input.advance(), character)),
        _ => Err(input.fail(FaultKind::BadEscape)),
    }
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
