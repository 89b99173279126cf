//! What is wrong with a query, and where.

use orrery_sql::{Context, compile};
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
            "SELECT * FROM c OFFSET 0 LIMIT 4294967296",
            "SC2061 4294967296: The LIMIT count value exceeds the maximum allowed value.",
        ),
        (
            "SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1",
            "SC1001 1: 'TOP' and 'OFFSET LIMIT' cannot be used together in one query.",
        ),
        (
            "SELECT VALUE MAX(MIN(r)) From r",
            "SC2101 MAX(MIN(r)): Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
        ),
        (
            "SELECT c.a, COUNT(1) FROM c",
            "SC2102 c.a: Property reference 'c.a' is invalid in the select list because it is not contained in an aggregate function or the GROUP BY clause.",
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
        (
            "SELECT c.b FROM c GROUP BY c.a",
            "SC2102 c.b: Property reference 'c.b' is invalid in the select list because it is not contained in an aggregate function or the GROUP BY clause.",
        ),
        (
            "SELECT c.a, c.b + COUNT(1) FROM c GROUP BY c.a",
            "SC2102 c.b: Property reference 'c.b' is invalid in the select list because it is not contained in an aggregate function or the GROUP BY clause.",
        ),
        ("SELECT * FROM c GROUP BY c.a", "SC2041 *: 'SELECT *' is not allowed in a query with a GROUP BY clause."),
        (
            "SELECT VALUE c.a FROM c GROUP BY c.a ORDER BY c.b",
            "SC2103 c.b: Property reference 'c.b' is invalid in the ORDER BY clause because it is not contained in the GROUP BY clause.",
        ),
        (
            "SELECT VALUE c.a FROM c GROUP BY c.a ORDER BY COUNT(1)",
            "SC2206 COUNT(1): Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
        ),
        (
            "SELECT VALUE COUNT((SELECT VALUE 1)) FROM c",
            "SC2101 COUNT((SELECT VALUE 1)): Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
        ),
        (
            "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.ts) FROM c GROUP BY c.a",
            "SC9001 c: 'c' cannot be used in this subquery: the query around it groups or aggregates its rows, and the subquery stands in its select list.",
        ),
        (
            "SELECT COUNT(1), (SELECT VALUE c.a) FROM c",
            "SC9001 c: 'c' cannot be used in this subquery: the query around it groups or aggregates its rows, and the subquery stands in its select list.",
        ),
        (
            "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.a ORDER BY t) FROM c",
            "SC2202 t: 'ORDER BY' is not supported in subqueries.",
        ),
        (
            "SELECT VALUE ARRAY(SELECT TOP 1 VALUE t FROM t IN c.a) FROM c",
            "SC2203 1: 'TOP' is not supported in subqueries.",
        ),
        ("SELECT VALUE x FROM (SELECT TOP 1 VALUE c FROM c) x", "SC2203 1: 'TOP' is not supported in subqueries."),
        (
            "SELECT VALUE x FROM (SELECT DISTINCT TOP 1 VALUE c FROM c) x",
            "SC2203 1: 'TOP' is not supported in subqueries.",
        ),
        (
            "SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.a OFFSET 0 LIMIT 1) FROM c",
            "SC2204 0 LIMIT 1: 'OFFSET LIMIT' is not supported in subqueries.",
        ),
        (
            "SELECT VALUE 1 FROM c JOIN c IN c.a",
            "SC9006 c: The input alias 'c' is specified more than once in the FROM clause.",
        ),
        (
            "SELECT VALUE 1 FROM families f JOIN t IN families.a",
            "SC2001 families: Identifier 'families' could not be resolved.",
        ),
        ("SELECT VALUE EXISTS(SELECT VALUE 1 FROM d) FROM c", "SC2001 d: Identifier 'd' could not be resolved."),
        (
            "SELECT VALUE (SELECT VALUE 1 FROM t) FROM c JOIN (SELECT VALUE t FROM t IN c.ts) x",
            "SC2001 t: Identifier 't' could not be resolved.",
        ),
        ("SELECT * FROM c JOIN t IN c.a", "SC2040 *: 'SELECT *' is only valid with a single input set."),
        (
            "SELECT VALUE udf.f(c.a) FROM c",
            "SC2005 udf.f(c.a): User-defined functions are not executed by this version: udf.f.",
        ),
        (
            "SELECT VALUE FullTextScore(c.a, 'x') FROM c",
            "SC2240 FullTextScore: The FullTextScore function is only allowed in the ORDER BY RANK clause.",
        ),
        (
            "SELECT * FROM c ORDER BY FullTextScore(c.a, 'x')",
            "SC2240 FullTextScore: The FullTextScore function is only allowed in the ORDER BY RANK clause.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK FullTextScore(c.a, 'x') DESC",
            "SC9001 FullTextScore(c.a, 'x'): Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.a, 'x'), VectorDistance(c.v, [1])) ASC",
            "SC9001 RRF(FullTextScore(c.a, 'x'), VectorDistance(c.v, [1])): Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.",
        ),
        (
            "SELECT c._rid AS orderBy FROM c ORDER BY VectorDistance(c.v, [1]) DESC",
            "SC9001 VectorDistance(c.v, [1]): Specifying a sorting order (ASC or DESC) with VectorDistance function is not supported.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK LOWER(c.a)",
            "SC2221 LOWER(c.a): The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.a, 'x'))",
            "SC2221 RRF(FullTextScore(c.a, 'x')): The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.a, 'x'), c.b)",
            "SC2221 c.b: The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.a, 'x'), FullTextScore(c.b, 'y'), [1])",
            "SC2229 [1]: The weights of RRF must be an array of 2 numbers, one for each score.",
        ),
        (
            "SELECT * FROM c ORDER BY RANK FullTextScore(c.a, c.b)",
            "SC9001 c.b: The terms of FullTextScore must be constant strings.",
        ),
        (
            "SELECT VALUE x FROM x IN c.a ORDER BY RANK FullTextScore(x.a, 'x')",
            "SC2223 x IN c.a: The ORDER BY RANK clause cannot be used with IN in FROM.",
        ),
        (
            "SELECT VALUE x FROM c JOIN x IN c.a ORDER BY RANK FullTextScore(x.a, 'x')",
            "SC2224 x IN c.a: The ORDER BY RANK clause cannot be used with JOIN.",
        ),
        (
            "SELECT VALUE x FROM (SELECT VALUE c FROM c) x ORDER BY RANK FullTextScore(x.a, 'x')",
            "SC2225 (SELECT VALUE c FROM c) x: The ORDER BY RANK clause cannot be used with a subquery in FROM.",
        ),
        (
            "SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.a ORDER BY RANK FullTextScore(x.a, 'x')) FROM c",
            "SC2228 FullTextScore(x.a, 'x'): 'ORDER BY RANK' is not supported in subqueries.",
        ),
        (
            "SELECT DISTINCT c.a FROM c ORDER BY RANK FullTextScore(c.a, 'x')",
            "SC9001 FullTextScore(c.a, 'x'): The ORDER BY RANK clause cannot be used with DISTINCT, GROUP BY or aggregates.",
        ),
        (
            "SELECT c.a FROM c ORDER BY RANK FullTextScore(c.a, 'x') OFFSET 4294967296 LIMIT 1",
            "SC2062 4294967296: The OFFSET count value exceeds the maximum allowed value.",
        ),
        ("SELECT c.a, c.b AS a FROM c", "SC9002 c.b: The name 'a' is used more than once."),
        ("SELECT VALUE {a: 1, 'a': 2}", "SC9002 'a': The name 'a' is used more than once."),
        ("SELECT VALUE @q", "SC9003 @q: The parameter '@q' is not among the parameters of the request."),
    ] {
        let parameters = [("@text".to_owned(), Value::from("five"))];
        let error = compile(text, &parameters, &Context::default()).expect_err(text);
        assert_eq!(format!("{} {}: {}", error.code, &text[error.span.clone()], error.message), expected, "{text}");
    }
}

#[test]
fn the_services_own_error_is_reproduced_to_the_letter() {
    let error = compile("SELECT BADFUNC(r.age) FROM Root r", &[], &Context::default()).unwrap_err();
    assert_eq!(
        error.to_service_json(),
        r#"{"errors":[{"severity":"Error","location":{"start":7,"end":14},"code":"SC2005","message":"'BADFUNC' is not a recognized built-in function name."}]}"#
    );
}

#[test]
fn the_rule_without_a_place_is_reproduced_too() {
    let error = compile("SELECT * FROM c ORDER BY LOWER(c.a)", &[], &Context::default()).unwrap_err();
    assert_eq!(
        error.to_service_json(),
        r#"{"errors":[{"severity":"Error","code":2206,"message":"Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path."}]}"#
    );
}
