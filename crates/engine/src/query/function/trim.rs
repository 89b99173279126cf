//! Functions that take characters off the ends of strings.

use std::collections::HashSet;

use super::{Function, between, text};
use crate::query::{Datum, Effort};

pub(super) const FUNCTIONS: &[Function] = &[
    between("LTRIM", 1, 2, |a, effort| trim(a, effort, Ends::Start).into()),
    between("RTRIM", 1, 2, |a, effort| trim(a, effort, Ends::End).into()),
    between("TRIM", 1, 2, |a, effort| trim(a, effort, Ends::Both).into()),
];

/// Which ends characters are taken off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Start,
    End,
    Both,
}

/// Takes off white space, or all characters that the second argument has, in any order.
fn trim(arguments: &[Datum<'_>], effort: &Effort, ends: Ends) -> Option<String> {
    let source = text(&arguments[0], effort)?;
    let rest = match arguments.get(1) {
        None => cut(&source, ends, char::is_whitespace),
        Some(set) => {
            let set: HashSet<char> = text(set, effort)?.chars().collect();
            cut(&source, ends, |c| set.contains(&c))
        }
    };
    Some(rest.to_owned())
}

fn cut(text: &str, ends: Ends, unwanted: impl Fn(char) -> bool) -> &str {
    let text = if ends == Ends::End { text } else { text.trim_start_matches(&unwanted) };
    if ends == Ends::Start { text } else { text.trim_end_matches(&unwanted) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn ends_are_trimmed() {
        check(&[
            ("TRIM", r#"[" \t x y\n"]"#, "\"x y\""),
            ("LTRIM", r#"["  x  "]"#, "\"x  \""),
            ("RTRIM", r#"["  x  "]"#, "\"  x\""),
            ("TRIM", r#"["-_-x-y_--", "_-"]"#, "\"x-y\""),
            ("TRIM", r#"["- x -", "-"]"#, "\" x \""),
            ("LTRIM", r#"["abcabx", "bca"]"#, "\"x\""),
            ("RTRIM", r#"["xcab", "abc"]"#, "\"x\""),
            ("LTRIM", r#"["abc", "abc"]"#, "\"\""),
            ("TRIM", r#"[" x ", ""]"#, "\" x \""),
            ("TRIM", r#"["ééxé", "é"]"#, "\"x\""),
            ("TRIM", r#"["x", 1]"#, ""),
            ("TRIM", r#"["x", "undefined"]"#, ""),
            ("TRIM", "[1]", ""),
        ]);
    }
}
