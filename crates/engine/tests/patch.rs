//! Patches of stored items; what each operation does to a value is tested beside its code.

use orrery_engine::query::{BinaryOperator, Expr};
use orrery_engine::{Condition, OperationKind, Predicate, Target};
use orrery_value::{PropertyPath, Value};
use serde_json::{Value as Json, json};

use crate::support::{World, body_of, by_pk, check_invalid, check_refused, on_every_store, parse_patch, rid_of};

#[tokio::test]
async fn an_item_whose_key_is_a_negative_zero_is_patched_where_it_is() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        items.create(json!({"id": "a", "pk": -0.0, "n": 1})).await.unwrap();
        let increment = json!([{"op": "incr", "path": "/n", "value": 1}]);
        let new = items.patch(json!([-0.0]), "a", increment.clone()).await.unwrap();
        assert!(String::from_utf8_lossy(&new.text()).starts_with(r#"{"id":"a","pk":-0.0,"n":2,"#));
        assert_eq!(items.read(json!([-0.0]), "a").await.unwrap().text(), new.text());
        check_refused(items.patch(json!([0.0]), "a", increment).await, "NotFound");
    })
    .await;
}

#[tokio::test]
async fn each_operation_does_what_the_service_documents() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (before, operations, after) in [
            (json!({}), json!([{"op": "add", "path": "/a", "value": {"b": [1]}}]), json!({"a": {"b": [1]}})),
            (json!({"a": 1}), json!([{"op": "add", "path": "/a", "value": 2}]), json!({"a": 2})),
            (json!({"a": [1, 2]}), json!([{"op": "add", "path": "/a/0", "value": 0}]), json!({"a": [0, 1, 2]})),
            (json!({"a": [1, 2]}), json!([{"op": "add", "path": "/a/2", "value": 3}]), json!({"a": [1, 2, 3]})),
            (json!({"a": [1, 2]}), json!([{"op": "add", "path": "/a/-", "value": 3}]), json!({"a": [1, 2, 3]})),
            (json!({"a": [1, 2]}), json!([{"op": "set", "path": "/a/0", "value": 0}]), json!({"a": [0, 2]})),
            (json!({}), json!([{"op": "set", "path": "/n", "value": null}]), json!({"n": null})),
            (
                json!({"a": {"b": 1}}),
                json!([{"op": "replace", "path": "/a/b", "value": "x"}]),
                json!({"a": {"b": "x"}}),
            ),
            (json!({"a": {"b": 1}}), json!([{"op": "remove", "path": "/a/b"}]), json!({"a": {}})),
            (json!({"a": [1, 2, 3]}), json!([{"op": "remove", "path": "/a/1"}]), json!({"a": [1, 3]})),
            (json!({"n": 1}), json!([{"op": "incr", "path": "/n", "value": 4}]), json!({"n": 5})),
            (json!({"n": 1}), json!([{"op": "incr", "path": "/n", "value": -1.5}]), json!({"n": -0.5})),
            (json!({}), json!([{"op": "increment", "path": "/n", "value": 4}]), json!({"n": 4})),
            (json!({"a": 1}), json!([{"op": "move", "from": "/a", "path": "/b"}]), json!({"b": 1})),
            (json!({"a": 1, "b": 2}), json!([{"op": "move", "from": "/a", "path": "/b"}]), json!({"b": 1})),
            (
                json!({"a": 1}),
                json!([{"op": "set", "path": "/a", "value": 2}, {"op": "incr", "path": "/a", "value": 3}]),
                json!({"a": 5}),
            ),
            (json!({"z": 1, "a": 2}), json!([{"op": "set", "path": "/z", "value": 3}]), json!({"z": 3, "a": 2})),
            (
                json!({"big": 9_007_199_254_740_993i64}),
                json!([{"op": "set", "path": "/x", "value": 1}]),
                json!({"big": 9_007_199_254_740_993i64, "x": 1}),
            ),
            (json!({}), json!([{"op": "set", "path": "/pk", "value": "x"}]), json!({})),
        ] {
            let whole = |content: &Json| {
                let mut body = crate::support::map(json!({"id": "a", "pk": "x"}));
                body.extend(crate::support::map(content.clone()));
                Json::Object(body)
            };
            let old = items.upsert(whole(&before)).await.unwrap();
            let new = items.patch(json!(["x"]), "a", operations.clone()).await.unwrap();
            assert_eq!(body_of(&new), whole(&after), "{operations}");
            assert_eq!(items.read(json!(["x"]), "a").await.unwrap().text(), new.text());
            assert_eq!(rid_of(&old), rid_of(&new));
            assert_ne!(old.etag(), new.etag());
        }
    })
    .await;
}

