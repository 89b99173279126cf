//! Numbers inside JSON text: their grammar and their range.

use super::{JsonError, JsonErrorKind};

/// Validates the number that begins at `start` and returns the offset after it.
#[inline]
pub(crate) fn scan_number(text: &str, start: usize) -> Result<usize, JsonError> {
    let bytes = text.as_bytes();
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole_start = at;
    at = skip_digits(bytes, at);
    match at - whole_start {
        0 => return Err(malformed(at, "a digit is missing")),
        1 => {}
        _ if bytes.get(whole_start) == Some(&b'0') => {
            return Err(malformed(whole_start, "a leading zero"));
        }
        _ => {}
    }
    let whole_digits = at - whole_start;
    if bytes.get(at) == Some(&b'.') {
        let fraction_start = at + 1;
        at = skip_digits(bytes, fraction_start);
        if at == fraction_start {
            return Err(malformed(at, "a digit is missing after the point"));
        }
    }
    let has_exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if has_exponent {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let exponent_start = at;
        at = skip_digits(bytes, exponent_start);
        if at == exponent_start {
            return Err(malformed(at, "a digit is missing in the exponent"));
        }
    }
    // Only these can pass the largest double, 1.8e308.
    if has_exponent || whole_digits > 308 {
        check_range(text, start, at)?;
    }
    Ok(at)
}

fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

fn malformed(at: usize, reason: &'static str) -> JsonError {
    JsonError::new(at, JsonErrorKind::InvalidNumber { reason })
}

#[cold]
fn check_range(text: &str, start: usize, end: usize) -> Result<(), JsonError> {
    match text[start..end].parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(()),
        _ => Err(JsonError::new(start, JsonErrorKind::NumberOutOfRange)),
    }
}
