//! Functions of regular expressions: `(text, pattern[, modifiers[, group]])`.

use orrery_value::Value;
use regex::Captures;

use super::pattern::{Pattern, with_pattern};
use super::{Function, between, text};
use crate::query::{Datum, Effort};

/// Steps that each match of several costs besides its bytes.
const STEPS_PER_MATCH: usize = 8;

pub(super) const FUNCTIONS: &[Function] = &[
    between("REGEXEXTRACT", 2, 4, |a, effort| extract(a, effort).into()),
    between("REGEXEXTRACTALL", 2, 4, |a, effort| extract_all(a, effort).into()),
    between("REGEXMATCH", 2, 3, |a, effort| search(a, effort, |pattern, text| pattern.regex.is_match(text)).into()),
];

fn search<T>(arguments: &[Datum<'_>], effort: &Effort, apply: impl FnOnce(&Pattern, &str) -> T) -> Option<T> {
    let (searched, pattern) = (text(&arguments[0], effort)?, text(&arguments[1], effort)?);
    let modifiers = match arguments.get(2) {
        Some(modifiers) => text(modifiers, effort)?,
        None => "".into(),
    };
    with_pattern(&pattern, &modifiers, &searched, effort, |pattern| apply(pattern, &searched))
}

/// Which group is wanted: 0, the whole match, if none is named. None for what is no group of the pattern.
fn group(arguments: &[Datum<'_>], pattern: &Pattern) -> Option<usize> {
    let group = match arguments.get(3) {
        Some(group) => usize::try_from(group.as_number()?.as_i64()?).ok()?,
        None => 0,
    };
    (group < pattern.regex.captures_len()).then_some(group)
}

/// The first match; none without one, and if the group has no part in it.
fn extract(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    search(arguments, effort, |pattern, text| match group(arguments, pattern)? {
        0 => pattern.regex.find(text).map(|found| found.as_str().to_owned()),
        group => pattern.regex.captures(text)?.get(group).map(|found| found.as_str().to_owned()),
    })?
}

/// All matches that do not overlap, less those in which the group has no part.
fn extract_all(arguments: &[Datum<'_>], effort: &Effort) -> Option<Value> {
    search(arguments, effort, |pattern, text| {
        let group = group(arguments, pattern)?;
        let part = |captures: Captures<'_>| captures.get(group).map(|found| Value::from(found.as_str()));
        let mut parts = Vec::new();
        for part in pattern.regex.captures_iter(text).filter_map(part) {
            if !effort.spend(part.as_str().map_or(0, str::len) + STEPS_PER_MATCH) {
                return None;
            }
            parts.push(part);
        }
        Some(Value::Array(parts))
    })?
}

#[cfg(test)]
mod tests {
    use super::super::tests::{called_with, check};
    use super::*;

    #[test]
    fn patterns_match_anywhere_in_the_text() {
        check(&[
            ("REGEXMATCH", r#"["birch", "i.c"]"#, "true"),
            ("REGEXMATCH", r#"["birch", "IR"]"#, "false"),
            ("REGEXMATCH", r#"["birch", "IR", "i"]"#, "true"),
            ("REGEXMATCH", r#"["birch", "i r", "x"]"#, "true"),
            ("REGEXMATCH", r#"["birch", "I r", "xi"]"#, "true"),
            ("REGEXMATCH", r#"["a\nb", "^b"]"#, "false"),
            ("REGEXMATCH", r#"["a\nb", "^b", "m"]"#, "true"),
            ("REGEXMATCH", r#"["a\nb", "a.b"]"#, "false"),
            ("REGEXMATCH", r#"["a\nb", "a.b", "s"]"#, "true"),
            ("REGEXMATCH", r#"["oak 42", "^[a-z]+\\s\\d{2}$", ""]"#, "true"),
            ("REGEXMATCH", r#"["birch", "b", "g"]"#, ""),
            ("REGEXMATCH", r#"["birch", "b", null]"#, ""),
            ("REGEXMATCH", r#"["birch", 5]"#, ""),
            ("REGEXMATCH", r#"[5, "5"]"#, ""),
        ]);
    }

    #[test]
    fn matches_and_their_groups_are_extracted() {
        check(&[
            ("REGEXEXTRACT", r#"["No 17, no 23", "[0-9]+"]"#, "\"17\""),
            ("REGEXEXTRACT", r#"["No 17, no 23", "NO ([0-9]+)", "i", 1]"#, "\"17\""),
            ("REGEXEXTRACT", r#"["No 17", "no"]"#, ""),
            ("REGEXEXTRACT", r#"["No 17", "(x)?N", "", 1]"#, ""),
            ("REGEXEXTRACT", r#"["No 17", "N", "", 1]"#, ""),
            ("REGEXEXTRACT", r#"["No 17", "N", "", -1]"#, ""),
            ("REGEXEXTRACT", r#"["No 17", "N", "", "0"]"#, ""),
            ("REGEXEXTRACTALL", r#"["No 17, no 23", "[0-9]+"]"#, r#"["17","23"]"#),
            ("REGEXEXTRACTALL", r#"["No 17, no 23", "no ([0-9])", "i", 1]"#, r#"["1","2"]"#),
            ("REGEXEXTRACTALL", r#"["No 17, no 23", "x"]"#, "[]"),
            ("REGEXEXTRACTALL", r#"["ab", "(a)|b", "", 1]"#, r#"["a"]"#),
            ("REGEXEXTRACTALL", r#"["ab", "a", "", 2]"#, ""),
        ]);
    }

    #[test]
    fn what_cannot_be_matched_in_linear_time_fails_the_row_with_the_reason() {
        for (pattern, reason) in [
            ("a(?=b)", "look-around, including look-ahead and look-behind, is not supported"),
            ("(?<!a)b", "look-around, including look-ahead and look-behind, is not supported"),
            (r"(a)\\1", "backreferences are not supported"),
            ("(", "unclosed group"),
            ("(a{1000}){1000}", "it takes more than 524288 bytes when compiled"),
        ] {
            let effort = Effort::for_row();
            assert_eq!(called_with("REGEXMATCH", &format!(r#"["ab", "{pattern}"]"#), &effort), "");
            let error = effort.check().unwrap_err().to_string();
            assert!(error.contains("the regular expression"), "{error}");
            assert!(error.ends_with(reason), "{error}");
        }
        let effort = Effort::for_row();
        called_with("REGEXMATCH", &format!(r#"["ab", "{}"]"#, "a".repeat(10_000)), &effort);
        assert!(effort.check().unwrap_err().to_string().ends_with("it has more than 8192 bytes"));
    }

    #[test]
    fn searching_and_compiling_are_paid_for() {
        let effort = Effort::of(1_000_000);
        let long = format!(r#"["{}", "(x+x+)+y"]"#, "x".repeat(100_000));
        assert_eq!(called_with("REGEXMATCH", &long, &effort), "false");
        let patterns = (0..100).map(|number| format!(r#"["x", "paid {number}"]"#));
        for pattern in patterns {
            called_with("REGEXMATCH", &pattern, &effort);
        }
        assert!(effort.is_exhausted());
    }
}
