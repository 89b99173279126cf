//! Reading a filter: one function per rule of the grammar, on the tokens of `literal.rs`.

use nom::error::ErrorKind;
use nom::{Err, IResult};

use super::limits::{MAX_COMPARISONS, MAX_FILTER_BYTES, MAX_NESTING};
use super::literal::{Token, tokens};
use super::{Comparison, Condition, Operator};
use crate::{EdmValue, Error};

/// Words that are no names of properties.
const RESERVED: &[&str] = &["and", "or", "not", "eq", "ne", "gt", "ge", "lt", "le", "null"];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The condition that a text states; none if it is empty.
pub(super) fn parse(text: &str) -> Result<Option<Condition>, Error> {
    if text.len() > MAX_FILTER_BYTES {
        return Err(Error::invalid_input(format_args!("The filter has more than {MAX_FILTER_BYTES} bytes.")));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    let tokens = tokens(text)?;
    let input = Tokens { rest: &tokens, depth: 0, comparisons: 0 };
    let parsed = or(input).and_then(|(input, operand)| {
        let condition = operand.into_condition(input)?;
        if *input.token() == Token::End {
            Ok(condition)
        } else {
            Err(input.fail("The filter goes on where it should end."))
        }
    });
    match parsed {
        Ok(condition) => Ok(Some(condition)),
        Err(Err::Error(fault) | Err::Failure(fault)) => Err(Error::invalid_input(fault.message).at(fault.at)),
        Err(Err::Incomplete(_)) => Err(Error::invalid_input("The filter ends too early.").at(text.len())),
    }
}

/// The tokens that are left, never empty, and what has been seen so far.
#[derive(Clone, Copy)]
struct Tokens<'t> {
    rest: &'t [(usize, Token<'t>)],
    depth: usize,
    comparisons: usize,
}

type Parsed<'t, T> = IResult<Tokens<'t>, T, Fault>;

/// What is wrong, and where.
#[derive(Debug)]
struct Fault {
    at: usize,
    message: &'static str,
}

impl<'t> nom::error::ParseError<Tokens<'t>> for Fault {
    fn from_error_kind(input: Tokens<'t>, _: ErrorKind) -> Self {
        Fault { at: input.at(), message: "The filter is malformed." }
    }

