//! Trees print as the service writes queries, and parse to themselves again.

use orrery_sql::{MAX_NESTING, parse};

use super::grammar::sentence;

#[test]
fn sentences_of_the_grammar_print_as_texts_of_the_same_tree() {
    for seed in 1000..1500 {
        check(&sentence(seed));
    }
}

fn check(text: &str) {
    let tree = parse(text).unwrap();
    let printed = tree.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}: {text} printed as {printed}"));
    assert_eq!(format!("{tree:?}"), format!("{again:?}"), "{text} printed as {printed}");
    assert_eq!(again.to_string(), printed);
}

#[test]
fn clauses_have_lines_and_subqueries_are_indented() {
    for (text, expected) in [
        ("select *", "SELECT *"),
        ("select distinct top @n value c.a from ROOT c", "SELECT DISTINCT TOP @n VALUE c.a\nFROM ROOT AS c"),
        ("SELECT c.a x, c['b'] AS \"y z\", 1 'w' FROM c", "SELECT c.a AS x, c[\"b\"] AS \"y z\", 1 AS w\nFROM c"),
        ("SELECT c.a 'order' FROM c", "SELECT c.a AS \"order\"\nFROM c"),
        (
            "SELECT * FROM c WHERE c.a = 'x' ORDER BY c.b, c.d asc, c.e desc OFFSET 1 LIMIT 2",
            "SELECT *\nFROM c\nWHERE (c.a = \"x\")\nORDER BY c.b, c.d ASC, c.e DESC\nOFFSET 1 LIMIT 2",
        ),
        (
            "SELECT s FROM c JOIN (SELECT VALUE t FROM t IN c.tags GROUP BY t.a, t.b) s JOIN kv IN OBJECTTOARRAY(c.m)",
            "SELECT s\nFROM c\nJOIN (\n    SELECT VALUE t\n    FROM t IN c.tags\n    GROUP BY t.a, t.b\n) AS s\nJOIN kv IN OBJECTTOARRAY(c.m)",
        ),
        (
            "SELECT VALUE EXISTS(SELECT VALUE ARRAY(SELECT 1) FROM x IN (SELECT 2))",
            "SELECT VALUE EXISTS(\n    SELECT VALUE ARRAY(\n        SELECT 1\n    )\n    FROM x IN (\n        SELECT 2\n    )\n)",
        ),
        (
            "SELECT * FROM c ORDER BY RANK RRF(f(c.a), g(c.b)) DESC, h() OFFSET @o LIMIT 5",
            "SELECT *\nFROM c\nORDER BY RANK RRF(f(c.a), g(c.b)) DESC, h()\nOFFSET @o LIMIT 5",
        ),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), expected);
        check(text);
    }
}

#[test]
fn operations_are_in_parentheses() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("MIN(c.a + 1)", "MIN((c.a + 1))"),
        ("a and b AND c", "((a AND b) AND c)"),
        ("a OR b AND c OR d", "((a OR (b AND c)) OR d)"),
        ("a AND (b AND c)", "(a AND (b AND c))"),
        ("a ? b : c ?? d", "(a ? b : (c ?? d))"),
        ("not a", "(NOT a)"),
        ("- - a", "(- (- a))"),
        ("1 - -1", "(1 - -1)"),
        ("(-1).a", "(-1).a"),
        ("- 1 .a", "(- 1.a)"),
        ("a NOT in (1, 'x')", "(a NOT IN (1, \"x\"))"),
        ("a BETWEEN 1 AND b + 2", "(a BETWEEN 1 AND (b + 2))"),
        ("a not like 'x%' ESCAPE '\\\"'", "(a NOT LIKE \"x%\" ESCAPE \"\\\"\")"),
        ("a <> b", "(a != b)"),
        ("{a: [1, Undefined], 'b c': {}}", "{\"a\": [1, undefined], \"b c\": {}}"),
        ("udf.F(Count(1), left(a, 0x10))", "udf.F(Count(1), left(a, 16))"),
        ("c.a['b'][0][@p].d", "c.a[\"b\"][0][@p].d"),
        ("[NaN, -Infinity, 1.0, 1e30, .5]", "[NaN, -Infinity, 1.0, 1e+30, 0.5]"),
    ] {
        let text = format!("SELECT VALUE {text}");
        assert_eq!(parse(&text).unwrap().to_string(), format!("SELECT VALUE {expected}"));
        check(&text);
    }
}

#[test]
fn long_lists_of_conditions_print_without_nesting_beyond_the_limit() {
    for operands in [MAX_NESTING - 1, MAX_NESTING, MAX_NESTING + 1, 5000] {
        check(&format!("SELECT VALUE {}c.a", "c.a OR ".repeat(operands)));
        check(&format!("SELECT VALUE {}c.a{}", "[c.b AND c.c AND (".repeat(60), ")]".repeat(60)));
    }
}
