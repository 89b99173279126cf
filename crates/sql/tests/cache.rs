//! Keeping compiled queries.

use std::time::Instant;

use orrery_sql::{ComputedProperty, Context, QueryCache, compile};
use orrery_value::Value;

fn parameter(value: Value) -> [(String, Value); 1] {
    [("@p".to_owned(), value)]
}

#[test]
fn a_query_is_compiled_once_for_equal_texts_parameters_and_contexts() {
    let cache = QueryCache::new();
    let none = Context::default();
    let property = ComputedProperty { name: "x".to_owned(), query: "SELECT VALUE c.y FROM c".to_owned() };
    let some = Context { computed_properties: vec![property], ..Context::default() };
    let text = "SELECT VALUE c.x = @p FROM c";
    let first = cache.compile(text, &parameter(1.into()), &none).unwrap();
    let again = cache.compile(text, &parameter(1.into()), &none).unwrap();
    assert!(std::ptr::eq(first.plan(), again.plan()));
    assert_eq!(first.fingerprint(), again.fingerprint());
    assert_eq!(cache.len(), 1);
    for (number, (parameter, context)) in
        [(2.into(), &none), ("1".into(), &none), (1.into(), &some)].into_iter().enumerate()
    {
        let parameters = self::parameter(parameter);
        let other = cache.compile(text, &parameters, context).unwrap();
        assert_eq!(other.fingerprint(), compile(text, &parameters, context).unwrap().fingerprint());
        assert!(!std::ptr::eq(first.plan(), other.plan()));
        assert_eq!(cache.len(), number + 2);
    }
}

#[test]
fn errors_are_not_kept() {
    let cache = QueryCache::new();
    assert!(cache.compile("SELECT VALUE d FROM c", &[], &Context::default()).is_err());
    assert!(cache.is_empty());
}

#[test]
fn what_says_the_time_is_compiled_each_time() {
    let cache = QueryCache::new();
    let context = Context::default();
    for text in ["SELECT VALUE GetCurrentTicksStatic()", "SELECT VALUE 1 + GetCurrentTimestampStatic() FROM c"] {
        cache.compile(text, &[], &context).unwrap();
        assert!(cache.is_empty(), "{text}");
    }
    // This one is called for each row.
    cache.compile("SELECT VALUE GetCurrentTicks() FROM c", &[], &context).unwrap();
    assert_eq!(cache.len(), 1);
}

#[test]
fn entries_and_their_bytes_are_bounded() {
    let context = Context::default();
    let few = QueryCache::with_limits(32, usize::MAX / 2);
    let small = QueryCache::with_limits(usize::MAX / 2, 64 * 1024);
    for number in 0..1_000 {
        let text = format!("SELECT VALUE {number} FROM c");
        for cache in [&few, &small] {
            let query = cache.compile(&text, &[], &context).unwrap();
            assert_eq!(query.plan().body.projection.as_constant(), Some(&Value::from(number)));
        }
    }
    assert!(few.len() <= 32 && few.len() > 16, "{}", few.len());
    assert!(small.len() < 64, "{}", small.len());
    let large = parameter(Value::String("x".repeat(10_000)));
    let before = small.len();
    small.compile("SELECT VALUE @p", &large, &context).unwrap();
    assert_eq!(small.len(), before, "a query larger than its part of the cache is not kept");
}

#[test]
fn queries_in_use_outlive_those_that_are_not() {
    let context = Context::default();
    let cache = QueryCache::with_limits(64, usize::MAX / 2);
    let text = "SELECT VALUE c.kept FROM c";
    let first = cache.compile(text, &[], &context).unwrap();
    for number in 0..10_000 {
        cache.compile(&format!("SELECT VALUE {number}"), &[], &context).unwrap();
        let kept = cache.compile(text, &[], &context).unwrap();
        assert!(std::ptr::eq(first.plan(), kept.plan()), "after {number} others");
    }
}

/// The figure itself is printed; the bound only tells a cache from none.
#[test]
fn a_hit_is_far_cheaper_than_compiling() {
    let context = Context::default();
    let cache = QueryCache::new();
    let text = "SELECT c.id, c.name, LOWER(c.city) AS city, ARRAY_LENGTH(c.tags) AS tags FROM c JOIN t IN c.tags \
                WHERE c.price BETWEEN 10 AND 20 AND t.kind IN ('a', 'b', 'c') AND STARTSWITH(c.name, @p, true) \
                ORDER BY c.price DESC, c.id OFFSET 10 LIMIT 20";
    let parameters = parameter("x".into());
    let time = |run: &dyn Fn()| {
        let started = Instant::now();
        (0..2_000).for_each(|_| run());
        started.elapsed() / 2_000
    };
    let compiling = time(&|| drop(compile(text, &parameters, &context).unwrap()));
    let hitting = time(&|| drop(cache.compile(text, &parameters, &context).unwrap()));
    println!("compiling takes {compiling:?}, a hit {hitting:?}");
    assert!(hitting * 3 < compiling, "compiling takes {compiling:?}, a hit {hitting:?}");
}
