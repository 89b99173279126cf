//! Functions of dates and times, which are strings, and of the current time.
//!
//! A date and time is read in all spellings that IS_DATETIME accepts and printed in one, with seven digits of a fraction and a `Z`.
//! Counts are whole numbers, however they are spelled. What lies outside the years 1 to 9999 is undefined.

mod instant;
mod part;
mod pattern;

use orrery_value::{Number, Value};

use super::{Function, between, exactly};
use crate::query::evaluation::effort::system_ticks;
use crate::query::{Datum, Effort, Expr, UnaryOperator};
use instant::{Fields, Instant, TICKS_PER_SECOND};
use part::Part;

const TICKS_PER_MILLISECOND: i64 = TICKS_PER_SECOND / 1000;

pub(super) const FUNCTIONS: &[Function] = &[
    AGO,
    DATETIMEADD,
    between("DATETIMEBIN", 2, 4, |a, _| bin(a).into()),
    exactly("DATETIMEDIFF", 3, |a, _| difference(a).into()),
    exactly("DATETIMEFORMAT", 2, |a, effort| format(a, effort).into()),
    between("DATETIMEFROMPARTS", 3, 7, |a, _| from_parts(a).map(Instant::to_iso).into()),
    exactly("DATETIMEPART", 2, |a, _| part(&a[0]).and_then(|part| Some(part.of(instant(&a[1])?))).into()),
    exactly("DATETIMETOTICKS", 1, |a, _| instant(&a[0]).map(Instant::ticks).into()),
    exactly("DATETIMETOTIMESTAMP", 1, |a, _| instant(&a[0]).map(timestamp).into()),
    exactly("DAY", 1, |a, _| instant(&a[0]).map(|instant| Part::Day.of(instant)).into()),
    exactly("GETCURRENTDATETIME", 0, |_, _| Instant::from_ticks(system_ticks()).map(Instant::to_iso).into()).varying(),
    exactly("GETCURRENTDATETIMESTATIC", 0, |_, effort| began(effort).map(Instant::to_iso).into()),
    exactly("GETCURRENTTICKS", 0, |_, _| system_ticks().into()).varying(),
    exactly("GETCURRENTTICKSSTATIC", 0, |_, effort| effort.began().into()),
    exactly("GETCURRENTTIMESTAMP", 0, |_, _| system_ticks().div_euclid(TICKS_PER_MILLISECOND).into()).varying(),
    exactly("GETCURRENTTIMESTAMPSTATIC", 0, |_, effort| began(effort).map(timestamp).into()),
    exactly("IS_DATETIME", 1, |a, _| instant(&a[0]).is_some().into()),
    exactly("MONTH", 1, |a, _| instant(&a[0]).map(|instant| Part::Month.of(instant)).into()),
    NOW,
    exactly("TICKSTODATETIME", 1, |a, _| from_ticks(&a[0], 1).map(Instant::to_iso).into()),
    exactly("TIMESTAMPTODATETIME", 1, |a, _| from_ticks(&a[0], TICKS_PER_MILLISECOND).map(Instant::to_iso).into()),
    exactly("YEAR", 1, |a, _| instant(&a[0]).map(|instant| Part::Year.of(instant)).into()),
];

const AGO: Function = exactly("AGO", 2, |a, effort| ago(a, effort).map(Instant::to_iso).into());
const NOW: Function = between("NOW", 0, 2, |a, effort| now(a, effort).map(Instant::to_iso).into());
static DATETIMEADD_CALL: Function = DATETIMEADD;
const DATETIMEADD: Function = exactly("DATETIMEADD", 3, |a, _| add(a).map(Instant::to_iso).into());

