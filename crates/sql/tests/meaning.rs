//! What expressions mean, by tables: the item, the expression, its value as JSON. An empty value is undefined.

use orrery_engine::query::Expr;
use orrery_engine::{Predicate, Query};
use orrery_sql::{Context, compile};
use orrery_value::{NewDocument, Value};

const ITEM: &str = r#"{"n":2,"f":1.5,"big":9007199254740993,"s":"Hello","e":"","u":"\u00e9\"","t":true,"no":false,"nil":null,
    "a":[1,"x",null,[2],{"k":1,"l":2}],"o":{"p":{"q":"deep"},"n":1},"two words":3}"#;

/// The expression's value on the item, once read from a stored document and once from memory.
fn value(expr: &str) -> String {
    let parameters = [("@p".to_owned(), Value::from("s")), ("@list".to_owned(), Value::parse(b"[1,2,3]").unwrap())];
    let query = compile(&format!("SELECT VALUE {expr} FROM c"), &parameters, &Context::default())
        .unwrap_or_else(|error| panic!("{expr}: {error}"));
    let in_memory = one(&query, Value::parse(ITEM.as_bytes()).unwrap());
    assert_eq!(holds(&query), in_memory == "true", "{expr} on a stored document");
    in_memory
}

fn one(query: &Query, row: Value) -> String {
    let rows = query.run_in_memory(&[row]).unwrap();
    rows.iter().map(|row| String::from_utf8(row.to_json()).unwrap()).collect()
}

/// Whether the query's projection, used as a filter, keeps the stored document.
fn holds(query: &Query) -> bool {
    let document = NewDocument::from_json(ITEM.as_bytes()).unwrap();
    let expr: Expr = query.plan().body.projection.clone();
    Predicate::new(expr).holds(document.document())
}

fn check(cases: &[(&str, &str)]) {
    for (expr, expected) in cases {
        assert_eq!(value(expr), *expected, "{expr}");
    }
}

