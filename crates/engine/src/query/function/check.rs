//! Type checks: always Boolean, false for an undefined argument.

use orrery_value::Number;

use super::{Function, exactly};
use crate::query::Kind;

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("IS_ARRAY", 1, |a, _| (a[0].kind() == Kind::Array).into()),
    exactly("IS_BOOL", 1, |a, _| (a[0].kind() == Kind::Bool).into()),
    exactly("IS_DEFINED", 1, |a, _| (!a[0].is_undefined()).into()),
    exactly("IS_FINITE_NUMBER", 1, |a, _| a[0].as_number().is_some_and(Number::is_finite).into()),
    // A whole number that fits 64 bits, however it is spelled.
    exactly("IS_INTEGER", 1, |a, _| a[0].as_number().is_some_and(|number| number.as_i64().is_some()).into()),
    exactly("IS_NULL", 1, |a, _| (a[0].kind() == Kind::Null).into()),
    exactly("IS_NUMBER", 1, |a, _| (a[0].kind() == Kind::Number).into()),
    exactly("IS_OBJECT", 1, |a, _| (a[0].kind() == Kind::Object).into()),
    exactly("IS_PRIMITIVE", 1, |a, _| {
        matches!(a[0].kind(), Kind::Null | Kind::Bool | Kind::Number | Kind::String).into()
    }),
    exactly("IS_STRING", 1, |a, _| (a[0].kind() == Kind::String).into()),
];

#[cfg(test)]
mod tests {
    use super::super::tests::called;

    #[test]
    fn each_check_accepts_its_types_only() {
        let values = ["undefined", "null", "false", "7", "\"s\"", "[1]", "{}"];
        for (name, accepted) in [
            ("IS_ARRAY", "[1]"),
            ("IS_BOOL", "false"),
            ("IS_BOOLEAN", "false"),
            ("IS_DEFINED", "null false 7 \"s\" [1] {}"),
            ("IS_FINITE_NUMBER", "7"),
            ("IS_INTEGER", "7"),
            ("IS_NULL", "null"),
            ("IS_NUMBER", "7"),
            ("IS_OBJECT", "{}"),
            ("IS_PRIMITIVE", "null false 7 \"s\""),
            ("IS_STRING", "\"s\""),
        ] {
            for value in values {
                let argument = if value == "undefined" { "\"undefined\"" } else { value };
                let expected = accepted.split(' ').any(|accepted| accepted == value);
                assert_eq!(called(name, &format!("[{argument}]")), expected.to_string(), "{name}({value})");
            }
        }
    }

    #[test]
    fn integers_fit_64_bits_and_finite_numbers_are_no_results_of_dividing_by_zero() {
        for (value, integer, finite) in [
            ("2.0", true, true),
            ("2.5", false, true),
            ("9223372036854775807", true, true),
            ("-9223372036854775808", true, true),
            ("9223372036854775808", false, true),
            ("\"NaN\"", false, false),
            ("\"Infinity\"", false, false),
        ] {
            assert_eq!(called("IS_INTEGER", &format!("[{value}]")), integer.to_string(), "{value}");
            assert_eq!(called("IS_FINITE_NUMBER", &format!("[{value}]")), finite.to_string(), "{value}");
            assert_eq!(called("IS_NUMBER", &format!("[{value}]")), "true", "{value}");
        }
    }
}
