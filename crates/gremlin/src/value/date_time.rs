//! Dates and durations.

use std::fmt;

/// A point in time, with the offset from UTC that it is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// Since 1970, UTC.
    pub seconds: i64,
    /// Below a second.
    pub nanos: u32,
    /// East of UTC.
    pub offset_seconds: i32,
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// Below a second.
    pub nanos: u32,
}

/// A date and time of day without offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// From -9999 to 9999.
    pub year: i32,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
    /// From 0.
    pub hour: u8,
    /// From 0.
    pub minute: u8,
    /// From 0.
    pub second: u8,
}

const DAY_SECONDS: i64 = 86_400;

/// Java's: 18 hours.
const MAX_OFFSET_SECONDS: i32 = 18 * 3600;

impl DateTime {
    /// A point in UTC.
    pub fn from_ms(ms: i64) -> Self {
        let nanos = ms.rem_euclid(1000) as u32 * 1_000_000;
        DateTime { seconds: ms.div_euclid(1000), nanos, offset_seconds: 0 }
    }

    /// Milliseconds since 1970, rounded down. `None` where they do not fit.
    pub fn to_ms(&self) -> Option<i64> {
        self.seconds.checked_mul(1000)?.checked_add(i64::from(self.nanos / 1_000_000))
    }

    /// A local time at an offset. `None` for a day that is not in the calendar.
    pub fn from_local(local: Calendar, nanos: u32, offset_seconds: i32) -> Option<Self> {
        let is_valid = (-9999..=9999).contains(&local.year)
            && (1..=12).contains(&local.month)
            && local.day >= 1
            && local.day <= days_of_month(local.year, local.month)
            && local.hour < 24
            && local.minute < 60
            && local.second < 60
            && nanos < 1_000_000_000
            && offset_seconds.abs() <= MAX_OFFSET_SECONDS;
        let of_day = i64::from(local.hour) * 3600 + i64::from(local.minute) * 60 + i64::from(local.second);
        let days = days_from_civil(local.year, local.month, local.day);
        let seconds = days * DAY_SECONDS + of_day - i64::from(offset_seconds);
        is_valid.then_some(DateTime { seconds, nanos, offset_seconds })
    }

    /// Year to second at its offset. `None` for years of more than four digits.
    pub fn to_local(&self) -> Option<Calendar> {
        let local = self.seconds.checked_add(i64::from(self.offset_seconds))?;
        let (year, month, day) = civil_from_days(local.div_euclid(DAY_SECONDS))?;
        let of_day = local.rem_euclid(DAY_SECONDS);
        let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60].map(|part| part as u8);
        Some(Calendar { year, month, day, hour, minute, second })
    }

    /// ISO 8601: `2018-03-22`, `2018-03-22T00:35`, seconds, a fraction of up to nine digits, `Z` or an offset. Without an offset it is
    /// UTC; a month may stand without its day.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
        let (negative, date) = date.strip_prefix('-').map_or((false, date), |date| (true, date));
        let mut parts = date.split('-');
        let year: i32 = digits(parts.next()?, 4)?;
        let month = digits(parts.next()?, 2)?;
        let day = parts.next().map_or(Some(1), |day| digits(day, 2))?;
        if parts.next().is_some() {
            return None;
        }
        let year = if negative { -year } else { year };
        let (clock, offset_seconds) = match time {
            Some(time) => split_offset(time)?,
            None => ("00:00", 0),
        };
        let (clock, nanos) = match clock.split_once(['.', ',']) {
            Some((clock, fraction)) => (clock, parse_fraction(fraction)?),
            None => (clock, 0),
        };
        let mut parts = clock.split(':');
        let hour = digits(parts.next()?, 2)?;
        let minute = digits(parts.next()?, 2)?;
        let second = parts.next().map_or(Some(0), |second| digits(second, 2))?;
        if parts.next().is_some() {
            return None;
        }
        DateTime::from_local(Calendar { year, month, day, hour, minute, second }, nanos, offset_seconds)
    }
}

