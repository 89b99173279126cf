//! Functions that turn values into strings and strings into values.

use orrery_value::{Number, Value};

use super::{Function, exactly, text};
use crate::query::{Datum, Effort, Kind};

/// Steps per byte of JSON text that is read: a value takes several times the memory of its text.
const STEPS_PER_PARSED_BYTE: usize = 4;

/// What may stand around a value, as around any JSON.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

pub(super) const FUNCTIONS: &[Function] = &[
    exactly("STRINGTOARRAY", 1, |a, effort| {
        parsed(&a[0], effort, |first| first == b'[').filter(|value| value.as_array().is_some()).into()
    }),
    exactly("STRINGTOBOOLEAN", 1, |a, effort| boolean(&a[0], effort).into()),
    exactly("STRINGTONULL", 1, |a, effort| null(&a[0], effort).into()),
    exactly("STRINGTONUMBER", 1, |a, effort| {
        parsed(&a[0], effort, |first| first == b'-' || first.is_ascii_digit()).into()
    }),
    exactly("STRINGTOOBJECT", 1, |a, effort| parsed(&a[0], effort, |first| first == b'{').into()),
    exactly("TOSTRING", 1, |a, effort| to_string(&a[0], effort).into()),
];

/// The value whose JSON the string is, if the JSON begins as wanted, by which its type is known.
fn parsed(argument: &Datum<'_>, effort: &Effort, begins: fn(u8) -> bool) -> Option<Value> {
    let source = argument.as_str()?;
    let json = source.trim_matches(WHITE_SPACE);
    let wanted = json.bytes().next().is_some_and(begins);
    (effort.spend(source.len() * STEPS_PER_PARSED_BYTE) && wanted).then(|| Value::parse(json.as_bytes()).ok())?
}

fn boolean(argument: &Datum<'_>, effort: &Effort) -> Option<bool> {
    text(argument, effort)?.trim_matches(WHITE_SPACE).parse().ok()
}

fn null(argument: &Datum<'_>, effort: &Effort) -> Option<Value> {
    (text(argument, effort)?.trim_matches(WHITE_SPACE) == "null").then_some(Value::Null)
}

/// A string stays what it is, anything else becomes its JSON in the service's own spelling. Numbers that JSON does not have are
/// `NaN`, `Infinity` and `-Infinity`.
fn to_string(argument: &Datum<'_>, effort: &Effort) -> Option<String> {
    match argument.kind() {
        Kind::Undefined => None,
        Kind::String => text(argument, effort).map(|text| text.into_owned()),
        Kind::Number => argument.as_number().map(|number: Number| number.to_string()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => {
            effort.spend(argument.weight()).then(|| String::from_utf8(argument.as_value().to_json()).ok())?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn values_become_strings() {
        check(&[
            ("TOSTRING", "[1.50]", "\"1.5\""),
            ("TOSTRING", "[1.0]", "\"1\""),
            ("TOSTRING", "[true]", "\"true\""),
            ("TOSTRING", "[null]", "\"null\""),
            ("TOSTRING", r#"["é\n"]"#, r#""é\n""#),
            ("TOSTRING", r#"[[1, "a", {"b": 2.0}]]"#, r#""[1,\"a\",{\"b\":2}]""#),
            ("TOSTRING", r#"["NaN"]"#, "\"NaN\""),
            ("TOSTRING", r#"["Infinity"]"#, "\"Infinity\""),
            ("TOSTRING", r#"["undefined"]"#, ""),
        ]);
    }

    #[test]
    fn strings_become_values() {
        check(&[
            ("STRINGTOARRAY", r#"[" [1, [\"a\"], null]\n"]"#, r#"[1,["a"],null]"#),
            ("STRINGTOARRAY", r#"["['a']"]"#, ""),
            ("STRINGTOARRAY", r#"["[1] 2"]"#, ""),
            ("STRINGTOARRAY", r#"["{}"]"#, ""),
            ("STRINGTOARRAY", "[[1]]", ""),
            ("STRINGTOOBJECT", r#"["{\"a\": {\"b\": []}}"]"#, r#"{"a":{"b":[]}}"#),
            ("STRINGTOOBJECT", r#"["{a: 1}"]"#, ""),
            ("STRINGTOOBJECT", r#"["[]"]"#, ""),
            ("STRINGTOBOOLEAN", r#"[" true "]"#, "true"),
            ("STRINGTOBOOLEAN", r#"["False"]"#, ""),
            ("STRINGTOBOOLEAN", "[true]", ""),
            ("STRINGTONULL", r#"["\tnull "]"#, "null"),
            ("STRINGTONULL", r#"["NULL"]"#, ""),
            ("STRINGTONULL", "[null]", ""),
            ("STRINGTONUMBER", r#"["  -1.5e3 "]"#, "-1500"),
            ("STRINGTONUMBER", r#"["9007199254740993"]"#, "9007199254740993"),
            ("STRINGTONUMBER", r#"["+1"]"#, ""),
            ("STRINGTONUMBER", r#"["0x10"]"#, ""),
            ("STRINGTONUMBER", r#"["1e999"]"#, ""),
            ("STRINGTONUMBER", r#"["nan"]"#, ""),
            ("STRINGTONUMBER", r#"[""]"#, ""),
            ("STRINGTONUMBER", "[1]", ""),
        ]);
    }

    #[test]
    fn deeply_nested_text_is_no_value() {
        let nested = format!(r#"["{}{}"]"#, "[".repeat(100_000), "]".repeat(100_000));
        check(&[("STRINGTOARRAY", &nested, "")]);
    }
}