#[test]
fn properties_that_are_not_there_are_undefined() {
    check(&[
        ("c.n", "2"),
        ("c.f", "1.5"),
        ("c.o.p.q", r#""deep""#),
        ("c['two words']", "3"),
        ("c[@p]", r#""Hello""#),
        ("c[c.o.p.q]", ""),
        ("c.missing", ""),
        ("c.missing.further", ""),
        ("c.n.x", ""),
        ("c.s[0]", ""),
        ("c.a[0]", "1"),
        ("c.a[3][0]", "2"),
        ("c.a[5]", ""),
        ("c.a[-1]", ""),
        ("c.a[0.5]", ""),
        ("c.a['0']", ""),
        ("c.o[0]", ""),
        ("{x: c.n}.x", "2"),
        ("[1, c.missing, 2]", "[1,2]"),
        ("{a: c.missing, b: null}", r#"{"b":null}"#),
        ("[c.missing]", "[]"),
        ("undefined", ""),
    ]);
}

#[test]
fn equality_is_false_across_types_and_undefined_with_undefined() {
    check(&[
        ("c.n = 2", "true"),
        ("c.n = 2.0", "true"),
        ("c.n = '2'", "false"),
        ("c.n != '2'", "true"),
        ("c.n != null", "true"),
        ("c.nil = null", "true"),
        ("c.missing = null", ""),
        ("c.missing = undefined", ""),
        ("c.missing != 1", ""),
        ("c.big = 9007199254740993", "true"),
        ("c.s = 'Hello'", "true"),
        ("c.s = 'hello'", "false"),
        ("c.u = 'é\"'", "true"),
        ("c.a = [1, 'x', null, [2], {l: 2, k: 1}]", "true"),
        ("c.a = [1]", "false"),
        ("c.o = {n: 1, p: {q: 'deep'}}", "true"),
        ("c.o = {n: 1.0}", "false"),
        ("c.o = c.o", "true"),
        ("c.a[4] = {k: 1, l: 2}", "true"),
        ("c.t = true", "true"),
        ("c.t = 1", "false"),
        ("0/0 = 0/0", "false"),
    ]);
}

#[test]
fn order_is_defined_within_primitive_types_only() {
    check(&[
        ("c.n < 3", "true"),
        ("c.n <= 2", "true"),
        ("c.n > 1.99", "true"),
        ("c.n >= 2.01", "false"),
        ("c.s < 'Hello!'", "true"),
        ("'Z' < 'a'", "true"),
        ("c.no < c.t", "true"),
        ("c.nil <= null", "true"),
        ("c.n < '3'", ""),
        ("c.n < null", ""),
        ("c.a < [9]", ""),
        ("c.o < {}", ""),
        ("c.missing < 1", ""),
        ("c.n BETWEEN 1 AND 2", "true"),
        ("c.n BETWEEN 3 AND c.missing", "false"),
        ("c.n BETWEEN c.missing AND 1", "false"),
        ("c.n BETWEEN c.missing AND 3", ""),
        ("c.n NOT BETWEEN 1 AND 2", "false"),
        ("c.s BETWEEN 1 AND 2", ""),
    ]);
}

#[test]
fn logic_has_three_values() {
    check(&[
        ("true AND c.missing", ""),
        ("c.missing AND false", "false"),
        ("false AND c.missing", "false"),
        ("true OR c.missing", "true"),
        ("c.missing OR true", "true"),
        ("c.missing OR false", ""),
        ("NOT c.missing", ""),
        ("NOT c.no", "true"),
        ("NOT c.n", ""),
        ("c.n AND true", ""),
        ("c.n AND false", "false"),
        ("c.nil OR false", ""),
        ("c.n AND c.t AND c.no", "false"),
        ("c.missing ?? 'x'", r#""x""#),
        ("c.nil ?? 'x'", "null"),
        ("c.missing ?? c.missing ?? 1", "1"),
        ("c.t ? 1 : 2", "1"),
        ("c.n ? 1 : 2", "2"),
        ("c.missing ? 1 : c.no ? 2 : 3", "3"),
    ]);
}

#[test]
fn membership_is_a_chain_of_equalities() {
    check(&[
        ("c.n IN (1, 2, 3)", "true"),
        ("c.n IN (1, '2')", "false"),
        ("c.n IN (3, c.n)", "true"),
        ("c.n IN (3, c.missing)", ""),
        ("c.n IN (2, c.missing)", "true"),
        ("c.missing IN (1)", ""),
        ("c.n NOT IN (1)", "true"),
        ("c.missing NOT IN (1)", ""),
        ("c.s IN ('Hello', 'World', null, 1, [])", "true"),
        ("c.o.p IN ({q: 'deep'})", "true"),
        ("c.nil IN (false, null)", "true"),
    ]);
}

#[test]
fn patterns_match_case_sensitively() {
    check(&[
        ("c.s LIKE 'H%'", "true"),
        ("c.s LIKE 'h%'", "false"),
        ("c.s LIKE '%l_o'", "true"),
        ("c.s LIKE '[F-J]ello'", "true"),
        ("c.s NOT LIKE 'x%'", "true"),
        ("c.s LIKE c.s || '%'", "true"),
        ("'50%' LIKE '50!%' ESCAPE '!'", "true"),
        ("'50x' LIKE '50!%' ESCAPE '!'", "false"),
        ("c.n LIKE '2'", ""),
        ("c.s LIKE 2", ""),
    ]);
}

#[test]
fn arithmetic_is_of_doubles_and_for_numbers_only() {
    check(&[
        ("1 + 2 * 3", "7"),
        ("c.n / 4", "0.5"),
        ("-c.n", "-2"),
        ("-c.big", "-9007199254740993"),
        ("+c.s", ""),
        ("7 % 4", "3"),
        ("-7 % 4", "-3"),
        ("1 / 0", ""),
        ("[1 / 0, 0 % 0, 1]", "[1]"),
        ("c.n + '1'", ""),
        ("c.n + c.nil", ""),
        ("c.s || ' ' || 'World'", r#""Hello World""#),
        ("c.s || 1", ""),
        ("100 >> 2", "25"),
        ("100 << 2", "400"),
        ("-1 >>> 28", "15"),
        ("-1 >> 28", "-1"),
        ("100 & 1000", "96"),
        ("100 | 1000", "1004"),
        ("100 ^ 1000", "908"),
        ("~5", "-6"),
        ("1.5 & 1", ""),
        ("'1' & 1", ""),
    ]);
}

#[test]
fn type_checks_are_always_boolean() {
    check(&[
        ("IS_DEFINED(c.missing)", "false"),
        ("IS_DEFINED(c.nil)", "true"),
        ("IS_NULL(c.nil)", "true"),
        ("IS_NULL(c.missing)", "false"),
        ("is_bool(c.no)", "true"),
        ("IS_BOOLEAN(c.n)", "false"),
        ("IS_NUMBER(c.f)", "true"),
        ("IS_STRING(c.e)", "true"),
        ("IS_ARRAY(c.a)", "true"),
        ("IS_OBJECT(c.o)", "true"),
        ("IS_OBJECT(c.a)", "false"),
        ("IS_PRIMITIVE(c.nil)", "true"),
        ("IS_PRIMITIVE(c.a)", "false"),
        ("IS_PRIMITIVE(c.missing)", "false"),
    ]);
}

#[test]
fn functions_of_strings() {
    check(&[
        ("STARTSWITH(c.s, 'He')", "true"),
        ("STARTSWITH(c.s, 'he')", "false"),
        ("STARTSWITH(c.s, 'he', true)", "true"),
        ("STARTSWITH(c.s, 'he', null)", ""),
        ("ENDSWITH(c.s, 'LLO', true)", "true"),
        ("CONTAINS(c.s, 'ell', false)", "true"),
        ("CONTAINS(c.n, 'e')", ""),
        ("STRINGEQUALS(c.s, 'HELLO', true)", "true"),
        ("STRINGEQUALS(c.s, 'HELLO')", "false"),
        ("LOWER(c.s)", r#""hello""#),
        ("UPPER(c.u)", r#""É\"""#),
        ("LENGTH(c.u)", "2"),
        ("LENGTH(c.e)", "0"),
        ("LENGTH(c.n)", ""),
        ("CONCAT(c.s, '-', c.e)", r#""Hello-""#),
        ("CONCAT(c.s, c.n)", ""),
        ("SUBSTRING(c.s, 1, 3)", r#""ell""#),
        ("SUBSTRING(c.s, 1, 99)", r#""ello""#),
        ("SUBSTRING(c.s, 9, 1)", r#""""#),
        ("SUBSTRING(c.s, 1, -1)", r#""""#),
        ("SUBSTRING(c.s, 'a', 1)", ""),
    ]);
}

#[test]
fn functions_of_arrays_and_numbers() {
    check(&[
        ("ARRAY_LENGTH(c.a)", "5"),
        ("ARRAY_LENGTH(c.o)", ""),
        ("ARRAY_CONTAINS(c.a, 'x')", "true"),
        ("ARRAY_CONTAINS(c.a, '1')", "false"),
        ("ARRAY_CONTAINS(c.a, null)", "true"),
        ("ARRAY_CONTAINS(c.a, [2.0])", "true"),
        ("ARRAY_CONTAINS(c.a, {k: 1})", "false"),
        ("ARRAY_CONTAINS(c.a, {k: 1}, true)", "true"),
        ("ARRAY_CONTAINS(c.a, {k: 2}, true)", "false"),
        ("ARRAY_CONTAINS(c.a, c.missing)", ""),
        ("ARRAY_CONTAINS(c.o, 1)", ""),
        ("ARRAY_CONTAINS(@list, c.n)", "true"),
        ("ABS(-1.5)", "1.5"),
        ("ABS(c.s)", ""),
        ("FLOOR(-1.5)", "-2"),
        ("CEILING(1.2)", "2"),
        ("CEILING(c.big)", "9007199254740993"),
        ("ROUND(2.5)", "3"),
        ("ROUND(-2.5)", "-3"),
        ("ROUND(2.4)", "2"),
    ]);
}

#[test]
fn columns_are_named_by_alias_path_or_number() {
    let query =
        compile("SELECT c.n, c['two words'], c.o.p.q AS z, c.a[0], 1 + 1, c.missing FROM c", &[], &Context::default())
            .unwrap();
    let row = Value::parse(ITEM.as_bytes()).unwrap();
    assert_eq!(one(&query, row), r#"{"n":2,"two words":3,"z":"deep","$1":1,"$2":2}"#);
}

#[test]
fn aggregates_fold_all_rows_into_one() {
    let rows: Vec<Value> = [r#"{"x":1}"#, r#"{"x":4.5}"#, r#"{"y":"a"}"#]
        .iter()
        .map(|text| Value::parse(text.as_bytes()).unwrap())
        .collect();
    for (text, expected) in [
        ("SELECT VALUE COUNT(1) FROM c", "3"),
        ("SELECT VALUE COUNT(c.x) FROM c WHERE c.x > 1", "1"),
        ("SELECT VALUE SUM(c.x) FROM c", "5.5"),
        ("SELECT VALUE AVG(c.x) FROM c", "2.75"),
        ("SELECT VALUE MIN(c.y) FROM c", r#""a""#),
        ("SELECT VALUE SUM(c.y) FROM c", ""),
        ("SELECT COUNT(1), MAX(c.x) AS most, SUM(c.y) AS s FROM c", r#"{"$1":3,"most":4.5}"#),
        ("SELECT SUM(c.y) FROM c", "{}"),
        ("SELECT VALUE [{\"item\": COUNT(1)}] FROM c", r#"[{"item":3}]"#),
        ("SELECT VALUE COUNT(1) + SUM(c.x) FROM c", "8.5"),
        ("SELECT VALUE COUNT(1) FROM c WHERE false", "0"),
        ("SELECT VALUE COUNT(1)", "1"),
    ] {
        let result: Vec<_> = compile(text, &[], &Context::default()).unwrap().run_in_memory(&rows).unwrap();
        let result: String = result.iter().map(|row| String::from_utf8(row.to_json()).unwrap()).collect();
        assert_eq!(result, expected, "{text}");
    }
}