#[tokio::test]
async fn a_patch_that_does_not_fit_changes_nothing() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let before = items.create(json!({"id": "a", "pk": "x", "s": "text", "l": [1], "n": 1})).await.unwrap();
        for (operations, reason) in [
            (json!([{"op": "replace", "path": "/absent", "value": 1}]), "operation 0"),
            (json!([{"op": "set", "path": "/n", "value": 2}, {"op": "remove", "path": "/absent"}]), "operation 1"),
            (json!([{"op": "incr", "path": "/s", "value": 1}]), "number"),
            (json!([{"op": "add", "path": "/l/5", "value": 1}]), "index"),
            (json!([{"op": "add", "path": "/l/01", "value": 1}]), "index"),
            (json!([{"op": "add", "path": "/absent/x", "value": 1}]), "parent"),
            (json!([{"op": "set", "path": "/s/x", "value": 1}]), "parent"),
            (json!([{"op": "move", "from": "/absent", "path": "/x"}]), "nothing"),
            (
                json!([{"op": "incr", "path": "/n", "value": 1e308}, {"op": "incr", "path": "/n", "value": 1e308}]),
                "finite",
            ),
        ] {
            check_invalid(items.patch(json!(["x"]), "a", operations).await, reason);
        }
        let moved = items.patch(json!(["x"]), "a", json!([{"op": "set", "path": "/pk", "value": "y"}])).await;
        check_refused(moved, "PartitionKeyMismatch");
        check_refused(
            items.patch(json!(["x"]), "a", json!([{"op": "remove", "path": "/pk"}])).await,
            "PartitionKeyMismatch",
        );
        let too_large = json!([{"op": "set", "path": "/pad", "value": "p".repeat(2 << 20)}]);
        check_refused(items.patch(json!(["x"]), "a", too_large).await, "TooLarge");
        assert_eq!(items.read(json!(["x"]), "a").await.unwrap().text(), before.text());
        assert_eq!(items.container.head(), 1);
    })
    .await;
}

#[test]
fn a_patch_that_cannot_be_is_refused_before_any_item_is_read() {
    let eleven: Vec<Json> = (0..11).map(|n| json!({"op": "set", "path": format!("/p{n}"), "value": n})).collect();
    for (operations, reason) in [
        (json!(eleven), "at most 10"),
        (json!([]), "non-empty"),
        (json!({}), "non-empty"),
        (json!([5]), "operation 0"),
        (json!([{"op": "test", "path": "/a", "value": 1}]), "'test'"),
        (json!([{"op": "set", "path": "/a"}]), "'value'"),
        (json!([{"op": "set", "value": 1}]), "'path'"),
        (json!([{"op": "set", "path": "a", "value": 1}]), "'/'"),
        (json!([{"op": "set", "path": "/", "value": 1}]), "name a property"),
        (json!([{"op": "set", "path": "/id", "value": "b"}]), "'id'"),
        (json!([{"op": "remove", "path": "/_etag"}]), "'_etag'"),
        (json!([{"op": "move", "from": "/_ts", "path": "/ts"}]), "'_ts'"),
        (json!([{"op": "move", "path": "/a"}]), "'from'"),
        (json!([{"op": "move", "from": "/a", "path": "/a/b"}]), "into itself"),
        (json!([{"op": "incr", "path": "/n", "value": "1"}]), "number"),
    ] {
        check_invalid(parse_patch(&operations), reason);
    }
}

/// `c.<name> = <value>`
fn equals(name: &str, value: i64) -> Predicate {
    let path = Expr::Path { base: Box::new(Expr::Source(0)), path: PropertyPath::from_iter([name]) };
    Predicate::new(Expr::Binary(BinaryOperator::Equal, Box::new(path), Box::new(Expr::Constant(Value::from(value)))))
}

#[tokio::test]
async fn a_conditional_patch_is_done_only_where_its_condition_is_exactly_true() {
    const FAILED: &str = "PreconditionFailed";
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        items.create(json!({"id": "a", "pk": "x", "n": 1})).await.unwrap();
        for (name, value, expected) in [("n", 2, FAILED), ("absent", 1, FAILED), ("n", 1, "ok"), ("n", 1, FAILED)] {
            let patch = parse_patch(&json!([{"op": "incr", "path": "/n", "value": 1}])).unwrap();
            let patch = patch.only_if(equals(name, value));
            let kind = OperationKind::Patch { target: Target::Id("a".into()), patch };
            let result = items.write(kind, crate::support::partition(&json!(["x"])), Condition::None).await;
            assert_eq!(crate::support::word(&result), expected);
        }
        assert_eq!(body_of(&items.read(json!(["x"]), "a").await.unwrap())["n"], json!(2));
    })
    .await;
}
