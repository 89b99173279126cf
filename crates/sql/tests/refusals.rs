//! What is wrong with a query, and where.

use orrery_sql::compile;
use orrery_value::Value;

#[test]
fn binding_names_what_is_wrong_and_where() {
    for (text, expected) in [
        ("SELECT BADFUNC(r.age) FROM Root r", "SC2005 BADFUNC: 'BADFUNC' is not a recognized built-in function name."),
        (
            "SELECT VALUE STARTSWITH(c.a) FROM c",
            "SC2050 STARTSWITH: The STARTSWITH function requires 2 to 3 argument(s).",
        ),
        ("SELECT VALUE abs()", "SC2050 abs: The ABS function requires 1 argument(s)."),
        ("SELECT VALUE CONCAT('a')", "SC2050 CONCAT: The CONCAT function requires at least 2 argument(s)."),
        ("SELECT VALUE COUNT(c.a, 1) FROM c", "SC2050 COUNT: The COUNT function requires 1 argument(s)."),
        ("SELECT VALUE d.a FROM c", "SC2001 d: Identifier 'd' could not be resolved."),
        ("SELECT VALUE families.a FROM families f", "SC2001 families: Identifier 'families' could not be resolved."),
        ("SELECT VALUE C.a FROM c", "SC2001 C: Identifier 'C' could not be resolved."),
        ("SELECT VALUE c.a", "SC2001 c: Identifier 'c' could not be resolved."),
        ("SELECT *", "SC2040 *: 'SELECT *' is only valid with a single input set."),
        (
            "SELECT TOP 4294967296 c.name FROM c",
            "SC2060 4294967296: The count value provided for a TOP clause must be an integer.",
        ),
        ("SELECT TOP 1.5 c.name FROM c", "SC2060 1.5: The count value provided for a TOP clause must be an integer."),
        (
            "SELECT TOP @text c.name FROM c",
            "SC2060 @text: The count value provided for a TOP clause must be an integer.",
        ),
        (
            "SELECT * FROM c OFFSET 4294967296 LIMIT 10",
            "SC2062 4294967296: The OFFSET count value exceeds the maximum allowed value.",
        ),
        (
            "SELECT * FROM c OFFSET 0 LIMIT 2147483648",
            "SC2061 2147483648: The LIMIT count value exceeds the maximum allowed value.",
        ),
        (
            "SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1",
            "SC1001 1: 'TOP' and 'OFFSET LIMIT' cannot be used together in one query.",
        ),
        (
            "SELECT VALUE MAX(MIN(r)) From r",
            "SC2101 MIN(r): Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
        ),
        (
            "SELECT c.a, COUNT(1) FROM c",
            "SC2102 c: A property of an item cannot stand beside an aggregate function: use it in an aggregate.",
        ),
        (
            "SELECT COUNT(1) FROM c ORDER BY c.a",
            "SC2102 c.a: A property of an item cannot stand beside an aggregate function: use it in an aggregate.",
        ),
        (
            "SELECT * FROM c WHERE COUNT(1) > 1",
            "SC9005 COUNT(1): The aggregate function COUNT can stand in the select list only.",
        ),
        (
            "SELECT * FROM c ORDER BY LOWER(c.a) ASC",
            "SC2206 LOWER(c.a): Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
        ),
        (
            "SELECT * FROM c ORDER BY c",
            "SC2206 c: Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
        ),
        ("SELECT c.a, c.b AS a FROM c", "SC9002 c.b: The name 'a' is used more than once."),
        ("SELECT VALUE {a: 1, 'a': 2}", "SC9002 'a': The name 'a' is used more than once."),
        ("SELECT VALUE @q", "SC9003 @q: The parameter '@q' is not among the parameters of the request."),
    ] {
        let parameters = [("@text".to_owned(), Value::from("five"))];
        let error = compile(text, &parameters).expect_err(text);
        assert_eq!(format!("{} {}: {}", error.code, &text[error.span.clone()], error.message), expected, "{text}");
    }
}

#[test]
fn the_services_own_error_is_reproduced_to_the_letter() {
    let error = compile("SELECT BADFUNC(r.age) FROM Root r", &[]).unwrap_err();
    assert_eq!(
        error.to_service_json(),
        r#"{"errors":[{"severity":"Error","location":{"start":7,"end":14},"code":"SC2005","message":"'BADFUNC' is not a recognized built-in function name."}]}"#
    );
}
