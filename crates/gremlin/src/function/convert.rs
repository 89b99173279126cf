//! Booleans and dates from other values, and dates moved.

use super::{class_name, refuse};
use crate::io::text;
use crate::run::RunError;
use crate::value::{DateTime, DateUnit, GValue};

/// `asBool()`: numbers but zero and NaN are true, and the texts `true` and `false` what they say.
///
/// # Errors
/// Anything else.
pub fn as_bool(value: &GValue) -> Result<GValue, RunError> {
    let unknown = |shown: &str| Err(refuse(format!("Can't parse {shown} as Boolean.")));
    match value {
        GValue::Bool(_) => Ok(value.clone()),
        GValue::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            _ => unknown(text),
        },
        other => match super::number::to_f64(other) {
            Some(number) => Ok((number != 0.0 && !number.is_nan()).into()),
            None => unknown(class_name::simple(other)),
        },
    }
}

/// `asDate()`: of ISO 8601 texts and milliseconds since 1970.
///
/// # Errors
/// Anything else.
pub fn as_date(value: &GValue) -> Result<GValue, RunError> {
    let date = match value {
        GValue::DateTime(date) => Some(*date),
        GValue::Date(ms) => Some(DateTime::from_ms(*ms)),
        GValue::String(text) => DateTime::parse(text),
        integer => integer.as_i64().map(DateTime::from_ms),
    };
    date.map(GValue::DateTime).ok_or_else(|| {
        let shown = match value {
            GValue::String(_) | GValue::BigInteger(_) | GValue::Null => text::of(value),
            other => class_name::simple(other).to_owned(),
        };
        refuse(format!("Can't parse {shown} as OffsetDateTime."))
    })
}

/// `dateAdd()`: a date moved by so many seconds, minutes, hours or days.
///
/// # Errors
/// What is no date, and dates beyond the calendar.
pub fn date_add(value: &GValue, unit: DateUnit, amount: i64) -> Result<GValue, RunError> {
    let date = date(value).ok_or_else(|| refuse("dateAdd() accept only OffsetDateTime or Date (deprecated)."))?;
    let unit_seconds = match unit {
        DateUnit::Second => 1,
        DateUnit::Minute => 60,
        DateUnit::Hour => 3_600,
        DateUnit::Day => 86_400,
    };
    let moved = amount.checked_mul(unit_seconds).and_then(|seconds| date.seconds.checked_add(seconds));
    let moved = moved.map(|seconds| DateTime { seconds, ..date }).filter(|moved| moved.to_local().is_some());
    moved.map(GValue::DateTime).ok_or_else(|| refuse("dateAdd() leads beyond the calendar"))
}

/// `dateDiff()`: the milliseconds from another date to this one. Without another it is that of 1970.
///
/// # Errors
/// What is no date.
pub fn date_diff(value: &GValue, other: &GValue) -> Result<GValue, RunError> {
    let refused = |value: &GValue| {
        let class = class_name::simple(value);
        refuse(format!("DateDiff can only take OffsetDateTime or Date (deprecated) as argument, encountered {class}"))
    };
    let one = date(value).ok_or_else(|| refused(value))?;
    let two = match other {
        GValue::Null => DateTime::from_ms(0),
        other => date(other).ok_or_else(|| refused(other))?,
    };
    let nanos = |date: DateTime| i128::from(date.seconds) * 1_000_000_000 + i128::from(date.nanos);
    let milliseconds = (nanos(one) - nanos(two)).div_euclid(1_000_000);
    i64::try_from(milliseconds).map(GValue::Long).map_err(|_| refuse("long overflow"))
}

fn date(value: &GValue) -> Option<DateTime> {
    match value {
        GValue::DateTime(date) => Some(*date),
        GValue::Date(ms) => Some(DateTime::from_ms(*ms)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(text: &str) -> GValue {
        GValue::DateTime(DateTime::parse(text).unwrap())
    }

    #[test]
    fn booleans_are_read() {
        for (value, result) in [
            (2.5.into(), true),
            (0.into(), false),
            (f64::NAN.into(), false),
            (" True".into(), true),
            (false.into(), false),
        ] {
            assert_eq!(as_bool(&value), Ok(result.into()));
        }
        assert_eq!(as_bool(&"hello".into()).unwrap_err().to_string(), "Can't parse hello as Boolean.");
        assert_eq!(as_bool(&GValue::Null).unwrap_err().to_string(), "Can't parse null as Boolean.");
    }

    #[test]
    fn dates_are_read_and_keep_their_offset() {
        assert_eq!(as_date(&"2023-08-02T00:00:00-07:00".into()), Ok(dated("2023-08-02T00:00:00-07:00")));
        assert_eq!(as_date(&1_694_017_707_000_i64.into()), Ok(dated("2023-09-06T16:28:27Z")));
        assert_eq!(as_date(&GValue::Date(0)), Ok(dated("1970-01-01")));
        for value in [1.0.into(), "tomorrow".into(), GValue::Null] {
            assert!(as_date(&value).unwrap_err().to_string().starts_with("Can't parse"));
        }
    }

    #[test]
    fn dates_are_moved_within_the_calendar() {
        let date = dated("2023-08-02");
        assert_eq!(date_add(&date, DateUnit::Hour, -1), Ok(dated("2023-08-01T23:00:00Z")));
        assert_eq!(date_add(&GValue::Date(0), DateUnit::Day, 31), Ok(dated("1970-02-01")));
        assert!(date_add(&date, DateUnit::Day, i64::MAX).is_err());
        assert!(date_add(&date, DateUnit::Day, 10_000_000).is_err());
        assert!(date_add(&"2023".into(), DateUnit::Day, 1).is_err());
    }

    #[test]
    fn differences_are_milliseconds() {
        let (one, two) = (dated("2023-08-08"), dated("2023-08-08T00:00:30Z"));
        assert_eq!(date_diff(&one, &two), Ok((-30_000_i64).into()));
        assert_eq!(date_diff(&dated("2020-08-02"), &GValue::Null), Ok(1_596_326_400_000_i64.into()));
        assert!(date_diff(&1.into(), &one).is_err());
        assert!(date_diff(&one, &1.into()).is_err());
    }
}
