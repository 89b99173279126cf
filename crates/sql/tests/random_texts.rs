//! No text makes compiling panic, and errors say where and why.

use orrery_value::Value;
use proptest::prelude::*;
use proptest::sample::select;

use super::grammar::sentence;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_tokens_panic(tokens in prop::collection::vec(token(), 0..40)) {
        check(&tokens.join(" "))?;
        check(&tokens.concat())?;
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        check(&text)?;
        check(&format!("SELECT {text}"))?;
    }

    #[test]
    fn sentences_compile_or_say_why(seed in any::<u64>()) {
        check(&sentence(seed))?;
    }
}

#[test]
fn white_space_makes_no_difference_to_a_tree() {
    let tree = |text| format!("{:?}", orrery_sql::parse(text).unwrap());
    assert_eq!(tree("SELECT*FROM\tc"), tree("SELECT * FROM c"));
}

/// An error lies within the text, on borders of characters; what compiles runs, though it may be refused for what it does.
fn check(text: &str) -> Result<(), TestCaseError> {
    let parameters = [("@p".to_owned(), Value::from(3))];
    match orrery_sql::compile(text, &parameters, &orrery_sql::Context::default()) {
        Ok(query) => {
            let row = Value::parse(br#"{"a":{"b":[1,"x"]},"x":2}"#).unwrap();
            if let Err(error) = query.run_in_memory(&[row]) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        Err(error) => {
            prop_assert!(text.get(error.span.clone()).is_some(), "{:?} in {}", error, text);
            prop_assert!(!error.message.is_empty());
            prop_assert!(Value::parse(error.to_service_json().as_bytes()).is_ok());
        }
    }
    Ok(())
}

fn token() -> impl Strategy<Value = &'static str> {
    select(vec![
        "SELECT",
        "FROM",
        "WHERE",
        "ORDER",
        "BY",
        "TOP",
        "VALUE",
        "OFFSET",
        "LIMIT",
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "BETWEEN",
        "ESCAPE",
        "AS",
        "ASC",
        "c",
        "c.a",
        "f(",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ":",
        "?",
        "??",
        "*",
        "/",
        "%",
        "+",
        "-",
        "<",
        ">=",
        "=",
        "!=",
        "||",
        "|",
        "&",
        "^",
        "~",
        ">>>",
        "1",
        "0x",
        "1.5e",
        "'a'",
        "\"",
        "'",
        "\\",
        "@p",
        "@",
        "null",
        "TRUE",
        "undefined",
        "--",
        "/*",
        "é",
        "udf",
        "udf.f(",
        "DISTINCT",
        "JOIN",
        "GROUP",
        "RANK",
        "DESC",
        "EXISTS(",
        "ARRAY(",
        "ALL",
        "FIRST",
        "(SELECT",
        "LEFT",
        "Infinity",
    ])
}
