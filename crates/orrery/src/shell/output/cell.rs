//! A value as the text of a table's cell.

use std::borrow::Cow;

/// What a cell shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// On one line, without control characters.
    pub text: String,
    /// Whether it is a number.
    pub is_number: bool,
}

impl Cell {
    /// What a property shows that is not there: nothing, which no value shows.
    pub const UNDEFINED: Cell = Cell { text: String::new(), is_number: false };

    /// A JSON value, cut after `max_chars`. Strings stand without quotes unless they could be taken for something else.
    pub fn of(json: &str, max_chars: usize) -> Cell {
        let is_number = matches!(json.as_bytes().first(), Some(b'-' | b'0'..=b'9'));
        let text = match serde_json::from_str::<Cow<'_, str>>(json) {
            Ok(string) if !is_ambiguous(&string) => string,
            _ => Cow::Borrowed(json),
        };
        Cell { text: escaped(&text, max_chars), is_number }
    }
}

/// Whether a string, written without quotes, looks like another value or like none.
fn is_ambiguous(text: &str) -> bool {
    let begins_value = text.starts_with(['"', '{', '[', '-']) || text.starts_with(|c: char| c.is_ascii_digit());
    text.trim() != text
        || text.is_empty()
        || matches!(text, "null" | "true" | "false")
        || (begins_value && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
}

/// The first characters, control characters escaped: they would steer the terminal.
pub(super) fn escaped(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(max_chars) {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_shows_what_it_is() {
        let text = |json| Cell::of(json, 40).text;
        for (json, shown) in [
            ("null", "null"),
            ("\"null\"", "\"null\""),
            ("\"\"", "\"\""),
            ("\"12\"", "\"12\""),
            ("\"2024-01-01\"", "2024-01-01"),
            ("\"[1]\"", "\"[1]\""),
            ("\"[open\"", "[open"),
            ("\" a\"", "\" a\""),
            ("\"a\\nb\\u001b[31m\"", "a\\nb\\u001b[31m"),
            ("{\"a\":[1]}", "{\"a\":[1]}"),
            ("1.50", "1.50"),
        ] {
            assert_eq!(text(json), shown, "{json}");
        }
        assert!(Cell::of("-1", 9).is_number && !Cell::of("\"1\"", 9).is_number);
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(Cell::of("\"abcdef\"", 4).text, "abcd…");
        assert_eq!(Cell::of("\"abcd\"", 4).text, "abcd");
    }
}