    fn append(_: Tokens<'t>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'t> Tokens<'t> {
    fn token(&self) -> &'t Token<'t> {
        &self.rest[0].1
    }

    fn at(&self) -> usize {
        self.rest[0].0
    }

    fn advance(self) -> Self {
        if self.rest.len() > 1 { Tokens { rest: &self.rest[1..], ..self } } else { self }
    }

    /// What follows if a word comes next.
    fn after(self, word: &str) -> Option<Self> {
        (*self.token() == Token::Word(word)).then(|| self.advance())
    }

    fn fail(&self, message: &'static str) -> Err<Fault> {
        Err::Failure(Fault { at: self.at(), message })
    }
}

/// What a rule has read: it depends on what is around it whether a property or a constant is a condition by itself.
enum Operand {
    Property(String),
    Constant(EdmValue),
    Condition(Condition),
}

impl Operand {
    fn into_condition(self, input: Tokens<'_>) -> Result<Condition, Err<Fault>> {
        match self {
            Operand::Condition(condition) => Ok(condition),
            Operand::Constant(EdmValue::Boolean(value)) => Ok(Condition::Constant(value)),
            Operand::Constant(_) => Err(input.fail("A condition is missing: a constant is none.")),
            Operand::Property(property) => Ok(Condition::Comparison(Comparison {
                property,
                operator: Operator::Equal,
                constant: EdmValue::Boolean(true),
            })),
        }
    }
}

/// `or = and, { "or", and }`
fn or(input: Tokens<'_>) -> Parsed<'_, Operand> {
    joined(input, "or", and, Condition::Or)
}

/// `and = not, { "and", not }`
fn and(input: Tokens<'_>) -> Parsed<'_, Operand> {
    joined(input, "and", not, Condition::And)
}

/// Operands of one rule with a word between them; a single one stays what it is.
fn joined<'t>(
    input: Tokens<'t>,
    word: &str,
    rule: impl Fn(Tokens<'t>) -> Parsed<'t, Operand>,
    join: fn(Vec<Condition>) -> Condition,
) -> Parsed<'t, Operand> {
    let (mut input, first) = rule(input)?;
    let Some(mut after) = input.after(word) else { return Ok((input, first)) };
    let mut conditions = vec![first.into_condition(input)?];
    loop {
        let operand;
        (input, operand) = rule(after)?;
        conditions.push(operand.into_condition(input)?);
        match input.after(word) {
            Some(next) => after = next,
            None => return Ok((input, Operand::Condition(join(conditions)))),
        }
    }
}

/// `not = { "not" }, test`: two of them are none.
fn not(input: Tokens<'_>) -> Parsed<'_, Operand> {
    let Some(mut input) = input.after("not") else { return test(input) };
    let mut is_negative = true;
    while let Some(after) = input.after("not") {
        input = after;
        is_negative = !is_negative;
    }
    let (input, operand) = test(input)?;
    let condition = operand.into_condition(input)?;
    Ok((input, Operand::Condition(if is_negative { condition.negated() } else { condition })))
}

/// `test = operand, [ operator, operand ]`
fn test(input: Tokens<'_>) -> Parsed<'_, Operand> {
    let (input, left) = operand(input)?;
    let Some(operator) = operator(input) else { return Ok((input, left)) };
    let at = input;
    let (input, right) = operand(input.advance())?;
    let condition = match (left, right) {
        (Operand::Property(property), Operand::Constant(constant)) => {
            Condition::Comparison(Comparison { property, operator, constant })
        }
        (Operand::Constant(constant), Operand::Property(property)) => {
            Condition::Comparison(Comparison { property, operator: operator.mirrored(), constant })
        }
        (Operand::Property(_), Operand::Property(_)) => return Err(at.fail("Two properties cannot be compared.")),
        (left, right) => {
            let flags = is_flag(&left) || is_flag(&right);
            match (operator, left.into_condition(at), right.into_condition(at)) {
                (Operator::Equal, Ok(left), Ok(right)) if flags => left.equated(right),
                (Operator::NotEqual, Ok(left), Ok(right)) if flags => left.equated(right).negated(),
                _ => return Err(at.fail("A property can be compared with a constant only.")),
            }
        }
    };
    let comparisons = input.comparisons + 1;
    if comparisons > MAX_COMPARISONS {
        return Err(input.fail("The filter has too many comparisons."));
    }
    Ok((Tokens { comparisons, ..input }, Operand::Condition(condition)))
}

/// Whether an operand is `true` or `false`.
fn is_flag(operand: &Operand) -> bool {
    matches!(operand, Operand::Constant(EdmValue::Boolean(_)))
}

fn operator(input: Tokens<'_>) -> Option<Operator> {
    Operator::ALL.into_iter().find(|operator| *input.token() == Token::Word(operator.as_str()))
}

/// `operand = "(", or, ")" | constant | property`
fn operand(input: Tokens<'_>) -> Parsed<'_, Operand> {
    match input.token() {
        Token::Constant(value) => Ok((input.advance(), Operand::Constant(value.clone()))),
        Token::Word(word) if !is_reserved(word) => Ok((input.advance(), Operand::Property((*word).to_owned()))),
        Token::Open if input.depth == MAX_NESTING => Err(input.fail("The filter nests too deeply.")),
        Token::Open => {
            let (inner, operand) = or(Tokens { depth: input.depth + 1, ..input.advance() })?;
            match inner.token() {
                Token::Close => Ok((Tokens { depth: input.depth, ..inner.advance() }, operand)),
                _ => Err(inner.fail("A closing parenthesis is missing.")),
            }
        }
        _ => Err(input.fail("A property or constant is missing.")),
    }
}
