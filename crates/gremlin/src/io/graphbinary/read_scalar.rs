//! Numbers, texts, ids and times.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use bytes::Bytes;

use super::super::DecodeError;
use super::super::temporal::{self, Offset};
use super::code;
use super::input::Input;
use crate::value::{BigDecimal, BigInt, Calendar, DateTime, Duration, GValue, MAX_DECIMAL_SCALE, MAX_NUMBER_DIGITS};

/// Longest big integer in bytes. A digit takes log2(10) / 8 of one, a little more than 0.415.
const MAX_BIG_INTEGER_BYTES: usize = MAX_NUMBER_DIGITS * 415 / 1000;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

pub(super) fn body(input: &mut Input, code: u8) -> Result<GValue, DecodeError> {
    Ok(match code {
        code::INT => GValue::Int(input.i32("an int")?),
        code::LONG => GValue::Long(input.i64("a long")?),
        code::STRING => GValue::String(input.string("a string")?),
        code::DATE | code::TIMESTAMP => GValue::Date(input.i64("milliseconds")?),
        code::CLASS => GValue::Class(input.string("the name of a class")?),
        code::DOUBLE => GValue::Double(input.f64("a double")?),
        code::FLOAT => GValue::Float(input.f32("a float")?),
        code::UUID => GValue::Uuid(input.uuid()?),
        code::BIG_DECIMAL => big_decimal(input)?,
        code::BIG_INTEGER => GValue::BigInteger(Arc::new(big_integer(input)?)),
        code::BYTE => GValue::Byte(input.i8("a byte")?),
        code::BYTE_BUFFER => GValue::Binary(Bytes::copy_from_slice(input.sized("bytes")?)),
        code::SHORT => GValue::Short(input.i16("a short")?),
        code::BOOLEAN => boolean(input)?,
        code::CHAR => character(input)?,
        code::DURATION => duration(input)?,
        code::INSTANT => instant(input)?,
        code::OFFSET_DATE_TIME | code::ZONED_DATE_TIME => offset_date_time(input)?,
        _ => GValue::string(local(input, code)?),
    })
}

fn boolean(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    match input.u8("a boolean")? {
        0 => Ok(GValue::Bool(false)),
        1 => Ok(GValue::Bool(true)),
        other => Err(Input::unexpected(at, "a boolean", format!("0x{other:02x}"))),
    }
}

fn big_integer(input: &mut Input) -> Result<BigInt, DecodeError> {
    let at = input.at();
    let bytes = input.sized("a big integer")?;
    if bytes.len() > MAX_BIG_INTEGER_BYTES {
        return Err(DecodeError::NumberTooLong { at });
    }
    // No bytes are zero: some clients write it so.
    Ok(BigInt::from_signed_bytes_be(bytes))
}

fn big_decimal(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    let scale = input.i32("a scale")?;
    if !(-MAX_DECIMAL_SCALE..=MAX_DECIMAL_SCALE).contains(&scale) {
        return Err(DecodeError::NumberTooLong { at });
    }
    Ok(GValue::BigDecimal(Arc::new(BigDecimal { unscaled: big_integer(input)?, scale })))
}

/// One character in UTF-8, whose first byte says how many there are.
fn character(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    let first = input.u8("a character")?;
    let more = match first {
        0xf0.. => 3,
        0xe0.. => 2,
        0xc0.. => 1,
        _ => 0,
    };
    let mut bytes = [first, 0, 0, 0];
    bytes[1..=more].copy_from_slice(input.take(more, "a character")?);
    let text = std::str::from_utf8(&bytes[..=more]).ok();
    let character = text.and_then(|text| text.chars().next());
    character.map(GValue::Char).ok_or_else(|| Input::unexpected(at, "a character", "other bytes"))
}

fn nanos(input: &mut Input) -> Result<u32, DecodeError> {
    let at = input.at();
    let nanos = input.i32("nanoseconds")?;
    let is_valid = (0..NANOS_PER_SECOND).contains(&i64::from(nanos));
    if is_valid { Ok(nanos as u32) } else { Err(Input::unexpected(at, "nanoseconds", nanos.to_string())) }
}

