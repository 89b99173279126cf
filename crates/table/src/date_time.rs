//! Points in time with the resolution of the service: 100 nanoseconds.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Ticks of 100 ns in a second.
const TICKS_PER_SECOND: i64 = 10_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// A point in time from 1601-01-01 to 9999-12-31, in UTC.
///
/// Its text has a fixed width, so that texts order as times do: `2020-01-31T23:59:59.1234567Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// Since 1970.
    ticks: i64,
}

impl DateTime {
    /// 1601-01-01T00:00:00.0000000Z
    pub const MIN: DateTime = DateTime { ticks: days_from_civil(1601, 1, 1) * SECONDS_PER_DAY * TICKS_PER_SECOND };
    /// 9999-12-31T23:59:59.9999999Z
    pub const MAX: DateTime =
        DateTime { ticks: days_from_civil(10_000, 1, 1) * SECONDS_PER_DAY * TICKS_PER_SECOND - 1 };

    /// Bytes of its text.
    pub const TEXT_LEN: usize = 28;

    /// The time so many ticks of 100 ns after 1970 (before, if negative); the nearest possible one if that is out of range.
    pub fn from_unix_ticks(ticks: i64) -> Self {
        DateTime { ticks }.clamp(DateTime::MIN, DateTime::MAX)
    }

    /// Ticks of 100 ns since 1970.
    pub fn unix_ticks(self) -> i64 {
        self.ticks
    }

    /// Seconds since 1970, those begun not counted: the time is not before them.
    pub fn unix_seconds(self) -> i64 {
        self.ticks.div_euclid(TICKS_PER_SECOND)
    }

    /// Whether the time is one of whole seconds.
    pub fn is_whole_second(self) -> bool {
        self.ticks.rem_euclid(TICKS_PER_SECOND) == 0
    }

    /// Reads `YYYY-MM-DD`, optionally `Thh:mm[:ss[.fraction]]` and then `Z` or `+hh:mm`; without a zone UTC is meant. Digits of the
    /// fraction beyond the seventh are cut off. None if it is spelled otherwise or out of range.
    pub fn parse(text: &str) -> Option<Self> {
        let mut input = Input { rest: text.as_bytes() };
        let (year, month, day) = (input.digits(4)?, input.after(b'-', 2)?, input.after(b'-', 2)?);
        if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
            return None;
        }
        let mut ticks = days_from_civil(year, month, day) * SECONDS_PER_DAY * TICKS_PER_SECOND;
        if input.takes(b'T') || input.takes(b't') || input.takes(b' ') {
            ticks += input.time_of_day()?;
            ticks -= input.zone()?;
        } else {
            ticks -= input.zone()?;
        }
        let time = DateTime { ticks };
        (input.rest.is_empty() && (DateTime::MIN..=DateTime::MAX).contains(&time)).then_some(time)
    }

    /// The text, without any allocation.
    pub fn to_text(self) -> [u8; DateTime::TEXT_LEN] {
        let (days, of_day) = (
            self.ticks.div_euclid(SECONDS_PER_DAY * TICKS_PER_SECOND),
            self.ticks.rem_euclid(SECONDS_PER_DAY * TICKS_PER_SECOND),
        );
        let (year, month, day) = civil_from_days(days);
        let seconds = of_day / TICKS_PER_SECOND;
        let mut text = *b"0000-00-00T00:00:00.0000000Z";
        for (at, width, number) in [
            (0, 4, year),
            (5, 2, month),
            (8, 2, day),
            (11, 2, seconds / 3600),
            (14, 2, seconds / 60 % 60),
            (17, 2, seconds % 60),
            (20, 7, of_day % TICKS_PER_SECOND),
        ] {
            write_digits(&mut text[at..at + width], number);
        }
        text
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_text().iter().try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        DateTime::parse(&text).ok_or_else(|| serde::de::Error::custom(format_args!("{text:?} is no time")))
    }
}

fn write_digits(digits: &mut [u8], number: i64) {
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

struct Input<'t> {
    rest: &'t [u8],
}

