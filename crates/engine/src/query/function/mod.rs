//! Built-in functions, as data: a table per kind of function, each entry a name, how many arguments it takes, and what it does.
//!
//! Wrong types and undefined arguments give undefined, never an error. Names and numbers of arguments are checked when a query is
//! bound, so that a function may rely on its number of arguments. Arguments that say where or how many are cut to whole numbers.

mod alias;
mod array;
mod array_contains;
mod array_fold;
mod check;
mod conditional;
mod convert;
mod date_time;
mod elements;
pub(super) mod full_text;
mod integer;
mod item;
mod math;
mod part;
mod pattern;
mod perl;
mod regex;
mod round;
mod set;
mod spatial;
mod string;
mod trim;
mod vector;

use std::borrow::Cow;

use super::{Datum, Effort};

pub(super) use date_time::shifted_from_now;
pub use vector::{VectorMetric, VectorOptions, VectorOptionsError};

/// What a function does. It pays for the bytes that it reads and builds.
pub(super) type Call = for<'a, 'b> fn(&'b [Datum<'a>], &Effort) -> Datum<'a>;

/// The functions there are, by kind.
const TABLES: &[&[Function]] = &[
    array::FUNCTIONS,
    array_contains::FUNCTIONS,
    array_fold::FUNCTIONS,
    check::FUNCTIONS,
    conditional::FUNCTIONS,
    convert::FUNCTIONS,
    date_time::FUNCTIONS,
    full_text::FUNCTIONS,
    integer::FUNCTIONS,
    item::FUNCTIONS,
    math::FUNCTIONS,
    part::FUNCTIONS,
    regex::FUNCTIONS,
    round::FUNCTIONS,
    set::FUNCTIONS,
    spatial::FUNCTIONS,
    string::FUNCTIONS,
    trim::FUNCTIONS,
    vector::FUNCTIONS,
];

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// Its name, in capitals.
    pub name: &'static str,
    /// Fewest arguments.
    pub min_arguments: usize,
    /// Most arguments; none if there is no end.
    pub max_arguments: Option<usize>,
    /// Whether it gives different values for the same arguments, so that each call is made anew.
    pub(super) varies: bool,
    pub(super) call: Call,
}

impl Function {
    /// Whether it measures how far vectors are from each other, by which rows may be sorted.
    pub fn is_vector_distance(&self) -> bool {
        self.name == vector::NAME
    }

    /// The function, as one that gives different values for the same arguments.
    const fn varying(self) -> Function {
        Function { varies: true, ..self }
    }
}

/// The function of that name, in any case.
pub fn function(name: &str) -> Option<&'static Function> {
    let name = alias::canonical(name);
    TABLES.iter().copied().flatten().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// A function with a fixed number of arguments.
const fn exactly(name: &'static str, arguments: usize, call: Call) -> Function {
    between(name, arguments, arguments, call)
}

/// A function some of whose arguments may be left out.
const fn between(name: &'static str, min_arguments: usize, max_arguments: usize, call: Call) -> Function {
    Function { name, min_arguments, max_arguments: Some(max_arguments), varies: false, call }
}

/// A function of as many arguments as one likes.
const fn at_least(name: &'static str, min_arguments: usize, call: Call) -> Function {
    Function { name, min_arguments, max_arguments: None, varies: false, call }
}

