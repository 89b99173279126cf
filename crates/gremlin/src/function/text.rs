//! Functions of texts, alone or each in a list.

use super::{class_name, refuse};
use crate::io::text;
use crate::run::RunError;
use crate::step::TextFunction;
use crate::value::{GValue, Scope};

use super::collection::items;

/// Longest text in bytes that a function makes.
pub const MAX_TEXT_BYTES: usize = 1 << 26;

/// `asString()`, `length()` and their like. Null stays null.
///
/// # Errors
/// What is no text, in the words of TinkerPop; of `asString()` null in a list.
pub fn text_function(function: TextFunction, scope: Scope, value: &GValue) -> Result<GValue, RunError> {
    let (name, apply): (_, fn(&str) -> GValue) = match function {
        TextFunction::AsString => return as_string(value, scope),
        // Of UTF-16, as everywhere in the language.
        TextFunction::Length => {
            ("length", |text| i32::try_from(text.encode_utf16().count()).unwrap_or(i32::MAX).into())
        }
        TextFunction::ToLower => ("toLower", |text| GValue::string(text.to_lowercase())),
        TextFunction::ToUpper => ("toUpper", |text| GValue::string(text.to_uppercase())),
        TextFunction::Trim => ("trim", |text| text.trim().into()),
        TextFunction::LTrim => ("lTrim", |text| text.trim_start().into()),
        TextFunction::RTrim => ("rTrim", |text| text.trim_end().into()),
    };
    each(value, scope, name, |text| Ok(apply(text)))
}

/// `replace()`: every occurrence; a null replaces nothing, nor does nothing become something.
///
/// # Errors
/// What is no text, and too large a result.
pub fn replace(value: &GValue, scope: Scope, old: Option<&str>, new: Option<&str>) -> Result<GValue, RunError> {
    each(value, scope, "replace", |text| match (old, new) {
        (Some(old), Some(new)) if !old.is_empty() => {
            let growth = new.len().saturating_sub(old.len()).saturating_mul(text.matches(old).count());
            checked(text.len().saturating_add(growth))?;
            Ok(GValue::string(text.replace(old, new)))
        }
        _ => Ok(text.into()),
    })
}

/// `split()`: the parts between separators, none of them empty; without a separator those between white space; with an empty one the
/// characters.
///
/// # Errors
/// What is no text.
pub fn split(value: &GValue, scope: Scope, separator: Option<&str>) -> Result<GValue, RunError> {
    let list = |parts: Vec<&str>| GValue::list(parts.into_iter().map(GValue::from));
    each(value, scope, "split", |text| {
        Ok(match separator {
            None => list(text.split_whitespace().collect()),
            Some("") if text.is_empty() => list(vec![""]),
            Some("") => GValue::list(text.chars().map(|character| GValue::string(character.to_string()))),
            Some(separator) => list(text.split(separator).filter(|part| !part.is_empty()).collect()),
        })
    })
}

/// `substring()`: the characters from one place up to but without another; negative ones are counted from the end.
///
/// # Errors
/// What is no text.
pub fn substring(value: &GValue, scope: Scope, start: i64, end: Option<i64>) -> Result<GValue, RunError> {
    each(value, scope, "substring", |text| {
        let units: Vec<u16> = text.encode_utf16().collect();
        let start = place(units.len(), start);
        let end = end.map_or(units.len(), |end| place(units.len(), end));
        Ok(GValue::string(String::from_utf16_lossy(units.get(start..end).unwrap_or_default())))
    })
}

/// `concat()`: the texts one behind the other; nulls add nothing, and nothing but nulls is null.
///
/// # Errors
/// What is no text, and too large a result.
pub fn concat<'a>(first: &'a GValue, parts: impl IntoIterator<Item = &'a GValue>) -> Result<GValue, RunError> {
    let mut joined: Option<String> = None;
    for part in std::iter::once(first).chain(parts) {
        match part {
            GValue::Null => {}
            GValue::String(text) => {
                let joined = joined.get_or_insert_default();
                checked(joined.len().saturating_add(text.len()))?;
                joined.push_str(text);
            }
            other => {
                let class = class_name::simple(other);
                return Err(refuse(format!("String concat() can only take string as argument, encountered {class}")));
            }
        }
    }
    Ok(joined.map_or(GValue::Null, GValue::string))
}

/// The text of a value, as Java gives it.
pub fn text_of(value: &GValue) -> String {
    text::of(value)
}

fn as_string(value: &GValue, scope: Scope) -> Result<GValue, RunError> {
    let one = |item: &GValue| match item {
        GValue::Null => Err(refuse("Can't parse null as String.")),
        other => Ok(GValue::string(text::of(other))),
    };
    match (scope, items(value)?) {
        (Scope::Local, Some(items)) => Ok(GValue::list(items.iter().map(one).collect::<Result<Vec<_>, _>>()?)),
        _ => one(value),
    }
}

