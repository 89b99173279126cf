//! Text to tokens.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_until, take_while, take_while1};
use nom::character::complete::{anychar, char, digit1, hex_digit1, one_of, satisfy};
use nom::combinator::{fail, map_opt, not, opt, peek, recognize, value};
use nom::multi::many0_count;
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};
use orrery_value::Number;

use crate::error::{ErrorCode, SqlError};
use crate::limits::MAX_QUERY_BYTES;
use crate::token::{Keyword, Span, Symbol, Token, TokenKind};

/// The tokens of a text, with [`TokenKind::End`] as the last.
pub(crate) fn lex(text: &str) -> Result<Vec<Token<'_>>, SqlError> {
    if text.len() > MAX_QUERY_BYTES {
        let message = format!("The SQL query text exceeded the maximum limit of {MAX_QUERY_BYTES} bytes.");
        return Err(SqlError::new(ErrorCode::TooLarge, 0..text.len(), message));
    }
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = space(rest).map_or(rest, |(after, _)| after);
        let start = text.len() - rest.len();
        let (after, kind) = token(rest).map_err(|_| stuck(text, start))?;
        let end = text.len() - after.len();
        let is_end = kind == TokenKind::End;
        tokens.push(Token { kind, span: Span { start: start as u32, end: end as u32 } });
        if is_end {
            return Ok(tokens);
        }
        rest = after;
    }
}

/// Nothing of the language begins here.
fn stuck(text: &str, start: usize) -> SqlError {
    let rest = &text[start..];
    let shown: String = rest.chars().take(1).collect();
    let (end, message) = match rest.chars().next() {
        Some('\'' | '"') => (text.len(), "Syntax error, invalid string literal token.".to_owned()),
        Some('0'..='9' | '.') => {
            let literal: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
            (start + literal.len(), format!("Syntax error, invalid numeric value token '{literal}'."))
        }
        _ => (start + shown.len(), format!("Syntax error, incorrect syntax near '{shown}'.")),
    };
    SqlError::new(ErrorCode::Syntax, start..end, message)
}

fn token(input: &str) -> IResult<&str, TokenKind<'_>> {
    match input.chars().next() {
        None => Ok((input, TokenKind::End)),
        Some('\'' | '"') => string.map(TokenKind::String).parse(input),
        Some('@') => preceded(char('@'), word).map(TokenKind::Parameter).parse(input),
        Some('0'..='9') => number.map(TokenKind::Number).parse(input),
        Some(c) if is_word_start(c) => word.map(name).parse(input),
        Some(_) => alt((number.map(TokenKind::Number), symbol.map(TokenKind::Symbol))).parse(input),
    }
}

fn space(input: &str) -> IResult<&str, usize> {
    let blank = take_while1(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    let line = recognize((tag("--"), take_while(|c| c != '\n')));
    let block = recognize((tag("/*"), take_until("*/"), tag("*/")));
    many0_count(alt((blank, line, block))).parse(input)
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn word(input: &str) -> IResult<&str, &str> {
    recognize(pair(satisfy(is_word_start), take_while(is_word))).parse(input)
}

/// Whether a text is a name as it is, without quotes.
pub(crate) fn is_identifier(text: &str) -> bool {
    word(text).is_ok_and(|(rest, _)| rest.is_empty()) && Keyword::parse(text).is_none()
}

/// A keyword or an identifier. ALL, FIRST, LAST and RANK are reserved in some places only, which the parser knows.
/// The constants are reserved in any case, but mean something in lower case only (`Undefined` is accepted too).
fn name(word: &str) -> TokenKind<'_> {
    match (Keyword::parse(word), word) {
        (None, _) => TokenKind::Identifier(word),
        (Some(constant @ Keyword::Undefined), "undefined" | "Undefined") => TokenKind::Keyword(constant),
        (Some(constant @ (Keyword::True | Keyword::False | Keyword::Null)), "true" | "false" | "null") => {
            TokenKind::Keyword(constant)
        }
        (Some(Keyword::True | Keyword::False | Keyword::Null | Keyword::Undefined), _) => TokenKind::Reserved,
        (Some(keyword), _) => TokenKind::Keyword(keyword),
    }
}

fn symbol(input: &str) -> IResult<&str, Symbol> {
    match Symbol::ALL.iter().find(|(text, _)| input.starts_with(text)) {
        Some((text, symbol)) => Ok((&input[text.len()..], *symbol)),
        None => fail().parse(input),
    }
}

/// A number is not followed by a letter: `1abc` is no `1` with the alias `abc`.
fn number(input: &str) -> IResult<&str, Number> {
    let (input, number) = alt((hexadecimal, decimal)).parse(input)?;
    let (input, ()) = not(peek(satisfy(is_word))).parse(input)?;
    Ok((input, number))
}

fn hexadecimal(input: &str) -> IResult<&str, Number> {
    let digits = preceded(tag_no_case("0x"), hex_digit1);
    map_opt(digits, |digits: &str| match u64::from_str_radix(digits, 16) {
        Ok(number) => Some(i64::try_from(number).map_or(Number::Float(number as f64), Number::Int)),
        Err(_) => None,
    })
    .parse(input)
}

fn decimal(input: &str) -> IResult<&str, Number> {
    let fraction = || pair(char('.'), digit1);
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let mantissa = alt((recognize(pair(digit1, opt(fraction()))), recognize(fraction())));
    let spelled = recognize(pair(mantissa, opt(exponent)));
    map_opt(spelled, |spelled: &str| Number::parse(spelled).filter(|number| number.is_finite())).parse(input)
}

fn string(input: &str) -> IResult<&str, String> {
    let (mut rest, quote) = one_of("'\"").parse(input)?;
    let mut string = String::new();
    loop {
        let (after, plain) = take_while(|c: char| c != quote && c != '\\' && c >= ' ').parse(rest)?;
        string.push_str(plain);
        let (after, c) = anychar(after)?;
        if c == quote {
            return Ok((after, string));
        }
        if c != '\\' {
            return fail().parse(rest);
        }
        let (after, c) = escape(after)?;
        string.push(c);
        rest = after;
    }
}

/// What follows a backslash.
fn escape(input: &str) -> IResult<&str, char> {
    alt((
        one_of("'\"\\/"),
        value('\u{8}', char('b')),
        value('\u{c}', char('f')),
        value('\n', char('n')),
        value('\r', char('r')),
        value('\t', char('t')),
        preceded(char('u'), unicode),
    ))
    .parse(input)
}

/// Four hexadecimal digits, or a pair of surrogates.
fn unicode(input: &str) -> IResult<&str, char> {
    let (rest, first) = code_unit(input)?;
    if !(0xD800..0xDC00).contains(&first) {
        return map_opt(code_unit, char::from_u32).parse(input);
    }
    map_opt(preceded(tag("\\u"), code_unit), |second| {
        (0xDC00..0xE000)
            .contains(&second)
            .then(|| char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)))
            .flatten()
    })
    .parse(rest)
}