/// The optional flag at `position`: false if it is left out, none if it is not Boolean.
fn flag(arguments: &[Datum<'_>], position: usize) -> Option<bool> {
    match arguments.get(position) {
        None => Some(false),
        Some(argument) => argument.as_bool(),
    }
}

/// A string, its bytes paid for.
fn text<'d>(argument: &'d Datum<'_>, effort: &Effort) -> Option<Cow<'d, str>> {
    let text = argument.as_str()?;
    effort.spend(text.len()).then_some(text)
}

/// A place or count: a number cut to a whole one, which may be infinite.
fn whole(argument: &Datum<'_>) -> Option<f64> {
    let number = argument.as_number()?.as_f64();
    (!number.is_nan()).then(|| number.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_value::{NewDocument, Value};

    /// What `NAME(arguments)` gives, as JSON; empty if it is undefined. The arguments are the elements of a JSON array, in which
    /// the strings `undefined`, `NaN` and `Infinity` stand for these values. Arguments read from a stored document must give the same.
    pub(super) fn called(name: &str, arguments: &str) -> String {
        let effort = Effort::for_row();
        let value = called_with(name, arguments, &effort);
        assert!(effort.check().is_ok(), "{name}{arguments}");
        value
    }

    pub(super) fn called_with(name: &str, arguments_json: &str, effort: &Effort) -> String {
        let parsed = Value::parse(arguments_json.as_bytes()).unwrap();
        let special = |value: &Value| match value.as_str() {
            Some("undefined") => Value::Undefined,
            Some("NaN") => Value::from(f64::NAN),
            Some("Infinity") => Value::from(f64::INFINITY),
            _ => value.clone(),
        };
        let arguments: Vec<_> = parsed.as_array().unwrap().iter().map(|value| Datum::Owned(special(value))).collect();
        let function = function(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(arguments.len() >= function.min_arguments, "{name}");
        assert!(function.max_arguments.is_none_or(|max| arguments.len() <= max), "{name}");
        let value = (function.call)(&arguments, effort).into_value().to_json();
        if !effort.is_exhausted()
            && !function.varies
            && arguments.iter().zip(parsed.as_array().unwrap()).all(|(a, b)| a.as_value().as_ref() == b)
        {
            let document = NewDocument::from_json(format!("{{\"a\":{arguments_json}}}").as_bytes()).unwrap();
            let stored: Vec<_> = document.document().root().get("a").unwrap().elements().map(Datum::Stored).collect();
            let same_time = Effort::for_row().begun_at(effort.began());
            let of_stored = (function.call)(&stored, &same_time).into_value().to_json();
            assert_eq!(of_stored, value, "{name} of stored {arguments_json}");
        }
        String::from_utf8(value).unwrap()
    }

    /// Checks calls: name, arguments, and the result as JSON, empty for undefined.
    pub(super) fn check(calls: &[(&str, &str, &str)]) {
        for (name, arguments, expected) in calls {
            assert_eq!(called(name, arguments), *expected, "{name} {arguments}");
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_are_unique() {
        assert_eq!(function("startswith").map(|found| found.name), Some("STARTSWITH"));
        assert!(function("NOPE").is_none());
        let mut names: Vec<_> = TABLES.iter().copied().flatten().map(|f| f.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| !name.chars().any(char::is_lowercase)));
    }

    #[test]
    fn undefined_arguments_give_undefined() {
        for function in TABLES.iter().copied().flatten() {
            if function.min_arguments == 0 || function.name == "IIF" || function.name.starts_with("IS_") {
                continue;
            }
            let arguments = vec![Datum::UNDEFINED; function.min_arguments];
            assert!((function.call)(&arguments, &Effort::for_row()).is_undefined(), "{}", function.name);
        }
    }

    #[test]
    fn no_function_fails_on_arguments_of_any_type() {
        let values = ["null", "true", "-1", "1e300", "\"\"", "\"é😀x\"", "[]", "[1,\"a\",null]", "{}", "{\"a\":{}}"];
        let values: Vec<_> = values.iter().map(|text| Value::parse(text.as_bytes()).unwrap()).collect();
        for function in TABLES.iter().copied().flatten() {
            for a in &values {
                for b in &values {
                    let arguments: Vec<_> =
                        [a, b, b].into_iter().cycle().take(function.min_arguments).map(Datum::Borrowed).collect();
                    (function.call)(&arguments, &Effort::for_row());
                }
            }
        }
    }
}