/// Works on a text, or on each text of a list.
fn each(
    value: &GValue,
    scope: Scope,
    name: &str,
    apply: impl Fn(&str) -> Result<GValue, RunError>,
) -> Result<GValue, RunError> {
    let one = |item: &GValue| match item {
        GValue::Null => Ok(GValue::Null),
        GValue::String(text) => apply(text),
        other => {
            let class = class_name::simple(other);
            Err(refuse(match scope {
                Scope::Global => format!("The {name}() step can only take string as argument, encountered {class}"),
                Scope::Local => {
                    format!("The {name}(local) step can only take string or list of strings, encountered {class}")
                }
            }))
        }
    };
    match (scope, items(value)?) {
        (Scope::Local, Some(items)) => Ok(GValue::list(items.iter().map(one).collect::<Result<Vec<_>, _>>()?)),
        _ => one(value),
    }
}

/// A place in a text of some length. One before its start is the start, one behind its end the end.
fn place(length: usize, at: i64) -> usize {
    let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
    if at < 0 { length.saturating_sub(distance) } else { distance.min(length) }
}

fn checked(size_bytes: usize) -> Result<(), RunError> {
    if size_bytes > MAX_TEXT_BYTES {
        return Err(refuse(format!("a text has at most {MAX_TEXT_BYTES} bytes")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(function: TextFunction, value: impl Into<GValue>) -> Result<GValue, RunError> {
        text_function(function, Scope::Global, &value.into())
    }

    fn texts(texts: &[&str]) -> GValue {
        GValue::list(texts.iter().map(|text| GValue::from(*text)))
    }

    #[test]
    fn texts_are_changed_and_null_stays() {
        for (function, result) in [
            (TextFunction::Length, 6.into()),
            (TextFunction::ToUpper, " A\u{3000}BÉ ".into()),
            (TextFunction::Trim, "a\u{3000}bé".into()),
            (TextFunction::LTrim, "a\u{3000}bé ".into()),
            (TextFunction::RTrim, " a\u{3000}bé".into()),
        ] {
            let value = " a\u{3000}bé ";
            assert_eq!(global(function, value), Ok(result), "{function:?}");
            assert_eq!(global(function, GValue::Null), Ok(GValue::Null));
        }
        assert_eq!(global(TextFunction::AsString, 1.5), Ok("1.5".into()));
        assert_eq!(global(TextFunction::AsString, GValue::list([1.into()])), Ok("[1]".into()));
    }

    #[test]
    fn what_is_no_text_is_refused_by_the_name_of_the_step() {
        let message = |scope, value: &GValue| text_function(TextFunction::LTrim, scope, value).unwrap_err().to_string();
        assert_eq!(
            message(Scope::Local, &GValue::list([1.into()])),
            "The lTrim(local) step can only take string or list of strings, encountered Integer"
        );
        assert_eq!(
            message(Scope::Global, &texts(&["a"])),
            "The lTrim() step can only take string as argument, encountered ArrayList"
        );
        let nulls = GValue::list([GValue::Null]);
        assert!(text_function(TextFunction::AsString, Scope::Local, &nulls).is_err());
    }

    #[test]
    fn parts_of_texts_are_found() {
        let cut = |text: &str, start, end| substring(&text.into(), Scope::Global, start, end).unwrap();
        assert_eq!(cut("lop", 1, Some(4)), "op".into());
        assert_eq!(cut("marko", -3, None), "rko".into());
        assert_eq!(cut("ripple", -4, Some(2)), "".into());
        assert_eq!(cut("lop", -4, Some(2)), "lo".into());
        assert_eq!(cut("ripple", -3, Some(-1)), "pl".into());
        assert_eq!(cut("a", i64::MIN, Some(i64::MAX)), "a".into());
        let split = |text: &str, separator| split(&text.into(), Scope::Global, separator).unwrap();
        assert_eq!(split("that", Some("h")), texts(&["t", "at"]));
        assert_eq!(split("hello  world", None), texts(&["hello", "world"]));
        assert_eq!(split("abc", Some("")), texts(&["a", "b", "c"]));
        assert_eq!(split("aXXbX", Some("X")), texts(&["a", "b"]));
    }

    #[test]
    fn texts_are_replaced_and_put_together() {
        let replaced = |old, new| replace(&"ripple".into(), Scope::Global, old, new).unwrap();
        assert_eq!(replaced(Some("p"), Some("g")), "riggle".into());
        assert_eq!(replaced(None, Some("g")), "ripple".into());
        assert_eq!(replaced(Some(""), Some("g")), "ripple".into());
        assert_eq!(concat(&GValue::Null, &[GValue::Null, "b".into()]), Ok("b".into()));
        assert_eq!(concat(&GValue::Null, &[]), Ok(GValue::Null));
        assert!(concat(&1.into(), &[]).is_err());
    }

    #[test]
    fn no_text_grows_beyond_its_bound() {
        let long = "a".repeat(1 << 14);
        let more = "b".repeat(1 << 14);
        assert!(replace(&long.as_str().into(), Scope::Global, Some("a"), Some(&more)).is_err());
    }
}
