//! Preconditions on the entity tag, operation by operation.

use orrery_engine::{Condition, Operation, OperationKind, Target, WriteMode};
use serde_json::{Value as Json, json};

use crate::support::{
    Items, World, by_pk, check_invalid, check_refused, if_match, on_every_store, partition, quoted, word,
};

const OTHER: &str = "\"00000000-0000-0000-0000-000000000000\"";

fn body(n: i64) -> Json {
    json!({"id": "a", "pk": "x", "n": n})
}

/// Which operation a row of the table is about.
#[derive(Clone, Copy, Debug)]
enum Act {
    Create,
    Upsert,
    Replace,
    Patch,
    Delete,
    Read,
}

/// Runs the operation on an item that exists or does not, and returns what became of it.
async fn outcome(items: &Items, act: Act, exists: bool, condition: &str) -> String {
    drop(items.delete(json!(["x"]), "a").await);
    let current = if exists { quoted(&items.create(body(0)).await.unwrap()) } else { OTHER.into() };
    let condition = match condition {
        "none" => Condition::None,
        "match current" => Condition::IfMatch(current),
        "match other" => Condition::IfMatch(OTHER.into()),
        "match *" => Condition::IfMatch("*".into()),
        "none-match current" => Condition::IfNoneMatch(current),
        "none-match other" => Condition::IfNoneMatch(OTHER.into()),
        "none-match *" => Condition::IfNoneMatch("*".into()),
        other => panic!("unknown condition {other}"),
    };
    let target = || Target::Id("a".into());
    let kind = match act {
        Act::Create => OperationKind::Create(items.new_item(&body(1)).unwrap().1),
        Act::Upsert => OperationKind::Upsert(items.new_item(&body(1)).unwrap().1),
        Act::Replace => OperationKind::Replace { target: target(), item: items.new_item(&body(1)).unwrap().1 },
        Act::Patch => {
            let patch = crate::support::parse_patch(&json!([{"op": "set", "path": "/n", "value": 1}])).unwrap();
            OperationKind::Patch { target: target(), patch }
        }
        Act::Delete => OperationKind::Delete { target: target() },
        Act::Read => OperationKind::Read { target: target() },
    };
    let operation = Operation { kind, key: partition(&json!(["x"])), condition };
    let results = items.batch(vec![operation], WriteMode::Independent).await;
    let word = word(&results[0]);
    check_effect(items, act, exists, &word).await;
    word
}

/// A refused operation changes nothing; a successful one does what it says.
async fn check_effect(items: &Items, act: Act, existed: bool, word: &str) {
    let now = items.read(json!(["x"]), "a").await.map(|item| crate::support::json_of(&item)["n"].clone());
    let before = existed.then(|| json!(0));
    let after = match act {
        Act::Delete => None,
        Act::Read => before.clone(),
        Act::Create | Act::Upsert | Act::Replace | Act::Patch => Some(json!(1)),
    };
    assert_eq!(now, if word == "ok" { after } else { before }, "{act:?}, existed: {existed}, {word}");
}

#[tokio::test]
async fn each_operation_honours_its_condition() {
    const FAILED: &str = "PreconditionFailed";
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (act, exists, condition, expected) in [
            (Act::Create, false, "none", "ok"),
            (Act::Create, true, "none", "Conflict"),
            (Act::Create, false, "none-match *", "ok"),
            (Act::Create, true, "none-match *", FAILED),
            (Act::Create, true, "none-match other", "Conflict"),
            (Act::Upsert, false, "none", "ok"),
            (Act::Upsert, true, "none", "ok"),
            (Act::Upsert, true, "match current", "ok"),
            (Act::Upsert, true, "match *", "ok"),
            (Act::Upsert, true, "match other", FAILED),
            (Act::Upsert, false, "match other", FAILED),
            (Act::Upsert, false, "match *", FAILED),
            (Act::Upsert, false, "none-match *", "ok"),
            (Act::Upsert, true, "none-match *", FAILED),
            (Act::Upsert, true, "none-match other", "ok"),
            (Act::Replace, false, "none", "NotFound"),
            (Act::Replace, false, "match *", "NotFound"),
            (Act::Replace, true, "none", "ok"),
            (Act::Replace, true, "match current", "ok"),
            (Act::Replace, true, "match *", "ok"),
            (Act::Replace, true, "match other", FAILED),
            (Act::Replace, true, "none-match current", FAILED),
            (Act::Patch, false, "none", "NotFound"),
            (Act::Patch, true, "match current", "ok"),
            (Act::Patch, true, "match other", FAILED),
            (Act::Patch, true, "none-match *", FAILED),
            (Act::Delete, false, "none", "NotFound"),
            (Act::Delete, true, "match current", "ok"),
            (Act::Delete, true, "match *", "ok"),
            (Act::Delete, true, "match other", FAILED),
            (Act::Read, false, "none", "NotFound"),
            (Act::Read, true, "none", "ok"),
            (Act::Read, true, "none-match other", "ok"),
            (Act::Read, true, "none-match current", "NotModified"),
            (Act::Read, true, "none-match *", "NotModified"),
        ] {
            assert_eq!(
                outcome(&items, act, exists, condition).await,
                expected,
                "{act:?}, exists: {exists}, {condition}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn an_etag_holds_for_one_version_only() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let first = items.create(body(1)).await.unwrap();
        let second = items.replace_if(body(2), if_match(&first)).await.unwrap();
        check_refused(items.replace_if(body(3), if_match(&first)).await, "PreconditionFailed");
        check_refused(items.delete_if(json!(["x"]), "a", if_match(&first)).await, "PreconditionFailed");
        items.delete_if(json!(["x"]), "a", if_match(&second)).await.unwrap();
        let again = items.create(body(1)).await.unwrap();
        assert!(again.etag() != first.etag() && again.etag() != second.etag());
    })
    .await;
}

