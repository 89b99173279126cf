//! Strings inside JSON text: finding their end, checking and resolving their escapes.

use std::borrow::Cow;

use super::{JsonError, JsonErrorKind};

/// A string as it stands in the text: the bytes between its quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawString {
    /// First byte after the opening quote.
    pub start: usize,
    /// The closing quote.
    pub end: usize,
    /// Whether a backslash occurs in it.
    pub escaped: bool,
}

impl RawString {
    /// The string's characters; borrows from `text` unless there are escapes to resolve. The scanner has validated it.
    pub fn decode<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let raw = &text[self.start..self.end];
        if self.escaped { Cow::Owned(unescape(raw).unwrap_or_default()) } else { Cow::Borrowed(raw) }
    }
}

/// Validates the string whose first byte after the opening quote is `start`.
#[inline]
pub(crate) fn scan_string(text: &[u8], start: usize) -> Result<RawString, JsonError> {
    let end = find_special(text, start);
    if text.get(end) == Some(&b'"') {
        return Ok(RawString { start, end, escaped: false });
    }
    scan_escaped_string(text, start, end)
}

fn scan_escaped_string(text: &[u8], start: usize, mut at: usize) -> Result<RawString, JsonError> {
    loop {
        match text.get(at) {
            Some(b'"') => {
                return Ok(RawString { start, end: at, escaped: true });
            }
            Some(b'\\') => at = find_special(text, scan_escape(text, at)?),
            Some(&byte) => {
                return Err(JsonError::new(at, JsonErrorKind::ControlCharacter { byte }));
            }
            None => return Err(JsonError::new(text.len(), JsonErrorKind::UnexpectedEnd)),
        }
    }
}

/// Checks the escape whose backslash is at `at`; returns the offset after it (after both halves of a surrogate pair).
fn scan_escape(text: &[u8], at: usize) -> Result<usize, JsonError> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match hex4(text, at + 2).ok_or(JsonError::new(at, JsonErrorKind::InvalidEscape))? {
            0xD800..=0xDBFF => match (text.get(at + 6..at + 8), hex4(text, at + 8)) {
                (Some(br"\u"), Some(0xDC00..=0xDFFF)) => Ok(at + 12),
                _ => Err(JsonError::new(at, JsonErrorKind::LoneSurrogate)),
            },
            0xDC00..=0xDFFF => Err(JsonError::new(at, JsonErrorKind::LoneSurrogate)),
            _ => Ok(at + 6),
        },
        Some(_) => Err(JsonError::new(at, JsonErrorKind::InvalidEscape)),
        None => Err(JsonError::new(text.len(), JsonErrorKind::UnexpectedEnd)),
    }
}

fn hex4(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?))
}

/// Offset of the first quote, backslash or control character at or after `at`; the text's length if there is none.
///
/// Most strings are short, and for those eight bytes per step in a register beat a vector search's set-up.
#[inline]
pub(crate) fn find_special(text: &[u8], mut at: usize) -> usize {
    const SHORT: usize = 32;
    let short_end = at + SHORT;
    while at < short_end {
        let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
            return find_special_bytewise(text, at);
        };
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    find_special_far(text, at)
}

fn find_special_bytewise(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}

fn find_special_far(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
    // Folding instead of searching lets the compiler use vector instructions.
    let has_control = rest[..end].iter().fold(false, |found, byte| found | (*byte < 0x20));
    if has_control {
        return at + rest.iter().position(|byte| *byte < 0x20).unwrap_or(end);
    }
    at + end
}

/// Sets the top bit of each byte that is a quote, a backslash or below 0x20. Bits above the lowest one set may be false, so
/// only the lowest counts.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let zero_in = |x: u64| x.wrapping_sub(ONES) & !x;
    let quotes = zero_in(word ^ (ONES * b'"' as u64));
    let backslashes = zero_in(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | backslashes | controls) & TOPS
}

/// Resolves the escapes of a string's raw text; none if one is not valid.
pub(crate) fn unescape(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(backslash) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..backslash]);
        let (character, length) = resolve_escape(&rest.as_bytes()[backslash..])?;
        out.push(character);
        rest = rest.get(backslash + length..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// The character that the escape at the front of `text` stands for, and the escape's length in bytes.
fn resolve_escape(text: &[u8]) -> Option<(char, usize)> {
    let simple = match text.get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return resolve_unicode_escape(text),
        _ => return None,
    };
    Some((simple, 2))
}

fn resolve_unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let high = hex4(text, 2)?;
    if !(0xD800..0xDC00).contains(&high) {
        return Some((char::from_u32(high)?, 6));
    }
    if text.get(6..8) != Some(br"\u") {
        return None;
    }
    let low = hex4(text, 8).filter(|low| (0xDC00..0xE000).contains(low))?;
    Some((char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))?, 12))
}

/// Appends `text` as a JSON string with its quotes, escaping only what must be escaped.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.push(b'"');
    let mut from = 0;
    loop {
        let at = find_special(bytes, from);
        out.extend_from_slice(&bytes[from..at]);
        let Some(&byte) = bytes.get(at) else { break };
        write_escape(byte, out);
        from = at + 1;
    }
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 0xF)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_found_at_every_distance() {
        for special in [b'"', b'\\', 0x00, 0x1F, b'\n'] {
            for distance in 0..100 {
                for tail in [0, 1, 7, 8, 50] {
                    let mut text = vec![b'x'; distance];
                    text.push(special);
                    text.extend(vec![0xC3; tail]);
                    assert_eq!(find_special(&text, 0), distance, "{special} after {distance} before {tail}");
                    assert_eq!(find_special(&text, distance + 1), text.len());
                }
            }
        }
    }

    #[test]
    fn a_control_character_behind_the_quote_does_not_count() {
        let text = [vec![b'x'; 60], b"\"\n".to_vec()].concat();
        assert_eq!(find_special(&text, 0), 60);
    }

    #[test]
    fn escapes_resolve_to_their_characters() {
        assert_eq!(unescape(r#"a\"\\\/\b\f\n\r\tz"#).as_deref(), Some("a\"\\/\u{8}\u{c}\n\r\tz"));
        assert_eq!(unescape(r"\u00e9\ud83d\ude00é").as_deref(), Some("é😀é"));
        for bad in [r"\x", r"\u12", r"\ud800", r"\ud800\u0041", r"\udc00", "\\"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }

    #[test]
    fn written_strings_escape_only_what_they_must() {
        let mut out = Vec::new();
        write_string("a\"b\\c/\u{1}\n\u{7f}é😀", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "\"a\\\"b\\\\c/\\u0001\\n\u{7f}é😀\"");
        for (text, expected) in [("é/'😀", "\"é/'😀\""), ("", "\"\"")] {
            let mut out = Vec::new();
            write_string(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
