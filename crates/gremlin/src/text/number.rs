//! Numbers as texts have them.

use std::sync::Arc;

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while1};
use nom::character::complete::{char, one_of, satisfy};
use nom::combinator::{map_opt, not, opt, peek, recognize, verify};
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};
use num_bigint::BigInt;

use super::lex::is_word_part;
use crate::GValue;
use crate::value::{BigDecimal, MAX_NUMBER_DIGITS};

/// A number of any class with its sign. Nothing of a word follows right behind.
pub(super) fn number(input: &str) -> IResult<&str, GValue> {
    if let Some(small) = small(input) {
        return Ok(small);
    }
    let infinity = map_opt(pair(opt(one_of("+-")), tag("Infinity")), |(sign, _)| {
        Some(GValue::Double(if sign == Some('-') { f64::NEG_INFINITY } else { f64::INFINITY }))
    });
    let (input, number) = alt((infinity, based(16), decimal, based(8), integer)).parse(input)?;
    let (input, ()) = not(peek(satisfy(is_word_part))).parse(input)?;
    Ok((input, number))
}

/// Most numbers: a few decimal digits and nothing else.
fn small(input: &str) -> Option<(&str, GValue)> {
    let unsigned = input.strip_prefix(['+', '-']).unwrap_or(input);
    let digits = unsigned.bytes().take(MAX_SMALL_DIGITS + 1).take_while(u8::is_ascii_digit).count();
    let (text, rest) = input.split_at_checked(input.len() - unsigned.len() + digits)?;
    let goes_on = rest.starts_with(is_word_part) || (rest.starts_with('.') && !rest.starts_with(".."));
    if digits == 0 || digits > MAX_SMALL_DIGITS || goes_on || (digits > 1 && unsigned.starts_with('0')) {
        return None;
    }
    text.parse().ok().map(|number| (rest, GValue::Int(number)))
}

/// An `int` holds any number of so many digits.
const MAX_SMALL_DIGITS: usize = 9;

/// So many bits hold only numbers of at most [`MAX_NUMBER_DIGITS`] decimal digits; a hexadecimal digit is more than one of these.
const MAX_BITS: u64 = MAX_NUMBER_DIGITS as u64 * 33_219 / 10_000;

/// Digits with underscores between them.
fn digits(base: u32) -> impl Fn(&str) -> IResult<&str, &str> {
    move |input| {
        let part = take_while1(move |c: char| c == '_' || c.is_digit(base));
        verify(part, |digits: &str| !digits.starts_with('_') && !digits.ends_with('_')).parse(input)
    }
}

/// With a fraction, an exponent or a suffix that says so.
fn decimal(input: &str) -> IResult<&str, GValue> {
    let fraction = || preceded(char('.'), digits(10));
    let exponent = || (one_of("eE"), opt(one_of("+-")), digits(10));
    let suffix = || one_of("fFdDmM");
    let mantissa = recognize((
        opt(one_of("+-")),
        alt((recognize((digits(10), fraction(), opt(exponent()))), recognize((fraction(), opt(exponent()))))),
    ));
    let power = recognize((opt(one_of("+-")), digits(10), exponent()));
    let plain = recognize((opt(one_of("+-")), digits(10), peek(suffix())));
    map_opt(pair(alt((mantissa, power, plain)), opt(suffix())), |(text, suffix)| float(text, suffix)).parse(input)
}

fn float(text: &str, suffix: Option<char>) -> Option<GValue> {
    if text.len() > MAX_NUMBER_DIGITS {
        return None;
    }
    let text = text.replace('_', "");
    match suffix.map(|suffix| suffix.to_ascii_lowercase()) {
        Some('f') => text.parse().ok().map(GValue::Float),
        Some('m') => BigDecimal::parse(&text).map(|number| GValue::BigDecimal(Arc::new(number))),
        _ => text.parse().ok().map(GValue::Double),
    }
}

/// `0x` and hexadecimal digits, or 0 and octal ones.
fn based(base: u32) -> impl FnMut(&str) -> IResult<&str, GValue> {
    move |input| {
        let prefix = |input| match base {
            16 => tag_no_case("0x").parse(input),
            _ => recognize((char('0'), opt(take_while1(|c| c == '_')), peek(satisfy(|c| c.is_digit(8))))).parse(input),
        };
        let parts = (opt(one_of("+-")), preceded(prefix, digits(base)), opt(one_of("bBsSiIlLnN")));
        map_opt(parts, |(sign, digits, suffix)| whole(sign, digits, base, suffix)).parse(input)
    }
}

fn integer(input: &str) -> IResult<&str, GValue> {
    // More digits behind a zero are octal, or none.
    let digits = verify(digits(10), |digits: &str| digits == "0" || !digits.starts_with('0'));
    let parts = (opt(one_of("+-")), digits, opt(one_of("bBsSiIlLnN")));
    map_opt(parts, |(sign, digits, suffix)| whole(sign, digits, 10, suffix)).parse(input)
}

