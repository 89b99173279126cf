//! Built-in functions, as data: a table per kind of function, each entry a name, how many arguments it takes, and what it does.
//!
//! Wrong types and undefined arguments give undefined, never an error. Names and numbers of arguments are checked when a query is
//! bound, so that a function may rely on its number of arguments.

mod array;
mod check;
mod math;
mod string;

use super::{Datum, Effort};

/// What a function does. It pays for the bytes that it reads and builds.
pub(super) type Call = for<'a, 'b> fn(&'b [Datum<'a>], &Effort) -> Datum<'a>;

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// Its name, in capitals.
    pub name: &'static str,
    /// Fewest arguments.
    pub min_arguments: usize,
    /// Most arguments; none if there is no end.
    pub max_arguments: Option<usize>,
    pub(super) call: Call,
}

/// The function of that name, in any case.
pub fn function(name: &str) -> Option<&'static Function> {
    let tables = [check::FUNCTIONS, string::FUNCTIONS, array::FUNCTIONS, math::FUNCTIONS];
    tables.into_iter().flatten().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// A function with a fixed number of arguments.
const fn exactly(name: &'static str, arguments: usize, call: Call) -> Function {
    Function { name, min_arguments: arguments, max_arguments: Some(arguments), call }
}

/// A function some of whose arguments may be left out.
const fn between(name: &'static str, min_arguments: usize, max_arguments: usize, call: Call) -> Function {
    Function { name, min_arguments, max_arguments: Some(max_arguments), call }
}

/// A function of as many arguments as one likes.
const fn at_least(name: &'static str, min_arguments: usize, call: Call) -> Function {
    Function { name, min_arguments, max_arguments: None, call }
}

/// The optional flag at `position`: false if it is left out, none if it is not Boolean.
fn flag(arguments: &[Datum<'_>], position: usize) -> Option<bool> {
    match arguments.get(position) {
        None => Some(false),
        Some(argument) => argument.as_bool(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_are_unique() {
        assert_eq!(function("startswith").map(|found| found.name), Some("STARTSWITH"));
        assert!(function("NOPE").is_none());
        let mut names: Vec<_> = [check::FUNCTIONS, string::FUNCTIONS, array::FUNCTIONS, math::FUNCTIONS]
            .into_iter()
            .flatten()
            .map(|f| f.name)
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| !name.chars().any(char::is_lowercase)));
    }
}
