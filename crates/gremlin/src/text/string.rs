//! Strings as texts have them.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{fail, map_opt, value, verify};
use nom::sequence::preceded;
use nom::{IResult, Parser};

const QUOTES: &[&str] = &["\"\"\"", "'''", "\"", "'"];

/// Between one or three quotes of a kind. A dollar sign is a character like others: nothing is filled in.
pub(super) fn string(input: &str) -> IResult<&str, String> {
    let Some(quotes) = QUOTES.iter().find(|quotes| input.starts_with(**quotes)) else { return fail().parse(input) };
    let mut rest = &input[quotes.len()..];
    let mut string = String::new();
    loop {
        let plain = rest.find(['\\', '"', '\'']).unwrap_or(rest.len());
        string.push_str(&rest[..plain]);
        rest = &rest[plain..];
        if let Some(after) = rest.strip_prefix(*quotes) {
            return Ok((after, string));
        }
        let (after, c) = match rest.chars().next() {
            None => return fail().parse(rest),
            Some('\\') => escape(&rest[1..])?,
            other => (&rest[1..], other),
        };
        string.extend(c);
        rest = after;
    }
}

/// The first escape of a string that is none.
pub(super) fn bad_escape(input: &str) -> Option<String> {
    let mut rest = input;
    while let Some(at) = rest.find('\\') {
        match escape(&rest[at + 1..]) {
            Ok((after, _)) => rest = after,
            Err(_) => return Some(rest[at..].chars().take(2).collect()),
        }
    }
    None
}

/// What follows a backslash; a line break is left out.
fn escape(input: &str) -> IResult<&str, Option<char>> {
    let same = one_of("'\"\\$");
    let named = alt((
        value('\u{8}', char('b')),
        value('\u{c}', char('f')),
        value('\n', char('n')),
        value('\r', char('r')),
        value('\t', char('t')),
    ));
    alt((value(None, alt((tag("\r\n"), tag("\n")))), alt((same, named, octal, unicode)).map(Some))).parse(input)
}

/// Up to three digits, up to 377.
fn octal(input: &str) -> IResult<&str, char> {
    let digits = |most| take_while_m_n(1, most, |c: char| c.is_digit(8));
    let three = verify(digits(3), |digits: &str| digits.len() == 3 && digits < "400");
    map_opt(alt((three, digits(2))), |digits| u32::from_str_radix(digits, 8).ok().and_then(char::from_u32)).parse(input)
}

/// Four hexadecimal digits, or a pair of surrogates.
fn unicode(input: &str) -> IResult<&str, char> {
    let (rest, first) = unit(input)?;
    if !(0xD800..0xDC00).contains(&first) {
        return map_opt(unit, char::from_u32).parse(input);
    }
    map_opt(preceded(char('\\'), unit), |second| {
        let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + low)
    })
    .parse(rest)
}

fn unit(input: &str) -> IResult<&str, u32> {
    let digits = take_while_m_n(4, 4, |c: char| c.is_ascii_hexdigit());
    map_opt(preceded(take_while1(|c| c == 'u'), digits), |digits| u32::from_str_radix(digits, 16).ok()).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<String> {
        string(text).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, string)| string)
    }

    #[test]
    fn quotes_are_of_two_kinds_single_or_triple() {
        for (text, read) in [
            ("''", ""),
            ("\"\"", ""),
            ("'a\"b'", "a\"b"),
            ("\"a'b\"", "a'b"),
            ("\"\"\"a \"b\"\nc\"\"\"", "a \"b\"\nc"),
            ("'''it's'''", "it's"),
            ("''''''", ""),
            ("'a\nb'", "a\nb"),
            ("\"${a} $b\"", "${a} $b"),
        ] {
            assert_eq!(all(text).as_deref(), Some(read), "{text}");
        }
    }

    #[test]
    fn escapes_are_those_of_java_and_joined_lines() {
        for (text, read) in [
            (r#"'\b\t\n\f\r\"\'\\\$'"#, "\u{8}\t\n\u{c}\r\"'\\$"),
            (r"'\0\12\101\377\400'", "\0\nA\u{ff} 0"),
            (r"'\u00e9\uu00e9\ud83d\ude00'", "éé😀"),
            ("'a\\\nb\\\r\nc'", "abc"),
        ] {
            assert_eq!(all(text).as_deref(), Some(read), "{text}");
        }
        for text in ["'a", r"'\x'", r"'\ud800'", r"'\ude00'", r"'\u12'", r"'\'", "'''a''", r"'\9'"] {
            assert_eq!(all(text), None, "{text}");
        }
    }
}
