//! The state of replication.

use super::xml::Writer;
use crate::DateTime;

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A document `StorageServiceStats`: all that was written before `last_sync` is on the secondary.
pub fn write_stats(last_sync: DateTime) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.element("StorageServiceStats", |writer| {
        writer.element("GeoReplication", |writer| {
            writer.text("Status", "live");
            writer.text("LastSyncTime", &http_date(last_sync));
        });
    });
    writer.finish()
}

/// The time as in headers: `Thu, 01 Jan 1970 00:00:00 GMT`.
fn http_date(time: DateTime) -> String {
    const SECONDS_PER_DAY: i64 = 86_400;
    let text = time.to_string();
    let (date, clock) = (&text[..10], &text[11..19]);
    let (year, month, day) = (&date[..4], &date[5..7], &date[8..]);
    let month = month.parse().ok().and_then(|month: usize| MONTHS.get(month - 1)).unwrap_or(&"");
    // 1970 began on a Thursday.
    let weekday = time.unix_seconds().div_euclid(SECONDS_PER_DAY).rem_euclid(7);
    format!("{}, {day} {month} {year} {clock} GMT", WEEKDAYS[usize::try_from(weekday).unwrap_or_default()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_headers() {
        for (text, expected) in [
            ("1970-01-01", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("2026-11-20T14:39:42.8712123Z", "Fri, 20 Nov 2026 14:39:42 GMT"),
            ("1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] {
            let xml = String::from_utf8(write_stats(DateTime::parse(text).unwrap())).unwrap();
            assert!(xml.contains(&format!("<LastSyncTime>{expected}</LastSyncTime>")), "{xml}");
        }
    }
}
