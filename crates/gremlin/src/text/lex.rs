//! Text to tokens.

use std::sync::Arc;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::satisfy;
use nom::combinator::{fail, recognize};
use nom::multi::many0_count;
use nom::sequence::pair;
use nom::{IResult, Parser};

use super::token::{Symbol, Token, TokenKind};
use super::{MAX_TEXT_BYTES, number, string};
use crate::GremlinError;

/// The tokens of a text, with [`TokenKind::End`] as the last.
pub(super) fn lex(text: &str) -> Result<Vec<Token<'_>>, GremlinError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(GremlinError::TooLarge { what: "bytes of text", limit: MAX_TEXT_BYTES, at: None });
    }
    // Names and signs take turns, mostly, so that this is seldom too little; a long text may be one string.
    let mut tokens = Vec::with_capacity((text.len() / 2 + 1).min(MAX_TOKENS_AHEAD));
    let mut rest = text;
    loop {
        let (after, skipped) = space(rest).unwrap_or((rest, ""));
        let at = text.len() - after.len();
        let (after, kind) = token(after).map_err(|_| stuck(text, at))?;
        let is_end = kind == TokenKind::End;
        tokens.push(Token { kind, at, begins_line: skipped.contains('\n') });
        if is_end {
            return Ok(tokens);
        }
        rest = after;
    }
}

/// Tokens that there is room for before any is read.
const MAX_TOKENS_AHEAD: usize = 256;

/// Nothing of the language begins here.
fn stuck(text: &str, at: usize) -> GremlinError {
    let rest = &text[at..];
    let message = match rest.chars().next() {
        Some('\'' | '"') => match string::bad_escape(rest) {
            Some(escape) => format!("the string has '{escape}', which is no escape"),
            None => "the string does not end".to_owned(),
        },
        Some('/') => "the comment does not end".to_owned(),
        Some(c) if c.is_ascii_digit() || "+-.".contains(c) => {
            let goes_on = |c: &char| c.is_alphanumeric() || "+-._".contains(*c);
            let shown: String = rest.chars().take_while(goes_on).take(MAX_SHOWN_CHARS).collect();
            format!("'{shown}' is no number, or too large a one")
        }
        Some(c) => format!("'{}' is no part of the language", c.escape_debug()),
        None => "the text ends".to_owned(),
    };
    GremlinError::Syntax { message, at: Some(at) }
}

/// Longest piece of the text that a message repeats.
pub(super) const MAX_SHOWN_CHARS: usize = 64;

fn token(input: &str) -> IResult<&str, TokenKind<'_>> {
    match input.chars().next() {
        None => Ok((input, TokenKind::End)),
        Some('\'' | '"') => string::string.map(|text| TokenKind::String(Arc::from(text))).parse(input),
        Some('0'..='9') => number::number.map(TokenKind::Number).parse(input),
        Some(c) if is_word_start(c) => word.map(TokenKind::Word).parse(input),
        Some('+' | '-' | '.') if begins_number(input) => number::number.map(TokenKind::Number).parse(input),
        Some(_) => alt((symbol.map(TokenKind::Symbol), operator.map(TokenKind::Operator))).parse(input),
    }
}

/// A sign or a point before digits, or a sign before `Infinity`. A point right behind a word is none of these: `a.5` is no language.
fn begins_number(input: &str) -> bool {
    let unsigned = input.strip_prefix(['+', '-']);
    let rest = unsigned.unwrap_or(input);
    let is_infinity = unsigned.is_some() && word(rest).is_ok_and(|(_, word)| word == "Infinity");
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    is_infinity || rest.starts_with(|c: char| c.is_ascii_digit())
}

