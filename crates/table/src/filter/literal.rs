//! Reading the words, signs and constants of a filter.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{char, digit1, one_of, satisfy};
use nom::combinator::{opt, recognize};
use nom::{IResult, Parser as _};

use crate::entity::double;
use crate::{DateTime, EdmValue, Error, ErrorCode, Guid};

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Open,
    Close,
    /// A keyword or the name of a property.
    Word(&'t str),
    Constant(EdmValue),
    End,
}

/// Functions and other words that OData has and the service has not: it says so.
const NOT_IMPLEMENTED: &[&str] = &[
    "substringof",
    "startswith",
    "endswith",
    "contains",
    "length",
    "indexof",
    "replace",
    "substring",
    "tolower",
    "toupper",
    "trim",
    "concat",
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "round",
    "floor",
    "ceiling",
    "isof",
    "cast",
];

/// The tokens of a text with the offsets at which they begin. [`Token::End`] is the last one.
///
/// # Errors
/// For what is no token, and for words and constants that touch what follows, unless it is a parenthesis.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Error> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let (after, token) = token(rest).map_err(|message| message.at(at))?;
        let touches = after.starts_with(|c: char| !c.is_whitespace() && c != ')' && c != '(');
        if touches && !matches!(token, Token::Open | Token::Close) {
            return Err(Error::invalid_input("A space is missing.").at(text.len() - after.len()));
        }
        if let Token::Word(word) = token
            && after.starts_with('(')
            && !super::parse::is_reserved(word)
        {
            return Err(call(word).at(at));
        }
        tokens.push((at, token));
        rest = after.trim_start();
    }
    tokens.push((text.len(), Token::End));
    Ok(tokens)
}

fn call(word: &str) -> Error {
    if NOT_IMPLEMENTED.contains(&word) {
        Error::with_detail(
            ErrorCode::NotImplemented,
            format_args!("The function '{word}' is not supported in a filter."),
        )
    } else {
        Error::invalid_input(format_args!("'{word}' is not a function."))
    }
}

/// The first token of a text that is not empty, and what follows.
fn token(text: &str) -> Result<(&str, Token<'_>), Error> {
    if let Some(rest) = text.strip_prefix('(') {
        return Ok((rest, Token::Open));
    }
    if let Some(rest) = text.strip_prefix(')') {
        return Ok((rest, Token::Close));
    }
    if text.starts_with('\'') {
        let (rest, value) = quoted(text)?;
        return Ok((rest, Token::Constant(EdmValue::String(value))));
    }
    if let Ok((rest, number)) = number(text) {
        let value = number_value(number).ok_or_else(|| malformed("number", number))?;
        return Ok((rest, Token::Constant(value)));
    }
    let Ok((rest, word)) = word(text) else {
        let c = text.chars().next().unwrap_or_default();
        return Err(Error::invalid_input(format_args!("The filter has the character {c:?} where it has no meaning.")));
    };
    if rest.starts_with('\'') {
        let (rest, inner) = quoted(rest)?;
        let value = prefixed(word, &inner).ok_or_else(|| malformed(word, &inner))?;
        return Ok((rest, Token::Constant(value)));
    }
    let value = match word {
        "true" | "True" => EdmValue::Boolean(true),
        "false" | "False" => EdmValue::Boolean(false),
        "NaN" => EdmValue::Double(f64::NAN),
        "Infinity" => EdmValue::Double(f64::INFINITY),
        word => return Ok((rest, Token::Word(word))),
    };
    Ok((rest, Token::Constant(value)))
}

fn malformed(what: &str, text: &str) -> Error {
    Error::invalid_input(format_args!("The {what} literal '{text}' is malformed."))
}

/// A text in quotes, in which a doubled quote stands for one.
fn quoted(text: &str) -> Result<(&str, String), Error> {
    let mut rest = text.strip_prefix('\'').unwrap_or(text);
    let mut value = String::new();
    loop {
        let Some((piece, after)) = rest.split_once('\'') else {
            return Err(Error::invalid_input("A quoted text does not end."));
        };
        value.push_str(piece);
        match after.strip_prefix('\'') {
            Some(after) => {
                value.push('\'');
                rest = after;
            }
            None => return Ok((after, value)),
        }
    }
}

fn word(text: &str) -> IResult<&str, &str> {
    let first = satisfy(|c| c.is_alphabetic() || c == '_');
    recognize((first, take_while(|c: char| c.is_alphanumeric() || c == '_'))).parse(text)
}

/// `-1`, `5L`, `1.5`, `1E+300`, `-Infinity`
fn number(text: &str) -> IResult<&str, &str> {
    let fraction = (char('.'), digit1);
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let digits = recognize((opt(char('-')), digit1, opt(fraction), opt(exponent), opt(char('L'))));
    alt((digits, tag("-Infinity"))).parse(text)
}

fn number_value(number: &str) -> Option<EdmValue> {
    if number == "-Infinity" {
        return Some(EdmValue::Double(f64::NEG_INFINITY));
    }
    if let Some(digits) = number.strip_suffix('L') {
        return digits.parse().ok().map(EdmValue::Int64);
    }
    if number.contains(['.', 'e', 'E']) {
        return double(number).map(EdmValue::Double);
    }
    let int: i64 = number.parse().ok()?;
    Some(i32::try_from(int).map_or(EdmValue::Int64(int), EdmValue::Int32))
}

fn prefixed(prefix: &str, text: &str) -> Option<EdmValue> {
    match prefix {
        "datetime" => DateTime::parse(text).map(EdmValue::DateTime),
        "guid" => Guid::parse(text).map(EdmValue::Guid),
        "X" | "binary" => bytes(text).map(EdmValue::Binary),
        _ => None,
    }
}

/// Bytes, each of two hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let nibble = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}