/// Without a suffix the smallest class from `int` on that holds it.
fn whole(sign: Option<char>, digits: &str, base: u32, suffix: Option<char>) -> Option<GValue> {
    if digits.len() > MAX_NUMBER_DIGITS {
        return None;
    }
    let sign = if sign == Some('-') { "-" } else { "" };
    let number = BigInt::parse_bytes(format!("{sign}{}", digits.replace('_', "")).as_bytes(), base)?;
    if base != 10 && number.bits() > MAX_BITS {
        return None;
    }
    match suffix.map(|suffix| suffix.to_ascii_lowercase()) {
        Some('b') => i8::try_from(&number).ok().map(GValue::Byte),
        Some('s') => i16::try_from(&number).ok().map(GValue::Short),
        Some('i') => i32::try_from(&number).ok().map(GValue::Int),
        Some('l') => i64::try_from(&number).ok().map(GValue::Long),
        Some(_) => Some(GValue::BigInteger(Arc::new(number))),
        None => Some(match (i32::try_from(&number), i64::try_from(&number)) {
            (Ok(number), _) => GValue::Int(number),
            (_, Ok(number)) => GValue::Long(number),
            _ => GValue::BigInteger(Arc::new(number)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<GValue> {
        number(text).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, number)| number)
    }

    fn big(text: &str) -> GValue {
        GValue::BigInteger(Arc::new(text.parse().unwrap()))
    }

    fn exact(text: &str) -> GValue {
        GValue::BigDecimal(Arc::new(BigDecimal::parse(text).unwrap()))
    }

    #[test]
    fn the_bound_is_one_of_decimal_digits() {
        let hexadecimal = |digits: usize| all(&format!("-0x{}", "F".repeat(digits)));
        let Some(GValue::BigInteger(longest)) = hexadecimal(MAX_BITS as usize / 4) else { panic!("it is too long") };
        assert_eq!(all(&longest.to_string()), Some(GValue::BigInteger(longest)));
        assert_eq!(hexadecimal(MAX_BITS as usize / 4 + 1), None);
        assert!(all(&"9".repeat(MAX_NUMBER_DIGITS)).is_some());
        assert_eq!(all(&"9".repeat(MAX_NUMBER_DIGITS + 1)), None);
    }

    #[test]
    fn a_suffix_is_the_class() {
        for (text, number) in [
            ("1b", GValue::Byte(1)),
            ("-128B", GValue::Byte(-128)),
            ("1s", GValue::Short(1)),
            ("1i", GValue::Int(1)),
            ("-2147483648I", GValue::Int(i32::MIN)),
            ("+1L", GValue::Long(1)),
            ("-9223372036854775808l", GValue::Long(i64::MIN)),
            ("1n", big("1")),
            ("1f", GValue::Float(1.0)),
            ("1.5F", GValue::Float(1.5)),
            ("1d", GValue::Double(1.0)),
            ("010d", GValue::Double(10.0)),
            ("1.50m", exact("1.50")),
            ("1e3M", exact("1e3")),
        ] {
            assert_eq!(all(text), Some(number), "{text}");
        }
    }

    #[test]
    fn without_a_suffix_the_class_is_what_holds_it() {
        for (text, number) in [
            ("0", GValue::Int(0)),
            ("2147483647", GValue::Int(i32::MAX)),
            ("2147483648", GValue::Long(1 << 31)),
            ("-9_223_372_036_854_775_809", big("-9223372036854775809")),
            ("1.0", GValue::Double(1.0)),
            ("-.5", GValue::Double(-0.5)),
            ("1e-3", GValue::Double(0.001)),
            ("1_0.0_1E+1_0", GValue::Double(10.01e10)),
            ("1e999", GValue::Double(f64::INFINITY)),
            ("+Infinity", GValue::Double(f64::INFINITY)),
            ("-Infinity", GValue::Double(f64::NEG_INFINITY)),
        ] {
            assert_eq!(all(text), Some(number), "{text}");
        }
    }

    #[test]
    fn bases_are_ten_sixteen_and_eight() {
        for (text, number) in [
            ("0x1F", GValue::Int(31)),
            ("-0XffL", GValue::Long(-255)),
            ("0x1d", GValue::Int(29)),
            ("0xFFFFFFFF", GValue::Long(0xFFFF_FFFF)),
            ("0x1_0000_0000_0000_0000", big("18446744073709551616")),
            ("010", GValue::Int(8)),
            ("0_17s", GValue::Short(15)),
            ("-07", GValue::Int(-7)),
        ] {
            assert_eq!(all(text), Some(number), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["08", "1_", "1__", "0x", "1e", "128b", "32768s", "2147483648i", "9223372036854775808L", "1lb", "0x1_"]
        {
            assert_eq!(all(text), None, "{text}");
        }
        assert_eq!(all(&"1".repeat(MAX_NUMBER_DIGITS + 1)), None);
        assert!(all(&"1".repeat(MAX_NUMBER_DIGITS)).is_some());
    }
}
