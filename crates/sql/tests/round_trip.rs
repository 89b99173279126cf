//! Printing a tree gives a text that parses to the same tree; no text makes the parser panic.

use proptest::prelude::*;
use proptest::sample::select;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn printed_trees_parse_to_themselves(text in query()) {
        let tree = orrery_sql::parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        let printed = tree.to_string();
        let again = orrery_sql::parse(&printed).map_err(|error| TestCaseError::fail(format!("{printed}: {error}")))?;
        prop_assert_eq!(format!("{:?}", tree), format!("{:?}", again), "{} printed as {}", text, printed);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn what_parses_also_compiles_or_says_why(text in query()) {
        let parameters = [("@p".to_owned(), orrery_value::Value::from(3))];
        match orrery_sql::compile(&text, &parameters) {
            Ok(query) => {
                let row = orrery_value::Value::parse(br#"{"a":{"b":[1,"x"]},"x":2}"#).unwrap();
                query.run_in_memory(&[row]).unwrap();
            }
            Err(error) => prop_assert!(error.span.end <= text.len() && !error.message.is_empty()),
        }
    }

    #[test]
    fn no_tokens_panic(tokens in prop::collection::vec(token(), 0..40)) {
        check_error(&tokens.join(" "))?;
        check_error(&tokens.concat())?;
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        check_error(&text)?;
        check_error(&format!("SELECT {text}"))?;
    }
}

#[test]
fn white_space_makes_no_difference_to_a_tree() {
    let tree = |text| format!("{:?}", orrery_sql::parse(text).unwrap());
    assert_eq!(tree("SELECT*FROM\tc"), tree("SELECT * FROM c"));
}

/// An error lies within the text, on borders of characters.
fn check_error(text: &str) -> Result<(), TestCaseError> {
    if let Err(error) = orrery_sql::compile(text, &[]) {
        prop_assert!(text.get(error.span.clone()).is_some(), "{:?} in {}", error, text);
        prop_assert!(orrery_value::Value::parse(error.to_service_json().as_bytes()).is_ok());
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
    ])
}

fn query() -> impl Strategy<Value = String> {
    let column = (expr(), prop::option::of(name())).prop_map(|(expr, alias)| match alias {
        Some(alias) => format!("{expr} AS {alias}"),
        None => expr,
    });
    let list = prop_oneof![
        Just("*".to_owned()),
        expr().prop_map(|expr| format!("VALUE {expr}")),
        prop::collection::vec(column, 1..4).prop_map(|columns| columns.join(", ")),
    ];
    let top = prop::option::of(select(vec!["1", "@p"]));
    let from = prop::option::of(select(vec!["c", "ROOT c", "items AS c", "a"]));
    let filter = prop::option::of(expr());
    let order = prop::collection::vec((expr(), select(vec!["", " ASC", " DESC"])), 0..3);
    let range = prop::option::of(select(vec!["OFFSET 0 LIMIT 1", "OFFSET @p LIMIT @p"]));
    (top, list, from, filter, order, range).prop_map(|(top, list, from, filter, order, range)| {
        let mut text = "SELECT ".to_owned();
        text += &top.map(|top| format!("TOP {top} ")).unwrap_or_default();
        text += &list;
        text += &from.map(|from| format!(" FROM {from}")).unwrap_or_default();
        text += &filter.map(|filter| format!(" WHERE {filter}")).unwrap_or_default();
        let order: Vec<_> = order.into_iter().map(|(expr, direction)| expr + direction).collect();
        if !order.is_empty() {
            text += &format!(" ORDER BY {}", order.join(", "));
        }
        text + &range.map(|range| format!(" {range}")).unwrap_or_default()
    })
}

fn name() -> impl Strategy<Value = String> {
    select(vec!["a", "b1", "_x", "größe", "rank", "root"]).prop_map(str::to_owned)
}

/// Texts of expressions, without parentheses where the grammar needs none, so that precedence is at work.
fn expr() -> impl Strategy<Value = String> {
    let atom = select(vec![
        "1",
        "2.5",
        "1e300",
        "0x10",
        ".5",
        "'it''s'",
        "\"a\\u0000\\n\"",
        "true",
        "null",
        "undefined",
        "NaN",
        "@p",
        "c",
        "c.a",
        "c.a[\"b\"]",
        "a.b[0][@p]",
        "9007199254740993",
    ])
    .prop_map(|atom| if atom == "'it''s'" { "'it\\'s'".to_owned() } else { atom.to_owned() });
    atom.prop_recursive(5, 48, 4, |inner| {
        let sign = select(vec![
            "*", "/", "%", "+", "- ", "<<", ">>", ">>>", "<", "<=", ">", ">=", "=", "!=", "<>", "&", "^", "|", "||",
        ]);
        let binary = (inner.clone(), sign, inner.clone()).prop_map(|(a, sign, b)| format!("({a}) {sign} {b}"));
        let loose = (inner.clone(), select(vec!["AND", "OR", "??"]), inner.clone())
            .prop_map(|(a, word, b)| format!("{a} {word} {b}"));
        let unary = (select(vec!["- ", "+ ", "~", "NOT "]), inner.clone()).prop_map(|(sign, a)| format!("{sign}({a})"));
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            binary,
            loose,
            unary,
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
            (inner.clone(), select(vec!["IN", "NOT IN"]), list.clone())
                .prop_map(|(a, word, list)| format!("(({a}) {word} ({}))", list.join(", "))),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("(({a}) BETWEEN ({b}) AND ({c}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) LIKE ({b}) ESCAPE '!')")),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|list| format!("[{}]", list.join(","))),
            (name(), inner.clone()).prop_map(|(name, a)| format!("{{{name}: {a}, 'x y': 1}}")),
            (select(vec!["CONCAT", "Abs", "COUNT", "nope"]), list)
                .prop_map(|(name, list)| format!("{name}({})", list.join(", "))),
            (inner.clone(), name()).prop_map(|(a, name)| format!("({a}).{name}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a})[{b}]")),
        ]
    })
}