#[tokio::test]
async fn an_etag_counts_with_or_without_quotes_and_in_a_list() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let mut current = items.create(body(0)).await.unwrap();
        for form in [
            |etag: &str| etag.to_owned(),
            |etag: &str| format!("\"{etag}\""),
            |etag: &str| format!("{OTHER}, \"{etag}\""),
        ] {
            let condition = Condition::IfMatch(form(current.etag()));
            current = items.replace_if(body(1), condition).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn an_operation_needs_the_whole_key_and_the_right_one() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        items.create(body(0)).await.unwrap();
        for key in [json!([]), json!(["x", "y"])] {
            check_refused(items.delete(key.clone(), "a").await, "PartitionKeyMismatch");
            let read = items.engine.read_item(&items.container, &partition(&key), &Target::Id("a".into())).await;
            check_refused(read, "PartitionKeyMismatch");
        }
        check_refused(items.delete(json!(["y"]), "a").await, "NotFound");
        assert!(items.read(json!(["y"]), "a").await.is_none());
        let elsewhere = orrery_engine::NewItem::parse(
            &items.container,
            body(0).to_string().as_bytes(),
            Some(&partition(&json!(["y"]))),
        );
        check_refused(elsewhere, "PartitionKeyMismatch");
        let (_, item) = items.new_item(&json!({"id": "a", "pk": "y"})).unwrap();
        let moved = OperationKind::Replace { target: Target::Id("a".into()), item };
        check_refused(items.write(moved, partition(&json!(["x"])), Condition::None).await, "PartitionKeyMismatch");
        assert_eq!(items.container.usage().items, 1);
    })
    .await;
}

#[tokio::test]
async fn what_is_no_item_is_refused_with_its_reason() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let long_id = "i".repeat(orrery_engine::MAX_ITEM_ID_BYTES + 1);
        for (body, reason) in [
            (json!({"pk": "x"}), "id"),
            (json!({"id": "", "pk": "x"}), "id"),
            (json!({"id": 5, "pk": "x"}), "not a string"),
            (json!({"id": long_id, "pk": "x"}), "1024"),
            (json!({"id": "a/b", "pk": "x"}), "'/'"),
            (json!({"id": "a#b", "pk": "x"}), "'#'"),
        ] {
            check_invalid(items.create(body).await, reason);
        }
        let parse = |body: &[u8]| orrery_engine::NewItem::parse(&items.container, body, None);
        check_invalid(parse(br#"{"id":"a","id":"b"}"#), "id");
        check_invalid(parse(br#"[1]"#), "object");
        check_invalid(parse(br#"{"id":"a""#), "invalid");
        check_invalid(parse(format!(r#"{{"id":"a","pk":"{}"}}"#, "k".repeat(3000)).as_bytes()), "2048");
        let huge = format!(r#"{{"id":"a","pk":"x","pad":"{}"}}"#, "p".repeat(2 << 20));
        check_refused(parse(huge.as_bytes()), "TooLarge");
        let longest = "i".repeat(orrery_engine::MAX_ITEM_ID_BYTES);
        items.create(json!({"id": longest, "pk": "x"})).await.unwrap();
        assert_eq!(items.container.usage().items, 1);
    })
    .await;
}

#[tokio::test]
async fn a_partition_key_that_is_no_scalar_counts_as_absent() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (id, pk) in [("a", json!({})), ("b", json!([1])), ("c", json!({"x": "y"}))] {
            items.create(json!({"id": id, "pk": pk})).await.unwrap();
            assert!(items.read(json!([{}]), id).await.is_some());
        }
    })
    .await;
}