/// `NOW` or `AGO` by an offset that differs by row, as an addition to the time at which the query began; other expressions as they are.
///
/// Like the service, which takes the query's time once while binding, for all rows.
pub(in crate::query) fn shifted_from_now(expr: Expr, effort: &Effort) -> Expr {
    let Expr::Call(function, arguments) = expr else { return expr };
    let negate = match function.name {
        "NOW" => false,
        "AGO" => true,
        _ => return Expr::Call(function, arguments),
    };
    let Ok([part, count]) = <[Expr; 2]>::try_from(arguments.clone()) else { return Expr::Call(function, arguments) };
    if part.as_constant().is_some() && count.as_constant().is_some() {
        return Expr::Call(function, arguments);
    }
    let count = if negate { Expr::Unary(UnaryOperator::Negate, Box::new(count)) } else { count };
    let began = Expr::Constant(began(effort).map_or(Value::Undefined, |began| Value::from(began.to_iso())));
    Expr::Call(&DATETIMEADD_CALL, vec![part, count, began])
}

/// When the query began.
fn began(effort: &Effort) -> Option<Instant> {
    Instant::from_ticks(effort.began())
}

fn instant(argument: &Datum<'_>) -> Option<Instant> {
    Instant::parse(&argument.as_str()?)
}

fn part(argument: &Datum<'_>) -> Option<Part> {
    Part::named(&argument.as_str()?)
}

fn integer(argument: &Datum<'_>) -> Option<i64> {
    argument.as_number().and_then(Number::as_i64)
}

/// Milliseconds since 1970; what is less than one is cut towards the past.
fn timestamp(instant: Instant) -> i64 {
    instant.ticks().div_euclid(TICKS_PER_MILLISECOND)
}

/// The moment `number` times `unit` 100 ns after 1970, not before 1601.
fn from_ticks(number: &Datum<'_>, unit: i64) -> Option<Instant> {
    let instant = Instant::from_ticks(integer(number)?.checked_mul(unit)?)?;
    (instant >= Instant::WINDOWS_EPOCH).then_some(instant)
}

