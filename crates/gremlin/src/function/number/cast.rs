//! Numbers from texts and dates, and from one class to another.

use std::sync::Arc;

use num_bigint::BigInt;

use super::super::{class_name, refuse};
use super::{is_nan, to_big, to_decimal, to_f64};
use crate::run::RunError;
use crate::value::{BigDecimal, GType, GValue, MAX_NUMBER_DIGITS};

/// `asNumber()`: what a number, a text or a date is as a number, of a class if one is asked for. Null stays null.
///
/// # Errors
/// What is no number, and what does not fit.
pub fn as_number(value: &GValue, gtype: Option<GType>) -> Result<GValue, RunError> {
    let number = match value {
        GValue::Null => return Ok(GValue::Null),
        GValue::String(text) => {
            parse(text.trim()).ok_or_else(|| refuse(format!("Can't parse string '{text}' as number.")))?
        }
        GValue::Date(ms) => GValue::Long(*ms),
        GValue::DateTime(date) => date.to_ms().map(GValue::Long).ok_or_else(|| refuse("long overflow"))?,
        number if number.is_number() => number.clone(),
        other => return Err(refuse(format!("Can't parse type {} as number.", class_name::simple(other)))),
    };
    gtype.map_or_else(|| Ok(number.clone()), |gtype| cast(&number, gtype))
}

/// A number as another class, without its fraction where that class has none.
fn cast(number: &GValue, gtype: GType) -> Result<GValue, RunError> {
    let name = target_name(gtype);
    let overflow = || {
        let class = class_name::simple(number);
        refuse(format!("Can't convert number of type {class} to {name} due to overflow."))
    };
    let double = to_f64(number).unwrap_or(f64::NAN);
    let is_special = matches!(number, GValue::Float(_) | GValue::Double(_)) && !double.is_finite();
    let whole = || match is_special {
        true if double.is_nan() => Err(refuse(format!("Can't convert NaN to {name}."))),
        true => Err(refuse(format!("Can't convert floating point infinity to {name}."))),
        false => to_big(number).ok_or_else(overflow),
    };
    match gtype {
        GType::Byte => i8::try_from(whole()?).map(GValue::Byte).map_err(|_| overflow()),
        GType::Short => i16::try_from(whole()?).map(GValue::Short).map_err(|_| overflow()),
        GType::Int => i32::try_from(whole()?).map(GValue::Int).map_err(|_| overflow()),
        GType::Long => i64::try_from(whole()?).map(GValue::Long).map_err(|_| overflow()),
        GType::BigInt => whole().map(|whole| GValue::BigInteger(Arc::new(whole))),
        GType::Float if is_special || double.abs() <= f64::from(f32::MAX) => Ok(GValue::Float(double as f32)),
        // By its digits: 0.1 is to be 0.1.
        GType::Double if matches!(number, GValue::Float(_)) && !is_nan(number) => {
            Ok(GValue::Double(crate::io::text::of(number).parse().unwrap_or(double)))
        }
        GType::Double if is_special || double.is_finite() => Ok(GValue::Double(double)),
        GType::BigDecimal => to_decimal(number).map(GValue::BigDecimal).ok_or_else(overflow),
        GType::Number => Ok(number.clone()),
        _ => Err(overflow()),
    }
}

fn target_name(gtype: GType) -> &'static str {
    match gtype {
        GType::Byte => "Byte",
        GType::Short => "Short",
        GType::Int => "Integer",
        GType::Long => "Long",
        GType::BigInt => "BigInteger",
        GType::Float => "Float",
        GType::Double => "Double",
        GType::BigDecimal => "BigDecimal",
        other => other.name(),
    }
}

