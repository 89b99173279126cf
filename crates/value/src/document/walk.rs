//! Finding the end of a value by walking its text. The text was validated when it was written, but may have been damaged
//! since: then the walk ends early or gives none.

use super::Document;
use crate::json::string::{RawString, find_special};

/// The string whose opening quote is at `at`.
#[inline]
pub(super) fn string_at(text: &[u8], at: usize) -> Option<RawString> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let start = at + 1;
    let mut end = find_special(text, start);
    let mut escaped = false;
    while text.get(end)? != &b'"' {
        escaped = true;
        end = find_special(text, end + 2);
    }
    Some(RawString { start, end, escaped })
}

/// Offset after the value that begins at `at`.
#[inline]
pub(super) fn value_end(document: &Document<'_>, at: usize) -> Option<usize> {
    match document.text.get(at)? {
        b'"' => Some(string_at(document.text, at)?.end + 1),
        b'{' | b'[' => brackets_end(document, at),
        _ => scalar_end(document.text, at),
    }
}

/// Offset of the punctuation after a number or literal.
#[inline]
fn scalar_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    Some(at + rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']'))?)
}

fn brackets_end(document: &Document<'_>, start: usize) -> Option<usize> {
    if let Some(table) = document.index.table(start) {
        // A damaged index must not lead backwards, or walks would not end.
        return (start + 1 < table.end && table.end <= document.text.len()).then_some(table.end);
    }
    let text = document.text;
    let mut depth = 0usize;
    let mut at = start;
    loop {
        match text.get(at)? {
            b'"' => at = string_at(text, at)?.end,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}