/// ISO 8601 as Java prints it: seconds only if there are any, a fraction in threes of digits.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Calendar { year, month, day, hour, minute, second }) = self.to_local() else {
            return write!(f, "{}s", self.seconds);
        };
        let sign = if year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}", year.abs())?;
        if second > 0 || self.nanos > 0 {
            write!(f, ":{second:02}")?;
        }
        write_fraction(f, self.nanos)?;
        let (sign, offset) =
            if self.offset_seconds < 0 { ('-', -self.offset_seconds) } else { ('+', self.offset_seconds) };
        match (offset, offset % 60) {
            (0, _) => write!(f, "Z"),
            (_, 0) => write!(f, "{sign}{:02}:{:02}", offset / 3600, offset / 60 % 60),
            (_, seconds) => write!(f, "{sign}{:02}:{:02}:{seconds:02}", offset / 3600, offset / 60 % 60),
        }
    }
}

fn write_fraction(f: &mut fmt::Formatter<'_>, nanos: u32) -> fmt::Result {
    match nanos {
        0 => Ok(()),
        _ if nanos.is_multiple_of(1_000_000) => write!(f, ".{:03}", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => write!(f, ".{:06}", nanos / 1_000),
        _ => write!(f, ".{nanos:09}"),
    }
}

/// Up to nine digits of a second.
fn parse_fraction(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let nanos: u32 = digits(text, text.len())?;
    Some(nanos * 10_u32.pow(9 - text.len() as u32))
}

/// A time and its offset in seconds.
fn split_offset(time: &str) -> Option<(&str, i32)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.find(['+', '-']) else { return Some((time, 0)) };
    let mut parts = time[at + 1..].split(':');
    let first = parts.next()?;
    let (hours, joined) = match first.len() {
        4 => (first.get(..2)?, first.get(2..)),
        _ => (first, None),
    };
    let hours: i32 = digits(hours, 2)?;
    let minutes: i32 = digits(joined.or_else(|| parts.next()).unwrap_or("00"), 2)?;
    let seconds: i32 = digits(parts.next().unwrap_or("00"), 2)?;
    if parts.next().is_some() || minutes >= 60 || seconds >= 60 {
        return None;
    }
    let offset = hours * 3600 + minutes * 60 + seconds;
    Some((&time[..at], if time[at..].starts_with('-') { -offset } else { offset }))
}

/// So many digits and nothing else.
fn digits<N: std::str::FromStr>(text: &str, count: usize) -> Option<N> {
    if text.len() != count || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn days_of_month(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970 in the proleptic Gregorian calendar; years are counted from March so that the leap day is the last.
fn days_from_civil(year: i32, month: u8, day: u8) -> i64 {
    let (month, day) = (i64::from(month), i64::from(day));
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The opposite of [`days_from_civil`].
fn civil_from_days(days: i64) -> Option<(i32, u8, u8)> {
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u8;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u8;
    let year = i32::try_from(year_of_era + era * 400 + i64::from(month <= 2)).ok()?;
    (-9999..=9999).contains(&year).then_some((year, month, day))
}

impl Duration {
    /// ISO 8601: days, hours, minutes and seconds; each may have a sign.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let text = text.strip_prefix(['P', 'p'])?;
        let (days, time) = text.split_once(['T', 't']).map_or((text, None), |(days, time)| (days, Some(time)));
        let mut nanos: i128 = 0;
        if !days.is_empty() {
            nanos += nanos_of(days.strip_suffix(['D', 'd'])?, DAY_SECONDS)?;
        }
        let mut rest = time.unwrap_or_default();
        if rest.is_empty() && (days.is_empty() || time.is_some()) {
            return None;
        }
        for (unit, seconds) in [('H', 3600), ('M', 60), ('S', 1)] {
            if let Some(at) = rest.find([unit, unit.to_ascii_lowercase()]) {
                nanos += nanos_of(&rest[..at], seconds)?;
                rest = &rest[at + 1..];
            }
        }
        let nanos = if negative { -nanos } else { nanos };
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        rest.is_empty().then_some(Duration { seconds, nanos: nanos.rem_euclid(1_000_000_000) as u32 })
    }
}

/// A signed number of a unit; only seconds have fractions.
fn nanos_of(text: &str, unit_seconds: i64) -> Option<i128> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if unit_seconds == 1 => (whole, parse_fraction(fraction)?),
        Some(_) => return None,
        None => (text, 0),
    };
    let whole: i64 = digits(whole, whole.len())?;
    let nanos = i128::from(whole) * i128::from(unit_seconds) * 1_000_000_000 + i128::from(fraction);
    Some(if negative { -nanos } else { nanos })
}

