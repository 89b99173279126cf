//! Texts made to exhaust the stack, the memory or the time.

use std::time::{Duration, Instant};

use orrery_sql::{ErrorCode, MAX_IN_ITEMS, MAX_NESTING, MAX_QUERY_BYTES, compile, parse};
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
            compile(&text, &[]).unwrap().run_in_memory(&[row]).unwrap();
            let _ = parse(&text).unwrap().to_string();
        }
    });
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    on_a_small_stack(|| {
        for nesting in NESTINGS {
            for n in [MAX_NESTING + 1, 5_000, 20_000] {
                let text = nesting(n);
                let error = compile(&text[..text.len().min(MAX_QUERY_BYTES)], &[]).unwrap_err();
                assert_eq!(error.code, ErrorCode::TooLarge, "{n} times {}: {error}", nesting(1));
            }
        }
    });
}

#[test]
fn long_flat_texts_take_little_time() {
    let started = Instant::now();
    let repeated = |head: &str, piece: &str| {
        let times = (MAX_QUERY_BYTES - head.len() - 20) / piece.len();
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
        repeated("/*", "*"),
        repeated("--", "--"),
    ] {
        let _ = compile(&text, &[]);
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn longer_texts_and_lists_are_refused() {
    let text = format!("SELECT VALUE '{}'", "a".repeat(MAX_QUERY_BYTES));
    assert_eq!(compile(&text, &[]).unwrap_err().code, ErrorCode::TooLarge);
    let list = |items: usize| format!("SELECT VALUE 1 IN ({}1)", "1,".repeat(items - 1));
    assert!(compile(&list(MAX_IN_ITEMS), &[]).is_ok());
    assert_eq!(compile(&list(MAX_IN_ITEMS + 1), &[]).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn parameters_used_many_times_do_not_multiply() {
    let large = ("@p".to_owned(), Value::String("a".repeat(1024 * 1024)));
    let text = format!("SELECT VALUE [{}1]", "@p,".repeat(100_000));
    assert_eq!(compile(&text, &[large]).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn rows_that_cost_too_much_are_refused_with_a_reason() {
    let row = Value::parse(format!(r#"{{"a":"{}"}}"#, "ab".repeat(500_000)).as_bytes()).unwrap();
    let doubled = format!("SELECT VALUE CONCAT({}c.a) FROM c", "c.a,".repeat(1000));
    let searched = format!("SELECT VALUE c.a LIKE '%{}c' FROM c", "ab".repeat(100));
    for text in [doubled, searched] {
        let error = compile(&text, &[]).unwrap().run_in_memory(std::slice::from_ref(&row)).unwrap_err();
        assert!(error.to_string().contains("steps"), "{error}");
    }
}
