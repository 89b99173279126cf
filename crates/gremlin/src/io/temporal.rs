//! Texts of those times that are no points in time: ISO 8601 as Java prints it.

use std::fmt;

/// A time of day: seconds only if there are any, a fraction in threes of digits.
pub(crate) fn time(hour: u8, minute: u8, second: u8, nanos: u32) -> String {
    let clock = match (second, nanos) {
        (0, 0) => return format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match nanos {
        0 => clock,
        _ if nanos.is_multiple_of(1_000_000) => format!("{clock}.{:03}", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!("{clock}.{:06}", nanos / 1_000),
        _ => format!("{clock}.{nanos:09}"),
    }
}

/// Years, months and days, those that are not zero.
pub(crate) fn period(years: i32, months: i32, days: i32) -> String {
    let parts = [(years, 'Y'), (months, 'M'), (days, 'D')];
    let text: String =
        parts.iter().filter(|(number, _)| *number != 0).map(|(number, unit)| format!("{number}{unit}")).collect();
    if text.is_empty() { "P0D".into() } else { format!("P{text}") }
}

/// Seconds east of UTC.
pub(crate) struct Offset(pub i32);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let offset = self.0.unsigned_abs();
        match (offset, offset % 60) {
            (0, _) => write!(f, "Z"),
            (_, 0) => write!(f, "{sign}{:02}:{:02}", offset / 3600, offset / 60 % 60),
            (_, seconds) => write!(f, "{sign}{:02}:{:02}:{seconds:02}", offset / 3600, offset / 60 % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_java() {
        assert_eq!(time(12, 30, 0, 0), "12:30");
        assert_eq!(time(12, 30, 45, 0), "12:30:45");
        assert_eq!(time(0, 0, 0, 1_000_000), "00:00:00.001");
        assert_eq!(time(1, 2, 3, 4_000), "01:02:03.000004");
        assert_eq!(time(1, 2, 3, 4), "01:02:03.000000004");
        assert_eq!(period(1, 6, 15), "P1Y6M15D");
        assert_eq!(period(0, -6, 0), "P-6M");
        assert_eq!(period(0, 0, 0), "P0D");
        assert_eq!(
            [0, 7200, -5400, 11_169].map(|seconds| Offset(seconds).to_string()),
            ["Z", "+02:00", "-01:30", "+03:06:09"]
        );
    }
}
