//! A moment in UTC, as the number of 100 ns since 1970, and how it is spelled.

/// A moment of the years 1 to 9999, in 100 ns since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant(i64);

/// The fields of a date and time of day in the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    /// 100 ns within the second.
    pub fraction: i64,
}

pub(super) const TICKS_PER_SECOND: i64 = 10_000_000;
pub(super) const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
pub(super) const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
pub(super) const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;

/// Days from the first of January of the year 1 to that of 1970.
const DAYS_TO_1970: i64 = 719_162;
/// Days from the first of January of the year 1 to that of 10000.
const DAYS_TO_10000: i64 = 3_652_059;
const DAYS_IN_400_YEARS: i64 = 146_097;
const DAYS_IN_100_YEARS: i64 = 36_524;
const DAYS_IN_4_YEARS: i64 = 1_461;
/// Days before each month of a year that is no leap year.
const DAYS_BEFORE_MONTH: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

impl Instant {
    /// 1970
    pub const UNIX_EPOCH: Instant = Instant(0);
    /// 1601, before which the service has no bins, ticks or timestamps.
    pub const WINDOWS_EPOCH: Instant = Instant(-11_644_473_600 * TICKS_PER_SECOND);

    /// The moment that many 100 ns after 1970; none outside the years 1 to 9999.
    pub fn from_ticks(ticks: i64) -> Option<Instant> {
        const FIRST: i64 = -DAYS_TO_1970 * TICKS_PER_DAY;
        const END: i64 = (DAYS_TO_10000 - DAYS_TO_1970) * TICKS_PER_DAY;
        (FIRST..END).contains(&ticks).then_some(Instant(ticks))
    }

    /// 100 ns since 1970.
    pub fn ticks(self) -> i64 {
        self.0
    }

    /// Reads `YYYY-MM-DD`, then nothing or `T` or a space and `hh:mm:ss` with nothing or up to seven digits of a fraction; each with
    /// or without a `Z` at its end. That is all that the service documents as valid: no offsets, no hours alone.
    pub fn parse(text: &str) -> Option<Instant> {
        let text = text.as_bytes();
        let text = text.strip_suffix(b"Z").unwrap_or(text);
        let (date, time) = text.split_at_checked(10)?;
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else { return None };
        let mut fields = Fields {
            year: digits(&[y1, y2, y3, y4])?,
            month: digits(&[m1, m2])?,
            day: digits(&[d1, d2])?,
            hour: 0,
            minute: 0,
            second: 0,
            fraction: 0,
        };
        if let [b'T' | b' ', h1, h2, b':', m1, m2, b':', s1, s2, ref fraction @ ..] = *time {
            fields.hour = digits(&[h1, h2])?;
            fields.minute = digits(&[m1, m2])?;
            fields.second = digits(&[s1, s2])?;
            fields.fraction = parse_fraction(fraction)?;
        } else if !time.is_empty() {
            return None;
        }
        fields.instant()
    }

    /// `YYYY-MM-DDThh:mm:ss.fffffffZ`, always with seven digits of a fraction.
    pub fn to_iso(self) -> String {
        let Fields { year, month, day, hour, minute, second, fraction } = self.fields();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z")
    }

    pub fn fields(self) -> Fields {
        let days = self.0.div_euclid(TICKS_PER_DAY);
        let time = self.0.rem_euclid(TICKS_PER_DAY);
        let (year, month, day) = date_of(days + DAYS_TO_1970);
        Fields {
            year,
            month,
            day,
            hour: time / TICKS_PER_HOUR,
            minute: time / TICKS_PER_MINUTE % 60,
            second: time / TICKS_PER_SECOND % 60,
            fraction: time % TICKS_PER_SECOND,
        }
    }

    /// The day of the week, 0 for Sunday.
    pub fn weekday(self) -> usize {
        const THURSDAY: i64 = 4;
        (self.0.div_euclid(TICKS_PER_DAY) + THURSDAY).rem_euclid(7) as usize
    }

    /// The same day and time `months` later; the last day of the month where it has no such day.
    pub fn plus_months(self, months: i64) -> Option<Instant> {
        let mut fields = self.fields();
        let count = (fields.year * 12 + fields.month - 1).checked_add(months)?;
        fields.year = count.div_euclid(12);
        fields.month = count.rem_euclid(12) + 1;
        if !(1..=9999).contains(&fields.year) {
            return None;
        }
        fields.day = fields.day.min(days_in_month(fields.year, fields.month));
        fields.instant()
    }
}

impl Fields {
    /// The moment that they spell; none if there is no such date or time.
    pub fn instant(self) -> Option<Instant> {
        let Fields { year, month, day, hour, minute, second, fraction } = self;
        let is_date =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
        let is_time = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..TICKS_PER_SECOND).contains(&fraction);
        if !is_date || !is_time {
            return None;
        }
        let days = days_before_year(year) + days_before_month(year, month) + day - 1 - DAYS_TO_1970;
        let seconds = (hour * 60 + minute) * 60 + second;
        Some(Instant(days * TICKS_PER_DAY + seconds * TICKS_PER_SECOND + fraction))
    }

    /// Months since the year 0.
    pub fn month_count(self) -> i64 {
        self.year * 12 + self.month - 1
    }
}

