//! Texts made to exhaust the stack, the memory or the time.

use std::time::{Duration, Instant};

use orrery_sql::{Context, ErrorCode, MAX_IN_ITEMS, MAX_JOINS, MAX_NESTING, MAX_QUERY_BYTES, compile, parse};
use orrery_value::Value;

/// Three quarters of what a worker thread of the runtime has; without optimisation frames are several times larger than with it.
const STACK_BYTES: usize = 1536 * 1024;

/// Each takes a depth and makes a text that nests so deep.
const NESTINGS: &[fn(usize) -> String] = &[
    |n| format!("SELECT VALUE {}1{}", "(".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}1{}", "[".repeat(n), "]".repeat(n)),
    |n| format!("SELECT VALUE {}1{}", "{a:".repeat(n), "}".repeat(n)),
    |n| format!("SELECT VALUE {}1{} FROM c", "c[".repeat(n), "]".repeat(n)),
    |n| format!("SELECT VALUE {}1{} FROM c", "ABS(".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "ABS(".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a FROM c", "NOT ".repeat(n)),
    |n| format!("SELECT VALUE {}c.a FROM c", "- ".repeat(n)),
    |n| format!("SELECT VALUE c.a{} FROM c", " + c.a".repeat(n)),
    |n| format!("SELECT VALUE c.a{} FROM c", " ?? c.a".repeat(n)),
    |n| format!("SELECT VALUE {}c.a FROM c", "c.b ? 1 : ".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "c.b ? ".repeat(n), " : 1".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "1 IN (".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "1 || 1 | 1 ^ 1 & 1 = 1 < 1 << 1 + 1 * (".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "(c.a OR c.b AND ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "c.a BETWEEN (".repeat(n), ") AND 1".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "(c.a LIKE ".repeat(n), " ESCAPE '!')".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "c.b ? (c.a ?? - (".repeat(n), ")) : 1".repeat(n)),
];

/// Likewise, of subqueries.
const NESTED_SUBQUERIES: &[fn(usize) -> String] = &[
    |n| format!("SELECT VALUE {}1{}", "(SELECT VALUE ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE {}c.a{} FROM c", "(SELECT VALUE ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT {}c.a{} FROM c", "1, {a: [ARRAY(SELECT 2, ".repeat(n), ")]}".repeat(n)),
    |n| format!("SELECT VALUE 1 FROM c WHERE {}c.a{}", "EXISTS(SELECT 1 WHERE ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE 1 FROM c GROUP BY {}c.a{}", "FIRST(SELECT 1 GROUP BY ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE 1 FROM c ORDER BY {}c.a{}", "LAST(SELECT 1 ORDER BY ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT VALUE 1 FROM c ORDER BY RANK {}g(){}", "f((SELECT 1 ORDER BY RANK ".repeat(n), "))".repeat(n)),
    |n| format!("SELECT * FROM {}c{}", "(SELECT * FROM ".repeat(n), ") s".repeat(n)),
    |n| format!("SELECT * FROM c JOIN {}t IN c.a{}", "x IN (SELECT * FROM c JOIN ".repeat(n), ")".repeat(n)),
    |n| format!("SELECT * FROM c JOIN x IN {}g(c.a){}", "f((SELECT VALUE t FROM t IN ".repeat(n), "))".repeat(n)),
];

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).unwrap().join().unwrap();
}

