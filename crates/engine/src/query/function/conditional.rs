//! Functions that choose one of their arguments.

use super::{Function, at_least, exactly};
use crate::query::{Datum, Effort};

pub(super) const FUNCTIONS: &[Function] = &[
    at_least("CHOOSE", 2, |a, effort| choose(a, effort).unwrap_or(Datum::UNDEFINED)),
    exactly("IIF", 3, |a, effort| if a[0].as_bool() == Some(true) { copy(&a[1], effort) } else { copy(&a[2], effort) }),
];

/// The arguments after the first are numbered from 1.
fn choose<'a>(arguments: &[Datum<'a>], effort: &Effort) -> Option<Datum<'a>> {
    let chosen = usize::try_from(arguments[0].as_number()?.as_i64()?).ok()?;
    // The first argument, which numbers the others, is none of them.
    let chosen = if chosen == 0 { None } else { arguments.get(chosen) };
    chosen.map(|argument| copy(argument, effort))
}

/// Only a computed value is copied, and paid for.
fn copy<'a>(argument: &Datum<'a>, effort: &Effort) -> Datum<'a> {
    match argument {
        Datum::Owned(_) if !effort.spend(argument.weight()) => Datum::UNDEFINED,
        argument => argument.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn only_true_chooses_the_first_value() {
        check(&[
            ("IIF", r#"[true, "yes", "no"]"#, "\"yes\""),
            ("IIF", r#"[false, "yes", "no"]"#, "\"no\""),
            ("IIF", r#"[1, "yes", "no"]"#, "\"no\""),
            ("IIF", r#"["undefined", "yes", [1]]"#, "[1]"),
            ("IIF", r#"[true, "undefined", 1]"#, ""),
        ]);
    }

    #[test]
    fn a_number_chooses_a_value() {
        check(&[
            ("CHOOSE", r#"[1, "a", "b"]"#, "\"a\""),
            ("CHOOSE", r#"[2.0, "a", [1]]"#, "[1]"),
            ("CHOOSE", r#"[0, "a", "b"]"#, ""),
            ("CHOOSE", r#"[3, "a", "b"]"#, ""),
            ("CHOOSE", r#"[-1, "a", "b"]"#, ""),
            ("CHOOSE", r#"[1.5, "a", "b"]"#, ""),
            ("CHOOSE", r#"["1", "a", "b"]"#, ""),
        ]);
    }
}