/// The number that all of these digits spell.
fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

/// Nothing, or a point and one to seven digits, as 100 ns.
fn parse_fraction(text: &[u8]) -> Option<i64> {
    let Some((point, text)) = text.split_first() else { return Some(0) };
    if *point != b'.' || !(1..=7).contains(&text.len()) {
        return None;
    }
    Some(digits(text)? * 10i64.pow(7 - text.len() as u32))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from the first of January of the year 1.
fn days_before_year(year: i64) -> i64 {
    let years = year - 1;
    years * 365 + years / 4 - years / 100 + years / 400
}

fn days_before_month(year: i64, month: i64) -> i64 {
    DAYS_BEFORE_MONTH[month as usize - 1] + i64::from(month > 2 && is_leap(year))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let after = if month == 12 { 365 + i64::from(is_leap(year)) } else { days_before_month(year, month + 1) };
    after - days_before_month(year, month)
}

/// Year, month and day of the day that is `days` after the first of January of the year 1.
fn date_of(days: i64) -> (i64, i64, i64) {
    // Each cycle ends with its longest part, so that the last day of a cycle must not open a part of its own.
    let (cycles, days) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
    let centuries = (days / DAYS_IN_100_YEARS).min(3);
    let days = days - centuries * DAYS_IN_100_YEARS;
    let (leaps, days) = (days / DAYS_IN_4_YEARS, days % DAYS_IN_4_YEARS);
    let years = (days / 365).min(3);
    let day_of_year = days - years * 365;
    let year = cycles * 400 + centuries * 100 + leaps * 4 + years + 1;
    let month = (1..12).take_while(|month| days_before_month(year, month + 1) <= day_of_year).count() as i64 + 1;
    (year, month, day_of_year - days_before_month(year, month) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_reads_back_as_it_is_printed() {
        let mut last = String::new();
        for day in (-DAYS_TO_1970..DAYS_TO_10000 - DAYS_TO_1970).step_by(13) {
            let instant = Instant::from_ticks(day * TICKS_PER_DAY + day.rem_euclid(TICKS_PER_DAY)).unwrap();
            let text = instant.to_iso();
            assert_eq!(Instant::parse(&text), Some(instant), "{text}");
            assert!(last < text, "{text}");
            last = text;
        }
    }

    #[test]
    fn known_days_have_their_numbers_and_weekdays() {
        for (text, days, weekday) in [
            ("0001-01-01", -719_162, 1),
            ("1601-01-01", -134_774, 1),
            ("1970-01-01", 0, 4),
            ("2000-02-29", 11_016, 2),
            ("2000-12-31", 11_322, 0),
            ("2024-12-31", 20_088, 2),
            ("9999-12-31", 2_932_896, 5),
        ] {
            let instant = Instant::parse(text).unwrap();
            assert_eq!((instant.ticks(), instant.weekday()), (days * TICKS_PER_DAY, weekday), "{text}");
            assert!(instant.to_iso().starts_with(text));
        }
        assert_eq!(Instant::parse("1601-01-01"), Some(Instant::WINDOWS_EPOCH));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "Z",
            "2023-02-29",
            "1900-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-01-00",
            "0000-01-01",
            "10000-01-01",
            "2023-1-01",
            "2023-01-01T",
            "2023-01-01T10:00Z",
            "2023-01-01T24:00:00",
            "2023-01-01T10:60:00",
            "2023-01-01T10:00:60",
            "2023-01-01T10:00:00.12345678",
            "2023-01-01T10:00:00.1a",
            "2023-01-01T10:00:00+01:00",
            "2023-01-01t10:00:00",
            "2023-01-01T10:00:00ZZ",
            " 2023-01-01",
            "2023-01-é1",
            "+023-01-01",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn months_end_where_they_end() {
        for (text, months, expected) in [
            ("2020-01-31", 1, "2020-02-29"),
            ("2019-01-31", 1, "2019-02-28"),
            ("2020-02-29", 12, "2021-02-28"),
            ("2020-03-31", -1, "2020-02-29"),
            ("2020-01-15", -13, "2018-12-15"),
            ("2020-12-15", 1, "2021-01-15"),
        ] {
            let moved = Instant::parse(text).unwrap().plus_months(months);
            assert_eq!(moved, Instant::parse(expected), "{text} {months}");
        }
        assert_eq!(Instant::parse("9999-12-01").unwrap().plus_months(1), None);
        assert_eq!(Instant::parse("0001-01-01").unwrap().plus_months(-1), None);
        assert_eq!(Instant::parse("2020-01-01").unwrap().plus_months(i64::MAX), None);
    }
}