#[test]
fn nesting_up_to_the_limit_runs_on_a_small_stack() {
    on_a_small_stack(|| {
        for nesting in NESTINGS {
            let deepest = (1..=MAX_NESTING).rev().find(|n| parse(&nesting(*n)).is_ok()).expect("one level is allowed");
            let text = nesting(deepest);
            assert!(deepest >= MAX_NESTING / 10, "{}", nesting(1));
            println!("{deepest}: {}", nesting(1));
            let row = Value::parse(br#"{"a":true,"b":true}"#).unwrap();
            compile(&text, &[], &Context::default()).unwrap().run_in_memory(&[row]).unwrap();
            let tree = parse(&text).unwrap();
            let printed = tree.to_string();
            let again = parse(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
            assert_eq!(format!("{tree:?}"), format!("{again:?}"));
        }
    });
}

#[test]
fn subqueries_up_to_the_limit_parse_and_print_on_a_small_stack() {
    on_a_small_stack(|| {
        for nesting in NESTED_SUBQUERIES {
            let deepest = (1..=MAX_NESTING).rev().find(|n| parse(&nesting(*n)).is_ok()).expect("one level is allowed");
            assert!(deepest >= MAX_NESTING / 10, "{deepest} levels of {}", nesting(1));
            let tree = parse(&nesting(deepest)).unwrap();
            let printed = tree.clone().to_string();
            let again = parse(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
            assert_eq!(format!("{tree:?}"), format!("{again:?}"));
            for n in [deepest + 1, 5_000] {
                let text = nesting(n);
                let error = parse(&text[..text.len().min(MAX_QUERY_BYTES)]).unwrap_err();
                assert_eq!(error.code, ErrorCode::TooLarge, "{n} times {}: {error}", nesting(1));
            }
        }
    });
}

#[test]
fn what_may_be_a_parenthesis_or_a_subquery_takes_linear_time() {
    // Likewise.
    let started = Instant::now();
    for opening in ["(", "((SELECT ", "ALL(", "FIRST((", "ARRAY(SELECT (", "f(", "{a:(", "a IN (", "a BETWEEN ("] {
        let text = format!("SELECT VALUE {}", opening.repeat((MAX_QUERY_BYTES - 20) / opening.len()));
        assert!(parse(&text).is_err());
    }
    let levels = MAX_NESTING - 2;
    for (opening, closing) in [("(", ")"), ("ALL(", ")"), ("f(1, ", ")"), ("[(", ")]")] {
        let n = levels / opening.matches(['(', '[']).count();
        let text = format!("SELECT VALUE {}1{} AND", opening.repeat(n), closing.repeat(n));
        assert_eq!(parse(&text).unwrap_err().span, text.len()..text.len());
    }
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
}

#[test]
fn joins_are_limited_for_each_from() {
    let joins = |n: usize| format!("SELECT * FROM c{}", " JOIN t IN c.tags".repeat(n));
    assert!(parse(&joins(MAX_JOINS)).is_ok());
    assert_eq!(parse(&joins(MAX_JOINS + 1)).unwrap_err().code, ErrorCode::TooLarge);
    let nested = format!("SELECT * FROM ({}) s{}", joins(MAX_JOINS), " JOIN t IN s.tags".repeat(MAX_JOINS));
    assert!(parse(&nested).is_ok());
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    on_a_small_stack(|| {
        for nesting in NESTINGS {
            for n in [MAX_NESTING + 1, 5_000] {
                let text = nesting(n);
                let error = compile(&text[..text.len().min(MAX_QUERY_BYTES)], &[], &Context::default()).unwrap_err();
                assert_eq!(error.code, ErrorCode::TooLarge, "{n} times {}: {error}", nesting(1));
            }
        }
    });
}

#[test]
fn long_flat_texts_neither_overflow_nor_take_for_ever() {
    // What takes time that grows with the square of a text would be noticed.
    let repeated = |head: &str, piece: &str| {
        let times = (MAX_QUERY_BYTES / 4 - head.len() - 20) / piece.len();
        format!("{head}{}1", piece.repeat(times))
    };
    for text in [
        repeated("SELECT VALUE ", "1 AND "),
        repeated("SELECT VALUE ", "1 OR "),
        repeated("SELECT VALUE {a:", "1}, {b:"),
        repeated("SELECT ", "1,"),
        repeated("SELECT VALUE ABS(", "1,"),
        repeated("SELECT VALUE c", "[1]") + " FROM c",
        repeated("SELECT VALUE c", ".a"),
        repeated("SELECT VALUE '", "\\u00e9"),
        repeated("SELECT VALUE ", "1 ? "),
        repeated("SELECT VALUE ", "1 ? 1 : "),
        repeated("SELECT VALUE ", "1 ?? "),
        repeated("SELECT VALUE ", "1 + "),
        repeated("SELECT VALUE ", "1 IN (1) AND "),
        repeated("SELECT VALUE ", "1 BETWEEN 1 AND 2 OR "),
        repeated("SELECT VALUE ", "NOT "),
        repeated("SELECT VALUE ", "EXISTS(SELECT 1) AND "),
        repeated("SELECT VALUE 1 FROM c", "[1]"),
        repeated("SELECT VALUE 1 GROUP BY ", "1,"),
        repeated("SELECT VALUE 1 ORDER BY ", "1,"),
        repeated("SELECT VALUE 1 ORDER BY RANK ", "f(),"),
        repeated("/*", "*"),
        repeated("--", "--"),
    ] {
        // A text that is refused is refused for a rule, wherever it ends; the others have a plan.
        if let Err(error) = compile(&text, &[], &Context::default()) {
            assert!(error.span.end <= text.len(), "{error}");
        }
    }
}

#[test]
fn longer_texts_and_lists_are_refused() {
    let text = format!("SELECT VALUE '{}'", "a".repeat(MAX_QUERY_BYTES));
    assert_eq!(compile(&text, &[], &Context::default()).unwrap_err().code, ErrorCode::TooLarge);
    let list = |items: usize| format!("SELECT VALUE 1 IN ({}1)", "1,".repeat(items - 1));
    assert!(compile(&list(MAX_IN_ITEMS), &[], &Context::default()).is_ok());
    assert_eq!(compile(&list(MAX_IN_ITEMS + 1), &[], &Context::default()).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn parameters_used_many_times_do_not_multiply() {
    let large = ("@p".to_owned(), Value::String("a".repeat(1024 * 1024)));
    let text = format!("SELECT VALUE [{}1]", "@p,".repeat(100_000));
    assert_eq!(compile(&text, &[large], &Context::default()).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn rows_that_cost_too_much_are_refused_with_a_reason() {
    let row = Value::parse(format!(r#"{{"a":"{}"}}"#, "ab".repeat(500_000)).as_bytes()).unwrap();
    let doubled = format!("SELECT VALUE CONCAT({}c.a) FROM c", "c.a,".repeat(1000));
    let searched = format!("SELECT VALUE c.a LIKE '%{}c' FROM c", "ab".repeat(100));
    for text in [doubled, searched] {
        let error =
            compile(&text, &[], &Context::default()).unwrap().run_in_memory(std::slice::from_ref(&row)).unwrap_err();
        assert!(error.to_string().contains("steps"), "{error}");
    }
}
