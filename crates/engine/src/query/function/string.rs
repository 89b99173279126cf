//! Functions that test strings and make new ones of them.
//!
//! Lengths and places count characters (Unicode scalar values) in all functions of strings; strings compare and match by them too.
//! The service does not document whether it counts these or UTF-16 units, which differ for characters beyond U+FFFF only.

use std::borrow::Cow;

use memchr::memmem;
use orrery_value::Value;

use super::array_contains::{all, any};
use super::elements::elements;
use super::{Function, at_least, between, exactly, flag, text, whole};
use crate::query::{Datum, Effort};

/// Characters that REPLICATE may give, the service's limit.
const MAX_REPLICATED_CHARS: usize = 10_000;

/// Steps that each part of a split string costs besides its bytes.
const STEPS_PER_PART: usize = 8;

pub(super) const FUNCTIONS: &[Function] = &[
    at_least("CONCAT", 2, |a, effort| concat(a, effort).into()),
    between("CONTAINS", 2, 3, |a, effort| search(a, effort, contains).into()),
    at_least("CONTAINS_ALL_CI", 2, |a, effort| all(a.len(), |at| contains_ignoring_case(a, at, effort)).into()),
    at_least("CONTAINS_ALL_CS", 2, |a, effort| all(a.len(), |at| contains_exactly(a, at, effort)).into()),
    at_least("CONTAINS_ANY_CI", 2, |a, effort| any(a.len(), |at| contains_ignoring_case(a, at, effort)).into()),
    at_least("CONTAINS_ANY_CS", 2, |a, effort| any(a.len(), |at| contains_exactly(a, at, effort)).into()),
    between("ENDSWITH", 2, 3, |a, effort| search(a, effort, |text, part| text.ends_with(part)).into()),
    exactly("LENGTH", 1, |a, effort| text(&a[0], effort).map(|text| text.chars().count() as i64).into()),
    exactly("LOWER", 1, |a, effort| text(&a[0], effort).map(|text| text.to_lowercase()).into()),
    exactly("REPLACE", 3, |a, effort| replace(a, effort).into()),
    exactly("REPLICATE", 2, |a, effort| replicate(a, effort).into()),
    exactly("REVERSE", 1, |a, effort| text(&a[0], effort).map(|text| text.chars().rev().collect::<String>()).into()),
    between("STARTSWITH", 2, 3, |a, effort| search(a, effort, |text, part| text.starts_with(part)).into()),
    between("STRINGEQUALS", 2, 3, |a, effort| search(a, effort, |text, part| text == part).into()),
    exactly("STRINGJOIN", 2, |a, effort| join(a, effort).into()),
    exactly("STRINGSPLIT", 2, |a, effort| split(a, effort).into()),
    exactly("UPPER", 1, |a, effort| text(&a[0], effort).map(|text| text.to_uppercase()).into()),
];

fn concat(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let mut joined = String::new();
    for argument in arguments {
        joined.push_str(&text(argument, effort)?);
    }
    Some(joined)
}