/// A number as Java programs write it: `5`, `0x5`, `#5`, `017`, `5L`, `1.5`, `1e3`, `1.5f`, `1d`. The narrowest class that holds it, from
/// int on, and of floating ones from float on.
fn parse(text: &str) -> Option<GValue> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.len() > MAX_NUMBER_DIGITS {
        return None;
    }
    let hexadecimal = ["0x", "0X", "#"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    if let Some(digits) = hexadecimal {
        return integer(digits, 16, negative);
    }
    if let Some(digits) = digits.strip_suffix(['l', 'L']) {
        return integer(digits, 10, negative)
            .filter(|number| !matches!(number, GValue::BigInteger(_)))
            .and_then(|number| number.as_i64().map(GValue::Long));
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let is_octal = digits.len() > 1 && digits.starts_with('0');
        return integer(digits, if is_octal { 8 } else { 10 }, negative);
    }
    floating(digits, negative)
}

fn integer(digits: &str, radix: u32, negative: bool) -> Option<GValue> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let number = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    let number = if negative { -number } else { number };
    Some(match (i32::try_from(&number), i64::try_from(&number)) {
        (Ok(number), _) => GValue::Int(number),
        (_, Ok(number)) => GValue::Long(number),
        _ => GValue::BigInteger(Arc::new(number)),
    })
}

fn floating(digits: &str, negative: bool) -> Option<GValue> {
    let (digits, suffix) = match digits.char_indices().next_back() {
        Some((at, suffix @ ('f' | 'F' | 'd' | 'D'))) => (&digits[..at], Some(suffix.to_ascii_lowercase())),
        _ => (digits, None),
    };
    let exact = BigDecimal::parse(digits).filter(|_| !digits.starts_with(['-', '+']))?;
    let exact = if negative { BigDecimal { unscaled: -exact.unscaled, ..exact } } else { exact };
    let double = exact.to_f64();
    let is_zero = exact.unscaled == BigInt::ZERO;
    match suffix {
        Some('f') => Some(GValue::Float(double as f32)).filter(|_| (double as f32).is_finite()),
        Some(_) => Some(GValue::Double(double)).filter(|_| double.is_finite()),
        None if double.is_finite() && (double != 0.0 || is_zero) => Some(GValue::Double(double)),
        None => Some(GValue::BigDecimal(Arc::new(exact))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<GValue> {
        as_number(&text.into(), None).ok()
    }

    #[test]
    fn texts_are_numbers_of_the_narrowest_class() {
        assert_eq!(number("5"), Some(5.into()));
        assert_eq!(number(" -5 "), Some((-5).into()));
        assert_eq!(number("0x5"), Some(5.into()));
        assert_eq!(number("3000000000"), Some(3_000_000_000_i64.into()));
        assert_eq!(number("5L"), Some(5_i64.into()));
        assert_eq!(number("1.5"), Some(1.5.into()));
        assert_eq!(number("1e3"), Some(1000.0.into()));
        assert_eq!(number("1.5f"), Some(GValue::Float(1.5)));
        assert!(matches!(number("99999999999999999999"), Some(GValue::BigInteger(_))));
        assert!(matches!(number("1e400"), Some(GValue::BigDecimal(_))));
        for text in ["", "test", "1,000", "0x", "--1", "1é", "NaN", "L", "-"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn casts_refuse_what_does_not_fit() {
        let cast = |value: GValue, gtype| as_number(&value, Some(gtype));
        assert_eq!(cast(5.43.into(), GType::Int), Ok(5.into()));
        assert_eq!(cast(GValue::Float(0.1), GType::Double), Ok(0.1.into()));
        assert_eq!(cast(GValue::Null, GType::Int), Ok(GValue::Null));
        let message = |value: GValue, gtype| cast(value, gtype).unwrap_err().to_string();
        assert_eq!(
            message(32_768.into(), GType::Short),
            "Can't convert number of type Integer to Short due to overflow."
        );
        assert_eq!(message(f64::NAN.into(), GType::Int), "Can't convert NaN to Integer.");
        assert_eq!(message(GValue::list([]), GType::Int), "Can't parse type ArrayList as number.");
        assert!(cast(1e300.into(), GType::Float).is_err());
    }
}
