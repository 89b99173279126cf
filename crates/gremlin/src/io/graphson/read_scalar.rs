//! Numbers, texts, ids and times.

use std::sync::Arc;

use base64::Engine;

use super::super::DecodeError;
use super::super::json::{Item, Kind};
use super::read::{Typed, invalid, string, text, unexpected, unknown, value};
use crate::value::{BigDecimal, BigInt, DateTime, Duration, GValue, MAX_NUMBER_DIGITS, Uuid};

/// A number without type: the smallest class for integers that holds it, a double for others.
pub(super) fn bare_number(item: Item) -> Result<GValue, DecodeError> {
    let spelled = item.number().unwrap_or_default();
    if spelled.contains(['.', 'e', 'E']) {
        return double(item).map(GValue::Double);
    }
    if let Ok(number) = spelled.parse::<i64>() {
        return Ok(i32::try_from(number).map_or(GValue::Long(number), GValue::Int));
    }
    Ok(GValue::BigInteger(Arc::new(big_integer(item)?)))
}

pub(super) fn typed(typed: &Typed, name: &str) -> Result<GValue, DecodeError> {
    let item = typed.value()?;
    Ok(match name {
        "Int32" => GValue::Int(fitting(item, "an int")?),
        "Int64" => GValue::Long(fitting(item, "a long")?),
        "Byte" => GValue::Byte(fitting(item, "a byte")?),
        "Int16" => GValue::Short(fitting(item, "a short")?),
        "Float" => GValue::Float(float(item)?),
        "Double" => GValue::Double(double(item)?),
        "BigInteger" => GValue::BigInteger(Arc::new(big_integer(item)?)),
        "BigDecimal" => big_decimal(item)?,
        "UUID" => GValue::Uuid(uuid(item)?),
        "Date" | "Timestamp" => GValue::Date(fitting(item, "milliseconds")?),
        "Class" => GValue::Class(string(item)?),
        "Char" => character(item)?,
        "ByteBuffer" => binary(item)?,
        "Duration" => parsed(item, "a duration", Duration::parse).map(GValue::Duration)?,
        "OffsetDateTime" | "Instant" | "ZonedDateTime" => date_time(item)?,
        // No points in time: their texts are all there is to them here. A year may be a number.
        "Year" if item.kind() == Kind::Number => GValue::string(item.number().unwrap_or_default()),
        "InetAddress" | "LocalDate" | "LocalDateTime" | "LocalTime" | "MonthDay" | "OffsetTime" | "Period" | "Year"
        | "YearMonth" | "ZoneOffset" => GValue::String(string(item)?),
        _ => return Err(unknown(typed)),
    })
}

/// A whole number of any class, typed or not.
pub(super) fn integer(item: Item) -> Result<i64, DecodeError> {
    value(item, 0)?.as_i64().ok_or_else(|| unexpected(item, "an integer"))
}

fn spelled<'j>(item: Item<'j>, expected: &'static str) -> Result<&'j str, DecodeError> {
    item.number().ok_or_else(|| unexpected(item, expected))
}

fn fitting<N: std::str::FromStr>(item: Item, expected: &'static str) -> Result<N, DecodeError> {
    let spelled = spelled(item, expected)?;
    spelled.parse().map_err(|_| invalid(item, expected, spelled))
}

fn parsed<T>(item: Item, expected: &'static str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, DecodeError> {
    let text = text(item, expected)?;
    parse(&text).ok_or_else(|| invalid(item, expected, &text))
}

fn non_finite(item: Item) -> Option<f64> {
    match &*item.string()? {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn double(item: Item) -> Result<f64, DecodeError> {
    match non_finite(item) {
        Some(number) => Ok(number),
        None => finite(item, "a double", f64::is_finite),
    }
}

fn float(item: Item) -> Result<f32, DecodeError> {
    match non_finite(item) {
        Some(number) => Ok(number as f32),
        None => finite(item, "a float", f32::is_finite),
    }
}

fn finite<N: std::str::FromStr + Copy>(
    item: Item,
    expected: &'static str,
    is_finite: impl Fn(N) -> bool,
) -> Result<N, DecodeError> {
    let number = fitting(item, expected)?;
    if is_finite(number) { Ok(number) } else { Err(invalid(item, expected, item.number().unwrap_or_default())) }
}

/// A number, or the string that some clients make of a large one.
fn big_integer(item: Item) -> Result<BigInt, DecodeError> {
    let text = item.number().map(Into::into).or_else(|| item.string());
    let text = text.ok_or_else(|| unexpected(item, "a big integer"))?;
    if text.len() > MAX_NUMBER_DIGITS {
        return Err(DecodeError::NumberTooLong { at: item.at() });
    }
    text.parse().map_err(|_| invalid(item, "a big integer", &text))
}

fn big_decimal(item: Item) -> Result<GValue, DecodeError> {
    let text = item.number().map(Into::into).or_else(|| item.string());
    let text = text.ok_or_else(|| unexpected(item, "a big decimal"))?;
    let number = BigDecimal::parse(&text).ok_or_else(|| invalid(item, "a big decimal of sensible size", &text))?;
    Ok(GValue::BigDecimal(Arc::new(number)))
}

/// An id in hexadecimal with hyphens.
pub(super) fn uuid(item: Item) -> Result<Uuid, DecodeError> {
    parsed(item, "a UUID", |text| Uuid::try_parse(text).ok())
}

fn character(item: Item) -> Result<GValue, DecodeError> {
    parsed(item, "one character", |text| {
        let mut characters = text.chars();
        characters.next().filter(|_| characters.next().is_none()).map(GValue::Char)
    })
}

fn binary(item: Item) -> Result<GValue, DecodeError> {
    parsed(item, "bytes in base64", |text| {
        base64::engine::general_purpose::STANDARD.decode(text).ok().map(|bytes| GValue::Binary(bytes.into()))
    })
}

/// A date with an offset; the name of a zone in brackets behind it says nothing more.
fn date_time(item: Item) -> Result<GValue, DecodeError> {
    parsed(item, "a date", |text| {
        let date = text.split_once('[').map_or(text, |(date, _)| date);
        DateTime::parse(date).map(GValue::DateTime)
    })
}