/// White space and comments.
fn space(input: &str) -> IResult<&str, &str> {
    // Most tokens follow one another directly.
    if input.bytes().next().is_none_or(|byte| byte.is_ascii_graphic() && byte != b'/') {
        return Ok((input, ""));
    }
    let blank = take_while1(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    let line = recognize((tag("//"), take_while(|c| c != '\n')));
    let block = recognize((tag("/*"), take_until("*/"), tag("*/")));
    recognize(many0_count(alt((blank, line, block)))).parse(input)
}

pub(super) fn is_word_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

pub(super) fn is_word_part(c: char) -> bool {
    is_word_start(c) || c.is_numeric()
}

/// Whether a text is one word.
pub(super) fn is_word(text: &str) -> bool {
    word(text).is_ok_and(|(rest, _)| rest.is_empty())
}

fn word(input: &str) -> IResult<&str, &str> {
    // Most have nothing but ASCII, whose parts need no decoding.
    let is_plain_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let plain = input.bytes().take_while(is_plain_part).count();
    if plain > 0
        && input.as_bytes().get(plain).is_none_or(u8::is_ascii)
        && !input.starts_with(|c: char| c.is_ascii_digit())
    {
        return Ok((&input[plain..], &input[..plain]));
    }
    recognize(pair(satisfy(is_word_start), take_while(is_word_part))).parse(input)
}

fn symbol(input: &str) -> IResult<&str, Symbol> {
    let first = input.bytes().next();
    match Symbol::ALL.iter().find(|(text, _)| text.bytes().next() == first && input.starts_with(text)) {
        Some((text, Symbol::Equal)) if input[text.len()..].starts_with(['=', '~']) => fail().parse(input),
        Some((text, symbol)) => Ok((&input[text.len()..], *symbol)),
        None => fail().parse(input),
    }
}

/// One of Groovy, as far as signs go on. A comment without an end is none.
fn operator(input: &str) -> IResult<&str, &str> {
    if input.starts_with("/*") {
        return fail().parse(input);
    }
    take_while1(|c: char| "+-*/%<>!?&|^~=@".contains(c)).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        lex(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn comments_and_white_space_separate() {
        let one = [TokenKind::Word("a"), TokenKind::End];
        assert_eq!(kinds("// one\n /* two // \n */ a //"), one);
        assert_eq!(kinds("\u{feff}\u{a0}a\r\n"), one);
    }

    #[test]
    fn line_breaks_are_kept_in_mind() {
        let begin: Vec<bool> = lex("a /* \n */ b c\n// d\n").unwrap().iter().map(|token| token.begins_line).collect();
        assert_eq!(begin, [false, true, false, true]);
    }

    #[test]
    fn ranges_and_members_are_told_from_numbers() {
        let range = [
            TokenKind::Number(1.into()),
            TokenKind::Symbol(Symbol::Range),
            TokenKind::Number((-5).into()),
            TokenKind::End,
        ];
        assert_eq!(kinds("1..-5"), range);
        assert_eq!(kinds("1 .. -5"), range);
        assert_eq!(
            kinds("a.b"),
            [TokenKind::Word("a"), TokenKind::Symbol(Symbol::Dot), TokenKind::Word("b"), TokenKind::End]
        );
    }

    #[test]
    fn operators_are_met_whole() {
        for text in ["+", "->", "==", "=~", "&&", "<=>"] {
            assert_eq!(kinds(text), [TokenKind::Operator(text), TokenKind::End]);
        }
    }

    #[test]
    fn what_is_no_token_is_named() {
        for (text, message) in [
            ("'a", "the string does not end at offset 0"),
            (r" '\x'", r"the string has '\x', which is no escape at offset 1"),
            ("/* a", "the comment does not end at offset 0"),
            ("08", "'08' is no number, or too large a one at offset 0"),
            ("128b", "'128b' is no number, or too large a one at offset 0"),
            ("1x", "'1x' is no number, or too large a one at offset 0"),
            ("#", "'#' is no part of the language at offset 0"),
        ] {
            assert_eq!(lex(text).unwrap_err().to_string(), message);
        }
    }
}
