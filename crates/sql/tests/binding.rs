//! What clauses become: sources by number, keys and aggregates, order and ranks.

use orrery_engine::query::{Body, Expr, From, Plan, SourceStep};
use orrery_sql::{Context, compile};
use orrery_value::Value;

fn plan(text: &str) -> Plan {
    let parameters = [("@p".to_owned(), Value::from("s"))];
    let query = compile(text, &parameters, &Context::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    query.plan().clone()
}

/// The sources that the steps of a body read, and what it gives.
fn shown(body: &Body) -> String {
    let steps: Vec<String> = body
        .sources
        .iter()
        .map(|step| match step {
            SourceStep::One(expr) => format!("one {}", expr_text(expr)),
            SourceStep::Each(expr) => format!("each {}", expr_text(expr)),
            SourceStep::Rows(body) => format!("rows [{}]", shown(body)),
            SourceStep::EachOf(body) => format!("each of [{}]", shown(body)),
        })
        .collect();
    let filter = body.filter.as_ref().map(|filter| format!(" where {}", expr_text(&filter.expr))).unwrap_or_default();
    let grouping = body.grouping.as_ref().map(|grouping| {
        let keys: Vec<_> = grouping.keys.iter().map(expr_text).collect();
        let aggregates: Vec<_> = grouping
            .aggregates
            .iter()
            .map(|aggregate| format!("{:?}({})", aggregate.function, expr_text(&aggregate.argument)))
            .collect();
        format!(" by {} with {}", keys.join(", "), aggregates.join(", "))
    });
    let distinct = if body.distinct { " distinct" } else { "" };
    let grouping = grouping.unwrap_or_default();
    format!("{}{filter}{grouping} ->{distinct} {}", steps.join("; "), expr_text(&body.projection))
}

/// Sources as `$0`, keys as `key 0`, aggregates as `agg 0`.
fn expr_text(expr: &Expr) -> String {
    match expr {
        Expr::Constant(value) => String::from_utf8(value.to_json()).unwrap(),
        Expr::Source(source) => format!("${source}"),
        Expr::GroupKey(key) => format!("key {key}"),
        Expr::Aggregate(aggregate) => format!("agg {aggregate}"),
        Expr::Path { base, path } => format!("{}{path}", expr_text(base)),
        Expr::Element { base, index } => format!("{}[{}]", expr_text(base), expr_text(index)),
        Expr::Binary(operator, a, b) => format!("({operator:?} {} {})", expr_text(a), expr_text(b)),
        Expr::Subquery(kind, body) => format!("{kind:?} [{}]", shown(body)),
        Expr::Call(function, arguments) => {
            format!("{}({})", function.name, arguments.iter().map(expr_text).collect::<Vec<_>>().join(", "))
        }
        // Its fields are the engine's own, and its text shows them.
        other => format!("{other:?}").split("value: ").skip(1).fold("object".to_owned(), |text, part| {
            format!("{text} {}", part.trim_end_matches([' ', '}', ',', ']', ')']))
        }),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let plan = plan(text);
        let from = match &plan.from {
            From::SingleRow => "row ".to_owned(),
            From::Items => String::new(),
            From::Query(inner) => format!("({}) ", shown(&inner.body)),
        };
        assert_eq!(format!("{from}{}", shown(&plan.body)), *expected, "{text}");
    }
}

#[test]
fn sources_are_numbered_from_left_to_right() {
    check(&[
        ("SELECT * FROM c", " -> $0"),
        ("SELECT VALUE f FROM families f", " -> $0"),
        ("SELECT * FROM c.children", "one $0/children -> $1"),
        ("SELECT VALUE x.a FROM c.children[0] AS x", "one $0/children[0] -> $1/a"),
        ("SELECT * FROM x IN c.children", "each $0/children -> $1"),
        ("SELECT VALUE t FROM c JOIN t IN c.tags", "each $0/tags -> $1"),
        ("SELECT VALUE [1] FROM c JOIN c.tags", "one $0/tags -> [1]"),
        ("SELECT VALUE g.n FROM c JOIN f IN c.kids JOIN g IN f.pets", "each $0/kids; each $1/pets -> $2/n"),
        (
            "SELECT VALUE s.t FROM c JOIN (SELECT VALUE t FROM t IN c.tags WHERE t.x = c.y) s",
            "rows [each $0/tags where (Equal $1/x $0/y) -> $1] -> $1/t",
        ),
        ("SELECT VALUE z FROM c JOIN z IN (SELECT VALUE c.a)", "each of [ -> $0/a] -> $1"),
        (
            "SELECT VALUE u FROM c JOIN t IN c.tags JOIN (SELECT VALUE u FROM u IN t.us) u",
            "each $0/tags; rows [each $1/us -> $2] -> $2",
        ),
        ("SELECT * FROM p IN p.colors", "each $0/colors -> $1"),
        ("SELECT VALUE c[@p] FROM c", " -> $0/s"),
    ]);
}

#[test]
fn a_subquery_in_from_reads_the_items_unless_it_must_see_them_all() {
    check(&[
        ("SELECT * FROM (SELECT VALUE c.a FROM c WHERE c.b = 1) AS x", "rows [ where (Equal $0/b 1) -> $0/a] -> $1"),
        (
            "SELECT VALUE y FROM (SELECT VALUE x.a FROM (SELECT VALUE c FROM c) x) y",
            "rows [rows [ -> $0] -> $1/a] -> $1",
        ),
        ("SELECT VALUE x.b FROM (SELECT VALUE t FROM t IN c.a) x", "rows [each $0/a -> $1] -> $1/b"),
        ("SELECT VALUE y FROM y IN (SELECT VALUE c.a FROM c)", "each of [ -> $0/a] -> $1"),
        ("SELECT VALUE x FROM (SELECT DISTINCT VALUE c.a FROM c) x", "( -> distinct $0/a)  -> $0"),
        ("SELECT VALUE x FROM x IN (SELECT DISTINCT VALUE c.a FROM c)", "( -> distinct $0/a) each $0 -> $1"),
        (
            "SELECT VALUE COUNT(1) FROM (SELECT VALUE c.a FROM c GROUP BY c.a) x",
            "( by $0/a with  -> key 0)  by  with Count(1) -> agg 0",
        ),
        (
            "SELECT VALUE x FROM (SELECT VALUE y.a FROM (SELECT DISTINCT VALUE c FROM c) y) x",
            "( -> distinct $0) rows [ -> $0/a] -> $1",
        ),
        ("SELECT VALUE x FROM (SELECT VALUE 1) x", "row rows [ -> 1] -> $0"),
        ("SELECT VALUE 1", "row  -> 1"),
    ]);
}

#[test]
fn subqueries_see_the_rows_around_them() {
    check(&[
        (
            "SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = c.x) FROM c",
            " -> Exists [each $0/tags where (Equal $1 $0/x) -> $1]",
        ),
        ("SELECT VALUE (SELECT VALUE 1 FROM c) FROM c", " -> Scalar [one $0 -> 1]"),
        ("SELECT VALUE ARRAY(SELECT * FROM c) FROM c", " -> Array [one $0 -> $1]"),
        ("SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.tags) FROM c", " -> Array [each $0/tags -> $1]"),
        ("SELECT VALUE EXISTS(SELECT VALUE 1 FROM r IN ROOT.x) FROM c", " -> Exists [each $0/x -> 1]"),
        (
            "SELECT VALUE (SELECT VALUE COUNT(t) FROM t IN c.tags) FROM c",
            " -> Scalar [each $0/tags by  with Count($1) -> agg 0]",
        ),
        (
            "SELECT VALUE ARRAY(SELECT VALUE EXISTS(SELECT VALUE u FROM u IN t.us) FROM t IN c.tags) FROM c",
            " -> Array [each $0/tags -> Exists [each $1/us -> $2]]",
        ),
        // The rows of the outer query are still there when those of the subquery are folded.
        (
            "SELECT VALUE ARRAY(SELECT VALUE c.id FROM t IN c.tags GROUP BY t) FROM c",
            " -> Array [each $0/tags by $1 with  -> $0/id]",
        ),
        (
            "SELECT VALUE (SELECT VALUE COUNT(1) + (SELECT VALUE SUM(x) FROM x IN c.xs) FROM t IN c.tags) FROM c",
            " -> Scalar [each $0/tags by  with Count(1) -> (Add agg 0 Scalar [each $0/xs by  with Sum($1) -> agg 0])]",
        ),
        ("SELECT VALUE (SELECT VALUE 1) FROM c GROUP BY c.x", " by $0/x with  -> Scalar [ -> 1]"),
        (
            "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags) FROM c GROUP BY ARRAY(SELECT VALUE t FROM t IN c.tags)",
            " by Array [each $0/tags -> $1] with  -> key 0",
        ),
    ]);
}

#[test]
fn keys_are_found_by_what_they_say() {
    check(&[
        ("SELECT VALUE c.a FROM c GROUP BY c.a", " by $0/a with  -> key 0"),
        ("SELECT VALUE c['a'] FROM c GROUP BY c.b, c.a", " by $0/b, $0/a with  -> key 1"),
        ("SELECT VALUE c.a.b FROM c GROUP BY c.a", " by $0/a with  -> key 0/b"),
        ("SELECT VALUE c.a.b FROM c GROUP BY c.a, c.a.b", " by $0/a, $0/a/b with  -> key 1"),
        ("SELECT VALUE g.name FROM c JOIN g IN c.gs GROUP BY g", "each $0/gs by $1 with  -> key 0/name"),
        ("SELECT VALUE c.a + 1 FROM c GROUP BY c.a", " by $0/a with  -> (Add key 0 1)"),
        ("SELECT VALUE c.a + 1 FROM c GROUP BY c.a + 1", " by (Add $0/a 1) with  -> key 0"),
        ("SELECT VALUE lower(c.a) FROM c GROUP BY LOWER(c.a)", " by LOWER($0/a) with  -> key 0"),
        ("SELECT VALUE c.a[0] FROM c GROUP BY c.a[0]", " by $0/a[0] with  -> key 0"),
        ("SELECT VALUE c[@p] FROM c GROUP BY c[@p]", " by $0/s with  -> key 0"),
        ("SELECT VALUE 5 FROM c GROUP BY c.a", " by $0/a with  -> 5"),
    ]);
}

#[test]
fn aggregates_are_computed_once_each() {
    check(&[
        ("SELECT VALUE COUNT(c.a) + COUNT(c['a']) FROM c", " by  with Count($0/a) -> (Add agg 0 agg 0)"),
        ("SELECT VALUE MAX(c.a) - MIN(c.a) FROM c", " by  with Max($0/a), Min($0/a) -> (Subtract agg 0 agg 1)"),
        ("SELECT VALUE COUNTIF(c.a = 1) FROM c GROUP BY c.b", " by $0/b with CountIf((Equal $0/a 1)) -> agg 0"),
        // What is aggregated is of the rows, be it a key or not.
        ("SELECT VALUE SUM(c.b) FROM c GROUP BY c.b", " by $0/b with Sum($0/b) -> agg 0"),
        ("SELECT VALUE MakeList(c.a) FROM c", " by  with MakeList($0/a) -> agg 0"),
        ("SELECT VALUE MAKESET(c.a) FROM c", " by  with MakeSet($0/a) -> agg 0"),
        ("SELECT VALUE COUNT(1)", "row  by  with Count(1) -> agg 0"),
    ]);
}

#[test]
fn order_is_by_paths_of_any_source_and_keys_of_groups() {
    for (text, expected) in [
        ("SELECT VALUE 1 FROM c ORDER BY c.a, c['b'][0] DESC", "$0/a Ascending, $0/b[0] Descending"),
        ("SELECT VALUE 1 FROM c JOIN t IN c.ts ORDER BY t.a, t", "$1/a Ascending, $1 Ascending"),
        ("SELECT VALUE c.a FROM c GROUP BY c.a, c.b ORDER BY c.b DESC", "key 1 Descending"),
        ("SELECT VALUE x FROM (SELECT DISTINCT VALUE c.a FROM c) x ORDER BY x", "$0 Ascending"),
        // One row has no order.
        ("SELECT VALUE COUNT(1) FROM c ORDER BY c.a", ""),
    ] {
        let order = plan(text).order;
        let keys: Vec<_> = order.iter().map(|key| format!("{} {:?}", expr_text(&key.expr), key.direction)).collect();
        assert_eq!(keys.join(", "), expected, "{text}");
    }
}

#[test]
fn distinct_is_of_the_query_that_says_it() {
    check(&[
        ("SELECT DISTINCT VALUE c.a FROM c", " -> distinct $0/a"),
        ("SELECT VALUE ARRAY(SELECT DISTINCT VALUE t FROM t IN c.a) FROM c", " -> Array [each $0/a -> distinct $1]"),
    ]);
}

#[test]
fn long_clauses_take_time_by_their_length() {
    let started = std::time::Instant::now();
    let list = |piece: &dyn Fn(usize) -> String| (0..20_000).map(piece).collect::<Vec<_>>().join(",");
    let keys = list(&|number| format!("c.p{number}"));
    let aggregates = list(&|number| format!("SUM(c.p{number})"));
    for (text, keys, aggregates) in [
        (format!("SELECT {keys} FROM c GROUP BY {keys}"), 20_000, 0),
        (format!("SELECT {aggregates} FROM c GROUP BY c.a"), 1, 20_000),
        (format!("SELECT VALUE [{aggregates}] FROM c"), 0, 20_000),
    ] {
        let plan = plan(&text);
        let grouping = plan.body.grouping.unwrap();
        assert_eq!((grouping.keys.len(), grouping.aggregates.len()), (keys, aggregates));
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn subqueries_in_subqueries_are_bound_up_to_a_limit() {
    let nested =
        |times: usize| format!("SELECT VALUE {}c.a{} FROM c", "(SELECT VALUE ".repeat(times), ")".repeat(times));
    assert!(compile(&nested(15), &[], &Context::default()).is_ok());
    assert_eq!(compile(&nested(60), &[], &Context::default()).unwrap_err().code, orrery_sql::ErrorCode::TooLarge);
}