/// As Java prints it: hours, minutes and seconds, signs of their own.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        if total == 0 {
            return write!(f, "PT0S");
        }
        let whole = total / 1_000_000_000;
        let nanos = (total % 1_000_000_000).unsigned_abs();
        let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
        write!(f, "PT")?;
        if hours != 0 {
            write!(f, "{hours}H")?;
        }
        if minutes != 0 {
            write!(f, "{minutes}M")?;
        }
        if seconds != 0 || nanos != 0 {
            let sign = if total < 0 && seconds == 0 { "-" } else { "" };
            write!(f, "{sign}{seconds}")?;
            if nanos != 0 {
                write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0'))?;
            }
            write!(f, "S")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_print_in_their_shortest_form_and_read_back() {
        for (text, seconds, printed) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00Z"),
            ("2018-03-22", 1_521_676_800, "2018-03-22T00:00Z"),
            ("2018-03", 1_519_862_400, "2018-03-01T00:00Z"),
            ("2018-03-22T00:35:44.741Z", 1_521_678_944, "2018-03-22T00:35:44.741Z"),
            ("2018-03-22T00:35:44.741+1600", 1_521_621_344, "2018-03-22T00:35:44.741+16:00"),
            ("2000-02-29T23:59:59-01:30", 951_874_199, "2000-02-29T23:59:59-01:30"),
            ("-0001-12-31T00:00:00.000001Z", -62_167_305_600, "-0001-12-31T00:00:00.000001Z"),
        ] {
            let date = DateTime::parse(text).unwrap();
            assert_eq!((date.seconds, date.to_string().as_str()), (seconds, printed), "{text}");
            assert_eq!(DateTime::parse(printed), Some(date));
        }
    }

    #[test]
    fn days_and_their_numbers_agree_over_four_centuries() {
        for days in (-200_000..200_000).step_by(7) {
            let (year, month, day) = civil_from_days(days).unwrap();
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in ["", "2018", "2018-02-29", "2018-13-01", "2018-03-22T24:00", "2018-03-22T00:35:44.Z", "2018-3-2"] {
            assert_eq!(DateTime::parse(text), None, "{text}");
        }
        for text in ["2018-03-22T00:35+19:00", "2018-03-22T00:35+1:00", "2018-03-22T00:35é", "é018-03-22", "T", "-"] {
            assert_eq!(DateTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_round_down() {
        assert_eq!(DateTime::from_ms(-1), DateTime { seconds: -1, nanos: 999_000_000, offset_seconds: 0 });
        assert_eq!(DateTime::from_ms(-1).to_ms(), Some(-1));
        assert_eq!(DateTime { seconds: i64::MAX, nanos: 0, offset_seconds: 0 }.to_ms(), None);
    }

    #[test]
    fn durations_print_as_java_does_and_read_back() {
        for (text, printed) in [
            ("PT0S", "PT0S"),
            ("P1DT2H", "PT26H"),
            ("PT1M30.5S", "PT1M30.5S"),
            ("-PT1.5S", "PT-1.5S"),
            ("PT-0.5S", "PT-0.5S"),
            ("P2D", "PT48H"),
        ] {
            let duration = Duration::parse(text).unwrap();
            assert_eq!(duration.to_string(), printed);
            assert_eq!(Duration::parse(printed), Some(duration));
        }
        for text in ["", "P", "PT", "1S", "PT1H1H", "P1Y", "PT1.5M", "PT99999999999999999999S", "P1DT"] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
