//! The parts of a date and time, from years to nanoseconds, and counting in them.

use super::instant::{Instant, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

const NANOSECONDS_PER_TICK: i128 = 100;

/// A part of a date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

/// What one of a part is.
enum Unit {
    /// So many months, which differ in length.
    Months(i64),
    /// So many nanoseconds.
    Nanoseconds(i128),
}

impl Part {
    /// The part of that name; the service documents small letters only, but no two names differ by case.
    pub fn named(name: &str) -> Option<Part> {
        const NAMES: [(&str, Part); 23] = [
            ("year", Part::Year),
            ("yyyy", Part::Year),
            ("yy", Part::Year),
            ("month", Part::Month),
            ("mm", Part::Month),
            ("m", Part::Month),
            ("day", Part::Day),
            ("dd", Part::Day),
            ("d", Part::Day),
            ("hour", Part::Hour),
            ("hh", Part::Hour),
            ("minute", Part::Minute),
            ("mi", Part::Minute),
            ("n", Part::Minute),
            ("second", Part::Second),
            ("ss", Part::Second),
            ("s", Part::Second),
            ("millisecond", Part::Millisecond),
            ("ms", Part::Millisecond),
            ("microsecond", Part::Microsecond),
            ("mcs", Part::Microsecond),
            ("nanosecond", Part::Nanosecond),
            ("ns", Part::Nanosecond),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, part)| *part)
    }

    fn unit(self) -> Unit {
        match self {
            Part::Year => Unit::Months(12),
            Part::Month => Unit::Months(1),
            Part::Day => ticks(TICKS_PER_DAY),
            Part::Hour => ticks(TICKS_PER_HOUR),
            Part::Minute => ticks(TICKS_PER_MINUTE),
            Part::Second => ticks(TICKS_PER_SECOND),
            Part::Millisecond => ticks(TICKS_PER_SECOND / 1000),
            Part::Microsecond => ticks(TICKS_PER_SECOND / 1_000_000),
            Part::Nanosecond => Unit::Nanoseconds(1),
        }
    }

    /// What the part is of a moment. The parts of a second are counted from the second's beginning.
    pub fn of(self, instant: Instant) -> i64 {
        let fields = instant.fields();
        match self {
            Part::Year => fields.year,
            Part::Month => fields.month,
            Part::Day => fields.day,
            Part::Hour => fields.hour,
            Part::Minute => fields.minute,
            Part::Second => fields.second,
            Part::Millisecond => fields.fraction / 10_000,
            Part::Microsecond => fields.fraction / 10,
            Part::Nanosecond => fields.fraction * 100,
        }
    }

    /// The moment `count` parts later. Nanoseconds beyond the precision of 100 are cut off.
    pub fn add(self, instant: Instant, count: i64) -> Option<Instant> {
        match self.unit() {
            Unit::Months(months) => instant.plus_months(count.checked_mul(months)?),
            Unit::Nanoseconds(unit) => {
                let ticks = unit.checked_mul(i128::from(count))? / NANOSECONDS_PER_TICK;
                Instant::from_ticks(i64::try_from(i128::from(instant.ticks()) + ticks).ok()?)
            }
        }
    }

    /// How many boundaries of the part lie between two moments, negative if the end comes first.
    pub fn boundaries(self, start: Instant, end: Instant) -> i128 {
        match self.unit() {
            Unit::Months(months) => {
                let count = |instant: Instant| instant.fields().month_count().div_euclid(months);
                i128::from(count(end) - count(start))
            }
            Unit::Nanoseconds(unit) => {
                let count = |instant: Instant| nanoseconds(instant).div_euclid(unit);
                count(end) - count(start)
            }
        }
    }

    /// The beginning of the bin in which a moment lies: bins of `size` parts are counted from `origin` both ways.
    pub fn bin(self, instant: Instant, size: i64, origin: Instant) -> Option<Instant> {
        match self.unit() {
            Unit::Months(months) => {
                let step = size.checked_mul(months)?;
                let between = instant.fields().month_count() - origin.fields().month_count();
                // The origin may lie late in its month, where whole months overestimate.
                let bins = between.div_euclid(step);
                let start = origin.plus_months(bins.checked_mul(step)?);
                match start {
                    Some(start) if start <= instant => Some(start),
                    _ => origin.plus_months((bins - 1).checked_mul(step)?),
                }
            }
            Unit::Nanoseconds(unit) => {
                let step = unit.checked_mul(i128::from(size))?;
                let bins = (nanoseconds(instant) - nanoseconds(origin)).div_euclid(step);
                let start = nanoseconds(origin).checked_add(bins.checked_mul(step)?)?;
                Instant::from_ticks(i64::try_from(start.div_euclid(NANOSECONDS_PER_TICK)).ok()?)
            }
        }
    }
}

fn ticks(ticks: i64) -> Unit {
    Unit::Nanoseconds(i128::from(ticks) * NANOSECONDS_PER_TICK)
}

fn nanoseconds(instant: Instant) -> i128 {
    i128::from(instant.ticks()) * NANOSECONDS_PER_TICK
}
