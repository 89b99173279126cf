//! Functions that find parts of strings and cut them out. Places are counted from 0.

use memchr::memmem;

use super::{Function, between, exactly, text, whole};
use crate::query::{Datum, Effort};

pub(super) const FUNCTIONS: &[Function] = &[
    between("INDEX_OF", 2, 3, |a, effort| index_of(a, effort).into()),
    between("LASTINDEXOF", 2, 3, |a, effort| last_index_of(a, effort).into()),
    exactly("LASTSUBSTRINGAFTER", 2, |a, effort| piece(a, effort, |text, at| Some(text.rsplit_once(at)?.1)).into()),
    exactly("LASTSUBSTRINGBEFORE", 2, |a, effort| piece(a, effort, |text, at| Some(text.rsplit_once(at)?.0)).into()),
    exactly("LEFT", 2, |a, effort| left(a, effort).into()),
    exactly("RIGHT", 2, |a, effort| right(a, effort).into()),
    exactly("SUBSTRING", 3, |a, effort| substring(a, effort).into()),
    exactly("SUBSTRINGAFTER", 2, |a, effort| piece(a, effort, |text, at| Some(text.split_once(at)?.1)).into()),
    exactly("SUBSTRINGBEFORE", 2, |a, effort| piece(a, effort, |text, at| Some(text.split_once(at)?.0)).into()),
];