impl Input<'_> {
    fn takes(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn digits(&mut self, width: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(width)?;
        self.rest = rest;
        digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
    }

    fn after(&mut self, sign: u8, width: usize) -> Option<i64> {
        if self.takes(sign) { self.digits(width) } else { None }
    }

    /// `hh:mm[:ss[.fraction]]` in ticks.
    fn time_of_day(&mut self) -> Option<i64> {
        let (hours, minutes) = (self.digits(2)?, self.after(b':', 2)?);
        let mut seconds = 0;
        let mut fraction = 0;
        if self.takes(b':') {
            seconds = self.digits(2)?;
            if self.takes(b'.') {
                fraction = self.fraction()?;
            }
        }
        (hours < 24 && minutes < 60 && seconds < 60)
            .then_some((hours * 3600 + minutes * 60 + seconds) * TICKS_PER_SECOND + fraction)
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(7);
        (count > 0).then(|| padded.fold(0, |ticks, digit| ticks * 10 + i64::from(digit - b'0')))
    }

    /// How far the zone is ahead of UTC, in ticks.
    fn zone(&mut self) -> Option<i64> {
        if self.rest.is_empty() || self.takes(b'Z') || self.takes(b'z') {
            return Some(0);
        }
        let ahead = self.takes(b'+');
        if !ahead && !self.takes(b'-') {
            return None;
        }
        let hours = self.digits(2)?;
        self.takes(b':');
        let minutes = self.digits(2)?;
        let ticks = (hours * 3600 + minutes * 60) * TICKS_PER_SECOND;
        (hours <= 14 && minutes < 60).then_some(if ahead { ticks } else { -ticks })
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that the leap day comes last.
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let century = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    century * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day: the inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let century = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (century * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Option<String> {
        DateTime::parse(text).map(|time| time.to_string())
    }

    #[test]
    fn times_are_read_in_every_accepted_spelling() {
        for (text, expected) in [
            ("2020-01-31T23:59:59.1234567Z", "2020-01-31T23:59:59.1234567Z"),
            ("2020-01-31T23:59:59.123456789Z", "2020-01-31T23:59:59.1234567Z"),
            ("2020-02-29T00:00:00.5", "2020-02-29T00:00:00.5000000Z"),
            ("2020-01-01", "2020-01-01T00:00:00.0000000Z"),
            ("2020-01-01T10:20Z", "2020-01-01T10:20:00.0000000Z"),
            ("2020-01-01T00:30:00+01:00", "2019-12-31T23:30:00.0000000Z"),
            ("2020-01-01T00:30:00.25-0530", "2020-01-01T06:00:00.2500000Z"),
            ("1601-01-01T00:00:00Z", "1601-01-01T00:00:00.0000000Z"),
            ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"),
            ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.9999999Z"),
        ] {
            assert_eq!(printed(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(DateTime::parse("1970-01-01T00:00:01Z").unwrap().unix_ticks(), 10_000_000);
        assert_eq!(DateTime::parse("2001-09-09T01:46:40Z").unwrap().unix_seconds(), 1_000_000_000);
    }

    #[test]
    fn malformed_and_distant_times_are_refused() {
        for text in [
            "",
            "2013-13-45",
            "2013-00-01",
            "2019-02-29",
            "1900-02-29",
            "2013-1-1",
            "2020-01-01T",
            "2020-01-01T24:00:00Z",
            "2020-01-01T10:60Z",
            "2020-01-01T10:00:60Z",
            "2020-01-01T10:00:00.Z",
            "2020-01-01T10:00:00ZZ",
            "1600-12-31T23:59:59Z",
            "1601-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2020-01-01T10:00:00+15:00",
            "２020-01-01",
            "12020-01-01",
        ] {
            assert_eq!(printed(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_has_its_text() {
        let day = SECONDS_PER_DAY * TICKS_PER_SECOND;
        let mut time = DateTime::MIN;
        let mut before = String::new();
        while time < DateTime::MAX {
            let text = time.to_string();
            assert!(text > before, "{text} follows {before}");
            assert_eq!(DateTime::parse(&text), Some(time));
            before = text;
            time.ticks += 171 * day + 12_345_678_901;
        }
    }
}
