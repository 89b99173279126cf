//! Functions of strings. Positions and lengths count characters (Unicode scalar values).

use super::{Function, at_least, between, exactly, flag};
use crate::query::{Datum, Effort};

pub(super) const FUNCTIONS: &[Function] = &[
    at_least("CONCAT", 2, |a, effort| concat(a, effort).into()),
    between("CONTAINS", 2, 3, |a, effort| search(a, effort, |text, part| text.contains(part)).into()),
    between("ENDSWITH", 2, 3, |a, effort| search(a, effort, |text, part| text.ends_with(part)).into()),
    exactly("LENGTH", 1, |a, effort| length(a, effort).into()),
    exactly("LOWER", 1, |a, effort| convert(a, effort, str::to_lowercase).into()),
    between("STARTSWITH", 2, 3, |a, effort| search(a, effort, |text, part| text.starts_with(part)).into()),
    between("STRINGEQUALS", 2, 3, |a, effort| search(a, effort, |text, part| text == part).into()),
    exactly("SUBSTRING", 3, |a, effort| substring(a, effort).into()),
    exactly("UPPER", 1, |a, effort| convert(a, effort, str::to_uppercase).into()),
];

fn concat(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let mut joined = String::new();
    for argument in arguments {
        let part = argument.as_str()?;
        if !effort.spend(part.len()) {
            return None;
        }
        joined.push_str(&part);
    }
    Some(joined)
}

/// A test of a text and a part of it; the third argument ignores case.
fn search(arguments: &[Datum<'_>], effort: &Effort, test: impl Fn(&str, &str) -> bool) -> Option<bool> {
    let (text, part) = (arguments[0].as_str()?, arguments[1].as_str()?);
    let ignore_case = flag(arguments, 2)?;
    if !effort.spend(text.len() + part.len()) {
        return None;
    }
    Some(if ignore_case { test(&text.to_lowercase(), &part.to_lowercase()) } else { test(&text, &part) })
}

fn convert(arguments: &[Datum<'_>], effort: &Effort, convert: impl Fn(&str) -> String) -> Option<String> {
    let text = arguments[0].as_str()?;
    effort.spend(text.len()).then(|| convert(&text))
}

fn length(arguments: &[Datum<'_>], effort: &Effort) -> Option<i64> {
    let text = arguments[0].as_str()?;
    effort.spend(text.len()).then(|| text.chars().count() as i64)
}

/// A start before the text or a length below 0 gives the empty string, as on the service.
fn substring(arguments: &[Datum<'_>], effort: &Effort) -> Option<String> {
    let text = arguments[0].as_str()?;
    let start = arguments[1].as_number()?.as_f64().trunc();
    let length = arguments[2].as_number()?.as_f64().trunc();
    if !effort.spend(text.len()) || start.is_nan() || length.is_nan() {
        return None;
    }
    if start < 0.0 || length <= 0.0 {
        return Some(String::new());
    }
    // Floats beyond the range become its end, which is beyond the text too.
    Some(text.chars().skip(start as usize).take(length as usize).collect())
}
