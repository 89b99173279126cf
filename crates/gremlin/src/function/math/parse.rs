//! Reads expressions. Chains of operators of one rank are loops; what nests counts its depth.

use std::cell::RefCell;
use std::sync::Arc;

use nom::branch::alt;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, multispace0, one_of};
use nom::combinator::{fail, map, peek};
use nom::error::{ErrorKind, ParseError};
use nom::multi::many0;
use nom::number::complete::double;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::super::refuse;
use super::{Expression, FUNCTIONS, MAX_DEPTH, MAX_EXPRESSION_BYTES, Node, Operator};
use crate::run::RunError;

/// The variables met so far.
type Variables = RefCell<Vec<Arc<str>>>;

pub(super) fn expression(text: &str) -> Result<Expression, RunError> {
    let refused = |why: &str| Err(refuse(format!("the expression '{}' of math() {why}", shortened(text))));
    if text.len() > MAX_EXPRESSION_BYTES {
        return refused(&format!("has more than {MAX_EXPRESSION_BYTES} bytes"));
    }
    let variables = Variables::default();
    match sum(text, 0, &variables) {
        Ok((rest, root)) if rest.trim().is_empty() => Ok(Expression { root, variables: variables.into_inner() }),
        Ok((rest, _)) => refused(&format!("cannot be read from '{}' on", shortened(rest))),
        Err(nom::Err::Failure(_)) => refused(&format!("nests deeper than {MAX_DEPTH} levels")),
        Err(_) => refused("cannot be read"),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

fn sum<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let operator = one_of("+-").map(|sign| if sign == '+' { Operator::Add } else { Operator::Subtract });
    chain(text, operator, |text| product(text, depth, variables))
}

fn product<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let operator = one_of("*/%").map(|sign| match sign {
        '*' => Operator::Multiply,
        '/' => Operator::Divide,
        _ => Operator::Remainder,
    });
    chain(text, operator, |text| signed(text, depth, variables))
}

fn chain<'a>(
    text: &'a str,
    operator: impl Parser<&'a str, Output = Operator, Error = nom::error::Error<&'a str>>,
    operand: impl Fn(&'a str) -> IResult<&'a str, Node>,
) -> IResult<&'a str, Node> {
    let (text, first) = operand(text)?;
    let (text, rest) = many0((preceded(multispace0, operator), &operand)).parse(text)?;
    Ok((text, if rest.is_empty() { first } else { Node::Chain(Box::new(first), rest) }))
}

/// A sign binds looser than a power: `-2^2` is -4.
fn signed<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let (text, _) = multispace0(text)?;
    let depth = deeper(text, depth)?;
    if let Ok((text, sign)) = one_of::<_, _, nom::error::Error<&str>>("+-")(text) {
        let (text, inner) = signed(text, depth, variables)?;
        return Ok((text, if sign == '-' { Node::Negative(Box::new(inner)) } else { inner }));
    }
    power(text, depth, variables)
}

/// Powers are read from the right: `2^3^2` is 2^9.
fn power<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let (text, base) = operand(text, depth, variables)?;
    match preceded(multispace0, char::<_, nom::error::Error<&str>>('^')).parse(text) {
        Ok((text, _)) => {
            let (text, exponent) = signed(text, depth, variables)?;
            Ok((text, Node::Power(Box::new(base), Box::new(exponent))))
        }
        Err(_) => Ok((text, base)),
    }
}

fn operand<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let (text, _) = multispace0(text)?;
    if text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return map(double, Node::Number).parse(text);
    }
    let within = |text| sum(text, depth, variables);
    let close = || preceded(multispace0, char(')'));
    alt((delimited(char('('), within, close()), |text| named(text, depth, variables))).parse(text)
}

/// A variable, or a function with its argument: what is in parentheses behind it, or else all that follows.
fn named<'a>(text: &'a str, depth: usize, variables: &Variables) -> IResult<&'a str, Node> {
    let (_, _) = peek(take_while1(|first: char| first.is_ascii_alphabetic() || first == '_')).parse(text)?;
    let (rest, name) = take_while(|next: char| next.is_ascii_alphanumeric() || next == '_')(text)?;
    let has_parentheses = rest.trim_start().starts_with('(');
    match FUNCTIONS.iter().find(|(known, _)| *known == name) {
        Some((_, function)) => {
            let depth = deeper(rest, depth)?;
            let (rest, argument) =
                if has_parentheses { operand(rest, depth, variables)? } else { sum(rest, depth, variables)? };
            Ok((rest, Node::Call(*function, Box::new(argument))))
        }
        // No multiplication without a sign: `a (b)` is nothing.
        None if has_parentheses => fail().parse(rest),
        None => Ok((rest, Node::Variable(place(name, variables)))),
    }
}

fn place(name: &str, variables: &Variables) -> usize {
    let mut variables = variables.borrow_mut();
    variables.iter().position(|known| **known == *name).unwrap_or_else(|| {
        variables.push(name.into());
        variables.len() - 1
    })
}

/// The depth below, within its bound.
fn deeper(text: &str, depth: usize) -> Result<usize, nom::Err<nom::error::Error<&str>>> {
    if depth >= MAX_DEPTH {
        return Err(nom::Err::Failure(nom::error::Error::from_error_kind(text, ErrorKind::TooLarge)));
    }
    Ok(depth + 1)
}