/// A test of a text and a part of it; the third argument ignores case.
fn search(arguments: &[Datum<'_>], effort: &Effort, test: fn(&str, &str) -> bool) -> Option<bool> {
    let (text, part) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    Some(if flag(arguments, 2)? { test(&lowercase(&text), &lowercase(&part)) } else { test(&text, &part) })
}

fn contains(text: &str, part: &str) -> bool {
    memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

fn contains_exactly(arguments: &[Datum<'_>], at: usize, effort: &Effort) -> Option<bool> {
    Some(contains(&text(&arguments[0], effort)?, &text(&arguments[at], effort)?))
}

fn contains_ignoring_case(arguments: &[Datum<'_>], at: usize, effort: &Effort) -> Option<bool> {
    let (text, part) = (text(&arguments[0], effort)?, text(&arguments[at], effort)?);
    Some(contains(&lowercase(&text), &lowercase(&part)))
}

/// Lower case, each character by itself: a part of a text becomes a part of what the text becomes.
fn lowercase(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return text.chars().flat_map(char::to_lowercase).collect::<String>().into();
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) { text.to_ascii_lowercase().into() } else { text.into() }
}

/// All occurrences at once; an empty one is nowhere.
fn replace(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let source = text(&arguments[0], effort)?;
    let (old, new) = (text(&arguments[1], effort)?, text(&arguments[2], effort)?);
    if old.is_empty() {
        return Some(source.into_owned());
    }
    // Paid before it is built: the result may be larger than all arguments by far.
    let count = memmem::find_iter(source.as_bytes(), old.as_bytes()).count();
    effort.spend(source.len() + count * new.len()).then(|| source.replace(&*old, &new))
}

/// None for a negative or infinite number of times, and if the result is too long.
fn replicate(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let source = text(&arguments[0], effort)?;
    let times = whole(&arguments[1])?;
    let chars = source.chars().count() as f64 * times;
    if times < 0.0 || !times.is_finite() || chars > MAX_REPLICATED_CHARS as f64 {
        return None;
    }
    // Of the empty string there may be more than memory has room for.
    let times = if source.is_empty() { 0 } else { times as usize };
    effort.spend(source.len() * times).then(|| source.repeat(times))
}

/// None unless all elements are strings.
fn join(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let separator = text(&arguments[1], effort)?;
    let mut joined = String::new();
    for (at, element) in elements(&arguments[0])?.enumerate() {
        if at > 0 {
            if !effort.spend(separator.len()) {
                return None;
            }
            joined.push_str(&separator);
        }
        joined.push_str(&text(&element, effort)?);
    }
    Some(joined)
}

/// An empty separator separates nothing.
fn split(arguments: &[Datum<'_>], effort: &Effort) -> Option<Value> {
    let (source, separator) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    if separator.is_empty() {
        return Some(Value::Array(vec![Value::from(source)]));
    }
    let mut parts = Vec::new();
    for part in source.split(&*separator) {
        if !effort.spend(part.len() + STEPS_PER_PART) {
            return None;
        }
        parts.push(Value::from(part));
    }
    Some(Value::Array(parts))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called_with, check};
    use super::*;

    #[test]
    fn strings_are_tested() {
        check(&[
            ("CONTAINS", r#"["Maple syrup", "syrup"]"#, "true"),
            ("CONTAINS", r#"["Maple syrup", "maple"]"#, "false"),
            ("CONTAINS", r#"["Maple syrup", "mAPLE", true]"#, "true"),
            ("CONTAINS", r#"["Maple", ""]"#, "true"),
            ("CONTAINS", r#"["Maple", "m", "true"]"#, ""),
            ("CONTAINS", r#"["Maple", 7]"#, ""),
            ("CONTAINS", r#"["ΟΔΟΣ ΟΔΟΣ", "οδοσ ", true]"#, "true"),
            ("STARTSWITH", r#"["Élan", "éL", true]"#, "true"),
            ("STARTSWITH", r#"["Élan", "lan"]"#, "false"),
            ("ENDSWITH", r#"["Élan", "AN", true]"#, "true"),
            ("ENDSWITH", r#"["Élan", "AN", false]"#, "false"),
            ("STRINGEQUALS", r#"["Oak", "oak"]"#, "false"),
            ("STRINGEQUALS", r#"["Oak", "oak", true]"#, "true"),
            ("STRINGEQUALS", r#"["Oak", null]"#, ""),
        ]);
    }

    #[test]
    fn lists_of_parts_are_three_valued() {
        check(&[
            ("CONTAINS_ANY_CI", r#"["Red oak", "ELM", "RED"]"#, "true"),
            ("CONTAINS_ANY_CI", r#"["Red oak", "elm", "undefined"]"#, ""),
            ("CONTAINS_ANY_CI", r#"["Red oak", "undefined", "oak"]"#, "true"),
            ("CONTAINS_ANY_CS", r#"["Red oak", "red", "OAK"]"#, "false"),
            ("CONTAINS_ANY_CS", r#"[5, "red"]"#, ""),
            ("CONTAINS_ALL_CI", r#"["Red oak", "OAK", "red"]"#, "true"),
            ("CONTAINS_ALL_CI", r#"["Red oak", "undefined", "red"]"#, ""),
            ("CONTAINS_ALL_CI", r#"["Red oak", "undefined", "elm"]"#, "false"),
            ("CONTAINS_ALL_CS", r#"["Red oak", "oak", "red"]"#, "false"),
            ("CONTAINS_ALL_CS", r#"["Red oak", "oak", "Red"]"#, "true"),
        ]);
    }

    #[test]
    fn strings_are_made() {
        check(&[
            ("CONCAT", r#"["a", "", "b"]"#, "\"ab\""),
            ("CONCAT", r#"["a", 1]"#, ""),
            ("LENGTH", r#"["né😀"]"#, "3"),
            ("LENGTH", "[[1]]", ""),
            ("LOWER", r#"["ÀB"]"#, "\"àb\""),
            ("UPPER", r#"["straße"]"#, "\"STRASSE\""),
            ("REVERSE", r#"["ab😀"]"#, "\"😀ba\""),
            ("REPLACE", r#"["one one", "one", "two"]"#, "\"two two\""),
            ("REPLACE", r#"["aaa", "aa", "b"]"#, "\"ba\""),
            ("REPLACE", r#"["abc", "", "x"]"#, "\"abc\""),
            ("REPLACE", r#"["abc", "b", null]"#, ""),
            ("REPLICATE", r#"["ab", 2.9]"#, "\"abab\""),
            ("REPLICATE", r#"["ab", 0]"#, "\"\""),
            ("REPLICATE", r#"["ab", -1]"#, ""),
            ("REPLICATE", r#"["", "Infinity"]"#, ""),
            ("REPLICATE", r#"["", 1e300]"#, "\"\""),
            ("REPLICATE", r#"["ab", 5001]"#, ""),
            ("STRINGJOIN", r#"[["a", "b", ""], ", "]"#, "\"a, b, \""),
            ("STRINGJOIN", r#"[[], ", "]"#, "\"\""),
            ("STRINGJOIN", r#"[["a", 1], ", "]"#, ""),
            ("STRINGJOIN", r#"[["a"], "undefined"]"#, ""),
            ("STRINGSPLIT", r#"["a--b--", "--"]"#, r#"["a","b",""]"#),
            ("STRINGSPLIT", r#"["abc", ""]"#, r#"["abc"]"#),
            ("STRINGSPLIT", r#"["", "x"]"#, r#"[""]"#),
            ("STRINGSPLIT", r#"["abc", null]"#, ""),
        ]);
    }

    #[test]
    fn the_longest_replicate_has_the_limits_length() {
        let effort = Effort::for_row();
        assert_eq!(called_with("REPLICATE", r#"["éa", 5000]"#, &effort).chars().count(), MAX_REPLICATED_CHARS + 2);
    }

    #[test]
    fn what_grows_beyond_the_effort_is_not_built() {
        let effort = Effort::of(100_000);
        let arguments = format!(r#"["{}", "a", "{}"]"#, "a".repeat(1000), "b".repeat(1000));
        assert_eq!(called_with("REPLACE", &arguments, &effort), "");
        assert!(effort.is_exhausted());
    }
}