fn add(arguments: &[Datum<'_>]) -> Option<Instant> {
    part(&arguments[0])?.add(instant(&arguments[2])?, integer(&arguments[1])?)
}

fn now(arguments: &[Datum<'_>], effort: &Effort) -> Option<Instant> {
    match arguments {
        [] => began(effort),
        [name, count] => part(name)?.add(began(effort)?, integer(count)?),
        _ => None,
    }
}

fn ago(arguments: &[Datum<'_>], effort: &Effort) -> Option<Instant> {
    part(&arguments[0])?.add(began(effort)?, integer(&arguments[1])?.checked_neg()?)
}

fn bin(arguments: &[Datum<'_>]) -> Option<String> {
    let (instant_in, part) = (instant(&arguments[0])?, part(&arguments[1])?);
    let size = arguments.get(2).map_or(Some(1), integer)?;
    let origin = arguments.get(3).map_or(Some(Instant::UNIX_EPOCH), instant)?;
    if size <= 0 || origin < Instant::WINDOWS_EPOCH {
        return None;
    }
    part.bin(instant_in, size, origin).map(Instant::to_iso)
}

/// Nanoseconds between moments that are centuries apart need more digits than an integer has.
fn difference(arguments: &[Datum<'_>]) -> Option<Value> {
    let count = part(&arguments[0])?.boundaries(instant(&arguments[1])?, instant(&arguments[2])?);
    Some(i64::try_from(count).map_or_else(|_| Value::from(count as f64), Value::from))
}

fn from_parts(arguments: &[Datum<'_>]) -> Option<Instant> {
    let field = |position: usize| arguments.get(position).map_or(Some(0), integer);
    Fields {
        year: field(0)?,
        month: field(1)?,
        day: field(2)?,
        hour: field(3)?,
        minute: field(4)?,
        second: field(5)?,
        fraction: field(6)?,
    }
    .instant()
}

fn format(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let (instant, pattern) = (instant(&arguments[0])?, arguments[1].as_str()?);
    effort.spend(pattern.len()).then(|| pattern::format(instant, &pattern))?
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called, called_with, check};
    use super::*;
    use crate::query::function;

    #[test]
    fn adding_counts_in_the_part() {
        check(&[
            ("DATETIMEADD", r#"["yyyy", 1, "2020-07-03T00:00:00.0000000"]"#, r#""2021-07-03T00:00:00.0000000Z""#),
            ("DATETIMEADD", r#"["month", -7, "2020-07-31"]"#, r#""2019-12-31T00:00:00.0000000Z""#),
            ("DATETIMEADD", r#"["mm", 2, "2020-12-31"]"#, r#""2021-02-28T00:00:00.0000000Z""#),
            ("DATETIMEADD", r#"["DD", 366, "2020-01-01 01:02:03.5"]"#, r#""2021-01-01T01:02:03.5000000Z""#),
            ("DATETIMEADD", r#"["hh", -1.0, "2020-01-01"]"#, r#""2019-12-31T23:00:00.0000000Z""#),
            ("DATETIMEADD", r#"["n", 90, "2020-01-01"]"#, r#""2020-01-01T01:30:00.0000000Z""#),
            ("DATETIMEADD", r#"["mcs", 1, "2020-01-01"]"#, r#""2020-01-01T00:00:00.0000010Z""#),
            ("DATETIMEADD", r#"["ns", 250, "2020-01-01"]"#, r#""2020-01-01T00:00:00.0000002Z""#),
            ("DATETIMEADD", r#"["ns", -250, "2020-01-01"]"#, r#""2019-12-31T23:59:59.9999998Z""#),
            ("DATETIMEADD", r#"["ss", 1.5, "2020-01-01"]"#, ""),
            ("DATETIMEADD", r#"["week", 1, "2020-01-01"]"#, ""),
            ("DATETIMEADD", r#"["dd", "1", "2020-01-01"]"#, ""),
            ("DATETIMEADD", r#"["dd", 1, 5]"#, ""),
            ("DATETIMEADD", r#"["yyyy", 9223372036854775807, "2020-01-01"]"#, ""),
            ("DATETIMEADD", r#"["dd", 9223372036854775807, "2020-01-01"]"#, ""),
            ("DATETIMEADD", r#"["ms", 1, "9999-12-31T23:59:59.9999999Z"]"#, ""),
        ]);
    }

    #[test]
    fn bins_are_counted_from_their_origin_both_ways() {
        check(&[
            ("DATETIMEBIN", r#"["2021-01-08T18:35:00", "dd"]"#, r#""2021-01-08T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2021-01-08T18:35:00", "hh", 5]"#, r#""2021-01-08T15:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2021-01-08T18:35:00", "dd", 7, "1601-01-01"]"#, r#""2021-01-04T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["1969-12-31T23:00:00", "dd", 7]"#, r#""1969-12-25T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2021-08-08", "mm", 3]"#, r#""2021-07-01T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["1969-08-08", "yyyy", 10]"#, r#""1960-01-01T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2021-08-08", "mm", 1, "2021-01-15"]"#, r#""2021-07-15T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2020-12-15T06:00:00", "yyyy", 1, "2021-01-15"]"#, r#""2020-01-15T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["2021-01-01T00:00:00.0000019", "ns", 500]"#, r#""2021-01-01T00:00:00.0000015Z""#),
            ("DATETIMEBIN", r#"["2021-01-08", "dd", 0]"#, ""),
            ("DATETIMEBIN", r#"["2021-01-08", "dd", -1]"#, ""),
            ("DATETIMEBIN", r#"["2021-01-08", "dd", 1.5]"#, ""),
            ("DATETIMEBIN", r#"["2021-01-08", "dd", 1, "1600-12-31"]"#, ""),
            ("DATETIMEBIN", r#"["2021-01-08", "yyyy", 9223372036854775807]"#, ""),
            ("DATETIMEBIN", r#"["2021-01-08", "yyyy", 500]"#, r#""1970-01-01T00:00:00.0000000Z""#),
            ("DATETIMEBIN", r#"["1965-01-08", "yyyy", 3000]"#, ""),
        ]);
    }

    #[test]
    fn differences_count_boundaries() {
        let (early, late) = (r#""2018-03-05T05:00:00""#, r#""2019-02-04T16:00:00""#);
        for (part, expected) in [("yyyy", 1), ("mm", 11), ("dd", 336), ("hh", 8075), ("ss", 29_070_000)] {
            assert_eq!(called("DATETIMEDIFF", &format!("[\"{part}\", {early}, {late}]")), expected.to_string());
            assert_eq!(called("DATETIMEDIFF", &format!("[\"{part}\", {late}, {early}]")), (-expected).to_string());
        }
        check(&[
            ("DATETIMEDIFF", r#"["yy", "2019-12-31T23:59:59.9999999", "2020-01-01"]"#, "1"),
            ("DATETIMEDIFF", r#"["hh", "1969-12-31T23:59:59", "1970-01-01T00:00:01"]"#, "1"),
            ("DATETIMEDIFF", r#"["mcs", "2020-01-01T00:00:00.0000019", "2020-01-01T00:00:00.0000020"]"#, "1"),
            ("DATETIMEDIFF", r#"["ns", "0001-01-01", "9999-12-31"]"#, "315537811200000000000"),
            ("DATETIMEDIFF", r#"["ns", "2020-01-01", "yesterday"]"#, ""),
        ]);
    }

    #[test]
    fn parts_are_taken_and_put_together() {
        check(&[
            ("DATETIMEPART", r#"["yyyy", "2016-05-29T08:30:00.1301617"]"#, "2016"),
            ("DATETIMEPART", r#"["m", "2016-05-29T08:30:00.1301617"]"#, "5"),
            ("DATETIMEPART", r#"["millisecond", "2016-05-29T08:30:00.1301617"]"#, "130"),
            ("DATETIMEPART", r#"["mcs", "2016-05-29T08:30:00.1301617"]"#, "130161"),
            ("DATETIMEPART", r#"["ns", "2016-05-29T08:30:00.1301617"]"#, "130161700"),
            ("DATETIMEPART", r#"["", "2016-05-29"]"#, ""),
            ("YEAR", r#"["1989-03-03T12:12:12.1234567Z"]"#, "1989"),
            ("MONTH", r#"["1989-03-04Z"]"#, "3"),
            ("DAY", r#"["1989-03-04"]"#, "4"),
            ("DAY", "[19890304]", ""),
            ("DATETIMEFROMPARTS", "[2017, 4, 20]", r#""2017-04-20T00:00:00.0000000Z""#),
            ("DATETIMEFROMPARTS", "[2017, 4, 20, 13, 15, 20, 3456789]", r#""2017-04-20T13:15:20.3456789Z""#),
            ("DATETIMEFROMPARTS", "[2017, 4, 20, 13, 15]", r#""2017-04-20T13:15:00.0000000Z""#),
            ("DATETIMEFROMPARTS", "[2017, 4, 31]", ""),
            ("DATETIMEFROMPARTS", "[-2000, -1, -1]", ""),
            ("DATETIMEFROMPARTS", "[2017, 4, 20, 0, 0, 0, 10000000]", ""),
            ("DATETIMEFROMPARTS", r#"[2017, 4, "20"]"#, ""),
        ]);
    }

    #[test]
    fn ticks_and_timestamps_go_both_ways_down_to_1601() {
        check(&[
            ("DATETIMETOTICKS", r#"["2015-05-19T12:00:00.0000000"]"#, "14320368000000000"),
            ("DATETIMETOTIMESTAMP", r#"["2015-05-19T12:00:00.0000000"]"#, "1432036800000"),
            ("DATETIMETOTIMESTAMP", r#"["1969-12-31T23:59:59.9999999"]"#, "-1"),
            ("TICKSTODATETIME", "[15973607943002652]", r#""2020-08-13T23:19:54.3002652Z""#),
            ("TICKSTODATETIME", "[-116444736000000000]", r#""1601-01-01T00:00:00.0000000Z""#),
            ("TICKSTODATETIME", "[-116444736000000001]", ""),
            ("TICKSTODATETIME", "[9223372036854775807]", ""),
            ("TIMESTAMPTODATETIME", "[1597360794300]", r#""2020-08-13T23:19:54.3000000Z""#),
            ("TIMESTAMPTODATETIME", "[-11644473600000]", r#""1601-01-01T00:00:00.0000000Z""#),
            ("TIMESTAMPTODATETIME", "[-11644473600001]", ""),
            ("TIMESTAMPTODATETIME", "[0.5]", ""),
            ("TIMESTAMPTODATETIME", "[9223372036854775807]", ""),
        ]);
    }

    #[test]
    fn formats_and_checks_read_the_same_spellings() {
        check(&[
            ("DATETIMEFORMAT", r#"["2024-10-10 14:40:20", "yyyyMMdd"]"#, r#""20241010""#),
            (
                "DATETIMEFORMAT",
                r#"["2024-10-10 14:40:20", "To\\da\\y i\\s: HH:mm:ss.FFF"]"#,
                r#""Today is: 14:40:20.""#,
            ),
            ("DATETIMEFORMAT", r#"["2024-10-10 14:40", "yyyy"]"#, ""),
            ("DATETIMEFORMAT", r#"["2024-10-10", "'"]"#, ""),
            ("DATETIMEFORMAT", r#"["2024-10-10", null]"#, ""),
        ]);
        for (text, expected) in [
            (r#""2024-12-12""#, true),
            (r#""2024-12-12Z""#, true),
            (r#""2024-12-12 20:21:25.123Z""#, true),
            (r#""2024-12-12T20Z""#, false),
            (r#""2024-12-12 20:21:25.""#, false),
            ("20241212", false),
            (r#""undefined""#, false),
        ] {
            assert_eq!(called("IS_DATETIME", &format!("[{text}]")), expected.to_string(), "{text}");
        }
    }

    #[test]
    fn the_time_of_the_query_is_the_efforts() {
        let at = Instant::parse("2024-10-14T14:20:30.6668888Z").unwrap().ticks();
        for (name, arguments, expected) in [
            ("NOW", "[]", r#""2024-10-14T14:20:30.6668888Z""#),
            ("NOW", r#"["yyyy", -1]"#, r#""2023-10-14T14:20:30.6668888Z""#),
            ("NOW", r#"["ss", 30]"#, r#""2024-10-14T14:21:00.6668888Z""#),
            ("NOW", r#"["ss"]"#, ""),
            ("NOW", r#"["ss", "30"]"#, ""),
            ("AGO", r#"["yyyy", -1]"#, r#""2025-10-14T14:20:30.6668888Z""#),
            ("AGO", r#"["ms", 4]"#, r#""2024-10-14T14:20:30.6628888Z""#),
            ("GETCURRENTDATETIMESTATIC", "[]", r#""2024-10-14T14:20:30.6668888Z""#),
            ("GETCURRENTTICKSSTATIC", "[]", "17289156306668888"),
            ("GETCURRENTTIMESTAMPSTATIC", "[]", "1728915630666"),
        ] {
            let effort = Effort::for_row().begun_at(at);
            assert_eq!(called_with(name, arguments, &effort), expected, "{name}{arguments}");
        }
    }

    #[test]
    fn the_current_time_is_the_systems() {
        let before = system_ticks();
        let ticks: i64 = called("GETCURRENTTICKS", "[]").parse().unwrap();
        assert!((before..=system_ticks()).contains(&ticks));
        let milliseconds: i64 = called("GETCURRENTTIMESTAMP", "[]").parse().unwrap();
        assert!((before / 10_000..=system_ticks() / 10_000).contains(&milliseconds));
        let text = called("GETCURRENTDATETIME", "[]");
        assert!(Instant::parse(text.trim_matches('"')).unwrap().ticks() >= before);
    }

    #[test]
    fn folding_keeps_the_querys_time_and_leaves_the_clock_alone() {
        let call = |name: &str, arguments| Expr::Call(function(name).unwrap(), arguments);
        let effort = Effort::of(1000).begun_at(0);
        let fixed = call("NOW", Vec::new()).folded(&effort);
        assert_eq!(fixed.as_constant().and_then(Value::as_str), Some("1970-01-01T00:00:00.0000000Z"));
        let ticking = call("GETCURRENTDATETIME", Vec::new()).folded(&effort);
        assert!(ticking.as_constant().is_none());
        let by_row = call("AGO", vec![Expr::Constant(Value::from("dd")), Expr::Source(0)]).folded(&effort);
        let two = crate::query::evaluation::row::Source::first(Datum::Owned(Value::from(2)));
        let later = Effort::for_row();
        let value = by_row.evaluate(&crate::query::evaluation::row::Row::of(&two, &later)).into_value();
        assert_eq!(value.as_str(), Some("1969-12-30T00:00:00.0000000Z"));
    }
}
