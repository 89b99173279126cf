//! The patterns of DATETIMEFORMAT.
//!
//! Letters mean what they mean in the custom formats of .NET, after which the function is modelled, in the invariant culture. Two
//! things differ: a pattern of one letter is a pattern like any other, and the point before a fraction that `F` leaves out stays, as
//! the service's documentation shows.

use super::instant::{Instant, TICKS_PER_SECOND};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A moment, spelled by a pattern; none if the pattern has an open quote, nothing after `\` or `%`, or more digits of a fraction
/// than seven. At most a few times as long as the pattern.
pub(super) fn format(instant: Instant, pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches(first).len();
        let used = match first {
            '\\' => {
                let escaped = rest[1..].chars().next()?;
                out.push(escaped);
                1 + escaped.len_utf8()
            }
            '\'' | '"' => 1 + quoted(&rest[1..], first, &mut out)?,
            '%' => {
                let letter = rest[1..].chars().next().filter(|letter| *letter != '%')?;
                out.push_str(&format(instant, letter.encode_utf8(&mut [0; 4]))?);
                1 + letter.len_utf8()
            }
            letter if letter.is_ascii_alphabetic() => field(instant, letter, run, &mut out)?,
            other => {
                out.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    Some(out)
}

/// Copies what is quoted, in which `\` takes the next character as it is. Returns how much it is with the closing quote.
fn quoted(text: &str, quote: char, out: &mut String) -> Option<usize> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => out.push(characters.next()?.1),
            character if character == quote => return Some(at + 1),
            character => out.push(character),
        }
    }
    None
}

/// A run of one letter. Returns how many of them it used.
fn field(instant: Instant, letter: char, run: usize, out: &mut String) -> Option<usize> {
    let fields = instant.fields();
    match letter {
        'y' if run <= 2 => number(fields.year % 100, run, out),
        'y' => number(fields.year, run, out),
        'M' if run <= 2 => number(fields.month, run, out),
        'M' => name(MONTHS[fields.month as usize - 1], run, out),
        'd' if run <= 2 => number(fields.day, run, out),
        'd' => name(DAYS[instant.weekday()], run, out),
        'h' => number((fields.hour + 11) % 12 + 1, run.min(2), out),
        'H' => number(fields.hour, run.min(2), out),
        'm' => number(fields.minute, run.min(2), out),
        's' => number(fields.second, run.min(2), out),
        'f' | 'F' => fraction(fields.fraction, run, letter == 'F', out)?,
        't' => {
            let half = if fields.hour < 12 { "AM" } else { "PM" };
            out.push_str(&half[..run.min(2)]);
        }
        'g' => out.push_str("A.D."),
        'K' => {
            out.push('Z');
            return Some(1);
        }
        'z' => out.push_str(["+0", "+00", "+00:00"][run.min(3) - 1]),
        other => {
            out.push(other);
            return Some(1);
        }
    }
    Some(run)
}

/// A number of at least `width` digits.
fn number(number: i64, width: usize, out: &mut String) {
    let digits = number.to_string();
    out.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(&digits);
}

/// A name: its first three letters, or all of it.
fn name(name: &str, run: usize, out: &mut String) {
    out.push_str(if run == 3 { &name[..3] } else { name });
}

/// The first `width` digits of a fraction, without zeros at the end if they are `trimmed`.
fn fraction(ticks: i64, width: usize, trimmed: bool, out: &mut String) -> Option<()> {
    debug_assert!(ticks < TICKS_PER_SECOND);
    let digits = std::format!("{ticks:07}");
    let digits = digits.get(..width)?;
    out.push_str(if trimmed { digits.trim_end_matches('0') } else { digits });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, cases: &[(&str, &str)]) {
        let instant = Instant::parse(text).unwrap();
        for (pattern, expected) in cases {
            assert_eq!(format(instant, pattern).as_deref(), Some(*expected), "{pattern}");
        }
    }

    #[test]
    fn letters_spell_their_fields() {
        check(
            "2009-06-05T13:04:09.6175000",
            &[
                ("d dd ddd dddd ddddd", "5 05 Fri Friday Friday"),
                ("M MM MMM MMMM", "6 06 Jun June"),
                ("y yy yyy yyyy yyyyy", "9 09 2009 2009 02009"),
                ("h hh H HH HHHH", "1 01 13 13 13"),
                ("m mm s ss t tt", "4 04 9 09 P PM"),
                ("f ff fff fffffff", "6 61 617 6175000"),
                ("F FF FFF FFFFFFF", "6 61 617 6175"),
                ("g K z zz zzz KK", "A.D. Z +0 +00 +00:00 ZZ"),
                ("%d%M", "56"),
                ("d", "5"),
            ],
        );
        check("0912-01-01T00:00:00", &[("yyy yyyy h tt", "912 0912 12 AM"), (".F|.FFF|.ff", ".|.|.00")]);
        check("2020-01-01T12:00:00.0500000", &[("h tt .FF", "12 PM .05")]);
    }

    #[test]
    fn other_characters_and_escaped_ones_stay() {
        check(
            "2024-10-10 14:40:20",
            &[
                ("", ""),
                ("[HH:mm] é/-", "[14:40] é/-"),
                (r"\d\a\y \\", r"day \"),
                ("'day' dd \"it's\"", "day 10 it's"),
                (r"'o\'clock'", "o'clock"),
                ("T b u", "T b u"),
            ],
        );
    }

    #[test]
    fn a_pattern_that_ends_too_early_is_refused() {
        let instant = Instant::UNIX_EPOCH;
        for pattern in ["'open", "\"open", r"\", "%", "%%", "ffffffff", "FFFFFFFF", r"'\"] {
            assert_eq!(format(instant, pattern), None, "{pattern}");
        }
    }
}