fn duration(input: &mut Input) -> Result<GValue, DecodeError> {
    let seconds = input.i64("seconds")?;
    Ok(GValue::Duration(Duration { seconds, nanos: nanos(input)? }))
}

fn instant(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    let instant = DateTime { seconds: input.i64("seconds")?, nanos: nanos(input)?, offset_seconds: 0 };
    match instant.to_local() {
        Some(_) => Ok(GValue::DateTime(instant)),
        None => Err(Input::unexpected(at, "a year of four digits", format!("{} seconds", instant.seconds))),
    }
}

/// Year to nanosecond, and an offset.
fn offset_date_time(input: &mut Input) -> Result<GValue, DecodeError> {
    let at = input.at();
    let (year, month, day) = date(input)?;
    let (hour, minute, second, nanos) = time(input)?;
    let offset = input.i32("an offset in seconds")?;
    DateTime::from_local(Calendar { year, month, day, hour, minute, second }, nanos, offset)
        .map(GValue::DateTime)
        .ok_or_else(|| Input::unexpected(at, "a date", format!("{year}-{month}-{day} at offset {offset}")))
}

fn date(input: &mut Input) -> Result<(i32, u8, u8), DecodeError> {
    Ok((input.i32("a year")?, input.u8("a month")?, input.u8("a day")?))
}

/// Hour, minute, second and nanosecond.
fn time(input: &mut Input) -> Result<(u8, u8, u8, u32), DecodeError> {
    let at = input.at();
    let of_day = input.i64("nanoseconds of a day")?;
    if !(0..24 * 3600 * NANOS_PER_SECOND).contains(&of_day) {
        return Err(Input::unexpected(at, "nanoseconds of a day", of_day.to_string()));
    }
    let seconds = of_day / NANOS_PER_SECOND;
    let nanos = (of_day % NANOS_PER_SECOND) as u32;
    Ok(((seconds / 3600) as u8, (seconds / 60 % 60) as u8, (seconds % 60) as u8, nanos))
}

/// What is no point in time has no class of its own here: it is read as the ISO 8601 text that GraphSON has for it.
fn local(input: &mut Input, code: u8) -> Result<String, DecodeError> {
    Ok(match code {
        code::INET_ADDRESS => inet_address(input)?,
        code::LOCAL_DATE => local_date(input)?,
        code::LOCAL_DATE_TIME => format!("{}T{}", local_date(input)?, local_time(input)?),
        code::LOCAL_TIME => local_time(input)?,
        code::MONTH_DAY => format!("--{:02}-{:02}", input.u8("a month")?, input.u8("a day")?),
        code::OFFSET_TIME => format!("{}{}", local_time(input)?, Offset(input.i32("an offset in seconds")?)),
        code::PERIOD => {
            let [years, months, days] = [input.i32("years")?, input.i32("months")?, input.i32("days")?];
            temporal::period(years, months, days)
        }
        code::YEAR => input.i32("a year")?.to_string(),
        code::YEAR_MONTH => format!("{:04}-{:02}", input.i32("a year")?, input.u8("a month")?),
        code::ZONE_OFFSET => Offset(input.i32("an offset in seconds")?).to_string(),
        _ => return Err(DecodeError::UnknownType { at: input.at(), name: format!("0x{code:02x}") }),
    })
}

fn inet_address(input: &mut Input) -> Result<String, DecodeError> {
    let at = input.at();
    let bytes = input.sized("an address")?;
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Ok(Ipv4Addr::from(four).to_string());
    }
    match <[u8; 16]>::try_from(bytes) {
        Ok(sixteen) => Ok(Ipv6Addr::from(sixteen).to_string()),
        Err(_) => Err(Input::unexpected(at, "an address of 4 or 16 bytes", format!("{} bytes", bytes.len()))),
    }
}

fn local_date(input: &mut Input) -> Result<String, DecodeError> {
    let (year, month, day) = date(input)?;
    Ok(format!("{year:04}-{month:02}-{day:02}"))
}

fn local_time(input: &mut Input) -> Result<String, DecodeError> {
    let (hour, minute, second, nanos) = time(input)?;
    Ok(temporal::time(hour, minute, second, nanos))
}