fn code_unit(input: &str) -> IResult<&str, u32> {
    let Some(digits) = input.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())) else {
        return fail().parse(input);
    };
    match u32::from_str_radix(digits, 16) {
        Ok(unit) => Ok((&input[4..], unit)),
        Err(_) => fail().parse(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        lex(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    fn number(text: &str) -> Number {
        match &kinds(text)[..] {
            [TokenKind::Number(number), TokenKind::End] => *number,
            other => panic!("{other:?}"),
        }
    }

    fn string(text: &str) -> String {
        match &kinds(text)[..] {
            [TokenKind::String(string), TokenKind::End] => string.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_have_all_spellings() {
        for (text, expected) in [
            ("1", 1.0),
            ("1.5", 1.5),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1.5E-1", 0.15),
            ("0x1F", 31.0),
            ("9223372036854775808", 9.223_372_036_854_776e18),
        ] {
            assert_eq!(number(text).as_f64(), expected, "{text}");
        }
        assert!(matches!(number("9007199254740993"), Number::Int(9007199254740993)));
        for text in ["1abc", "1e999", "0x", "0x10000000000000000"] {
            assert!(lex(text).is_err(), "{text}");
        }
    }

    #[test]
    fn strings_have_both_quotes_and_all_escapes() {
        for (text, expected) in [
            ("'a\"b'", "a\"b"),
            ("\"a'b\"", "a'b"),
            (r"'a\'b\\\/\b\f\n\r\t'", "a'b\\/\u{8}\u{c}\n\r\t"),
            (r"'\u00e9\ud83d\ude00'", "é😀"),
            ("'日本'", "日本"),
        ] {
            assert_eq!(string(text), expected, "{text}");
        }
        for text in ["'a", r"'\x'", r"'\ud800'", r"'\ude00'", r"'\u12'", "'a\nb'", r"'\u+123'"] {
            assert!(lex(text).is_err(), "{text}");
        }
    }

    #[test]
    fn comments_and_white_space_separate() {
        assert_eq!(kinds("-- one\n /* two -- \n */ a --"), [TokenKind::Identifier("a"), TokenKind::End]);
        assert_eq!(
            kinds("sElEcT @p"),
            [TokenKind::Keyword(Keyword::Select), TokenKind::Parameter("p"), TokenKind::End]
        );
    }

    #[test]
    fn the_longest_symbol_wins() {
        use Symbol::{Concat, Greater, ShiftRight, ShiftRightZero};
        assert_eq!(
            kinds(">>>>> > ||"),
            [ShiftRightZero, ShiftRight, Greater, Concat]
                .map(TokenKind::Symbol)
                .into_iter()
                .chain([TokenKind::End])
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_no_token_begins_with_is_named_with_its_place() {
        let error = lex("SELECT #").unwrap_err();
        assert_eq!((error.span, error.message.as_str()), (7..8, "Syntax error, incorrect syntax near '#'."));
    }
}