/// Where the part begins, at the third argument or after it; -1 if it does not. A start before the text is its beginning.
fn index_of(arguments: &[Datum<'_>], effort: &Effort) -> Option<i64> {
    let (text, part) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    let start = arguments.get(2).map_or(Some(0.0), whole)?;
    let skipped = offset(&text, start);
    if start > 0.0 && skipped == text.len() && text.chars().count() < start as usize {
        return Some(-1);
    }
    Some(memmem::find(&text.as_bytes()[skipped..], part.as_bytes()).map_or(-1, |at| place(&text, skipped + at)))
}

/// Where the part begins for the last time, -1 if it does not. With the third argument it ends there or before.
fn last_index_of(arguments: &[Datum<'_>], effort: &Effort) -> Option<i64> {
    let (text, part) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    let end = arguments.get(2).map_or(Some(f64::INFINITY), whole)?;
    if end < 0.0 {
        return Some(-1);
    }
    let searched = &text[..offset(&text, end + 1.0)];
    Some(memmem::rfind(searched.as_bytes(), part.as_bytes()).map_or(-1, |at| place(&text, at)))
}

fn left(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let text = text(&arguments[0], effort)?;
    Some(text[..offset(&text, whole(&arguments[1])?)].to_owned())
}

fn right(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let text = text(&arguments[0], effort)?;
    let count = whole(&arguments[1])?;
    Some(text[offset(&text, text.chars().count() as f64 - count)..].to_owned())
}

/// A start before the text or a length below 0 gives the empty string, as on the service.
fn substring(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let text = text(&arguments[0], effort)?;
    let (start, length) = (whole(&arguments[1])?, whole(&arguments[2])?);
    if start < 0.0 {
        return Some(String::new());
    }
    let rest = &text[offset(&text, start)..];
    Some(rest[..offset(rest, length)].to_owned())
}

/// The text before or after a delimiter; empty if it is not there, which the service leaves undocumented.
fn piece(
    arguments: &[Datum<'_>],
    effort: &Effort,
    cut: for<'t> fn(&'t str, &str) -> Option<&'t str>,
) -> Option<String> {
    let (text, delimiter) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    Some(cut(&text, &delimiter).unwrap_or_default().to_owned())
}

/// The bytes of so many characters at the front: none if the number is negative, all if the text has fewer.
fn offset(text: &str, chars: f64) -> usize {
    // Floats beyond the range become its ends.
    let chars = chars as usize;
    if text.is_ascii() {
        return chars.min(text.len());
    }
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// How many characters stand before an offset.
fn place(text: &str, offset: usize) -> i64 {
    text[..offset].chars().count() as i64
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn parts_are_found() {
        check(&[
            ("INDEX_OF", r#"["banana", "an"]"#, "1"),
            ("INDEX_OF", r#"["banana", "an", 2]"#, "3"),
            ("INDEX_OF", r#"["banana", "an", 4]"#, "-1"),
            ("INDEX_OF", r#"["banana", "AN"]"#, "-1"),
            ("INDEX_OF", r#"["banana", "an", -5]"#, "1"),
            ("INDEX_OF", r#"["banana", "", 3]"#, "3"),
            ("INDEX_OF", r#"["banana", "", 6]"#, "6"),
            ("INDEX_OF", r#"["banana", "", 7]"#, "-1"),
            ("INDEX_OF", r#"["né😀na", "na", 1]"#, "3"),
            ("INDEX_OF", r#"["banana", "a", "1"]"#, ""),
            ("INDEX_OF", r#"["banana", 1]"#, ""),
            ("LASTINDEXOF", r#"["banana", "an"]"#, "3"),
            ("LASTINDEXOF", r#"["banana", "an", 3]"#, "1"),
            ("LASTINDEXOF", r#"["banana", "an", 4]"#, "3"),
            ("LASTINDEXOF", r#"["banana", "an", 99]"#, "3"),
            ("LASTINDEXOF", r#"["banana", "an", -1]"#, "-1"),
            ("LASTINDEXOF", r#"["banana", "x"]"#, "-1"),
            ("LASTINDEXOF", r#"["😀a😀a", "a"]"#, "3"),
            ("LASTINDEXOF", r#"["banana", null]"#, ""),
        ]);
    }

    #[test]
    fn parts_are_cut_out() {
        check(&[
            ("LEFT", r#"["é😀bc", 2]"#, "\"é😀\""),
            ("LEFT", r#"["abc", 9]"#, "\"abc\""),
            ("LEFT", r#"["abc", -1]"#, "\"\""),
            ("LEFT", r#"["abc", "1"]"#, ""),
            ("RIGHT", r#"["ab😀é", 2]"#, "\"😀é\""),
            ("RIGHT", r#"["abc", 9]"#, "\"abc\""),
            ("RIGHT", r#"["abc", -1]"#, "\"\""),
            ("RIGHT", r#"["abc", 1.9]"#, "\"c\""),
            ("SUBSTRING", r#"["é😀bc", 1, 2]"#, "\"😀b\""),
            ("SUBSTRING", r#"["abc", 1, 99]"#, "\"bc\""),
            ("SUBSTRING", r#"["abc", 9, 1]"#, "\"\""),
            ("SUBSTRING", r#"["abc", 0, -1]"#, "\"\""),
            ("SUBSTRING", r#"["abc", -1, 2]"#, "\"\""),
            ("SUBSTRING", r#"["abc", "NaN", 2]"#, ""),
            ("SUBSTRING", "[7, 0, 1]", ""),
        ]);
    }

    #[test]
    fn delimiters_split() {
        check(&[
            ("SUBSTRINGAFTER", r#"["a/b/c", "/"]"#, "\"b/c\""),
            ("SUBSTRINGBEFORE", r#"["a/b/c", "/"]"#, "\"a\""),
            ("LASTSUBSTRINGAFTER", r#"["a::b::c", "::"]"#, "\"c\""),
            ("LASTSUBSTRINGBEFORE", r#"["a::b::c", "::"]"#, "\"a::b\""),
            ("SUBSTRINGAFTER", r#"["abc", "/"]"#, "\"\""),
            ("SUBSTRINGBEFORE", r#"["abc", "/"]"#, "\"\""),
            ("SUBSTRINGAFTER", r#"["abc", ""]"#, "\"abc\""),
            ("SUBSTRINGBEFORE", r#"["abc", 1]"#, ""),
        ]);
    }
}
